#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the lists of files in Makefile.am and */local.mk: every source file and
# every file under version control is named there (itself, or its folder), and
# every name is a file.
# usage: tests/sources.sh; ends with "N passed, N failed", counted in files
cd "$(dirname "$0")/.." || exit 1

lists="Makefile.am $(ls -- */local.mk)"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# The names: %D%/x in FOLDER/local.mk is FOLDER/x; in Makefile.am as written.
for list in $lists; do
	folder=$(dirname "$list")
	sed -e 's/^#.*//' "$list" | tr -s ' \t\\' '\n\n\n' |
		sed -n -e "s,^%D%/,$folder/,p" |
		grep -v '\.la$'
done | sort -u >"$scratch/names"
sed -e 's/^#.*//' Makefile.am | tr -s ' \t\\' '\n\n\n' |
	while read -r name; do
		[ -f "$name" ] && echo "$name"
	done | sort -u >"$scratch/top"

# The files: sources, whether tracked yet or not, and all tracked files.
{
	ls -- */*.c */*.h */*.def */*/*.c */*/*.h */*/*.def \
		2>/dev/null
	if [ -e .git ] && git --version >/dev/null 2>&1; then
		git -c safe.directory='*' ls-files
	fi
} | grep -v -e '^build' -e '^config\.h' | sort -u >"$scratch/files"

passed=0
failed=0
while read -r file; do
	case $file in
	configure.ac | Makefile.am | */local.mk | .gitignore)
		passed=$((passed + 1)) # Automake's own business, and git's
		continue
		;;
	esac
	found=no
	name=$file
	while [ "$name" != . ]; do
		if grep -qxF -e "$name" "$scratch/names" "$scratch/top"; then
			found=yes
			break
		fi
		name=$(dirname "$name")
	done
	if [ $found = yes ]; then
		passed=$((passed + 1))
	else
		echo "$file: in no list of Makefile.am or local.mk"
		failed=$((failed + 1))
	fi
done <"$scratch/files"

while read -r name; do
	case $name in
	bench/weft-bench | tests/unit/unit | tests/fuzz/replay-* | tests/fuzz/fuzz-*) continue ;;
	esac
	if [ ! -e "$name" ] && [ ! -e "$name.c" ]; then
		echo "$name: named in $(dirname "$name")/local.mk but not there"
		failed=$((failed + 1))
	fi
done <"$scratch/names"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

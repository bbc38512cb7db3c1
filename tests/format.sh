#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the layout of the C files against .clang-format. Versions of
# clang-format other than Debian 12's lay out some code differently.
# usage: tests/format.sh; ends with "N passed, N failed[, N skipped]"
cd "$(dirname "$0")/.." || exit 1

format=
for name in clang-format-14 clang-format; do
	if "$name" --version 2>/dev/null | grep -q 'version 14\.'; then
		format=$name
		break
	fi
done
if [ -z "$format" ]; then
	echo "clang-format 14 is not installed"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi

files=
for file in */*.c */*.h */*/*.c */*/*.h; do
	case $file in
	build/* | build-aux/*) continue ;;
	esac
	[ -f "$file" ] && files="$files $file"
done

# shellcheck disable=SC2086 # the list is meant to be split
bad=$("$format" --dry-run $files 2>&1 |
	sed -n 's/^\([a-z][^:]*\):[0-9]*:[0-9]*: warning: .*/\1/p' | sort -u)
for file in $bad; do
	echo "$file: not laid out as clang-format does it"
done
# shellcheck disable=SC2086
failed=$(set -- $bad && echo $#)
# shellcheck disable=SC2086
passed=$(set -- $files && echo $(($# - failed)))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Holds the layout of the C files, as .clang-format describes it.  Other
# versions of clang-format than Debian 12's lay some things out differently.
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

passed=0
failed=0
for file in */*.c */*.h tests/*/*.c tests/*/*.h; do
	case $file in
	build/* | build-aux/* | config.h) continue ;;
	esac
	[ -f "$file" ] || continue
	if "$format" --dry-run -Werror "$file" >/dev/null 2>&1; then
		passed=$((passed + 1))
	else
		echo "$file: not laid out as clang-format does it"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

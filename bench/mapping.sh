#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What mappings over a document of a megabyte cost, in percent of a program
# that reads the document with libxml2, walks the tree and copies what is
# wanted; in instructions, as callgrind counts them.
# usage: [WEFT_BUILD=FOLDER] bench/mapping.sh [NAME]...
#
# WEFT_BUILD is where bench/mapping was built; all mappings are measured unless
# some are named.  The last line is "worst percent N".
set -u

mapping=${WEFT_BUILD:-.}/bench/mapping
if ! command -v valgrind >/dev/null 2>&1; then
	echo "mapping: valgrind is not installed" >&2
	exit 1
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# count NAME weft|plain
count() {
	valgrind --tool=callgrind --toggle-collect=measured \
		--callgrind-out-file="$scratch/profile" \
		"$mapping" "$1" "$2" >"$scratch/out" 2>"$scratch/err" || {
		tail -n 5 "$scratch/out" "$scratch/err" >&2
		exit 1
	}
	sed -n 's/^\(summary\|totals\): \([0-9]*\).*/\2/p' \
		"$scratch/profile" | head -n 1
}

[ $# -gt 0 ] || set -- $("$mapping" list)
worst=0
for name in "$@"; do
	"$mapping" "$name" check || exit 1
	weft=$(count "$name" weft) && plain=$(count "$name" plain) &&
		[ -n "$weft" ] && [ "${plain:-0}" -gt 0 ] || exit 1
	percent=$((weft * 100 / plain))
	echo "$name: weft $weft, by hand $plain: $percent %"
	[ $percent -le $worst ] || worst=$percent
done
echo "worst percent $worst"

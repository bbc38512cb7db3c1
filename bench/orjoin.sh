#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Instructions per decision of an OR-join, as callgrind counts them, for each
# family of nets and growing sizes: how the cost grows.
# usage: bench/orjoin.sh [--weft PATH]
set -u

weft=${WEFT:-./weft}
if [ "${1:-}" = --weft ]; then
	weft=$2
fi
if ! command -v valgrind >/dev/null 2>&1; then
	echo "orjoin: valgrind is not installed" >&2
	exit 1
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# count DECISIONS FAMILY SIZE: instructions of the whole run
count() {
	valgrind --trace-children=yes --tool=callgrind --callgrind-out-file="$scratch/profile" \
		"$weft" bench orjoin --decisions "$1" --family "$2" \
		--size "$3" >"$scratch/out" 2>"$scratch/err" || {
		tail -n 5 "$scratch/out" "$scratch/err" >&2
		exit 1
	}
	sed -n 's/^\(summary\|totals\): \([0-9]*\).*/\2/p' \
		"$scratch/profile" | head -n 1
}

# The difference of two runs leaves out what is done once.
for family in width chain loop cancel cancel-loop; do
	for size in 4 8 16 32 64; do
		few=$(count 100 $family $size) || exit 1
		many=$(count 1100 $family $size) || exit 1
		echo "$family $size: $(((many - few) / 2000)) instructions a decision"
	done
done

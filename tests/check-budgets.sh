#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The budgets of the kernel and of the stores: instructions per work item, bytes
# per live case, statements per batch, bytes of the write-ahead log per item.
# Counts, not times, so they hold on any machine.
# usage: WEFT=PATH tests/check-budgets.sh
set -u
cd "$(dirname "$0")/.." || exit 1
weft=${WEFT:-./weft}
passed=0
failed=0

# budget WHAT COUNT LIMIT: COUNT is empty when it could not be measured.
budget() {
	echo "$1: ${2:-no count} (under $3)"
	if [ -n "$2" ] && [ "$2" -lt "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
}

instructions() {
	bench/instructions.sh --weft "$weft" "$@" |
		sed -n 's/^instructions per item //p'
}

# Reads a line "WAL bytes per WHAT: N, M with images of pages".
log_bytes() {
	sed -n "s/^WAL bytes per $1: \([0-9]*\),.*/\1/p" "$scratch/counts"
}

store_budgets() {
	scratch=$(mktemp -d) || exit 1
	trap 'rm -rf "$scratch"' EXIT
	bench/store.sh --weft "$weft" --url "$WEFT_TEST_POSTGRESQL" counts \
		>"$scratch/counts"
	# Rounds up: 10.2 becomes 11.
	budget "statements per batch" "$(
		sed -n 's/^statements per batch: //p' "$scratch/counts" |
			awk '{ print int($1 + 0.99) }')" 11
	budget "bytes of the write-ahead log per item" \
		"$(log_bytes 'item and its share of a launch')" 1600
	budget "the same in a case that holds 1 MiB of unchanged data" \
		"$(log_bytes 'item of a case with 1 MiB')" 3072
}

if [ "${WEFT_SANITIZED:-0}" = 1 ]; then
	echo "counts are of a build without sanitizers"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
budget "bytes per live case, 10 tasks" "$(
	"$weft" bench kernel --net seq --size 10 --cases 1000 --live |
		sed -n 's/^bytes per live case //p')" 1024
skipped=0
if [ -n "${WEFT_TEST_POSTGRESQL:-}" ] && command -v psql >/dev/null 2>&1; then
	store_budgets
else
	echo "there is no PostgreSQL: statements and its log are not counted"
	skipped=3
fi
if ! command -v valgrind >/dev/null 2>&1; then
	echo "valgrind is not installed: instructions are not counted"
	echo "$passed passed, $failed failed, $((skipped + 4)) skipped"
	[ $failed -eq 0 ]
	exit
fi
budget "instructions per item, 10 tasks" \
	"$(instructions --net seq --size 10)" 2000
budget "instructions per item, 1,000 tasks" \
	"$(instructions --net seq --size 1000)" 2050
budget "instructions per item, a string mapped in and out" \
	"$(instructions --net data --size 10)" 25000
budget "percent of a walk by hand over 1 MB, the dearest mapping" \
	"$(bench/mapping.sh names | sed -n 's/^worst percent //p')" 200
line="$passed passed, $failed failed"
[ $skipped -eq 0 ] || line="$line, $skipped skipped"
echo "$line"
[ $failed -eq 0 ]

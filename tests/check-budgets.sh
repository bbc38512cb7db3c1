#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The budgets of the kernel: instructions per work item, bytes per live case.
# Counts, not times, so they hold on any machine.
# usage: WEFT=PATH tests/check-budgets.sh
set -u
cd "$(dirname "$0")/.." || exit 1
weft=${WEFT:-./weft}
passed=0
failed=0

# budget WHAT COUNT LIMIT: COUNT is empty when it could not be had.
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

if [ "${WEFT_SANITIZED:-0}" = 1 ]; then
	echo "counts are of a build without sanitizers"
	echo "0 passed, 0 failed"
	exit 0
fi
budget "bytes per live case, 10 tasks" "$(
	"$weft" bench kernel --net seq --size 10 --cases 1000 --live |
		sed -n 's/^bytes per live case //p')" 1024
if ! command -v valgrind >/dev/null 2>&1; then
	echo "valgrind is not installed: instructions are not counted"
	echo "$passed passed, $failed failed, 3 skipped"
	[ $failed -eq 0 ]
	exit
fi
budget "instructions per item, 10 tasks" \
	"$(instructions --net seq --size 10)" 2000
budget "instructions per item, 1,000 tasks" \
	"$(instructions --net seq --size 1000)" 2000
budget "instructions per item, a string mapped in and out" \
	"$(instructions --net data --size 10)" 25000
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

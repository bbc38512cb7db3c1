#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Instructions per work item, as callgrind counts them.
# usage: bench/instructions.sh [--weft PATH] [OPTION OF weft bench kernel]...
#
# Counts what wf_case_step() does: one call completes one work item; making
# and launching cases is not counted.  Runs "weft bench kernel" with two
# numbers of cases; the difference leaves out what is done once.  The last line is
# "instructions per item N".  WEFT names the program when --weft does not.
set -u

weft=${WEFT:-./weft}
if [ "${1:-}" = --weft ]; then
	weft=$2
	shift 2
fi
if ! command -v valgrind >/dev/null 2>&1; then
	echo "instructions: valgrind is not installed" >&2
	exit 1
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# count CASES OPTION...: sets items and instructions.
count() {
	cases=$1
	shift
	valgrind --trace-children=yes --tool=callgrind --toggle-collect=wf_case_step \
		--callgrind-out-file="$scratch/profile" \
		"$weft" bench kernel --cases "$cases" "$@" \
		>"$scratch/out" 2>"$scratch/err" || {
		tail -n 5 "$scratch/out" "$scratch/err" >&2
		exit 1
	}
	items=$(tail -n 1 "$scratch/out" | sed -n 's/^items \([0-9]*\) .*/\1/p')
	instructions=$(sed -n 's/^\(summary\|totals\): \([0-9]*\).*/\2/p' \
		"$scratch/profile" | head -n 1)
	if [ -z "$items" ] || [ -z "$instructions" ]; then
		echo "instructions: no counts in the output of weft bench" >&2
		exit 1
	fi
	echo "cases $cases items $items instructions $instructions"
}

count 10 "$@"
few_items=$items
few_instructions=$instructions
count 60 "$@"
echo "instructions per item $((
	(instructions - few_instructions) / (items - few_items)))"

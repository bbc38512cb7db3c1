#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks docs/SEMANTICS.md, docs/XQUERY.md and docs/SCENARIOS.md: every scenario
# that the first two name exists, and the complete example of the third equals
# the one that is run, tests/scenarios/guide.wfs.
# usage: tests/check-semantics.sh; ends with "N passed, N failed", in scenarios
cd "$(dirname "$0")/.." || exit 1

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

# The quoted titles in the last column of each table.
sed -n 's/^|.*| "\(.*\)" |$/\1/p' docs/SEMANTICS.md docs/XQUERY.md \
	>"$scratch/named"
sed -n 's/^scenario "\(.*\)"$/\1/p' tests/scenarios/*.wfs >"$scratch/titles"
while IFS= read -r title; do
	if grep -qxF -- "$title" "$scratch/titles"; then
		passed=$((passed + 1))
	else
		echo "docs: there is no scenario \"$title\""
		failed=$((failed + 1))
	fi
done <"$scratch/named"

sed -n '/^## A complete example/,/^## /p' docs/SCENARIOS.md |
	sed -n '/^```$/,/^```$/p' | sed '/^```$/d' >"$scratch/printed"
sed '/^#/d' tests/scenarios/guide.wfs | sed '1{/^$/d}' >"$scratch/run"
if diff "$scratch/printed" "$scratch/run"; then
	passed=$((passed + 1))
else
	echo "docs/SCENARIOS.md: the complete example is not guide.wfs"
	failed=$((failed + 1))
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 100 ]

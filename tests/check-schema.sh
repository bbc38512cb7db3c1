#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The schema for editors accepts what Weft accepts: examples and recorded
# specifications of version 4.0, and the file that "weft new" writes; and it
# refuses elements that the language does not have.
# usage: WEFT=PATH tests/check-schema.sh
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
cd "$(dirname "$0")/.." || exit 2
schema=$PWD/schemas/specification-4.0.xsd
if ! command -v xmllint >/dev/null; then
	echo "xmllint is not installed"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

# holds CODE FILE: checks the exit code of xmllint.
holds() {
	local code=0
	xmllint --nonet --noout --schema "$schema" "$2" 2>"$scratch/err" || code=$?
	if [ $code -eq "$1" ]; then
		passed=$((passed + 1))
	else
		echo "$2: xmllint ends with $code, expected $1"
		head -n 5 "$scratch/err"
		failed=$((failed + 1))
	fi
}

(cd "$scratch" && "$weft" new fresh >/dev/null)
files=(examples/*.yawl "$scratch/fresh.yawl")
if [ -n "${WEFT_CORPUS:-}" ]; then
	files+=("$WEFT_CORPUS"/data/specs/*0.yawl)
	for file in "$WEFT_CORPUS"/specs/*.yawl; do
		! grep -q 'version="4.0"' "$file" || files+=("$file")
	done
fi
for file in "${files[@]}"; do
	holds 0 "$file"
done

sed 's/<split .*\/>/<part code="and"\/>/' examples/sequence.yawl >"$scratch/element"
holds 3 "$scratch/element"
sed 's/code="and"/code="nor"/' examples/sequence.yawl >"$scratch/code"
holds 3 "$scratch/code"
sed 's/ id="[A-Z]/ it="A/' examples/sequence.yawl >"$scratch/attribute"
holds 3 "$scratch/attribute"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

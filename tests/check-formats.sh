#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stores of earlier versions (tests/formats/VERSION.tar.gz) are migrated, and
# every state and history in them is read.
# usage: WEFT=PATH tests/check-formats.sh
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
weft=${WEFT:-./weft}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

db() {
	local action=$1
	shift
	"$weft" db "$action" --db "sqlite:$store" "$@" \
		>"$scratch/out" 2>&1
}

# holds NAME NUMBER: the last check counted exactly NUMBER.
holds() { grep -q -e "^  \"$1\": $2,\$" "$scratch/out"; }

for file in tests/formats/*.tar.gz; do
	version=$(basename "$file" .tar.gz)
	tar -xzf "$file" -C "$scratch"
	for store in "$scratch"/*.db; do
		name=$(basename "$store" .db)
		check "store $name of $version is brought forward" db migrate
		check "its version is finished" db migrate --finish
		check "there is nothing to do" grep -q 'nothing to do$' \
			"$scratch/out"
		check "all of it is read" db check --json
		check "what is in it is known" \
			grep -q "^$name " "tests/formats/$version.txt"
		while read -r _ what number; do
			check "there are $number $what" holds "$what" "$number"
		done < <(grep "^$name " "tests/formats/$version.txt")
	done
	rm -f "$scratch"/*.db*
done

[ $failed -eq 0 ] || echo "What is stored has changed.  Before 0.1 is released" \
	"tests/formats/make.sh 0.1 writes these files anew; what a release has" \
	"written must be read for ever."
sum_up

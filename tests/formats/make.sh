#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes tests/formats/VERSION.tar.gz, stores with the cases of all scenarios
# and of the tests of commands without a caller, and VERSION.txt, what is in
# them.  Once a version is released its files stay as they are for ever, and
# are read by tests/check-formats.sh.
# usage: WEFT_BUILD=FOLDER tests/formats/make.sh VERSION
set -eu
cd "$(dirname "$0")/../.."
build=${WEFT_BUILD:-.}
version=${1:?which version?}
# Where a file can be moved to from where the tests have their stores.
scratch=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$scratch"' EXIT

# What is not ours does not belong in here.  Whether all of it passes is not
# the question, but whether what it stored is whole.
ls tests/scenarios/*.wfs | grep -v '/corpus\.wfs$' |
	xargs "$build/weft" test --db "sqlite:$scratch/00.db" || :
unit=$build/tests/unit/unit
[ -x "$unit" ] || unit=$build/unit
WEFT_TEST_STORE=sqlite WEFT_KEEP_STORES=$scratch "$unit" errands || :

# More of the same.
find "$scratch" -name '*.db' ! -name 00.db -size +500k -delete

: >"tests/formats/$version.txt"
for store in "$scratch"/*.db; do
	name=$(basename "$store" .db)
	if "$build/weft" db check --json --db "sqlite:$store" \
		>"$scratch/check"; then
		sed -n "s/^  \"\(live\|ended\|steps\|setAside\)\": \([0-9]*\),\$/$name \1 \2/p" \
			"$scratch/check" >>"tests/formats/$version.txt"
	else
		rm "$store" # a test has damaged it
	fi
done
(cd "$scratch" && tar -c --sort=name --owner=0 --group=0 --mtime=@0 -- *.db) |
	gzip -9 -n >"tests/formats/$version.tar.gz"

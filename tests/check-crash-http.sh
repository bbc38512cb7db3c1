#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Servers are killed at random instants while clients work over HTTP: nothing
# acknowledged is lost, nothing is done twice (tests/crash/clients.py). The
# proof must fail for a store that loses data, and for clients without keys.
# usage: WEFT=./weft tests/check-crash-http.sh
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
cd "$(dirname "$0")/.." || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
RANDOM=${WEFT_SEED:-$$}
kills=4
[ "${WEFT_SOAK:-0}" = 0 ] || kills=200
passed=0
failed=0
skipped=0

# run WHAT URL KILLS NODES WORD..: runs clients.py on a new store.
run() {
	what=$1
	seed=$RANDOM
	folder=$(mktemp -d "$scratch/XXXXXX")
	timeout $((3600 + $3 * 10)) python3 -B tests/crash/clients.py "$weft" \
		"$folder" "$2" "$seed" "${@:3}" >"$folder/said" 2>&1
}

# verdict WANTED FOUND
verdict() {
	if [ "$1" -eq "$2" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$what (seed $seed): exit code $2"
		tail -n 12 "$folder/said" | sed 's/^/    /'
	fi
}

# Checks that enough requests were done, and enough left unanswered.
does_much() {
	awk '{ few = $3 < 300 || $5 < 10 || $8 < 10 } END { exit few }' \
		"$folder/said"
}

# proves WHAT URL KILLS NODES
proves() {
	run "$@"
	verdict 0 $?
	does_much
	verdict 0 $?
	(cd "$folder" && "$weft" db check --db "$2") >>"$folder/said" 2>&1
	verdict 0 $?
}

proves "killed, on SQLite" sqlite:weft.db $kills 1
if [ -n "${WEFT_TEST_POSTGRESQL:-}" ]; then
	schema=weft_http_$$
	url="$WEFT_TEST_POSTGRESQL?options=-csearch_path%3D$schema"
	proves "killed, two nodes on PostgreSQL" "$url" $kills 2
	! command -v psql >/dev/null 2>&1 ||
		psql -X -q -c "SET client_min_messages = warning" \
			-c "DROP SCHEMA $schema CASCADE" "$WEFT_TEST_POSTGRESQL"
else
	skipped=1
fi
run "a store that forgets" memory: 2 1
verdict 1 $?
grep -q "there is no case" "$folder/said"
verdict 0 $?
run "clients without keys" sqlite:weft.db 1 1 no-keys
verdict 1 $?
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]

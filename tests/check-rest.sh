#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The server from outside: every route, streams, accounts; on SQLite and, where
# there is one, PostgreSQL.
# usage: WEFT=PATH tests/check-rest.sh [NAME..]; NAME: of tests/rest/test_NAME.py
set -u
cd "$(dirname "$0")/.." || exit 1
WEFT=$(realpath "${WEFT:-./weft}")
export WEFT PYTHONDONTWRITEBYTECODE=1
passed=0
failed=0
skipped=0

if ! command -v python3 >/dev/null 2>&1; then
	echo "python3 is not installed"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

tests=${WEFT_TESTS:-tests/rest}
# With sanitizers the seed chooses every second one; in soak all run.
chosen() {
	ls "$tests"/test_*.py | sed 's,.*/test_,,; s,\.py$,,' |
		awk -v seed="${WEFT_SEED:-0}" \
			-v all="$((${WEFT_SOAK:-0} || !${WEFT_SANITIZED:-0}))" \
			'all || (NR + seed) % 2'
}
[ $# -gt 0 ] || set -- $(chosen)
for name; do
	timeout 7200 python3 "$tests/test_$name.py" >"$log" 2>&1
	line=$(tail -n 1 "$log")
	if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2]))
		skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
		sed '$d' "$log"
	else
		cat "$log"
		echo "test_$name.py did not come to its end"
		failed=$((failed + 1))
	fi
done

line="$passed passed, $failed failed"
[ "$skipped" -eq 0 ] || line="$line, $skipped skipped"
echo "$line"
[ "$failed" -eq 0 ]

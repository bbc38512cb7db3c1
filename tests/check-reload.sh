#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs scenarios, examples and recorded traces with a shadow run in each store,
# which loads the case anew for every command: the results must be equal.
# usage: WEFT=PATH tests/check-reload.sh; ends with "N passed, N failed[, N
# skipped]", counted in scenarios, examples and traces
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
cd "$(dirname "$0")/.." || exit 2
scratch=$(mktemp -d) || exit 2
# These tests do not survive a crash: they need not wait for the disk.
files=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) || exit 2
trap 'rm -rf "$scratch" "$files"' EXIT
passed=0
failed=0
skipped=0

stores=(memory: "sqlite:$files/shadow.db")
if [ -n "${WEFT_TEST_POSTGRESQL:-}" ]; then
	schema="options=-csearch_path%3Dshadow_$$"
	case $WEFT_TEST_POSTGRESQL in
	*\?*) stores+=("$WEFT_TEST_POSTGRESQL&$schema") ;;
	*) stores+=("$WEFT_TEST_POSTGRESQL?$schema") ;;
	esac
else
	echo "there is no PostgreSQL"
	skipped=1
fi

# scenarios STORE FILE...
scenarios() {
	local line

	timeout 3600 "$weft" test --db "$@" \
		>"$scratch/out" 2>&1
	line=$(tail -n 1 "$scratch/out")
	if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2]))
	else
		failed=$((failed + 1))
	fi
	[[ $line =~ \ 0\ failed ]] || head -n 20 "$scratch/out"
}

examples() {
	local file

	for file in examples/*.yawl; do
		if timeout 3600 "$weft" run --mode split --db "$1" "$file" \
			>"$scratch/out" 2>&1; then
			passed=$((passed + 1))
		else
			tail -n 5 "$scratch/out"
			failed=$((failed + 1))
		fi
	done
}

# traces STORE OPTION...: the recorded ones that the options name.  A file has
# one process at a time, so each has its own.
traces() {
	local line db=$1

	shift
	case $db in
	sqlite:*) db="sqlite:$files/\$\$.db" ;;
	esac
	cat >"$scratch/weft" <<-END
		#!/bin/sh
		"$weft" "\$@" --db "$db"
		code=\$?
		rm -f "$files/\$\$".db*
		exit \$code
	END
	chmod +x "$scratch/weft"
	timeout 7200 python3 "$WEFT_CORPUS/../tools/traces" \
		--weft "$scratch/weft" "$@" >"$scratch/out" 2>&1
	line=$(tail -n 1 "$scratch/out")
	if [[ $line =~ ^([0-9]+)\ /\ ([0-9]+)\ traces ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2] - BASH_REMATCH[1]))
	else
		failed=$((failed + 1))
	fi
	[[ $line =~ \ 0\ specifications ]] || tail -n 20 "$scratch/out"
}

# A store that cannot be opened is refused.
refusals() {
	if "$weft" test --db "sqlite:$scratch/none/shadow.db" \
		tests/scenarios/guide.wfs >"$scratch/out" 2>&1 ||
		! grep -q 'with the case in a store: ' "$scratch/out"; then
		echo "a store that cannot be opened is not refused"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
}

# Of the scenarios every fourth file on PostgreSQL; soak runs them all.
files_for() {
	ls tests/scenarios/*.wfs | awk -v seed="${WEFT_SEED:-0}" \
		-v sampled="$([[ $1 != postgres* || ${WEFT_SOAK:-0} = 1 ]] || echo 1)" \
		'!sampled || (NR + seed) % 4 == 0'
}

# Of the recorded traces every eighth, others than those that are compared
# without a store; soak runs them all.
mkdir "$scratch/traces"
[ -z "${WEFT_CORPUS:-}" ] || find "$WEFT_CORPUS/traces" -type f | LC_ALL=C sort |
	awk 'NR % 8 == 4' | xargs -d '\n' ln -s -t "$scratch/traces"

refusals
for store in "${stores[@]}"; do
	scenarios "$store" $(files_for "$store")
	examples "$store"
	[ -n "${WEFT_CORPUS:-}" ] || continue
	case ${WEFT_SOAK:-0}:${WEFT_SANITIZED:-0}:$store in
	1:*) traces "$store" ;;
	0:0:memory:* | 0:0:sqlite:*)
		traces "$store" --specs "$WEFT_CORPUS/specs" \
			--traces "$scratch/traces"
		;;
	esac
done
if [ -z "${WEFT_CORPUS:-}" ]; then
	echo "there is no ../shared with recorded traces"
	skipped=$((skipped + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 200 ]

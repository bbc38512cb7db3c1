# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that count checks: the output of the last command is in
# $scratch/out and $scratch/err, and is shown when a check fails.
# shellcheck shell=bash disable=SC2154 # scratch is the script's
passed=0
failed=0
skipped=0

# check WHAT COMMAND...: the check passes when the command succeeds.
check() {
	local what=$1 said
	shift
	if "$@"; then
		passed=$((passed + 1))
		return
	fi
	echo "does not hold: $what"
	failed=$((failed + 1))
	for said in "${scratch:-}/out" "${scratch:-}/err"; do
		[ ! -f "$said" ] || sed 's/^/    /' "$said" | head -20
	done
}

# skip WHY: counts a check that is impossible here.
skip() {
	skipped=$((skipped + 1))
	echo "$1"
}

# Prints the last line; returns the script's exit code.
sum_up() {
	local line="$passed passed, $failed failed"
	[ $skipped -eq 0 ] || line="$line, $skipped skipped"
	echo "$line"
	[ $failed -eq 0 ]
}

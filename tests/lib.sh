# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that count checks: what the last command said is in
# $scratch/out and $scratch/err, and is shown when a check does not hold.
# shellcheck shell=bash disable=SC2154 # scratch is the script's
passed=0
failed=0
skipped=0

# check WHAT COMMAND...: the command says whether it holds.
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

# skip WHY: something that cannot be tried here.
skip() {
	skipped=$((skipped + 1))
	echo "$1"
}

# Prints the last line; what it returns is the script's exit code.
sum_up() {
	local line="$passed passed, $failed failed"
	[ $skipped -eq 0 ] || line="$line, $skipped skipped"
	echo "$line"
	[ $failed -eq 0 ]
}

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What holds for all commands: help, wrong usage, output that cannot be
# written; and that the man page names every command and option.
# usage: WEFT=PATH tests/check-cli.sh
set -u
cd "$(dirname "$0")/.." || exit 1
weft=${WEFT:-./weft}
passed=0
failed=0

# check WHAT COMMAND...: the command says whether it holds.
check() {
	local what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		echo "does not hold: $what"
		failed=$((failed + 1))
	fi
}

# ends CODE COMMAND...: the exit code, and nothing on standard output when it
# is not 0.
ends() {
	local wanted=$1 out code=0
	shift
	out=$("$@" 2>/dev/null) || code=$?
	[ $code -eq "$wanted" ] && { [ $code -eq 0 ] || [ -z "$out" ]; }
}

says() {
	local pattern=$1
	shift
	"$@" 2>&1 | grep -q -e "$pattern"
}

full() {
	local code=0
	"$@" >/dev/full 2>/dev/null || code=$?
	[ $code -eq 1 ]
}

in_manual() {
	sed 's/\\-/-/g' docs/weft.1 | grep -q -F -e "$1"
}

check "no command is wrong usage" ends 2 "$weft"
check "an unknown command is wrong usage" ends 2 "$weft" frobnicate
check "an unknown command is named" says '"frobnicate"' "$weft" frobnicate
check "--help ends with 0" ends 0 "$weft" --help
check "--version ends with 0" ends 0 "$weft" --version
check "--version names the version" says '^weft [0-9]' "$weft" --version
check "help that cannot be written is a failure" full "$weft" --help

commands=$("$weft" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
check "there are commands" [ -n "$commands" ]
for command in $commands; do
	check "$command --help ends with 0" ends 0 "$weft" "$command" --help
	check "$command --help says how it is used" \
		says "^usage: weft $command" "$weft" "$command" --help
	# The server needs none.
	[ "$command" = serve ] ||
		check "$command without arguments is wrong usage" \
			ends 2 "$weft" "$command"
	check "$command with an unknown option is wrong usage" \
		ends 2 "$weft" "$command" --frobnicate
	check "the man page has $command" in_manual "weft $command"
	for option in $("$weft" "$command" --help |
		grep -o -e '^  --*[a-z-]*' | tr -d ' '); do
		check "the man page has $command $option" in_manual "$option"
	done
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

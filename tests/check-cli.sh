#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks for all commands: help, wrong usage, output that cannot be written; and
# the man page names every command and option.
# usage: WEFT=PATH WEFT_BUILD=FOLDER tests/check-cli.sh
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
weft=${WEFT:-./weft}
manual=${WEFT_BUILD:-build/plain}/docs/weft.1

# ends CODE COMMAND...: checks the exit code, and that standard output is empty
# when the code is not 0.
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

# Runs a script whose second line is the argument.
script() {
	"$weft" run --script <(printf 'launch\n%s\n' "$1") examples/sequence.yawl
}

full() {
	local code=0
	"$@" >/dev/full 2>/dev/null || code=$?
	[ $code -eq 1 ]
}

in_manual() {
	sed 's/\\-/-/g' "$manual" | grep -q -F -e "$1"
}

check "no command is wrong usage" ends 2 "$weft"
check "nor help about one that is not there" ends 2 "$weft" help nonsense
check "an unknown command is wrong usage" ends 2 "$weft" frobnicate
check "an unknown command is named" says '"frobnicate"' "$weft" frobnicate
check "an error that nothing is expected of is refused" \
	says ":2: what is expected is missing" script "expect error"
check "input that no expectation would inspect is refused" \
	says ':2: nothing can follow "<a/>"' script "expect output <a/> <b/>"
check "data that is no XML is named" says "^weft: LICENSE:[0-9]" \
	"$weft" run --data LICENSE examples/sequence.yawl
check "so is data that does not fit" says "^weft: .*sequence.yawl: the data's" \
	"$weft" run --data examples/sequence.yawl examples/sequence.yawl
check "--help ends with 0" ends 0 "$weft" --help
check "--version ends with 0" ends 0 "$weft" --version
check "--version names the version" says '^weft [0-9]' "$weft" --version
check "and whether it has TLS" says '^GnuTLS: [yn]' "$weft" --version
check "and directories" says '^LDAP: [yn]' "$weft" --version
check "and a page" says '^page for browsers: [yn]' "$weft" --version
check "help that cannot be written is a failure" full "$weft" --help

commands=$("$weft" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
check "there are commands" [ -n "$commands" ]
for command in $commands; do
	check "$command --help ends with 0" ends 0 "$weft" "$command" --help
	check "help $command says the same" test \
		"$("$weft" help "$command")" = "$("$weft" "$command" --help)"
	check "$command --help says how it is used" \
		says "^usage: weft $command" "$weft" "$command" --help
	# The server needs no arguments.
	[ "$command" = serve ] ||
		check "$command without arguments is wrong usage" \
			ends 2 "$weft" "$command"
	check "$command with an unknown option is wrong usage" \
		ends 2 "$weft" "$command" --frobnicate
	check "the man page has $command" in_manual "weft $command"
	for option in $("$weft" "$command" --help |
		grep -o -e '^  --*[a-z_-]*' | tr -d ' '); do
		check "the man page has $command $option" in_manual "$option"
	done
done

sum_up

# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that follow a document like a reader: a fenced block whose
# introduction ends in `FILE`: is written to that file, a block "sh" is what the
# reader's shell knows from then on, the commands of a block "console" are run,
# and their output must equal the text.
# shellcheck shell=bash disable=SC2154 # passed and failed are the script's

# run_command COMMAND: compares the output with that in $follow/expected.
run_command() {
	timeout 600 bash -c "$definitions$1" >"$follow/printed" 2>&1
	if diff -u --label "$document" --label "now" "$follow/expected" \
		"$follow/printed"; then
		passed=$((passed + 1))
	else
		echo "($1)"
		failed=$((failed + 1))
	fi
}

# open_block LANGUAGE: begins a fenced block.
open_block() {
	case $1 in
	console)
		mode=console
		command=
		;;
	sh)
		mode=definitions
		;;
	*)
		file=$(sed -n 's/.*`\([^`]*\)`:$/\1/p' <<<"$introduction")
		if [ -z "$file" ]; then
			echo "no file name before a block: $introduction"
			failed=$((failed + 1))
			file=nowhere
		fi
		: >"$file"
		mode=file
		;;
	esac
}

# follow DOCUMENT LEAST: follows the text of standard input, which is (a part of)
# the document, in the current folder; LEAST commands must have been run.
follow() {
	local document=$1 before=$((passed + failed)) follow
	local command='' introduction='' mode=text definitions='' file line
	follow=$(mktemp -d) || exit 2
	while IFS= read -r line; do
		case $mode:$line in
		text:'```'*)
			open_block "${line#'```'}"
			;;
		text:?*)
			introduction=$line
			;;
		console:'```' | console:'$ '*)
			[ -z "$command" ] || run_command "$command"
			command=${line#'$ '}
			: >"$follow/expected"
			[ "$line" != '```' ] || mode=text
			;;
		*:'```')
			mode=text
			;;
		console:*)
			printf '%s\n' "$line" >>"$follow/expected"
			;;
		definitions:*)
			definitions+=$line$'\n'
			;;
		file:*)
			printf '%s\n' "$line" >>"$file"
			;;
		esac
	done
	rm -rf "$follow"
	[ $((passed + failed - before)) -ge "$2" ] && return
	echo "$document has fewer commands than it should"
	failed=$((failed + 1))
}

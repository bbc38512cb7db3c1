#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Follows docs/FIRST-PROCESS.md like a reader: a fenced block whose introduction
# ends in `FILE`: is written to that file, the commands of a "console" block are
# run, and their output must equal the text.
# usage: WEFT=./weft tests/check-first-process.sh; ends with "N passed, N
# failed"
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
cd "$(dirname "$0")/.." || exit 2
document=$PWD/docs/FIRST-PROCESS.md
LSAN_OPTIONS=${LSAN_OPTIONS:+$LSAN_OPTIONS:}print_suppressions=0
export LSAN_OPTIONS=$LSAN_OPTIONS:suppressions=$PWD/tests/lsan.supp
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/work" || exit 2
ln -s "$weft" "$scratch/bin/weft"
export PATH=$scratch/bin:$PATH
cd "$scratch/work" || exit 2
passed=0
failed=0

# Commands that the reader starts in another terminal.
timeout 3600 weft serve --listen 127.0.0.1:0 >../server 2>&1 &
server=$!
trap 'kill $server; wait $server; rm -rf "$scratch"' EXIT
for ((i = 0; i < 6000; i++)); do
	WEFT_SERVER=$(sed -n 's/.*listening on //p' ../server)
	[ -z "$WEFT_SERVER" ] || break
	sleep 0.1
done
export WEFT_SERVER
unset WEFT_TOKEN

# run COMMAND: compares the output with ../expected.
run() {
	timeout 600 bash -c "$1" >../printed 2>&1
	if diff -u --label "$document" --label "now" ../expected ../printed; then
		passed=$((passed + 1))
	else
		echo "($1)"
		failed=$((failed + 1))
	fi
}

command=
introduction=
mode=text
while IFS= read -r line; do
	case $mode:$line in
	text:'```console')
		mode=console
		command=
		;;
	text:'```'*)
		file=$(sed -n 's/.*`\([^`]*\)`:$/\1/p' <<<"$introduction")
		if [ -z "$file" ]; then
			echo "no file name before a block: $introduction"
			failed=$((failed + 1))
			file=nowhere
		fi
		: >"$file"
		mode=file
		;;
	text:?*)
		introduction=$line
		;;
	console:'```' | console:'$ '*)
		[ -z "$command" ] || run "$command"
		command=${line#'$ '}
		: >../expected
		[ "$line" != '```' ] || mode=text
		;;
	file:'```')
		mode=text
		;;
	console:*)
		printf '%s\n' "$line" >>../expected
		;;
	file:*)
		printf '%s\n' "$line" >>"$file"
		;;
	esac
done <"$document"

if [ $((passed + failed)) -lt 10 ]; then
	echo "the document has fewer commands than it should"
	failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

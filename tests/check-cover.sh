#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# weft cover: exit codes, and nets with known answers.
# usage: WEFT=./weft tests/check-cover.sh
#
# No net under WEFT_CORPUS may be answered wrongly; each has ten seconds, and
# four in five must be answered. Only small nets are tried unless WEFT_SOAK is
# 1. The last line says "N passed, N failed, N skipped".
set -u

weft=${WEFT:-./weft}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
skipped=0

# expect WHAT CODE PATTERN FILE: weft cover FILE ends with CODE, and its output
# matches.
expect() {
	local output code=0
	output=$("$weft" cover "$4" 2>&1) || code=$?
	if [ "$code" -eq "$2" ] && grep -q -e "$3" <<<"$output"; then
		passed=$((passed + 1))
	else
		echo "$1: exit code $code, $output"
		failed=$((failed + 1))
	fi
}

cat >"$scratch/join.json" <<'END'
{"format": "orjoin-cases/1", "cases": [{"id": "one", "net": {
	"conditions": ["i", "x", "y", "o"], "input": "i", "output": "o",
	"tasks": [
		{"id": "J", "join": "or", "split": "and", "pre": ["x", "y"],
			"post": ["o"], "cancel": []},
		{"id": "A", "join": "xor", "split": "or", "pre": ["i"],
			"post": ["x", "y"], "cancel": []}]},
	"marking": {"x": 1, "A": 1}, "orjoin": "J"}]}
END
cat >"$scratch/net.spec" <<'END'
vars p q
rules p >= 1 -> p' = p-1, q' = q+1;
init p = 2, q = 0
target q >= 2
END
cat >"$scratch/net.pnml" <<'END'
<pnml><net id="n"><place id="p"><initialMarking><text>1</text>
</initialMarking></place><place id="q"/><transition id="t"/>
<arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/>
<finalmarkings><marking><place idref="q"><text>2</text></place></marking>
</finalmarkings></net></pnml>
END
echo '{"format": "orjoin-cases/1", "cases": [{"id": "one"}]}' \
	>"$scratch/bad.json"
echo '{"format": "orjoin-cases/1", "cases": [' >"$scratch/half.json"
for file in join.json net.spec net.pnml; do
	{ printf '\357\273\277' && cat "$scratch/$file"; } >"$scratch/mark-$file"
done

expect "an OR-join that waits" 0 \
	'^{"id":"one","enabled":false,.*\["end","A",\["x","y"\]\]' \
	"$scratch/join.json"
expect "a net that is covered" 0 \
	'^{"coverable":true,.*"witness":\["rule 1","rule 1"\]}$' \
	"$scratch/net.spec"
expect "a net that is not" 0 '^{"coverable":false,.*"witness":null}$' \
	"$scratch/net.pnml"
expect "an OR-join behind a byte order mark" 0 '"enabled":false' \
	"$scratch/mark-join.json"
expect "mist behind a byte order mark" 0 '"coverable":true' \
	"$scratch/mark-net.spec"
expect "PNML behind a byte order mark" 0 '"coverable":false' \
	"$scratch/mark-net.pnml"
expect "a case without a net" 1 'case one: expected "net"' "$scratch/bad.json"
expect "half a file" 1 'no JSON' "$scratch/half.json"
expect "no file" 1 'No such file' "$scratch/none"

if [ -z "${WEFT_CORPUS:-}" ]; then
	skipped=$((skipped + 1))
	echo "there is no ../shared"
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
	exit
fi

nets=$WEFT_CORPUS/coverability
asked=0
answered=0
while IFS=$'\t' read -r file verdict size; do
	[ "${WEFT_SOAK:-0}" = 1 ] || [ "$size" -lt 3000 ] || continue
	asked=$((asked + 1))
	code=0
	# Seconds of processor time: other load on the machine does not count.
	answer=$(ulimit -t 10 && "$weft" cover "$nets/$file" 2>&1) || code=$?
	case $verdict:$answer in
	coverable:*'"coverable":true'* | "not coverable:"*'"coverable":false'*)
		answered=$((answered + 1))
		;;
	*'"coverable":null'*) ;;
	*)
		[ $code -lt 128 ] || continue # its time was over
		echo "$file: $verdict, not $answer (exit code $code)"
		failed=$((failed + 1))
		;;
	esac
done <"$nets/verdicts.tsv"
echo "$answered of $asked nets answered"
if [ $((answered * 5)) -ge $((asked * 4)) ] && [ "$asked" -gt 0 ]; then
	passed=$((passed + 1))
else
	failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

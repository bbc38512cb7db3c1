#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# weft check: verdicts, exit codes, and witnesses, which weft run must be able
# to follow. With a corpus its verdicts are compared, for some nets, or for all
# with WEFT_SOAK=1.
# usage: WEFT=./weft WEFT_BUILD=FOLDER tests/check-soundness.sh
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
build=$(realpath "${WEFT_BUILD:-.}") || exit 2
cd "$(dirname "$0")/.." || exit 2
if [ -z "${WEFT_CORPUS:-}" ] && [ -d ../shared/corpus ]; then
	WEFT_CORPUS=../shared/corpus
fi
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
skipped=0
followed=0 # ways
# Seconds of processor time for one net: other load on the machine does not
# count.
limit=10
[ "${WEFT_SANITIZED:-0}" = 0 ] || limit=60

# verdict WHAT CODE: counts the check; shows the output when it failed.
verdict() {
	if [ "$2" -eq 0 ]; then
		passed=$((passed + 1))
		return
	fi
	echo "$1"
	head -n 20 "$scratch/out" | sed 's/^/    /'
	failed=$((failed + 1))
}

# checks CODE ARGUMENT...: checks the exit code of weft check.
checks() {
	local code=0 expected=$1
	shift
	"$weft" check "$@" >"$scratch/out" 2>"$scratch/err" || code=$?
	verdict "weft check $*: exit $code, not $expected" \
		$((code != expected))
}

# says TEXT: the last report contains the text.
says() {
	grep -qF -e "$1" "$scratch/out"
	verdict "weft check does not say: $1" $?
}

# follows SPEC: the first witness of the last report leads to its finding.
follows() {
	local code=0 wanted=0
	awk '/^    it comes to that by:$/ { on = 1; next }
		on && /^      / { print substr($0, 7); next }
		on { exit }' "$scratch/out" >"$scratch/script"
	if grep -q '^  - a case can get stuck' "$scratch/out"; then
		echo 'expect deadlock'
		wanted=3
	elif grep -q '^  - a case can end while work' "$scratch/out"; then
		echo 'expect completed'
	fi >>"$scratch/script"
	[ -s "$scratch/script" ] || return 0
	"$weft" run --script "$scratch/script" "$1" >"$scratch/out" 2>&1 ||
		code=$?
	[ $code -eq $wanted ] && ! grep -q '^weft: ' "$scratch/out"
	verdict "$1: the way cannot be followed (exit code $code)" $?
	followed=$((followed + 1))
}

# --- small nets

task() { # ID FLOWS JOIN SPLIT [MORE]
	echo "<task id=\"$1\">$2<join code=\"$3\"/><split code=\"$4\"/>${5-}" \
		'<decomposesTo id="Work"/></task>'
}

to() {
	local id
	for id; do
		printf '<flowsInto><nextElementRef id="%s"/></flowsInto>' "$id"
	done
}

either() { # ID ID: by default the second
	echo "<flowsInto><nextElementRef id=\"$1\"/><predicate" \
		'ordering="0">false()</predicate></flowsInto>' \
		"<flowsInto><nextElementRef id=\"$2\"/>" \
		'<isDefaultFlow/></flowsInto>'
}

some() {
	either "$@" | sed 's/ *ordering="0"//'
}

net() { # NAME TASKS: a net that begins with task A
	cat >"$scratch/$1.yawl" <<-END
		<specificationSet version="4.0" xmlns="http://www.yawlfoundation.org/yawlschema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
		<specification uri="Net"><metaData><creator>me</creator><version>0.1</version><identifier>UID_Net</identifier></metaData>
		<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>
		<decomposition id="Net" isRootNet="true" xsi:type="NetFactsType"><processControlElements>
		<inputCondition id="i">$(to A)</inputCondition>
		$2
		<outputCondition id="o"/></processControlElements></decomposition>
		<decomposition id="Work" xsi:type="WebServiceGatewayFactsType"/>
		</specification></specificationSet>
	END
}

branches="$(task B "$(to D)" xor and) $(task C "$(to D)" xor and)"

net parallel "$(task A "$(to B C)" xor and) $branches $(task D "$(to o)" and and)"
checks 0 "$scratch/parallel.yawl"
says "is sound."

net stuck "$(task A "$(either B C)" xor xor) $branches $(task D "$(to o)" and and)"
checks 5 "$scratch/stuck.yawl"
says "a case can get stuck"
says "task D can never be done"
says "goes A "
follows "$scratch/stuck.yawl"

net leftover "$(task A "$(to B C)" xor and) $branches $(task D "$(to o)" xor and)"
checks 5 "$scratch/leftover.yawl"
says "a case can end while work is left"
follows "$scratch/leftover.yawl"
[ $followed -eq 2 ]
verdict "ways that can be followed" $?

net or "$(task A "$(some B C)" xor or) $branches $(task D "$(to o)" or and)"
checks 0 "$scratch/or.yawl"

net or-and "$(task A "$(to B C)" xor and) $branches $(task D "$(to o)" or and)"
checks 0 "$scratch/or-and.yawl"
says "it could as well be an AND-join"

net or-xor "$(task A "$(either B C)" xor xor) $branches $(task D "$(to o)" or and)"
checks 0 "$scratch/or-xor.yawl"
says "it could as well be an XOR-join"

net circle "$(task A "$(to B C)" xor and) $(task B "$(either C D)" or xor)
	$(task C "$(either B D)" or xor) $(task D "$(to o)" xor and)"
checks 5 "$scratch/circle.yawl"
says "lie on a common cycle"

net growing "$(task A "$(to B C)" xor and) $(task B "$(to A)" xor and) $(task C "$(to o)" xor and)"
checks 5 "$scratch/growing.yawl"

net nothing "$(task A "$(to B)" xor and) $(task B "$(to o)" xor and '<removesTokens id="A"/>')"
checks 0 "$scratch/nothing.yawl"
says "there is never anything to cancel"

net broken "$(task A "$(to Nowhere)" xor and)"
checks 1 "$scratch/broken.yawl"

# --- limits and tools

checks 6 --max-states 1 "$scratch/parallel.yawl"
says "whether it is sound is not decided"
says "--max-states"
checks 0 --max-states 1000 "$scratch/parallel.yawl"
checks 2 --max-states x "$scratch/parallel.yawl"
checks 2 --max-states

for name in parallel stuck leftover circle; do
	code=5
	[ $name = parallel ] && code=0
	checks $code --json "$scratch/$name.yawl"
	[ "$(head -c 1 "$scratch/out")" = '{' ] &&
		[ "$(tail -n 1 "$scratch/out")" = '}' ] &&
		[ ! -s "$scratch/err" ]
	verdict "weft check --json $name is no object" $?
	if python3 -c '' 2>/dev/null; then
		python3 -m json.tool <"$scratch/out" >"$scratch/json" 2>&1
		verdict "weft check --json $name is no JSON" $?
	fi
done
"$weft" check --json "$scratch/stuck.yawl" >"$scratch/out"
says '"kind": "deadlock"'
says '"script": ["launch", '

for file in examples/*.yawl; do
	checks 0 "$file"
done

# --- the corpus

if [ -z "${WEFT_CORPUS:-}" ]; then
	echo "$passed passed, $failed failed, 1 skipped"
	[ "$failed" -eq 0 ]
	exit
fi

if [ -r "$WEFT_CORPUS/orjoin/verify.json" ]; then
	"$build/tests/verdicts" "$WEFT_CORPUS/orjoin/verify.json" \
		>"$scratch/out"
	verdict "answers found by brute force" $?
else
	skipped=$((skipped + 1))
fi

# sample FILE: all lines with WEFT_SOAK=1, else 40 of them.
sample() {
	if [ "${WEFT_SOAK:-0}" = 1 ]; then
		cat "$1"
	else
		awk -v seed="${WEFT_SEED:-1}" 'BEGIN { srand(seed) }
			{ print rand() "\t" $0 }' "$1" |
			sort -n | head -n 40 | cut -f 2-
	fi
}

folder=$WEFT_CORPUS/soundness
if [ ! -r "$folder/verdicts.tsv" ]; then
	echo "$passed passed, $failed failed, $((skipped + 1)) skipped"
	[ "$failed" -eq 0 ]
	exit
fi
open=0
nets=0
while IFS=$'\t' read -r file expected _; do
	code=0
	(ulimit -St $limit && exec "$weft" check "$folder/$file") \
		>"$scratch/out" 2>"$scratch/err" || code=$?
	nets=$((nets + 1))
	case $expected:$code in
	sound:0 | unsound:5)
		passed=$((passed + 1))
		;;
	*:6 | *:152) # 152: the processor's time was over
		open=$((open + 1))
		echo "$file is not decided"
		;;
	*)
		verdict "$file is $expected, and the exit code $code" 1
		;;
	esac
	[ $code -ne 5 ] || follows "$folder/$file"
done < <(sample "$folder/verdicts.tsv")
[ $((open * 100)) -le $nets ]
verdict "$open of $nets nets are not decided" $?

if [ $skipped -gt 0 ]; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
[ $failed -eq 0 ]

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# weft draw: every example and every specification of the corpus gives
# well-formed SVG with the name of every task; symbols and errors are as
# documented.
# usage: WEFT=./weft tests/check-draw.sh; ends with "N passed, N failed"
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
cd "$(dirname "$0")/.." || exit 2
if [ -z "${WEFT_CORPUS:-}" ] && [ -d ../shared/corpus ]; then
	WEFT_CORPUS=../shared/corpus
fi
LSAN_OPTIONS=${LSAN_OPTIONS:+$LSAN_OPTIONS:}print_suppressions=0
export LSAN_OPTIONS=$LSAN_OPTIONS:suppressions=$PWD/tests/lsan.supp
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
skipped=0

fail() {
	echo "$1"
	failed=$((failed + 1))
}

# check WHAT COMMAND...: the command must succeed.
check() {
	local what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		fail "$what"
	fi
}

draw() {
	timeout 600 "$weft" draw "$@" >"$scratch/out" 2>"$scratch/err"
}

# All text of an element, one line each, without white space at the ends.
texts() {
	xmllint --xpath "$2" "$1" 2>/dev/null |
		sed -e 's/^[ \t\r]*//' -e 's/[ \t\r]*$//' -e '/^$/d'
}

names_are_in() {
	local name missing=0

	texts "$2" "//*[local-name()='title']/text()" >"$scratch/titles"
	while read -r name; do
		grep -qF -e "$name" "$scratch/titles" && continue
		echo "$1: the picture has no task \"$name\""
		missing=1
	done < <(texts "$1" "//*[local-name()='task']/*[local-name()='name']/text()")
	return $missing
}

# A file whose specification may be refused; then with a reason.
draw_file() {
	local code=0

	draw "$1" || code=$?
	if [ $code -eq 1 ] && [ "$2" != accept ] &&
		grep -q "^weft: $1:" "$scratch/err"; then
		return 0
	fi
	if [ $code -ne 0 ]; then
		echo "$1: exit code $code"
		head -n 5 "$scratch/err"
		return 1
	fi
	xmllint --noout "$scratch/out" && names_are_in "$1" "$scratch/out"
}

# has FILE TEXT: the picture of that example contains the text.
has() {
	draw "examples/$1.yawl" && grep -qF -e "$2" "$scratch/out"
}

# refused CODE PATTERN ARGUMENTS...: checks exit code and message.
refused() {
	local wanted=$1 pattern=$2 code=0
	shift 2
	draw "$@" || code=$?
	[ $code -eq "$wanted" ] && grep -q -e "$pattern" "$scratch/err"
}

# The file gives tasks a width of 32, drawn as 48; these tasks are wider.
own_layout() {
	draw "$WEFT_CORPUS/specs/document-handling.xml" &&
		[ "$(grep -c 'width="48.0" height="48.0"' "$scratch/out")" -eq 2 ]
}

same_with_o() {
	draw -o "$scratch/choice.svg" examples/choice.yawl || return 1
	[ ! -s "$scratch/out" ] && draw examples/choice.yawl &&
		cmp -s "$scratch/out" "$scratch/choice.svg"
}

# A specification with the given net.
specification() {
	cat <<-END
		<specificationSet version="4.0"
		 xmlns="http://www.yawlfoundation.org/yawlschema"
		 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
		<specification uri="made">
		<metaData><creator>test</creator><description>made</description>
		<version>0.1</version><identifier>UID_made</identifier></metaData>
		<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>
		<decomposition id="N" isRootNet="true" xsi:type="NetFactsType">
		<processControlElements>
		$1
		<outputCondition id="o"/></processControlElements></decomposition>
		</specification></specificationSet>
	END
}

# to ID: a flow
to() {
	echo "<flowsInto><nextElementRef id=\"$1\"/></flowsInto>"
}

hostile_names() {
	specification "<inputCondition id=\"i\">$(to t)</inputCondition>
		<task id=\"t\"><name>&lt;/svg&gt; &amp; \"it's\"</name>$(to o)
		<join code=\"xor\"/><split code=\"and\"/></task>" \
		>"$scratch/hostile.yawl"
	draw_file "$scratch/hostile.yawl" accept
}

# Of all nets of the example only the named one.
one_net() {
	local net

	net=$(texts examples/subprocess.yawl \
		"//*[local-name()='decomposition'][not(@isRootNet)][*[local-name()='processControlElements']][1]/@id" |
		sed 's/.*="\(.*\)"/\1/')
	draw --net "$net" examples/subprocess.yawl &&
		[ "$(grep -c 'class="wf-net"' "$scratch/out")" -eq 1 ]
}

# All of the 300 tasks that one task removes are named below the net, in lines.
long_cancellation() {
	local i tasks= removed=

	for i in $(seq 1 300); do
		tasks="$tasks<task id=\"t$i\"><name>Task number $i</name>$(
		)<flowsInto><nextElementRef id=\"t$((i + 1))\"/></flowsInto>$(
		)<join code=\"xor\"/><split code=\"and\"/></task>"
		removed="$removed<removesTokens id=\"t$i\"/>"
	done
	specification "<inputCondition id=\"i\">$(to t1)</inputCondition>
		$tasks<task id=\"t301\"><name>Last</name>$(to o)
		<join code=\"xor\"/><split code=\"and\"/>$removed</task>" \
		>"$scratch/cancels.yawl"
	draw "$scratch/cancels.yawl" || return 1
	sed -n 's/.*<text class="wf-words">//p' "$scratch/out" |
		sed 's/<[^>]*>//g' >"$scratch/words"
	[ "$(grep -o 'Task number [0-9]*' "$scratch/words" |
		sort -u | wc -l)" -eq 300 ]
}

# No flow runs through, and nothing covers, a figure, a mark or a text.
geometry() {
	local file pictures=$scratch/pictures

	command -v python3 >/dev/null || return 0
	mkdir -p "$pictures"
	for file in examples/*.yawl ${WEFT_CORPUS:+"$WEFT_CORPUS"/specs/*}; do
		draw -o "$pictures/$(basename "$file").svg" "$file" || true
	done
	python3 tests/draw/geometry.py "$pictures"/*.svg
}

# A net that is too large for the usual layout is drawn quickly all the same.
long_net() {
	local i tasks=

	for i in $(seq 1 3000); do
		tasks="$tasks<task id=\"t$i\"><name>Task $i</name>$(
		)<flowsInto><nextElementRef id=\"t$((i + 1))\"/></flowsInto>$(
		)<join code=\"xor\"/><split code=\"and\"/></task>"
	done
	specification "<inputCondition id=\"i\">$(to t1)</inputCondition>
		$tasks<task id=\"t3001\"><name>Last</name>$(to o)
		<join code=\"xor\"/><split code=\"and\"/></task>" \
		>"$scratch/long.yawl"
	draw "$scratch/long.yawl" && xmllint --noout "$scratch/out" &&
		[ "$(grep -c '<title>Empty task ' "$scratch/out")" -eq 3001 ]
}

if ! command -v xmllint >/dev/null; then
	echo "xmllint is not here"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi

for file in examples/*.yawl; do
	check "$file" draw_file "$file" accept
done
if [ -n "${WEFT_CORPUS:-}" ]; then
	while IFS=$'\t' read -r name verdict _; do
		[ "$name" != file ] || continue
		file=$WEFT_CORPUS/specs/$name
		[ -f "$file" ] || continue
		check "$file" draw_file "$file" "$verdict"
	done <"$WEFT_CORPUS/verdicts.tsv"
else
	echo "no corpus to draw"
	skipped=1
fi

check "an AND-split is labelled" has parallel 'class="wf-and"><title>and-split'
check "an AND-join is labelled" has parallel 'class="wf-and"><title>and-join'
check "an XOR-split is labelled" has choice 'class="wf-xor"><title>xor-split'
check "a default flow is marked" has choice 'class="wf-default"'
check "a predicate stands at its flow" has choice '>amount &gt; 1000<'
check "a composite task is marked" has subprocess 'class="wf-composite"'
check "instances are shown" has several-instances '>1..10, 2 suffice<'
check "a cancellation set is outlined" has cancellation 'class="wf-set"'
check "a cancellation set is shown" has cancellation \
	'Withdraw the order removes: Prepare the goods'
check "one net is drawn alone" one_net
check "a net that is not there" \
	refused 1 'no net "Nothing": expected one of ' --net Nothing \
	examples/subprocess.yawl
check "a long cancellation list is whole" long_cancellation
check "nothing is covered or run through" geometry
[ -z "${WEFT_CORPUS:-}" ] || check "the file's own layout is taken" own_layout
check "-o writes the same" same_with_o
check "no argument" refused 2 '^usage: weft draw'
check "an option that is not there" refused 2 'unknown option' -x y
check "one that stands before another" refused 2 'unknown option -x$' -xo y
check "-o without a file" refused 2 'usage: weft draw' -o
check "a file that is not there" refused 1 '^weft: no-such-file: ' no-such-file
check "a target that is not there" \
	refused 1 '^weft: no/such/folder.svg: No such file' \
	-o no/such/folder.svg examples/choice.yawl
check "names are quoted" hostile_names
check "a long net" long_net

line="$passed passed, $failed failed"
[ $skipped -eq 0 ] || line="$line, $skipped skipped"
echo "$line"
[ $failed -eq 0 ]

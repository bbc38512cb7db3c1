#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# weft query: the sources of the query and of its document, and errors that are
# shown at their place.
# usage: WEFT=PATH tests/check-query.sh
set -u
cd "$(dirname "$0")/.." || exit 1
weft=${WEFT:-./weft}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

# gives CODE STDOUT STDERR COMMAND...: compares both texts exactly.
gives() {
	local code=0 wanted=$1 out=$2 err=$3
	shift 3
	"$@" >"$scratch/out" 2>"$scratch/err" || code=$?
	if [ $code -eq "$wanted" ] && [ "$(cat "$scratch/out")" = "$out" ] &&
		[ "$(cat "$scratch/err")" = "$err" ]; then
		passed=$((passed + 1))
	else
		echo "$*: exit code $code"
		cat "$scratch/out" "$scratch/err"
		failed=$((failed + 1))
	fi
}

# wrong TEXT ARGUMENT...: the arguments are refused as wrong usage, with that
# text.
wrong() {
	local code=0 text=$1
	shift
	"$weft" query "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || code=$?
	if [ $code -eq 2 ] && grep -q -F -e "$text" "$scratch/err"; then
		passed=$((passed + 1))
	else
		echo "weft query $*: exit code $code"
		cat "$scratch/err"
		failed=$((failed + 1))
	fi
}

printf '1 +\n 1\n' >"$scratch/q.xq"
printf '<a><b>1</b></a>' >"$scratch/a.xml"
stdin() {
	local text=$1
	shift
	printf '%s' "$text" | "$@"
}

gives 0 2 "" "$weft" query '1 + 1'
gives 0 2 "" "$weft" query -- '1 + 1'
gives 0 -1 "" "$weft" query -1
gives 0 1 "" "$weft" query -- --1
gives 0 2 "" "$weft" query --file "$scratch/q.xq"
gives 0 3 "" stdin '1 + 2' "$weft" query --file -
gives 0 "<b>1</b>" "" "$weft" query --context "$scratch/a.xml" a/b
gives 0 "<c/>" "" stdin '<c/>' "$weft" query --context - .
gives 0 "a 7" "" "$weft" query --var x=a --var y=6 '$x, $y + 1'
gives 1 "" "weft: 1:13: err:XPDY0130: the query takes more steps than are allowed
  for \$i in 1 to 1000 return \$i
              ^" "$weft" query --max-steps 100 'for $i in 1 to 1000 return $i'
gives 1 "" 'weft: 1:13: err:XPST0003: syntax error at "retrn $x"
  for $x in 1 retrn $x
              ^' "$weft" query 'for $x in 1 retrn $x'
gives 1 "" "weft: /dev/stdin:2:6: err:XPST0008: the variable \$y is not declared
  	ä + \$y
  	    ^" stdin "let \$ä := 1 return
	ä + \$y" "$weft" query --file -
gives 1 "" "weft: $scratch/none: No such file or directory" \
	"$weft" query --context "$scratch/none" 1
gives 1 "" "weft: $scratch/none: No such file or directory" \
	"$weft" query --file "$scratch/none"
wrong "expected a query"
wrong '"2" is one argument too many' 1 2
wrong '"2" is one argument too many' --file "$scratch/q.xq" 2
wrong "unknown option --frobnicate" --frobnicate 1
wrong "--context needs a value" --context
wrong '--var is NAME=VALUE, not "x"' --var x 1
wrong '--max-steps is a number, not "many"' --max-steps many 1
wrong "standard input is the query or the context, not both" \
	--file - --context -

# Of a long line the part around the place is shown.
long=$(printf '1+%.0s' $(seq 200))
if "$weft" query "${long}x()+${long}1" 2>&1 >/dev/null |
	awk 'NR == 2 { at = index($0, "x()") }
	     NR == 3 { good = index($0, "^") == at && length($0) < 80 }
	     END { exit !good }'; then
	passed=$((passed + 1))
else
	echo "a long line is not cut around the place"
	failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

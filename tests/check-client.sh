#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The command line against a server of its own, as a user types it.
# usage: WEFT=PATH tests/check-client.sh; ends with "N passed, N failed"
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
weft=$(realpath "${WEFT:-$top/weft}")
folder=$(mktemp -d) || exit 1
passed=0
failed=0
server=
trap 'kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset WEFT_TOKEN

# check WHAT PATTERN COMMAND...: it ends with 0 and prints that.
check() {
	local what=$1 pattern=$2 out
	shift 2
	if out=$(timeout 60 "$@" 2>&1) && grep -q -e "$pattern" <<<"$out"; then
		passed=$((passed + 1))
	else
		echo "does not hold: $what"
		echo "$out" | head -n 5
		failed=$((failed + 1))
	fi
}

# refused WHAT PATTERN COMMAND...: it ends with 1 and says why.
refused() {
	local what=$1 pattern=$2 out code=0
	shift 2
	out=$(timeout 60 "$@" 2>&1) || code=$?
	if [ $code -eq 1 ] && grep -q -e "$pattern" <<<"$out"; then
		passed=$((passed + 1))
	else
		echo "does not hold: $what ($code)"
		echo "$out" | head -n 5
		failed=$((failed + 1))
	fi
}

start() {
	"$weft" serve --db sqlite:weft.db --listen 127.0.0.1:0 >serve.out \
		2>serve.err &
	server=$!
	for _ in $(seq 100); do
		WEFT_SERVER=$(sed -n 's/.*listening on //p' serve.out)
		[ -n "$WEFT_SERVER" ] && break
		sleep 0.1
	done
	export WEFT_SERVER
}

# The server ends with 0 when it is told to.
ends() {
	kill -TERM "$server"
	if wait "$server"; then
		passed=$((passed + 1))
	else
		echo "does not hold: the server ends when it is told"
		cat serve.err
		failed=$((failed + 1))
	fi
	WEFT_SERVER=
}

start
check "the token is its owner's" "^600$" stat -c %a weft.token
check "specifications are loaded" "Order with delivery" \
	"$weft" spec load "$top"/examples/*.yawl
check "and listed" "Purchase" "$weft" spec list
refused "what is not valid is refused, with its place" \
	"bad.yawl:[0-9]" sh -c "echo '<specificationSet/>' >bad.yawl
	'$weft' spec load bad.yawl"
check "a case is started" "running" "$weft" case start Order --id first
refused "an id is given once" "already" "$weft" case start Order --id first
check "a key is done once" "repeated" sh -c \
	"'$weft' case start Order --key k1 --quiet &&
	 '$weft' case start Order --key k1"
check "cases are listed" "^first " "$weft" case list
check "items are listed" "first:Receive" "$weft" item list --case first
check "an item is completed" "running" "$weft" item complete first:Receive
check "a sub-net runs" "first.[0-9]*:Pack" "$weft" item list
item=$("$weft" item list --case first --json | sed -n 's/.*"item": "\(.*\)".*/\1/p')
check "an item is started" "first.[0-9.]*:Pack" "$weft" item start "$item"
started=$("$weft" item list --case first --json |
	sed -n 's/.*"item": "\(.*\)".*/\1/p')
check "an item can be shown" "executing" "$weft" item show "$started"
check "an item can fail, with a reason" "running" \
	"$weft" item fail "$started" --reason "the box is broken"
check "the reason is kept" "the box is broken" \
	"$weft" case history first --json
check "a case has a history" "TASK_ENABLED first:Receive" \
	"$weft" case history first
check "a case can be drawn" "" "$weft" case draw first --output case.svg
check "with what is going on" "wf-busy" cat case.svg
check "why a task is not enabled" "Invoice" "$weft" case why first Invoice
check "a case is suspended" "suspended" "$weft" case suspend first
refused "a suspended case starts nothing" "suspended" sh -c \
	"'$weft' item start \"\$('$weft' item list --case first --json |
	sed -n 's/.*\"item\": \"\(.*\)\".*/\1/p')\""
check "and resumed" "running" "$weft" case resume first
check "a case starts later" "scheduled" \
	"$weft" case start Order --id later --delay PT1H
printf '{}\n\n{}\nnonsense\n{}\n' >many
refused "a case for each line, but one" "3 cases started, 1 refused" \
	"$weft" case start Order --each many
check "there are no incidents" "INCIDENT" "$weft" incident list
refused "what is not there is said" "no case" "$weft" case show nobody
check "data may be XML" "running" \
	"$weft" case start BusinessTrip "<BusinessTrip/>" --id trip
check "a case is cancelled" "cancelled" "$weft" case cancel trip
ends
start
check "and goes on where it was" "^first " "$weft" case list
WEFT_TOKEN=weft_wrong refused "a wrong token is refused" "token" \
	"$weft" case list
ends
WEFT_SERVER=http://127.0.0.1:9 refused "without a server" "onnect" "$weft" case list

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the client commands against a server of its own, as a user types them.
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

# check WHAT PATTERN COMMAND...: the command ends with 0 and its output matches.
check() {
	local what=$1 pattern=$2 out
	shift 2
	if out=$(timeout 600 "$@" 2>&1) && grep -q -e "$pattern" <<<"$out"; then
		passed=$((passed + 1))
	else
		echo "does not hold: $what"
		echo "$out" | head -n 5
		failed=$((failed + 1))
	fi
}

# refused WHAT PATTERN COMMAND...: the command ends with 1 and its message
# matches.
refused() {
	local what=$1 pattern=$2 out code=0
	shift 2
	out=$(timeout 600 "$@" 2>&1) || code=$?
	if [ $code -eq 1 ] && grep -q -e "$pattern" <<<"$out"; then
		passed=$((passed + 1))
	else
		echo "does not hold: $what ($code)"
		echo "$out" | head -n 5
		failed=$((failed + 1))
	fi
}

# wrong WHAT PATTERN ARGUMENT...: weft with these arguments is wrong usage.
wrong() {
	local what=$1 pattern=$2 out code=0
	shift 2
	out=$(timeout 600 "$weft" "$@" 2>&1) || code=$?
	if [ $code -eq 2 ] && grep -q -e "$pattern" <<<"$out"; then
		passed=$((passed + 1))
	else
		echo "does not hold: $what ($code)"
		echo "$out" | head -n 5
		failed=$((failed + 1))
	fi
}

start() {
	: >serve.out # of an earlier one
	"$weft" serve --db sqlite:weft.db --listen 127.0.0.1:0 >serve.out \
		2>serve.err &
	server=$!
	for _ in $(seq 3000); do
		WEFT_SERVER=$(sed -n 's/.*listening on //p' serve.out)
		[ -n "$WEFT_SERVER" ] && break
		kill -0 $server 2>/dev/null || break
		sleep 0.1
	done
	export WEFT_SERVER
}

# The server ends with 0 on SIGTERM.
ends() {
	kill -TERM "$server"
	if wait "$server"; then
		passed=$((passed + 1))
	else
		echo "does not hold: the server ends on SIGTERM"
		cat serve.err
		failed=$((failed + 1))
	fi
	WEFT_SERVER=
}

start
check "the first start says where the token is" "admin, is in weft.token$" \
	cat serve.out
check "the token is its owner's" "^600$" stat -c %a weft.token
mkdir other
refused "a port has one server" "in use" "$weft" serve \
	--db sqlite:other/weft.db --listen "${WEFT_SERVER#http://}"
check "specifications are loaded" "Order with delivery" \
	"$weft" spec load "$top"/examples/*.yawl
check "and listed" "SupplierOffers" "$weft" spec list
check "one is shown by its URI" "Order with delivery" "$weft" spec show Order
check "and drawn" "<svg" "$weft" spec draw Order
refused "but removed by its key only" "16 hex" "$weft" spec remove Order
refused "a file that is not there is named once" "^weft: none.yawl: No such" \
	"$weft" spec load none.yawl
refused "bytes that are no XML are in no line" "^weft: zero.yawl: " sh -c \
	"head -c 9 /dev/zero >zero.yawl && '$weft' spec load zero.yawl"
refused "what is not valid is refused, with its place" \
	"bad.yawl:[0-9]" sh -c "echo '<specificationSet/>' >bad.yawl
	'$weft' spec load bad.yawl"
refused "an empty file has no token" "^weft: weft.token is empty: " sh -c \
	"mkdir no-token && cd no-token && : >weft.token && '$weft' case list"
refused "a token file that cannot be read is named" "^weft: weft.token: Is a" \
	sh -c "mkdir -p a-folder/weft.token && cd a-folder && '$weft' case list"
check "a case keeps its specification" "^keeps" sh -c \
	"'$weft' case start BusinessTrip --id keeps --quiet && echo keeps"
refused "which is not removed meanwhile, and named by its key" \
	"of the specification [0-9a-f]\{16\} are running" sh -c \
	"'$weft' spec remove \$('$weft' spec list | sed -n 's/ *BusinessTrip.*//p')"
check "a case is started" "running" "$weft" case start Order --id first
refused "an id is given once" "already" "$weft" case start Order --id first
check "a key is done once" "repeated" sh -c \
	"'$weft' case start Order --key k1 --quiet &&
	 '$weft' case start Order --key k1"
sed 's/"BusinessTrip"/"旅"/; s/UID_WeftSequence/UID_Trip/' \
	"$top/examples/sequence.yawl" >wide.yawl
check "columns are as wide as their characters" "  旅                0.1" sh -c \
	"'$weft' spec load --quiet wide.yawl && '$weft' spec list"
check "cases are listed" "^first .*  Order 0.1 " "$weft" case list
check "a case may have a strange title" "running" \
	"$weft" case start Order --id odd --title $'a\x1b[2J\xc2\x9bb'
check "a terminal does not obey it" '^title  *a\\u001b\[2J\\u009bb$' \
	"$weft" case show odd
check "an option that is not UTF-8 is wrong usage" "title: expected UTF-8" \
	sh -c "'$weft' case start Order --title \$(printf '\377'); [ \$? = 2 ]"
printf '<Order><item>\344</item></Order>' >latin.xml
refused "data that is not UTF-8 is not left out" "not UTF-8" \
	"$weft" case start Order @latin.xml
printf '{"a"\n[}\n' >bad.json
check "each bad line has its own fault" "bad.json:2:.*\[}\|bad.json:2:.*'}'" \
	sh -c "'$weft' case start Order --each bad.json; [ \$? != 0 ]"
check "no more than wanted" "^1$" sh -c \
	"'$weft' case list --limit 1 | grep -c Order"
check "a limit may be more than a page" "^first " \
	"$weft" case list --limit 100000
check "a limit of none is wrong usage" "^2$" sh -c \
	"'$weft' case list --limit 0; echo \$?"
check "also of one specification" "^first " \
	"$weft" case list --specification Order
check "of one version of it" "^first " \
	"$weft" case list --specification Order --version 0.1
check "of no such version" "Order has no version 9: it has 0.1" \
	sh -c "! '$weft' case list --specification Order --version 9 2>&1"
check "items too" "^first:" \
	"$weft" item list --specification Order --version 0.1
check "a case is watched from its beginning" "TASK_ENABLED first:Receive" \
	sh -c "timeout 600 '$weft' case watch first >watched &
	until grep -q TASK_ENABLED watched; do sleep 0.1; done
	kill \$! && cat watched"
check "all are watched from now" "^20.*  seen-[0-9]*  1  CASE_LAUNCHED" sh -c \
	": >all; timeout 600 '$weft' case watch >all & i=0
	until grep -q CASE_LAUNCHED all; do
		i=\$((i + 1)); '$weft' case start Order --id seen-\$i --quiet
		sleep 0.1
	done; kill \$! && cat all"
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
refused "what takes no data says what there is" \
	"^weft: color: there is no such variable; there is goods parcel$" \
	"$weft" case update first '{"color": "red"}'
check "a case has a history" "TASK_ENABLED first:Receive" \
	"$weft" case history first
check "a case can be drawn" "" "$weft" case draw first --output case.svg
check "with what is going on" "wf-busy" cat case.svg
key=$("$weft" case show first --json |
	sed -n 's/.*"specification": "\(.*\)".*/\1/p' | head -n 1)
check "its specification has an event log" "" \
	"$weft" spec log "$key" --data --all --output log.xes
check "with the case" 'key="concept:name" value="first"' cat log.xes
check "that names the actor of each event" 'key="org:resource" value="admin"' \
	"$weft" spec log "$key"
check "why a task is not enabled" "^  Task Invoice" "$weft" case why first Invoice
sed 's/"BusinessTrip"/"Journey"/; s/UID_WeftSequence/UID_Journey/' \
	"$top/examples/sequence.yawl" >journey1.yawl
sed 's/<version>0.1</<version>0.2</; s/<task id="Book"/<task id="Reserve"/
	s/<nextElementRef id="Book"/<nextElementRef id="Reserve"/' \
	journey1.yawl >journey2.yawl
"$weft" spec load --quiet journey1.yawl journey2.yawl
"$weft" case start Journey --version 0.1 --id journey --quiet
check "a case can complete" "net journey (.*): can complete: Ask, Book, Tell" \
	"$weft" case prospects journey
check "a repair is tried" "possible, after step 1; it would be running" \
	"$weft" case repair journey skip-to Book --dry-run
check "it says what goes and comes" "goes  journey:Ask.*comes  journey:Book" sh -c \
	"'$weft' case repair journey skip-to Book --dry-run | tr '\n' ' '"
check "it is done" "repair is done, step 2" "$weft" case repair journey \
	skip-to Book set destination=Rome --reason "it was asked already"
check "the history says why" "by admin (rest): it was asked already" \
	"$weft" case history journey
check "and what was marked" "CONDITION_MARKED .* in journey: 1" \
	"$weft" case history journey
refused "nothing could happen in an empty net" "no token" \
	"$weft" case repair journey empty
wrong "a change that is unknown" "not \"heal\"" case repair journey heal
wrong "a change without its place" "id of a condition" case repair journey move p
wrong "a variable without a value" "NAME=VALUE" case repair journey set destination
refused "what has nowhere to go is named" \
	"problem  net journey: the flow from Ask to Book has 1 token" \
	"$weft" case migrate journey --to 0.2
refused "also by a dry run" "problem  net journey: " \
	"$weft" case migrate journey --to 0.2 --dry-run
refused "a plan that is not there" "none.json: No such" \
	"$weft" case migrate journey --to 0.2 --plan none.json
echo '{"tasks": {"Book": "Reserve"}}' >plan.json
check "a plan says where it goes" "migrate is possible, after step 2" \
	"$weft" case migrate journey --to 0.2 --plan plan.json --dry-run
refused "a case that has made other steps stays" "2 steps, not 1" \
	"$weft" case migrate journey --to 0.2 --plan plan.json --steps 1
check "it is migrated" "comes  journey:Reserve" \
	"$weft" case migrate journey --to 0.2 --plan plan.json --steps 2
check "which the history says" \
	"CASE_MIGRATED from Journey 0.1 to Journey 0.2" \
	"$weft" case history journey
"$weft" case start Journey --version 0.1 --id abandoned --quiet
"$weft" case cancel abandoned --quiet
check "an ended case has no prospects" "^case abandoned is cancelled$" \
	"$weft" case prospects abandoned
check "another version is suspended" "^version *0.1" \
	"$weft" spec suspend Journey --version 0.1 --reason "stuck"
refused "which is named" "no case of Journey 0.1 .* is started: it is suspended .*stuck" \
	"$weft" case start Journey --version 0.1
check "the newest is not" "running" "$weft" case start Journey
check "it is resumed" "^version *0.1" \
	"$weft" spec resume Journey --version 0.1
check "a few are shown, and how many there are" "^  and [0-9]* more$" sh -c \
	"for i in 1 2 3 4 5 6 7 8 9 10 11; do
		'$weft' case start Journey --quiet
	done; '$weft' operation start suspend --all --dry-run"
wrong "what nothing undoes needs a reason" "nothing undoes skip_items" \
	operation start skip-items --all --task Ask
wrong "a repair without a change" "repair: expected changes" \
	operation start repair --all --dry-run
wrong "a net without a repair" "for repair" \
	operation start suspend --all --net 7.1
wrong "a migration to nowhere" "expected --into SPEC, or --specification" \
	operation start migrate --all --to 0.2
check "a repair of a net" "no net\|would be refused" "$weft" operation start \
	repair enter Tell --net 99.1 --specification Journey --dry-run
check "both spellings are one" "^operation [0-9]*: suspend_items: done" \
	"$weft" operation start suspend-items --task Tell --all --wait --key once
check "a key starts one" "^1$" sh -c \
	"'$weft' operation start suspend_items --task Tell --all --key once --quiet &&
	'$weft' operation list --json | grep -c suspend_items"
check "of one state" "^[0-9].*suspend_items  done" \
	"$weft" operation list --state done --limit 1
refused "a state that there is not" "^weft: --state: expected running" \
	"$weft" operation list --state over
refused "a period that there is not" "^weft: --per: expected period, hour or day" \
	"$weft" statistics cases --per minute
refused "a time to keep that is none" "90x\|expected a duration such as P90D, never" \
	"$weft" spec retain Journey 90x
check "a case is suspended" "suspended" "$weft" case suspend first
refused "a suspended case starts nothing" "suspended" sh -c \
	"'$weft' item start \"\$('$weft' item list --case first --json |
	sed -n 's/.*\"item\": \"\(.*\)\".*/\1/p')\""
check "and resumed" "running" "$weft" case resume first
check "a case starts later" "scheduled" \
	"$weft" case start Order --id later --delay PT1H
check "which is listed" "^[0-9]*  *later  *Order .*T.*Z" "$weft" case delayed
start=$("$weft" case delayed --json | sed -n 's/.*"start": \([0-9]*\).*/\1/p')
check "and withdrawn" "withdrawn" "$weft" case withdraw "$start"
refused "once it is gone there is none" "no delayed start 999" \
	"$weft" case withdraw 999
check "it is not listed any more" "^no starts$" "$weft" case delayed
printf '{}\n\n{}\nnonsense\n{}\n' >many
refused "a case for each line, but one" "3 cases started, 1 refused" \
	"$weft" case start Order --each many
refused "which is named" "^weft: many:4: the data is no JSON" \
	"$weft" case start Order --each many
printf '{}\n{"amount": 1}\n' >many
refused "also one that the server refuses" "^weft: many:2: amount: " \
	"$weft" case start Order --each many
refused "lines that are not there" "^weft: none: No such file" \
	"$weft" case start Order --each none
check "a service is registered" "^kind *pull" "$weft" service put workers \
	'{"kind": "pull", "uri": "urn:example:workers"}'
check "and listed" "^workers  pull  urn:example:workers" "$weft" service list
check "and shown" "^attempts *8" "$weft" service show workers
"$weft" service pause workers --reason moving --quiet
check "one that is put again stays paused, and says so" "reason *moving" \
	"$weft" service put workers '{"kind": "pull", "uri": "urn:example:workers"}'
check "and removed" "" "$weft" service remove workers
refused "a service that is not there" "no service workers" "$weft" service show workers
# --- the organisation -------------------------------------------------------

check "a role is added, with its id" "^id *clerk" \
	"$weft" role add Clerk --id clerk
refused "an id is added once" "there is a role 'clerk' already" \
	"$weft" role add Clerks --id clerk
check "one that belongs to it" "^belongsTo *clerk" \
	"$weft" role add "Senior clerk" belongsTo=Clerk live=yes
check "a participant is added" "^user *anna" "$weft" people add anna \
	lastName=Ash roles="Clerk;Senior clerk" privileges=canReorder
check "is listed with the names of links" "^anna .*Ash .*Clerk Senior clerk" \
	"$weft" people list --find ash
check "a member is changed, another emptied" "^firstName *Anna" sh -c \
	"'$weft' people set anna firstName=Anna lastName= '{\"notes\": \"n\"}' &&
	! '$weft' people show anna | grep -q lastName"
refused "a member that there is not" '"colour": a participant has no such' \
	"$weft" people set anna colour=red
refused "what is no member" "anna.: expected MEMBER=VALUE\|red: expected MEMBER" \
	"$weft" people set anna red
refused "a flag that is none" 'administrator: "maybe" is not yes or no' \
	"$weft" people set anna administrator=maybe
refused "no circle is made" "circle" \
	"$weft" role set Clerk belongsTo="Senior clerk"
check "a role has its members" "^anna " "$weft" role members clerk
printf 'user,firstName,roles\nanna,Ann,Clerk\nben,Ben,Clerks\n' >staff.csv
check "a dry run says why, and how many" "^nothing was changed" sh -c \
	"'$weft' people import staff.csv --dry-run >import.out
	grep -q '^participant anna: skipped: its id is known already' import.out &&
	grep -q \"^participant ben: added: there is no role 'Clerks'\" import.out &&
	grep -q '^people: 1 added, 1 skipped' import.out && cat import.out"
check "it is imported" "^people: 1 added, 1 changed" \
	"$weft" people import staff.csv --update
check "and again" "^people: 2 unchanged" \
	"$weft" people import staff.csv --update
printf '[{"name": "Boss"}]' >roles.json
check "a file of one kind" "^roles: 1 added" "$weft" role import roles.json
refused "has no other kinds" '"people": expected roles only' sh -c \
	"echo '{\"people\": []}' | '$weft' role import -"
check "all is exported" "" "$weft" people export --format ybkp --output all.ybkp
check "and found to be a backup" "^participant anna: skipped" \
	"$weft" people import all.ybkp
refused "which has all kinds" "all.ybkp: kind: a backup file" \
	"$weft" role import all.ybkp
check "one kind is exported as a table" "^[^,]*,Boss," \
	"$weft" role export --format csv
check "a participant is removed" "^1$" sh -c \
	"'$weft' people remove ben && '$weft' people list --json | grep -c user"
refused "once" 'there is no participant' "$weft" people remove ben
for noun in position group capability category thing rate calendar; do
	check "a $noun is added" "^one " sh -c \
		"'$weft' $noun add one --quiet && '$weft' $noun list"
done
check "there are no incidents" "^no incidents$" "$weft" incident list
refused "one that is not there is not retried" "no such open" \
	"$weft" incident retry 1
check "the end of one that starts later is waited for" "cancelled" sh -c \
	"'$weft' case start Order --id soon --delay PT1S --wait --json &
	until '$weft' case cancel soon --quiet 2>/dev/null; do sleep 0.2; done
	wait \$! || [ \$? -eq 1 ]"
refused "waiting for a withdrawn start fails" "not started" sh -c \
	"timeout 600 '$weft' case start Order --id never --delay PT1H --wait &
	until '$weft' case withdraw \"\$('$weft' case delayed --json |
		sed -n 's/.*\"start\": \\([0-9]*\\).*/\1/p')\" --quiet 2>/dev/null
	do sleep 0.2; done
	wait \$!"
check "whose end is waited for, and it is named" "^case gone is running" \
	sh -c "'$weft' case start Order --id gone --wait &
	until '$weft' case cancel gone --quiet 2>/dev/null; do sleep 0.2; done
	wait \$! || [ \$? -eq 1 ]"
refused "what is not there is said" "no case" "$weft" case show nobody
check "data may be XML" "running" \
	"$weft" case start BusinessTrip "<BusinessTrip/>" --id trip
check "a case is cancelled" "cancelled" "$weft" case cancel trip
ends
start
check "a later start says nothing of it" "^1$" sh -c "wc -l <serve.out"
check "and goes on where it was" "^first " "$weft" case list
yes '{}' | head -n 30000 >lines
before=$("$weft" case list | wc -l)
"$weft" case start Order --each lines >ids &
victim=$!
while kill -0 $victim && [ ! -s ids ]; do
	sleep 0.05
done 2>/dev/null
{ kill -KILL $victim && wait $victim; } 2>/dev/null
after=$("$weft" case list | wc -l)
while sleep 0.2 && [ "$after" -ne "$("$weft" case list | wc -l)" ]; do
	after=$("$weft" case list | wc -l)
done
check "a killed command has printed each start but the last" "^yes$" \
	sh -c "[ $((after - before)) -gt 0 ] &&
		[ $((after - before)) -le $(($(wc -l <ids) + 64)) ] && echo yes"
# --- what errors name, as the user typed it -------------------------------------

"$weft" case start Order --id ended --quiet
"$weft" case cancel ended --quiet
refused "a case that has ended" "case 'ended' has ended" \
	"$weft" case suspend ended
refused "its item" "case 'ended' has ended" "$weft" item complete ended:Receive
"$weft" case start Order --id here --quiet
"$weft" case suspend here --quiet
refused "a suspended case says what to do" "must be resumed first" \
	"$weft" item complete here:Receive
"$weft" case resume here --quiet
refused "an option is named as it was typed" "^weft: --at: expected a date" \
	"$weft" case start Order --at yesterday
refused "also in a list" "^weft: --status: expected" \
	"$weft" case list --status bogus
wrong "a command that is misspelt" 'is "weft case" meant' cas list
wrong "a command that is like none" '"weft --help" lists' everything
wrong "a verb that is misspelt" 'is "weft case list" meant' case lst
wrong "a verb that is like none" '"weft account bogus"' account bogus
wrong "a verb is missing" '^  weft db backup FILE' db
wrong "an argument too many" "spec list, and no argument" spec list x
wrong "an empty argument" "an argument is empty" item complete ''
wrong "a retry of nothing" "NUMBER..., or --case" incident retry
wrong "a role is missing" "^weft: expected --role" account add x
reader=$("$weft" account add reads --role reader --db sqlite:weft.db 2>/dev/null)
for _ in $(seq 3000); do
	WEFT_TOKEN=$reader "$weft" case list >/dev/null 2>&1 && break
	sleep 0.1
done
WEFT_TOKEN=$reader refused "a role that does not suffice" \
	"needs the right to start; the account reads, role reader, does not have it" \
	"$weft" case start Order
soon=$("$weft" account add soon --role admin --expires 2h --db sqlite:weft.db 2>/dev/null)
check "the token of a new account expires" "token first, until" \
	"$weft" account show soon --db sqlite:weft.db
for _ in $(seq 3000); do
	WEFT_TOKEN=$soon "$weft" account list --server "$WEFT_SERVER" >/dev/null 2>&1 && break
	sleep 0.1
done
WEFT_TOKEN=$soon refused "a token that would outlast the own one" \
	"expires is needed" \
	"$weft" account add later --role reader --server "$WEFT_SERVER"
WEFT_TOKEN=$soon check "a token that expires sooner" "^weft_" \
	"$weft" account add sooner --role reader --expires 1h --server "$WEFT_SERVER"
WEFT_TOKEN=weft_wrong refused "whose token is wrong" "token of WEFT_TOKEN" \
	"$weft" case list

mkdir empty && cd empty
refused "without a token" "WEFT_TOKEN" "$weft" case list
cd ..
WEFT_TOKEN=weft_wrong refused "a wrong token is refused" "token" \
	"$weft" case list
ends
WEFT_SERVER=http://127.0.0.1:9 refused "without a server" "onnect" "$weft" case list

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

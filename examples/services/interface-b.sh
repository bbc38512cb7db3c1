#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An order by hand, over YAWL's interface B, with nothing but curl.
# usage: WEFT_SERVER=http://127.0.0.1:8090 ./interface-b.sh
# The server runs with --yawl, and has order.yawl (weft spec load order.yawl).
set -u
handle=

ask() {
	action=$1
	shift
	curl -sS "$WEFT_SERVER/yawl/ib" --data-urlencode "action=$action" \
		--data-urlencode "sessionHandle=$handle" "$@" |
		sed 's,^<response>\(.*\)</response>$,\1,'
}

# The password as YAWL's clients send it: its SHA-1 in base64.
handle=$(ask connect -d userid=admin \
	--data-urlencode 'password=Se4tMaQCi9gr0Q2usp7P56Sk5vM=')
case=$(ask launchCase -d specidentifier=UID_WeftOrder -d specversion=0.1 \
	-d specuri=Order --data-urlencode \
	'caseParams=<Order><item>tea</item><amount>4</amount></Order>')
echo "case $case"
for work in 'Price <total>12</total>' 'Ship <parcel>a box of tea</parcel>'; do
	task=${work%% *}
	child=$(ask checkout -d "workItemID=$case:$task" |
		sed -n 's,.*<caseid>\([^<]*\)</caseid>.*,\1,p')
	echo "$child:$task $(ask checkin -d "workItemID=$child:$task" \
		--data-urlencode "data=<$task>${work#* }</$task>")"
done
ask getAllRunningCases
echo

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What announcing costs: clients complete items at a rate, in turns without and
# with a service that is sent each item and notified of its end; on this machine, with its
# clients, the service (bench/sink.c) and the store.
# usage: bench/announce.sh [OPTION]...
#
#   --weft PATH, --sink PATH   the programs (./weft, ./bench/sink)
#   --store sqlite|postgresql  (sqlite)
#   --rate N        items per second; 0: all that can be done (1500)
#   --seconds N     of each run (10)
#   --rounds N      (3)
#   --kind KIND     of the service: push, or yawl, which is notified of all that
#                   happens to each item (push)
set -u
cd "$(dirname "$0")/.." || exit 1

weft=${WEFT:-./weft}
sink=${WEFT_BUILD:-.}/bench/sink
rate=1500
seconds=10
rounds=3
kind=push
store=sqlite

while [ $# -gt 0 ]; do
	case $1 in
	--weft | --sink | --store | --rate | --seconds | --rounds | --kind) ;;
	*)
		sed -n '4,/^set/s/^# \{0,1\}//p' "$0" >&2
		exit 2
		;;
	esac
	[ $# -ge 2 ] || exit 2
	printf -v "${1#--}" %s "$2"
	shift 2
done
weft=$(realpath "$weft") || exit 1
sink=$(realpath "$sink") || exit 1

. bench/server.sh

# A server on a fresh store, and a service beside it.
serve() {
	local try
	"$sink" >"$scratch/sink" &
	service=$!
	database announce
	start --allow-address 127.0.0.1
	for ((try = 0; try < 200; try++)); do
		[ ! -s "$scratch/sink" ] || return 0
		sleep 0.1
	done
	die "no service"
}

# Items that name no service are the default worklist's.
register() {
	curl -sf -o "$scratch/answer" -X PUT \
		-H "Authorization: Bearer $WEFT_TOKEN" -d '{"kind": "'"$kind"'",
		"secret": "0123456789abcdef", "uri":
		"http://127.0.0.1:'"$(head -n 1 "$scratch/sink")"'/"}' \
		"$WEFT_SERVER/v1/services/DefaultWorklist" ||
		die "the service cannot be registered"
}

run() {
	local began
	serve
	[ "$1" = without ] || register
	began=$(date +%s)
	"$weft" bench http --seconds "$seconds" --clients 64 \
		$([ "$rate" -eq 0 ] || echo --rate "$rate") \
		>"$scratch/out" 2>&1 || die "$(cat "$scratch/out")"
	kill "$service"
	wait "$service"
	service=
	echo "$1 announcements: $(grep -E '^items per second' "$scratch/out"),\
 $(grep -E '^microseconds' "$scratch/out")"
	[ "$1" = without ] || echo "announcements per second\
 $(($(tail -n 1 "$scratch/sink") / ($(date +%s) - began)))"
	stop
}

begin
echo "processors $(nproc)"
for ((round = 0; round < rounds; round++)); do
	run without
	run with
done

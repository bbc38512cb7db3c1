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

. bench/server.sh

rate=1500
rounds=3
kind=push

run() {
	local began
	begin_sink sink
	database announce
	start --allow-address 127.0.0.1
	# Items that name no service are the default worklist's.
	[ "$1" = without ] || register DefaultWorklist "$kind" "$port"
	began=$(date +%s)
	# shellcheck disable=SC2046
	bench $([ "$rate" -eq 0 ] || echo --rate "$rate")
	end_sink sink
	echo "$1 announcements: $(grep -E '^items per second' "$scratch/out"),\
 $(grep -E '^microseconds' "$scratch/out")"
	[ "$1" = without ] || echo "announcements per second\
 $((came / ($(date +%s) - began)))"
	stop
}

options "weft sink store rate seconds rounds kind" "$@"
begin
echo "processors $(nproc)"
for ((round = 0; round < rounds; round++)); do
	run without
	run with
done

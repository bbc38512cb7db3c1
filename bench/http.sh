#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The server over HTTP, on this machine with its clients and its database.
# usage: bench/http.sh [OPTION]... PART...
#
#   rate      64 clients, each waiting for its own commit: all that can be done;
#             on PostgreSQL in turns with bench/bare.c, by as many
#   latency   at half of the rate that the server is found to have
#   events    all that can be done, beside a reader of the live events
#   traces    as rate, without traces, with traces that are not sampled, and
#             with all of them, sent to bench/sink.c: microseconds of a processor
#             that the server takes for an item
#   memory    100,000 open cases: of the server that started them, and of one
#             that finds them
#
#   --store sqlite|postgresql  (sqlite)
#   --weft, --bare, --sink PATH   the programs (./weft, ./bench/bare, ./bench/sink)
#   --seconds N     of each run (10)
#   --rounds N      of rate and traces (3)
#   --clients N     of weft, and cases in a batch of bare (64)
set -u
cd "$(dirname "$0")/.." || exit 1

. bench/server.sh

bare=${WEFT_BUILD:-.}/bench/bare
rounds=3

# A server on a fresh database of that name.
serve() {
	stop
	database "$1"
	start
}

# So many seconds of a processor that the server has used.
used() {
	local fields
	read -r -a fields <"/proc/$server/stat"
	awk -v ticks=$((fields[13] + fields[14])) \
		-v each="$(getconf CLK_TCK)" 'BEGIN { print ticks / each }'
}

said() {
	grep -E "$1" "$scratch/out"
}

per_second() {
	sed -n 's/^items per second //p' "$scratch/out"
}

part_rate() {
	local before
	for ((i = 0; i < rounds; i++)); do
		if [ "$store" = postgresql ]; then
			database bare
			"$bare" "$db" "$clients" "$seconds" >"$scratch/bare" ||
				die "bare failed"
			echo "bare: $(grep '^items per second' "$scratch/bare")"
		fi
		serve rate
		before=$(used)
		bench
		said '^(items per second|microseconds)'
		awk -v a="$before" -v b="$(used)" -v wall="$seconds" 'BEGIN {
			print "processors that the server used " (b - a) / wall }'
	done
}

part_latency() {
	local full half
	serve latency
	bench
	full=$(per_second)
	half=$((full / 2))
	bench --rate "$half"
	echo "at $half items per second, half of $full:"
	said '^(items per second|microseconds)'
}

part_events() {
	serve events
	bench --events
	said '^(items per second|microseconds|steps)'
}

# traced NAME [OPTION]..: one run with these options of the server.
traced() {
	local name=$1 before
	shift
	database traces
	start "$@"
	before=$(used)
	bench
	awk -v a="$before" -v b="$(used)" -v name="$name" '/^items [0-9]+ sec/ {
		printf "%s: %.0f us of a processor per item, ", name,
			(b - a) * 1e6 / $2 }' "$scratch/out"
	echo "$(per_second) items per second"
	kill "$server" && wait "$server"
	server=
}

part_traces() {
	local endpoint
	stop
	begin_sink collector
	endpoint=http://127.0.0.1:$port/v1/traces
	for ((i = 0; i < rounds; i++)); do
		traced "no traces"
		traced "none sampled" --traces-endpoint "$endpoint" \
			--traces-sample 0
		traced "all sampled" --traces-endpoint "$endpoint"
	done
	end_sink collector
	echo "batches of spans that came: $came"
}

# What the server holds in memory, and has held at most.
memory() {
	echo "$1: $(awk '/^VmRSS/ { now = $2 } /^VmHWM/ { most = $2 }
		END { printf "%.1f MB, at most %.1f MB", now / 1e3, most / 1e3 }' \
		"/proc/$server/status")"
}

part_memory() {
	serve memory
	memory "before"
	"$weft" bench http --clients "$clients" --cases 100000 --open \
		>"$scratch/out" 2>"$scratch/err" ||
		die "weft bench http failed: $(cat "$scratch/err")"
	said '^launches'
	memory "with the cases that it started"
	stop
	start
	memory "another one, that finds them"
	bench
	memory "after $(per_second) items a second for $seconds s beside them"
}

options "weft bare sink store seconds rounds clients" "$@"
[ ${#parts[@]} -gt 0 ] || usage
begin
echo "processors $(nproc)"
for part in "${parts[@]}"; do
	echo "--- $part"
	"part_$part"
done

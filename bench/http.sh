#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The server over HTTP, on this machine with its clients and its database.
# usage: bench/http.sh [OPTION]... PART...
#
#   rate      64 clients, each waiting for its own commit: all that can be done;
#             on PostgreSQL in turns with bench/bare.c, by as many
#   latency   at half of the rate that the server is found to have
#   events    all that can be done, beside a reader of the live events
#
#   --store sqlite|postgresql  (sqlite)
#   --weft PATH, --bare PATH   the programs (./weft, ./bench/bare)
#   --seconds N     of each run (10)
#   --rounds N      of rate (3)
#   --clients N     of weft, and cases in a batch of bare (64)
set -u
cd "$(dirname "$0")/.." || exit 1

weft=${WEFT:-./weft}
bare=${WEFT_BUILD:-.}/bench/bare
store=sqlite
seconds=10
rounds=3
clients=64
parts=()

usage() {
	sed -n '4,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	rate | latency | events)
		parts+=("$1")
		shift
		continue
		;;
	--weft | --bare | --seconds | --rounds | --clients | --store) ;;
	*) usage ;;
	esac
	[ $# -ge 2 ] || usage
	printf -v "${1#--}" %s "$2"
	shift 2
done
[ ${#parts[@]} -gt 0 ] || usage
weft=$(realpath "$weft") || exit 1

scratch=$(mktemp -d) || exit 1
cluster=
server=
clean_up() {
	stop
	[ -z "$cluster" ] || tests/postgresql.sh stop "$cluster"
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

die() {
	echo "http.sh: $*" >&2
	exit 1
}

stop() {
	[ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null
	server=
}

# A database of that name, which is fresh.
database() {
	case $store in
	sqlite) db=sqlite:$1.db ;;
	postgresql)
		psql -X -q -c "DROP DATABASE IF EXISTS weft_bench_$1" \
			-c "CREATE DATABASE weft_bench_$1" "$url" \
			2>"$scratch/err" || die "no database can be made"
		db=${url%/*}/weft_bench_$1
		;;
	*) usage ;;
	esac
}

# A server on a fresh database of that name.
serve() {
	local try
	stop
	database "$1"
	rm -f "$scratch/weft.token"
	: >"$scratch/log"
	(cd "$scratch" && exec "$weft" serve --db "$db" \
		--listen 127.0.0.1:0 >log 2>&1) &
	server=$!
	for ((try = 0; try < 200; try++)); do
		WEFT_SERVER=$(sed -n \
			's/.*listening on \(http[^ "]*\).*/\1/p' "$scratch/log")
		[ -z "$WEFT_SERVER" ] || break
		sleep 0.1
	done
	[ -n "$WEFT_SERVER" ] || die "no server: $(cat "$scratch/log")"
	WEFT_TOKEN=$(cat "$scratch/weft.token") || exit 1
	export WEFT_SERVER WEFT_TOKEN
}

bench() {
	"$weft" bench http --seconds "$seconds" --clients "$clients" "$@" \
		>"$scratch/out" 2>"$scratch/err" || {
		cat "$scratch/out" "$scratch/err" >&2
		die "weft bench http failed"
	}
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

if [ "$store" = postgresql ]; then
	tests/postgresql.sh start >"$scratch/cluster" || exit
	{ read -r cluster && read -r url; } <"$scratch/cluster"
fi
echo "processors $(nproc)"
for part in "${parts[@]}"; do
	echo "--- $part"
	"part_$part"
done

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The running engine on PostgreSQL: how fast, and what it costs the database.
# usage: bench/store.sh [OPTION]... PART...
#
#   counts    statements per batch, bytes of the write-ahead log per item: the
#             budgets; with and without images of whole pages, which PostgreSQL
#             adds at the first change of a page after a checkpoint
#   rate      weft bench store and bench/bare.c in turns: items per second
#   latency   at half of the rate that weft was found to have
#   fill      1,000,000 open cases: time and memory of a start, and of work
#   idle      an idle transaction beside the load: what it does over time
#
#   --weft PATH, --bare PATH   the programs (./weft, ./bench/bare)
#   --url URL       a server whose databases weft_bench_.. are ours; without it
#                   a private one is started (tests/postgresql.sh) and stopped
#   --set NAME=VALUE           a setting for that one, as often as wanted
#   --seconds N     of each run (10), of the idle transaction (120)
#   --rounds N      of rate (3)
#   --clients N     of weft, and cases in a batch of bare (64)
#   --shards N      of weft (1)
#   --cases N       to fill (1000000)
#   --rate N        items per second beside the idle transaction, between five
#                   seconds of all that can be done (all the time)
set -u
cd "$(dirname "$0")/.." || exit 1

weft=${WEFT:-./weft}
bare=${WEFT_BUILD:-.}/bench/bare
url=
settings=()
seconds=
rounds=3
clients=64
shards=1
cases=1000000
rate=
parts=()

usage() {
	sed -n '4,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	counts | rate | latency | fill | idle)
		parts+=("$1")
		shift
		continue
		;;
	esac
	[ $# -ge 2 ] || usage
	case $1 in
	--set) settings+=("$2") ;;
	--weft | --bare | --url | --seconds | --rounds | --clients | --shards | --cases | --rate)
		printf -v "${1#--}" %s "$2"
		;;
	*) usage ;;
	esac
	shift 2
done
[ ${#parts[@]} -gt 0 ] || usage
[ -z "$url" ] || [ ${#settings[@]} -eq 0 ] || usage

folder=
scratch=$(mktemp -d) || exit 1
holder=
made=()
clean_up() {
	local name
	[ -z "$holder" ] || kill "$holder" 2>/dev/null
	if [ -n "$folder" ]; then
		tests/postgresql.sh stop "$folder"
	else
		for name in ${made[@]+"${made[@]}"}; do
			at "$url" "DROP DATABASE $name"
		done
	fi
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'trap "" INT TERM HUP; exit 130' INT TERM HUP

die() {
	echo "store.sh: $*" >&2
	exit 1
}

# at URL STATEMENT...: the rows that they give.
at() {
	local where=$1 arguments=() statement
	shift
	for statement; do
		arguments+=(-c "$statement")
	done
	psql -X -q -A -t -v ON_ERROR_STOP=1 "${arguments[@]}" "$where"
}

# A fresh database: sets db.
database() {
	local name=weft_bench_$1
	db=${url%/*}/$name
	[[ " ${made[*]-} " == *" $name "* ]] || made+=("$name")
	at "$url" "SET client_min_messages = warning" \
		"DROP DATABASE IF EXISTS $name" "CREATE DATABASE $name" ||
		die "no database can be made"
}

start() {
	local setting
	if [ -z "$url" ]; then
		tests/postgresql.sh start >"$scratch/server" || exit
		{ read -r folder && read -r url; } <"$scratch/server"
	fi
	for setting in ${settings[@]+"${settings[@]}"}; do
		at "$url" "ALTER SYSTEM SET ${setting%%=*} = '${setting#*=}'" ||
			die "$setting is no setting"
	done
	at "$url" "SELECT pg_reload_conf()" >/dev/null || die "no server"
	at "$url" "SELECT name || ' ' || current_setting(name) FROM unnest(ARRAY[
		'server_version', 'shared_buffers', 'max_wal_size', 'fsync',
		'synchronous_commit', 'full_page_writes']) AS name"
	echo "processors $(nproc)"
}

# bench OPTION...: runs weft; what it says is in scratch/out.
bench() {
	"$weft" bench "$@" --db "$db" >"$scratch/out" 2>"$scratch/err" || {
		cat "$scratch/out" "$scratch/err" >&2
		die "weft bench failed"
	}
}

said() {
	grep -E "$1" "$scratch/out"
}

per_second() {
	sed -n 's/^items per second //p' "$scratch/out"
}

items() {
	sed -n 's/^items \([0-9]*\) seconds.*/\1/p' "$scratch/out"
}

# per_batch WHAT
per_batch() {
	sed -n "s/^batches .* of \([0-9.]*\) $1.*/\1/p" "$scratch/out"
}

divide() {
	awk -v a="$1" -v b="$2" 'BEGIN { print (b > 0) ? a / b : 0 }'
}

# --- the write-ahead log

walinspect() {
	at "$url" "SET client_min_messages = warning" \
		"CREATE EXTENSION IF NOT EXISTS pg_walinspect" ||
		die "pg_walinspect is not installed"
}

mark() {
	at "$url" "CHECKPOINT"
	from=$(at "$url" "SELECT pg_current_wal_insert_lsn()")
}

# log_bytes WHAT COUNT: since the mark, for each of so many.
log_bytes() {
	at "$url" "SELECT 'WAL bytes per $1: ' || round(sum(record_size) / $2) ||
		', ' || round(sum(combined_size) / $2) || ' with images of pages'
		FROM pg_get_wal_stats('$from', pg_current_wal_flush_lsn())"
}

tables() {
	sleep 2 # sessions report their statistics when they end
	at "$db" "SELECT relname || ': ' || n_live_tup || ' rows, ' ||
		n_dead_tup || ' dead, ' || n_tup_upd || ' updates, ' ||
		n_tup_hot_upd || ' of them heap-only, vacuumed ' ||
		autovacuum_count || ' times, ' ||
		pg_size_pretty(pg_total_relation_size(relid))
		FROM pg_stat_user_tables WHERE n_tup_ins + n_dead_tup > 0
		ORDER BY pg_total_relation_size(relid) DESC"
}

database_size() {
	at "$db" "SELECT pg_database_size(current_database())"
}

part_counts() {
	local before
	walinspect
	database counts
	bench fill --cases 64 # what is done once is done
	before=$(database_size)
	mark
	bench fill --cases 4000
	log_bytes launch 4000
	mark
	bench store --open --cases 4064 --clients "$clients"
	log_bytes "item" "$(items)"
	echo "statements per batch: $(per_batch statements)"
	echo "steps per batch: $(per_batch steps)"
	echo "bytes of the database per case, not vacuumed: $((
		($(database_size) - before) / 4000))"
	tables
	mark
	bench store --cases 4000 --clients "$clients"
	log_bytes "item and its share of a launch" "$(items)"

	database ballast
	set -- --net data --size 100 --cases 16 --clients 16 --ballast 1048576
	bench fill "$@"
	mark
	bench store "$@" --open
	log_bytes "item of a case with 1 MiB" "$(items)"
}

# --- rates

median() {
	sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

# run_bare BATCH: items per second
run_bare() {
	"$bare" "$db" "$1" "${seconds:-10}" >"$scratch/bare" || die "bare failed"
	sed -n 's/^items per second //p' "$scratch/bare"
}

part_rate() {
	local one many ours
	for _ in $(seq "$rounds"); do
		database bare
		one=$(run_bare 1) || exit 1
		many=$(run_bare "$clients") || exit 1
		database rate
		bench store --seconds "${seconds:-10}" --clients "$clients" \
			--shards "$shards"
		ours=$(per_second)
		echo "$one" >>"$scratch/one"
		echo "$many" >>"$scratch/many"
		echo "$ours" >>"$scratch/ours"
		echo "items per second: bare one by one $one," \
			"bare by $clients $many, weft $ours"
		said '^(microseconds|batches)'
	done
	one=$(median <"$scratch/one")
	many=$(median <"$scratch/many")
	ours=$(median <"$scratch/ours")
	echo "bare by $clients to one by one: $(divide "$many" "$one")"
	echo "weft to bare by $clients: $(divide "$ours" "$many")"
}

part_latency() {
	local full half
	database latency
	bench store --seconds "${seconds:-10}" --clients "$clients" \
		--shards "$shards"
	full=$(per_second)
	half=$((full / 2))
	bench store --seconds "${seconds:-10}" --clients "$clients" \
		--shards "$shards" --rate $half
	echo "at $half items per second, half of $full:"
	said '^(items per second|microseconds|batches)'
}

# --- open cases

part_fill() {
	local before
	database fill
	bench fill --cases 64 # what is done once is done
	before=$(database_size)
	bench fill --cases "$cases" --shards "$shards"
	said '^launches'
	echo "bytes of the database per open case: $((
		($(database_size) - before) / cases))"
	for _ in 1 2 3; do
		bench store --open --cases 1 --items 1
		said '^first answer'
	done
	walinspect
	mark
	bench store --open --cases 5000 --clients "$clients"
	said '^(items per|microseconds|first answer|cases read)'
	log_bytes item "$(items)"
}

# --- an idle transaction

# load SECONDS WHAT: prints what can be done at the end of that time.
load() {
	local left=$1
	if [ -n "$rate" ] && [ "$left" -gt 5 ]; then
		bench store --seconds $((left - 5)) --clients "$clients" \
			--shards "$shards" --rate "$rate"
		left=5
	fi
	bench store --seconds "$left" --clients "$clients" --shards "$shards"
	echo "$2: $(per_second) items per second"
}

part_idle() {
	local wanted=${seconds:-120} step passed=0
	step=$((wanted / 10))
	[ $step -gt 0 ] || step=1
	database idle
	load $step before
	mkfifo "$scratch/transaction"
	psql -X -q -A -t "$db" <"$scratch/transaction" >/dev/null 2>&1 &
	holder=$!
	exec 9>"$scratch/transaction"
	echo "BEGIN ISOLATION LEVEL REPEATABLE READ;
		SELECT count(*) FROM store;" >&9
	while [ $passed -lt "$wanted" ]; do
		passed=$((passed + step))
		load $step "after $passed s"
	done
	tables
	exec 9>&-
	wait "$holder"
	holder=
	echo "the transaction is over"
	for _ in 1 2 3; do
		load $step then
	done
	tables
}

start
for part in "${parts[@]}"; do
	echo "--- $part"
	"part_$part"
done

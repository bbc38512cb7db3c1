#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What an item and a case cost in servers on one PostgreSQL, as counts: those of
# docs/SCALING.md.  A private PostgreSQL is started.
# usage: bench/scaling.sh [OPTION]... PART...
#
#   counts    one node, then two on one database, ..: commands in a commit, the
#             write-ahead log by kinds of records, statements, connections, how
#             processors are shared, for each item (its share of a launch and of
#             the statistics included)
#   sizes     bytes of the database for an open case, and for one that has ended
#   idle      one node, then two, .., that have nothing to do: their statements
#   full      items in an empty store, and beside ended and open cases: log, and
#             pages that PostgreSQL touches
#   instructions   of a server for an item, by callgrind
#
#   --weft PATH     the program (./weft)
#   --nodes N       of counts and idle (2)
#   --cases N       that are counted, of ten items (2000)
#   --clients N     of each node (64)
#   --shards N      of each node (1)
#   --seconds N     of idle (30)
#   --ended N       cases that full makes and ends before (1000000)
#   --open N        cases that full makes and leaves open before (100000)
set -u
cd "$(dirname "$0")/.." || exit 1

. bench/server.sh

store=postgresql
nodes=2
shards=1
cases=2000
seconds=30
ended=1000000
open=100000
tick=$((1000000 / $(getconf CLK_TCK))) # microseconds

ask() {
	psql -X -q -A -t -F ' ' -v ON_ERROR_STOP=1 -c "$2" "$1" ||
		die "PostgreSQL does not answer"
}

# per COUNT OF: the quotient, with at most three decimals.
per() {
	awk -v a="$1" -v b="$2" 'BEGIN {
		printf "%.*f", a < 10 * b ? 3 : a < 100 * b ? 1 : 0, a / b }'
}

# nodes_start N: so many on $db: sets urls.
nodes_start() {
	local count=$1 node
	urls=()
	for ((node = 1; node <= count; node++)); do
		service="$service $server"
		start --shards "$shards"
		urls+=("$WEFT_SERVER")
	done
}

# work CASES [OPTION]..: all nodes do as many each.
work() {
	local count=$1 each=${#urls[@]} i process processes=()
	shift
	for i in "${!urls[@]}"; do
		"$weft" bench http --server "${urls[i]}" \
			--cases $((count / each)) --clients "$clients" "$@" \
			>"$scratch/work$i" 2>&1 &
		processes+=($!)
	done
	for process in "${processes[@]}"; do
		wait "$process" ||
			die "weft bench http failed: $(cat "$scratch"/work*)"
	done
}

# Until all steps are counted for statistics.
settle() {
	local try
	for ((try = 0; try < 600; try++)); do
		[ "$(ask "$db" "SELECT coalesce((SELECT position FROM fold), 0)
			>= (SELECT max(position) FROM history)")" = f ] ||
			return 0
		sleep 0.2
	done
	die "the statistics do not follow"
}

mark() {
	ask "$url" "CHECKPOINT"
	from=$(ask "$url" "SELECT pg_current_wal_insert_lsn()")
}

# records KIND..: how many of these kinds are in the log since the mark.
records() {
	local kinds
	printf -v kinds ", '%s'" "$@"
	ask "$url" "SELECT coalesce(sum(count), 0)::bigint FROM pg_get_wal_stats(
		'$from', pg_current_wal_flush_lsn(), true)
		WHERE \"resource_manager/record_type\" IN (${kinds#, })"
}

# log_of WHAT COUNT: the log since the mark, for each of so many.
log_of() {
	local bytes images
	read -r bytes images <<<"$(ask "$url" "SELECT sum(record_size)::bigint,
		sum(fpi_size)::bigint FROM pg_get_wal_stats('$from',
		pg_current_wal_flush_lsn())")"
	echo "bytes of the log per $1: $(per "$bytes" "$2")," \
		"and $(per "$images" "$2") of images of pages"
	echo "rows added per $1: $(per "$(records Heap/INSERT \
		Heap/INSERT+INIT)" "$2")"
	echo "rows changed per $1: $(per "$(records Heap/HOT_UPDATE \
		Heap/UPDATE Heap/UPDATE+INIT)" "$2"), heap-only" \
		"$(per "$(records Heap/HOT_UPDATE)" "$2")"
	echo "rows removed per $1: $(per "$(records Heap/DELETE)" "$2")"
	echo "rows locked per $1: $(per "$(records Heap/LOCK)" "$2")"
	echo "entries of indexes per $1: $(per "$(records Btree/INSERT_LEAF \
		Btree/INSERT_POST Btree/SPLIT_L Btree/SPLIT_R)" "$2")"
	echo "commits that write per $1: $(per "$(records \
		Transaction/COMMIT)" "$2")"
}

# metric NAME: its sum over the nodes.
metric() {
	local node
	for node in "${urls[@]}"; do
		curl -sf -H "Authorization: Bearer $WEFT_TOKEN" "$node/metrics" ||
			die "no metrics"
	done | awk -v name="$1" '$1 == name { sum += $2 } END { print sum }'
}

# ticks PROCESS..: of a processor that these have used.
ticks() {
	local process
	for process; do
		sed 's/.*) //' "/proc/$process/stat" 2>/dev/null
	done | awk '{ sum += $12 + $13 } END { print sum + 0 }'
}

# Those of PostgreSQL; sessions that end meanwhile are left out.
database_ticks() {
	# shellcheck disable=SC2046
	ticks $(ps -o pid= --ppid "$(head -n 1 "$cluster/data/postmaster.pid")")
}

# logging all|none: of statements.
logging() {
	ask "$url" "ALTER SYSTEM SET log_statement = '$1'"
	ask "$url" "ALTER SYSTEM SET log_parameter_max_length = 0"
	ask "$url" "SELECT pg_reload_conf()" >"$scratch/out"
	sleep 1 # sessions read it before their next statement
	statements_from=$(stat -c %s "$cluster/server.log")
}

# statements COUNT WHAT: those in the log since then, for each of so many.
statements() {
	local names
	names=$(sed -n 's/^WF_SQL(\([A-Z_]*\),.*/\1/p' \
		persistence/postgresql/postgresql_statements.def | tr '\n' ' ')
	tail -c +$((statements_from + 1)) "$cluster/server.log" |
		sed -n 's/.* LOG:  execute \([^:]*\): \(.*\)/\1 \2/p' |
		awk -v count="$1" -v what="$2" -v names="$names" '
		BEGIN { split(names, name, " ") }
		{ sum++ }
		/^s[0-9]/ { of[name[substr($1, 2) + 1]]++ }
		/^w/ { of["(what a batch writes)"]++ }
		/^<unnamed>/ { of[$2 " " $3]++ }
		END {
			printf "statements per %s: %.3f\n", what, sum / count
			sort = "sort -k1,1nr -k2"
			for (i in of)
				printf "  %.3f %s\n", of[i] / count, i | sort
		}'
}

connections() {
	per "$(ask "$url" "SELECT count(*) FROM pg_stat_activity
		WHERE application_name = 'weft'")" "$1"
}

count_nodes() {
	local count=$1 items=$((cases / $1 * $1 * 10)) i
	local servers database batches commands
	stop
	database counts
	nodes_start "$count"
	echo "-- nodes $count"
	echo "connections per node, before the work: $(connections "$count")"
	work $((count * 64))
	settle
	mark
	servers=$(ticks $server $service)
	database=$(database_ticks)
	batches=$(metric weft_batch_commands_count)
	commands=$(metric weft_batch_commands_sum)
	work "$cases"
	settle
	servers=$(($(ticks $server $service) - servers))
	database=$(($(database_ticks) - database))
	batches=$(($(metric weft_batch_commands_count) - batches))
	commands=$(($(metric weft_batch_commands_sum) - commands))
	echo "items $items, commands $commands"
	for i in "${!urls[@]}"; do
		echo "items per second of node $((i + 1)): $(sed -n \
			's/^items per second //p' "$scratch/work$i")"
	done
	echo "commands per batch: $(per "$commands" "$batches")"
	log_of item "$items"
	echo "microseconds of a processor per item: Weft" \
		"$(per $((servers * tick)) "$items")," \
		"PostgreSQL $(per $((database * tick)) "$items")"
	echo "connections per node, after it: $(connections "$count")"
	logging all
	work "$cases"
	settle
	statements "$items" item
	logging none
}

part_counts() {
	local count
	for ((count = 1; count <= nodes; count++)); do
		count_nodes "$count"
	done
}

# table_sizes FILE: the bytes of tables that have rows, with their indexes; all
# partitions of one are one.  What open cases leave behind is used again.
table_sizes() {
	ask "$db" "VACUUM"
	ask "$db" "SELECT regexp_replace(relname, '^history_.*', 'history'),
		sum(pg_total_relation_size(oid))::bigint FROM pg_class
		WHERE relkind = 'r' AND reltuples > 0
		AND relnamespace = current_schema()::regnamespace
		GROUP BY 1 ORDER BY 1" >"$scratch/$1"
}

# growth WHAT: of the tables, for each case.
growth() {
	join "$scratch/before" "$scratch/after" | awk -v cases="$cases" \
		-v what="$1" '{
		grown = ($3 - $2) / cases
		sum += grown
		if (grown >= 1)
			line = line sprintf("  %.0f %s\n", grown, $1)
	} END { printf "bytes per %s: %.0f\n%s", what, sum, line }'
}

part_sizes() {
	stop
	database sizes
	nodes_start 1
	work 64 --open
	table_sizes before
	work "$cases" --open
	table_sizes after
	growth "open case, with an item"
	stop
	database sizes
	nodes_start 1
	work 64
	settle
	table_sizes before
	work "$cases"
	settle
	table_sizes after
	growth "ended case of ten items"
}

part_idle() {
	local count
	for ((count = 1; count <= nodes; count++)); do
		stop
		database idle
		nodes_start "$count"
		work "$count"
		settle
		sleep 3 # what follows the last step
		echo "-- nodes $count"
		logging all
		mark
		sleep "$seconds"
		statements "$seconds" second
		echo "commits that write per second: $(per "$(records \
			Transaction/COMMIT)" "$seconds")"
		logging none
	done
}

# Sessions have ended, so what they did is counted.
pages_touched() {
	ask "$url" "SELECT blks_hit + blks_read FROM pg_stat_database
		WHERE datname = 'weft_bench_full'"
}

bench_store() {
	"$weft" bench "$@" --db "$db" --clients "$clients" >"$scratch/out" 2>&1 ||
		die "weft bench failed: $(cat "$scratch/out")"
}

full() {
	local before
	bench_store store --cases 64
	ask "$db" "VACUUM ANALYZE"
	sleep 1 # sessions report when they end
	before=$(pages_touched)
	mark
	bench_store store --cases "$cases"
	sleep 1
	sed -n 's/^batches .* of \([0-9.]*\) statements.*/statements per batch: \1/p' \
		"$scratch/out"
	echo "pages touched per item: $(per $(($(pages_touched) - before)) \
		$((cases * 10)))"
	log_of item $((cases * 10))
}

part_full() {
	stop
	database full
	echo "-- empty"
	full
	bench_store store --size 1 --cases "$ended"
	bench_store fill --cases "$open"
	echo "-- cases open $(ask "$db" "SELECT count(*) FROM cases")," \
		"ended $(ask "$db" "SELECT count(*) FROM ended")," \
		"steps $(ask "$db" "SELECT count(*) FROM history")"
	full
}

# Two numbers of cases; the difference leaves out what is done once.
part_instructions() {
	local count program=$weft
	command -v valgrind >"$scratch/out" || die "valgrind is not installed"
	printf '#!/bin/sh\nexec valgrind --tool=callgrind %s "%s" "$@"\n' \
		"--callgrind-out-file=$scratch/profile" "$program" \
		>"$scratch/profiled"
	chmod +x "$scratch/profiled"
	for count in $((cases / 20)) $((cases / 5)); do
		stop
		database instructions
		weft=$scratch/profiled
		nodes_start 1
		weft=$program
		work "$count"
		settle
		stop
		sed -n 's/^\(summary\|totals\): \([0-9]*\).*/\2/p' \
			"$scratch/profile" | head -n 1
	done >"$scratch/instructions"
	awk -v items=$(((cases / 5 - cases / 20) * 10)) \
		'{ count[NR] = $1 } END { print "instructions of a server per item:",
		int((count[2] - count[1]) / items) }' "$scratch/instructions"
}

options "weft nodes cases clients shards seconds ended open" "$@"
[ ${#parts[@]} -gt 0 ] || usage
begin
ask "$url" "SET client_min_messages = warning;
	CREATE EXTENSION IF NOT EXISTS pg_walinspect"
echo "processors $(nproc)"
for part in "${parts[@]}"; do
	echo "--- $part"
	"part_$part"
done

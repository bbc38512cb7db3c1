#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The time of the first page of lists of cases, among many: rows of cases are
# written into the store, copies of one that was started, and a server on it is
# asked.  It holds that no table is scanned: on PostgreSQL by its counters, on
# SQLite by the plans of the statements that find cases; and of a million cases
# and more, that the first page of each list takes 100 ms at most (p99).
# usage: bench/lists.sh [OPTION]...
#
#   --weft PATH     the program (./weft)
#   --store STORE   sqlite or postgresql (sqlite)
#   --cases N       a tenth of them open (1000000)
#   --requests N    of each list (50)
# A page that fails fails its measure.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

. bench/server.sh

cases=1000000
requests=50
options "weft store cases requests" "$@"

columns="namespace_id, specification, title, owner, extra, version,
	snapshot_version, messages, set_aside"
terms="field, namespace_id, text"
terms_of="term.field, term.namespace_id, term.text"
if [ "$store" = postgresql ]; then
	columns="part, $columns"
	terms="part, $terms"
	terms_of="term.part, $terms_of"
fi

# sql TEXT: does it, and prints rows.
sql() {
	if [ "$store" = sqlite ]; then
		sqlite3 "$scratch/${db#sqlite:}" "$1"
	else
		psql -X -q -A -t -v ON_ERROR_STOP=1 -c "$1" "$db"
	fi || die "the store does not take: $1"
}

# numbers FROM TO: a table of one column, n.
numbers() {
	if [ "$store" = sqlite ]; then
		echo "(WITH RECURSIVE s(n) AS (SELECT $1 UNION ALL SELECT n + 1
			FROM s WHERE n < $2) SELECT n FROM s)"
	else
		echo "(SELECT n FROM generate_series($1, $2) AS n)"
	fi
}

# copies TABLE STATUS FROM TO: rows of that table, like the case that is there.
copies() {
	local age="1000 * (s.n % 864000)" # spread over ten days
	local columns=$columns
	[ "$store $1" != "postgresql cases" ] ||
		columns="$columns, position, snapshot"
	sql "INSERT INTO $1 (number, name, status, launched_at, changed_at,
			$columns)
		SELECT s.n, 'many-' || s.n, $2, launched_at - $age,
			changed_at - $age, $columns
		FROM cases, $(numbers "$3" "$4") s WHERE cases.name = 'one'"
	sql "INSERT INTO term (number, $terms) SELECT s.n, $terms_of
		FROM term, cases, $(numbers "$3" "$4") s
		WHERE term.number = cases.number AND cases.name = 'one'"
}

# scans: how often a table was scanned that has the cases.
scans() {
	[ "$store" = postgresql ] || { echo 0 && return; }
	sleep 1 # until the counters are written
	sql "SELECT sum(seq_scan) FROM pg_stat_user_tables
		WHERE relname IN ('cases', 'ended', 'term', 'incident')"
}

# plan INDEX STATEMENT..: that each of them searches by that index only.
plan() {
	local index=$1 name text found
	shift
	for name in "$@"; do
		text=$(sed -n "s/^WF_SQL($name, \"\(.*\)\")\$/\1/p" \
			persistence/sqlite/sqlite_statements.def |
			sed 's/{[a-z]*}/number/')
		[ -n "$text" ] || die "there is no statement $name"
		found=$(sql "EXPLAIN QUERY PLAN $text") || exit
		[[ $found =~ SEARCH\ .*\ $index && $found != *"SCAN "* &&
			$found != *"TEMP B-TREE"* ]] ||
			die "$name is not found by $index: $found"
	done
}

# The statements of SQLite that find cases.  Pages by number walk along the
# primary key, which tests/unit/test_pages.c counts.
plans() {
	plan 'PRIMARY KEY \(rowid=' CASE ENDED
	plan 'PRIMARY KEY \(number=' VARIABLES
	plan 'term_by_text \(namespace_id=\? AND field=\? AND text=\? AND number' \
		TERM_UP TERM_DOWN
	plan 'term_by_text \(namespace_id=\? AND \(field,text\)>\(\?,\?\) AND \(field' \
		TERM_RANGE
	plan 'incident_open \(number' INCIDENTS_UP INCIDENTS_DOWN
	plan 'incident_open_by_code \(code=\? AND number' CODE_UP CODE_DOWN
}

# measure NAME QUERY: p50 and p99 of its first page, in ms.
measure() {
	local i times=$scratch/times
	for ((i = 0; i < requests; i++)); do
		curl -sf -o "$scratch/page" -w '%{time_total}\n' \
			-H "Authorization: Bearer $WEFT_TOKEN" \
			"$WEFT_SERVER/v1/cases?limit=50&$2" || die "no page: $2"
	done >"$times"
	sort -n "$times" | awk -v name="$1" -v bound="$bound" '{ t[NR] = $1 * 1000 }
		END { p99 = t[int(NR * 0.99 + 0.5)]
			printf "%-30s p50 %7.1f ms  p99 %7.1f ms\n", name,
			t[int((NR + 1) / 2)], p99
			exit bound > 0 && p99 > bound }' || slow="$slow, $1"
}

bound=0
[ "$cases" -lt 1000000 ] || bound=100
slow=
begin
database lists
start
"$weft" spec load examples/sequence.yawl >"$scratch/out" || die "not loaded"
uri=$(sed -n 's/.*specification uri="\([^"]*\)".*/\1/p' examples/sequence.yawl)
"$weft" case start "$uri" --id one --title "Blue order" >"$scratch/out" ||
	die "not started: $(cat "$scratch/out")"
stop
running=$(sql "SELECT status FROM cases WHERE name = 'one'") || exit 1
copies cases "$running" 1000000001 $((1000000000 + cases / 10))
copies ended $((running + 2)) $((1000000001 + cases / 10)) $((1000000000 + cases))
[ "$store" = sqlite ] && sql ANALYZE || sql "VACUUM ANALYZE"
[ "$store" != sqlite ] || plans
start
before=$(scans) || exit 1
measure "newest" "order=newest"
measure "oldest" "order=oldest"
measure "running" "order=newest&status=running"
measure "of a process" "order=newest&specification=$uri"
measure "older than a day" "order=newest&older=P1D"
measure "unchanged for a day" "order=newest&unchanged=P1D"
measure "older than all" "order=newest&older=P1000D"
measure "by words" "order=newest&q=blue%20order"
measure "with an incident" "order=newest&incident=any"
measure "completed, of a process" \
	"order=newest&status=completed&specification=$uri"
after=$(scans) || exit 1
[ "$before" = "$after" ] ||
	die "tables were scanned $((after - before)) times"
[ -z "$slow" ] || die "more than $bound ms: ${slow#, }"

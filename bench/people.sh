#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What people cost: items that are offered to a role of 10, of 1,000 and of many
# people; a person's list among items that wait, for somebody in 1,000, 30 and 1
# of their audiences, read from the store and over HTTP; sign-ins of people whose
# password was not checked before.
# PART: offers allocations lists signins (all); allocations are to the one with the
# shortest queue of 10, 1,000 and 10,000.
# usage: bench/people.sh [OPTION]... [PART]...
#
#   --weft PATH     the program (./weft)
#   --store sqlite|postgresql  (sqlite)
#   --people N      of the largest role (100000)
#   --cases N       of each role, of ten items (1000)
#   --items N       that wait (1000000)
#   --lists N       of each kind (1000)
#   --users N       that sign in (100)
set -u
cd "$(dirname "$0")/.." || exit 1

. bench/server.sh

people=100000
cases=1000
items=1000000
lists=1000
users=100

weft_bench() {
	(cd "$scratch" && "$weft" bench people --db "$db" --people "$people" \
		"$@") >"$scratch/out" 2>&1 ||
		die "weft bench people failed: $(cat "$scratch/out")"
	grep -v '^items [0-9]* seconds' "$scratch/out"
}

part_offers() {
	database offers
	weft_bench --cases "$cases"
}

part_allocations() {
	database allocations
	people=10000 weft_bench --cases "$cases" --allocate
}

# quantiles FILE: of the times, in seconds, one a line.
quantiles() {
	sort -n "$1" | awk '{ t[NR] = $1 } END {
		printf "milliseconds p50 %.1f p99 %.1f\n",
			1000 * t[int((NR + 1) / 2)], 1000 * t[int(NR * 0.99)] }'
}

# over_http READER QUERY
over_http() {
	for ((i = 0; i < lists; i++)); do
		echo "url = \"$WEFT_SERVER/v1/worklist?for=PA-reader$1&limit=50$2\""
	done >"$scratch/urls"
	curl -sf -K "$scratch/urls" -H "Authorization: Bearer $WEFT_TOKEN" \
		-o "$scratch/answer" -w '%{time_total}\n' >"$scratch/times" ||
		die "a list cannot be read"
	quantiles "$scratch/times"
}

# sql STATEMENTS: on the database.
sql() {
	case $store in
	sqlite) python3 - "$scratch/${db#sqlite:}" "$1" <<-'END' ;;
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		db.executescript(sys.argv[2])
		db.commit()
	END
	postgresql) psql -X -q -c "$1" "$db" ;;
	esac || die "the items cannot be made"
}

# Items wait: some are written by weft bench, and each of them is copied, as
# younger ones of the same audience.  The indexes are made anew behind that.
fill() {
	local some=$((items < 10000 ? items : 10000)) part= numbers order
	people=1000 weft_bench --cases 5 --items "$some" >/dev/null
	numbers="WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n
		WHERE n < $((items / some - 1)))"
	[ "$store" = sqlite ] || {
		part=part,
		numbers="WITH n AS (SELECT generate_series(1,
			$((items / some - 1))) AS n)"
	}
	[ "$items" -eq "$some" ] || {
		for order in rank age due; do
			sql "DROP INDEX item_by_$order"
		done
		sql "$numbers INSERT INTO item ($part number, id, namespace_id,
			specification, task, service, status, choice,
			enabled_at, fired_at, started_at, assignment, rank,
			due_at, queue) SELECT $part number, id || '.' || n,
			namespace_id, specification, task, service, status,
			choice, enabled_at + 1000 * n, fired_at, started_at,
			assignment, rank, due_at, queue FROM item, n
			WHERE id LIKE 'w%'"
		sql "CREATE INDEX item_by_rank ON item (queue, rank,
			enabled_at, number, id) WHERE queue <> ''"
		sql "CREATE INDEX item_by_age ON item (queue, enabled_at,
			number, id) WHERE queue <> ''"
		sql "CREATE INDEX item_by_due ON item (queue, due_at,
			enabled_at, number, id) WHERE queue <> ''"
	}
	[ "$store" = sqlite ] || psql -X -q -c "VACUUM ANALYZE" -c CHECKPOINT \
		"$db" || die "the database does not settle"
}

part_lists() {
	database lists
	fill
	people=1000 weft_bench --open --lists "$lists"
	start --people
	for reader in 0 1 2; do
		curl -sf -o "$scratch/answer" -X PUT -d \
			"{\"user\": \"PA-reader$reader\"}" \
			-H "Authorization: Bearer $WEFT_TOKEN" \
			"$WEFT_SERVER/v1/people/PA-reader$reader" ||
			die "a person cannot be made"
		for query in '' '&order=age' '&order=due' '&task=T3'; do
			echo "over HTTP, reader $reader, ${query:-by priority}:" \
				"$(over_http $reader "$query")"
		done
	done
	stop
}

gateway() {
	curl -sf -d "$2" "$WEFT_SERVER/yawl/resourceService/$1"
}

part_signins() {
	local handle i begin end
	database signins
	start --yawl --people
	handle=$(gateway workqueuegateway \
		'action=connect&userid=admin&password=YAWL&encrypt=true')
	for ((i = 0; i < users; i++)); do
		gateway gateway "action=addParticipant&sessionHandle=$handle&\
userid=user$i&lastname=L&firstname=F&admin=false&password=secret$i&encrypt=true\
&email=&emailOnAllocation=false&emailOnOffer=false" >"$scratch/answer"
		echo "url = \"$WEFT_SERVER/yawl/resourceService/workqueuegateway\""
		echo "data = \"action=userlogin&userid=user$i&password=secret$i&encrypt=true\""
		echo "output = \"$scratch/handle$i\""
		[ "$((i + 1))" -eq "$users" ] || echo next
	done >"$scratch/urls"
	stop
	start --yawl --people
	sed -i "s#http://127.0.0.1:[0-9]*/#$WEFT_SERVER/#" "$scratch/urls"
	begin=$(date +%s%N)
	curl -sf -Z --parallel-max 8 -K "$scratch/urls" 2>"$scratch/err" ||
		die "somebody cannot sign in: $(cat "$scratch/err")"
	end=$(date +%s%N)
	grep -lE '^[0-9a-f-]{36}$' "$scratch"/handle* | wc -l |
		awk -v ns=$((end - begin)) '{
			printf "sign-ins %d, %.1f per second\n", $1,
				$1 * 1e9 / ns }'
	stop
}

options "weft store people cases items lists users" "$@"
[ ${#parts[@]} -gt 0 ] || parts=(offers allocations lists signins)
begin
echo "processors $(nproc)"
for part in "${parts[@]}"; do
	"part_$part"
done

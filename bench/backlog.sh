#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What messages cost that wait for a service that does not answer: the rate of
# items and of deliveries to another service, with none and with many waiting;
# and how fast the service is served when it comes back, with few and with many.
# PostgreSQL settles first (VACUUM ANALYZE, CHECKPOINT), with none waiting too:
# what follows the insertion of a million rows would fall into a short run.
# usage: bench/backlog.sh [OPTION]...
#
#   --weft PATH, --sink PATH   the programs (./weft, ./bench/sink)
#   --store sqlite|postgresql  (sqlite)
#   --messages N    that wait (1000000)
#   --seconds N     of each run (10)
set -u
cd "$(dirname "$0")/.." || exit 1

. bench/server.sh

messages=1000000

serve() {
	start --yawl --allow-address 127.0.0.1
}

sql() {
	case $store in
	sqlite) python3 - "$scratch/${db#sqlite:}" "$1" <<-'END' ;;
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		db.executescript(sys.argv[2])
		db.commit()
	END
	postgresql) psql -X -q -c "$1" "$db" >"$scratch/out" ;;
	esac || die "the messages cannot be made"
}

# The announcement of the start of the engine, so many times, each in a stream
# of its own.
wait_for_absent() {
	local part= numbers
	numbers="WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n
		WHERE n < $1)"
	[ "$store" = sqlite ] || {
		part=part,
		numbers="WITH n AS (SELECT generate_series(1, $1) AS n)"
	}
	sql "$numbers INSERT INTO message ($part number, message, namespace_id,
		destination, subject, kind, at, payload, attempts, visible_at,
		head) SELECT $part number, message + n, namespace_id,
		destination, 'x' || n, kind, at, payload, 0, at, head
		FROM n, (SELECT * FROM message WHERE number = 0
		AND destination LIKE '%:$absent/' LIMIT 1) m;
		UPDATE counter SET last = last + $1 WHERE name = 'message'"
}

# A server with a service that does not answer, for which so many wait.
prepare() {
	database backlog
	begin_sink absent
	absent=$port
	end_sink absent
	serve
	register absent yawl "$absent" \
		'"attempts": 1000, "delay": "PT0.1S", "backoff": 1'
	stop
	serve # which announces the start
	stop
	[ "$1" -eq 0 ] || wait_for_absent "$1"
	[ "$store" = sqlite ] || psql -X -q -c "VACUUM ANALYZE" \
		-c CHECKPOINT "$db" || die "the database does not settle"
}

run_items() {
	prepare "$1"
	begin_sink worklist
	serve
	register DefaultWorklist push "$port"
	bench
	end_sink worklist
	stop
	items=$(sed -n 's/^items \([0-9]*\) seconds.*/\1/p' "$scratch/out")
	echo "$1 waiting: items per second $((items / seconds)), deliveries per\
 second to another service $((came / seconds))"
}

run_return() {
	prepare "$1"
	begin_sink absent "$absent"
	serve
	sleep "$seconds"
	end_sink absent
	stop
	echo "$1 waiting: deliveries per second to the service that came back\
 $((came / seconds))"
}

# ratio WHAT MANY FEW
ratio() {
	[ "$3" -eq 0 ] || echo "$1: $((100 * $2 / $3)) percent"
}

options "weft sink store messages seconds" "$@"
begin
echo "processors $(nproc)"
run_items 0
few_items=$items few_came=$came
run_items "$messages"
ratio "items" "$items" "$few_items"
ratio "deliveries to another service" "$came" "$few_came"
few=$((messages / 10))
run_return "$few"
few_came=$came
run_return "$messages"
ratio "deliveries to the service that came back" "$came" "$few_came"

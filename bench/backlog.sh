#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What messages cost that wait for a service that does not answer: the rate of
# items and of deliveries to another service, with none and with many waiting;
# and how fast the service is served when it comes back, with few and with many.
# usage: bench/backlog.sh [OPTION]...
#
#   --weft PATH, --sink PATH   the programs (./weft, ./bench/sink)
#   --store sqlite|postgresql  (sqlite)
#   --messages N    that wait (1000000)
#   --seconds N     of each run (10)
set -u
cd "$(dirname "$0")/.." || exit 1

weft=${WEFT:-./weft}
sink=${WEFT_BUILD:-.}/bench/sink
store=sqlite
messages=1000000
seconds=10

while [ $# -gt 0 ]; do
	case $1 in
	--weft | --sink | --store | --messages | --seconds) ;;
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

# begin_sink NAME [PORT]: a service; sets service and port.
begin_sink() {
	local try
	rm -f "$scratch/$1"
	"$sink" ${2:+"$2"} >"$scratch/$1" &
	service=$!
	for ((try = 0; try < 200; try++)); do
		[ -s "$scratch/$1" ] && break
		sleep 0.1
	done
	port=$(head -n 1 "$scratch/$1")
	[ -n "$port" ] || die "no service"
}

# end_sink NAME: sets came, the requests that came.
end_sink() {
	kill "$service"
	wait "$service"
	service=
	came=$(tail -n 1 "$scratch/$1")
}

serve() {
	start --yawl --allow-address 127.0.0.1
}

# register NAME KIND PORT
register() {
	curl -sf -o "$scratch/answer" -X PUT \
		-H "Authorization: Bearer $WEFT_TOKEN" -d '{"kind": "'"$2"'",
		"secret": "0123456789abcdef", "attempts": 1000,
		"delay": "PT0.1S", "backoff": 1,
		"uri": "http://127.0.0.1:'"$3"'/"}' \
		"$WEFT_SERVER/v1/services/$1" ||
		die "the service $1 cannot be registered"
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
	register absent yawl "$absent"
	stop
	serve # which announces the start
	stop
	[ "$1" -eq 0 ] || wait_for_absent "$1"
}

run_items() {
	prepare "$1"
	begin_sink worklist
	serve
	register DefaultWorklist push "$port"
	"$weft" bench http --seconds "$seconds" --clients 64 \
		>"$scratch/out" 2>&1 || die "$(cat "$scratch/out")"
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

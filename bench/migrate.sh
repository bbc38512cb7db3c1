#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Open cases migrate to another version of their process, as an operation,
# beside clients that work at a quarter of the rate that the server is found to
# have, and with kills of the server (SIGKILL) in between.
# usage: bench/migrate.sh [OPTION]...
#
#   --store sqlite|postgresql  (sqlite)
#   --weft PATH     the program (./weft)
#   --cases N       that migrate (100000)
#   --kills N       of the server meanwhile (3)
#   --seconds N     in which the rate of items is measured (10)
#   --clients N     that work meanwhile (64)
set -u
cd "$(dirname "$0")/.." || exit 1

. bench/server.sh

cases=100000
kills=3

client() {
	(cd "$scratch" && "$weft" "$@")
}

# member NAME: of the operation.
member() {
	client operation show 1 --json |
		sed -n "s/.*\"$1\": *\"\{0,1\}\([a-z0-9]*\).*/\1/p"
}

now() {
	date +%s.%N
}

options "weft store cases kills seconds clients" "$@"
begin
database migrate
(cd "$scratch" && "$weft" bench fill --db "$db" --cases "$cases") \
	>"$scratch/out" 2>&1 || die "weft bench fill failed"
start
"$weft" bench kernel --cases 1 --write "$scratch/old.yawl" >"$scratch/out" ||
	die "weft bench kernel failed"
sed 's/<version>0.1</<version>0.2</' "$scratch/old.yawl" >"$scratch/new.yawl"
bench
rate=$(sed -n 's/^items per second //p' "$scratch/out")
echo "items per second $rate"
client spec load new.yawl --quiet || die "the other version is refused"
uri=$(sed -n 's/.*specification uri="\([^"]*\)".*/\1/p' "$scratch/new.yawl")
client operation start migrate --specification "$uri" --version 0.1 \
	--to 0.2 --quiet || die "the operation is refused"
began=$(now)
for ((kill = 1; kill <= kills + 1; kill++)); do
	(cd "$scratch" && exec "$weft" bench http \
		--clients "$clients" --seconds 3600 --rate $((rate / 4))) \
		>"$scratch/load" 2>&1 &
	service=$!
	while [ "$(member state)" = running ]; do
		[ $kill -gt $kills ] || [ "$(member examined)" -lt \
			$((cases * kill / (kills + 1))) ] || break
		sleep 0.2
	done
	[ $kill -le $kills ] || break
	kill -KILL $server
	wait $server $service 2>/dev/null
	start
done
ended=$(now)
done=$(member done)
echo "cases migrated $done, refused $(member refused), kills $kills"
awk -v done="$done" -v time="$(echo "$ended $began" |
	awk '{ print $1 - $2 }')" -v rate="$rate" 'BEGIN {
	printf "cases per second %.0f, %.2f of the rate of items\n",
		done / time, done / time / rate }'
[ "$done" -ge "$cases" ] || die "cases are missing"
client operation report 1 --result refused --limit 100000 |
	awk 'NR > 1 { $1 = ""; gsub("[0-9]+", "N"); print }' | sort | uniq -c
stop
(cd "$scratch" && "$weft" db check --quiet --db "$db") ||
	die "the store is not whole"

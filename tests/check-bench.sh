#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# weft bench store and weft bench fill do the work that they count, and work
# goes on beside a transaction that stays open: for ten seconds, or for an hour
# with WEFT_SOAK=1. What the page costs is measured in a short form.
# usage: WEFT=PATH tests/check-bench.sh
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
. tests/console.sh
weft=${WEFT:-./weft}
program=$(realpath "$weft") || exit 1
scratch=$(mktemp -d) || exit 1
server=
trap '[ -z "$server" ] || kill $server; rm -rf "$scratch"' EXIT

# does ITEMS LAUNCHES OPTION...: checks the numbers of items and launches.
does() {
	local items=$1 launches=$2
	shift 2
	"$weft" bench "$@" >"$scratch/out" 2>&1 &&
		tail -n 1 "$scratch/out" | grep -q "^items $items seconds " &&
		grep -q "^launches $launches," "$scratch/out"
}

# The quantiles of the last run are in ascending order.
ordered() {
	awk '/^microseconds per item/ {
		good = $5 > 0 && $5 <= $7 && $7 <= $9
	} END { exit !good }' "$scratch/out"
}

refuses() {
	local pattern=$1
	shift
	! "$weft" bench "$@" >"$scratch/out" 2>&1 &&
		grep -q -e "$pattern" "$scratch/out"
}

for net in "seq 10" "and 12" "or 12" "composite 10" "mi 10" "data 10"; do
	check "every item of 20 cases is done: $net" \
		does $((20 * ${net#* })) 20 store --net "${net% *}" --cases 20
done
check "times are in order" ordered
check "it ends after so many items" does 55 '[0-9]*' store --items 55
check "it ends after so many seconds" does '[0-9]*' '[0-9]*' store \
	--seconds 1 --clients 2
check "items come at a rate" does 100 10 store --rate 1000 --cases 10
# The script fails when a case is missing or the store is damaged.
migrates() {
	WEFT=$program bench/migrate.sh --weft "$program" --cases 600 --kills 1 \
		--seconds 1 --clients 8 >"$scratch/out" 2>&1 &&
		grep -q "^cases migrated .*, kills 1$" "$scratch/out"
}

check "cases migrate with a kill in between" migrates
check "cases hold ballast" does 40 4 store --cases 4 --clients 4 \
	--ballast 100000

counted() {
	"$weft" bench store --cases 20 --statistics "$@" >"$scratch/out" 2>&1 &&
		grep -q '^statistics of 220 steps: 0\.[0-9]* statements ' \
			"$scratch/out"
}
check "the steps are counted, a page with few statements" counted
check "the same in SQLite" counted --db "sqlite:$scratch/statistics.db"

db=sqlite:$scratch/weft.db
check "a store is filled" does 0 30 fill --db "$db" --cases 30
check "work stops in the middle of cases" does 25 0 store --db "$db" --open \
	--items 25 --clients 4
check "and is finished by another process" does 275 0 store --db "$db" \
	--open --cases 30
check "then no case is open" refuses 'no case of this net is open' store \
	--db "$db" --open --cases 30
check "an unknown net is refused" refuses 'no net "tree"' store --net tree
check "a number is refused that is none" refuses '"x" is no number' store \
	--clients x
check "filling has no items" refuses 'only launches' fill --items 5
people() {
	"$weft" bench people --people 2000 --cases 10 --items 3000 --lists 3 \
		"$@" >"$scratch/out" 2>&1 &&
		grep -q '^role of 2000: [1-9]' "$scratch/out" &&
		grep -c '^[0-9]* items .*: microseconds p50 [1-9]' "$scratch/out" |
		grep -qx 12 &&
		tail -n 1 "$scratch/out" | grep -q '^items 300 seconds '
}
check "items are offered to roles, and people have lists" people
check "the same in SQLite" people --db "sqlite:$scratch/people.db"
allocations() {
	"$weft" bench people --people 2000 --cases 10 --allocate "$@" \
		>"$scratch/out" 2>&1 &&
		grep -q '^role of 2000: [1-9][0-9]* items allocated' "$scratch/out" &&
		grep -q '^an allocation among 2000 costs [1-9]' "$scratch/out" &&
		tail -n 1 "$scratch/out" | grep -q '^items 30 seconds '
}
check "items are allocated to the shortest queue" allocations
check "also in SQLite" allocations --db "sqlite:$scratch/allocations.db"
check "a store must be one" refuses 'no:such' store --db no:such

(cd "$scratch" && exec "$program" serve --db memory: --listen 127.0.0.1:0 \
	>log 2>&1) &
server=$!
for ((i = 0; i < 3000; i++)); do
	! grep -q 'listening on' "$scratch/log" || break
	sleep 0.1
done
WEFT_SERVER=$(sed -n 's/.*listening on \(http[^ "]*\).*/\1/p' "$scratch/log")
WEFT_TOKEN=$(cat "$scratch/weft.token")
export WEFT_SERVER WEFT_TOKEN
for net in "seq 10" "and 12" "composite 10" "data 10"; do
	check "every item of 20 cases is done over HTTP: $net" \
		does $((20 * ${net#* })) 20 http --net "${net% *}" --cases 20 \
		--clients 8
done
check "items come at a rate over HTTP" does 100 10 http --rate 500 --cases 10 \
	--clients 10
check "times are in order" ordered
check "a token is needed that the server knows" \
	env WEFT_TOKEN=wrong bash -c '! "$1" bench http --cases 1' - "$program" \
	2>"$scratch/out"
check "a server is needed" refuses 'URL\|server\|connect' http --cases 1 \
	--server http://127.0.0.1:1

# Work was done in all fourteen intervals; this test does not check how much.
idle() {
	bench/store.sh --weft "$weft" --url "$WEFT_TEST_POSTGRESQL" \
		--seconds "$1" --rate 500 idle >"$scratch/out" 2>&1 &&
		sed -n 's/.*: \([0-9]*\) items per second$/\1/p' "$scratch/out" |
		awk '$1 == 0 { stuck = 1 } END { exit stuck || NR != 14 }'
}

# One node and two; each count is there as often as it should be, and plausible.
scales() {
	bench/scaling.sh --weft "$weft" --cases 200 --clients 8 --seconds 3 \
		--ended 300 --open 100 counts sizes idle full \
		>"$scratch/out" 2>&1 && awk '
	function holds(what, value, least, most) {
		seen[what]++
		if (value < least || value > most)
			wrong = 1
	}
	/^bytes of the log per item: / { holds("log", $7 + 0, 1000, 3000) }
	/^rows added per item: / { holds("rows", $5, 3.4, 3.8) }
	/^statements per item: / { holds("item", $4, 0.1, 5) }
	/^statements per second: / { holds("idle", $4, 10, 150) }
	/^bytes per / { holds("sizes", $NF, 500, 20000) }
	END { exit wrong || seen["log"] != 4 || seen["rows"] != 4 ||
		seen["item"] != 2 || seen["idle"] != 2 || seen["sizes"] != 2 }
	' "$scratch/out"
}

# It fails when a list is not found by an index.
lists() {
	bench/lists.sh --weft "$weft" --cases 2000 --requests 3 \
		>"$scratch/out" 2>&1 &&
		[ "$(grep -c 'p50 .* ms  p99 .*[1-9].* ms$' "$scratch/out")" -eq 10 ]
}
if command -v sqlite3 >/dev/null 2>&1; then
	check "the first pages of lists are measured" lists
else
	skip "sqlite3 is not installed"
fi

# A busy machine makes times bad: only that there are figures is checked, and
# the bound of the bytes.
page_costs() {
	bench/console.sh --weft "$weft" --rounds 1 --seconds 1 --steps 5 --rate 50 \
		--pages 6 --real 1 >"$scratch/out" 2>&1
	! grep -q '^size.*BEYOND' "$scratch/out" &&
		sed -n 's/^\([a-z]*\)[^:]*: [0-9.]* .*(at \(least\|most\) .*/\1/p' \
			"$scratch/out" | uniq -c | tr -s ' \n' ' ' | grep -qx \
			' 2 size 2 ready 4 frames 1 latency 1 pages '
}

if [ "${WEFT_SANITIZED:-0}" = 1 ]; then
	: # it would measure the sanitizers
elif console_tools "${WEFT_BUILD:-build/plain}"; then
	check "what the page for browsers costs is measured" page_costs
else
	skip "$why"
fi

if [ "${WEFT_SANITIZED:-0}" = 1 ]; then
	: # it would measure the sanitizers
elif [ -n "${WEFT_TEST_POSTGRESQL:-}" ] && command -v psql >/dev/null 2>&1; then
	seconds=10
	[ "${WEFT_SOAK:-0}" = 0 ] || seconds=3600
	# A disk may also do nothing for the length of an interval.
	check "work goes on beside an idle transaction" \
		eval "idle $seconds || idle $((seconds * 5)) ||
			idle $((seconds * 30))"
	[ $seconds -eq 10 ] || cat "$scratch/out"
	check "what items and cases cost is counted, with two nodes" scales
else
	skip "there is no PostgreSQL"
fi
sum_up

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Crashes and faults on PostgreSQL, like check-crash.sh on SQLite, and faults
# that need several nodes and a server: nodes that are frozen or killed while
# they hold cases, connections that are cut, a server that is restarted,
# crashes, or has a full disk. The script starts a private server.
# usage: WEFT=./weft WEFT_BUILD=FOLDER tests/check-crash-postgresql.sh; ends
# with "N passed, N failed, N skipped"
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
build=$(realpath "${WEFT_BUILD:-.}") || exit 2
cd "$(dirname "$0")/.." || exit 2
. tests/crash/lib.sh

stop_servers() {
	local home
	# A subshell that is killed runs this, too.
	[ "$BASHPID" = $$ ] || return
	for home in "$server_home" "$small_home"; do
		[ -z "$home" ] || sh tests/postgresql.sh stop "$home"
	done
	[ -z "$small" ] || umount "$small"
	rm -rf "$scratch" "${small:-$scratch}"
}
server_home=
small_home=
small=
trap stop_servers EXIT

# start FOLDER: starts a server with its data in FOLDER; sets $home and $server.
start() {
	local started code=0
	started=$(TMPDIR=$1 sh tests/postgresql.sh start) || code=$?
	if [ $code -eq 77 ]; then
		echo "PostgreSQL is not installed"
		skipped=1
		finish
	fi
	home=$(sed -n 1p <<<"$started")
	server=$(sed -n 2p <<<"$started")
}
start "$(dirname "$scratch")"
server_home=$home

# A schema for each store.
new_store() {
	local name
	name=$(basename "$1" | tr '[:upper:]' '[:lower:]')
	echo "$server?sslmode=disable&gssencmode=disable&options=-csearch_path%3Ds$name"
}

# A frozen node loses its cases soon; the proof has as much time as it needs.
hurry() {
	via="$url%20-cidle_in_transaction_session_timeout%3D1s"
}

# starts WORD...: starts a process beside others; $! is its number.
starts() {
	log "$(basename "$program") work URL records $mix $* &"
	"$program" work "${via:-$url}" "$folder/records" "$mix" "$@" \
		>>"$folder/said" 2>&1 &
}

# ends PROCESS...: waits half an hour at most for each process.  A process that
# has ended is not killed: its number may be that of another one.  The watchdog
# gets a signal that cannot be lost: one with a trap is, when it comes before a
# new subshell has no traps any more.
ends() {
	local watchdog process i
	{
		for process; do
			(for ((i = 0; i < 1800; i++)); do
				sleep 1
			done
			kill "$process") >/dev/null &
			watchdog=$!
			wait "$process"
			judge $?
			kill -KILL $watchdog
			wait $watchdog
		done
	} 2>/dev/null
}

# is_running PROCESS...: whether one of these children of the shell has not
# ended; kill -0 would also find another process that got the number.
is_running() {
	local process running
	running=" $(jobs -rp | tr '\n' ' ')"
	for process; do
		[[ $running != *" $process "* ]] || return 0
	done
	return 1
}

# waits_for PROCESS STATE: waits until ps shows that state.
waits_for() {
	local i
	for ((i = 0; i < 3000; i++)); do
		grep -q "^State:[[:space:]]*$2" "/proc/$1/status" && return
		sleep 0.1
	done
	log "exit code: process $1 is never in the state $2"
}

# goes_on LEAST: clients work undisturbed until LEAST requests were acknowledged:
# where faults last long, many requests are given up.
goes_on() {
	via=
	enough "$1" works first=0 requests=200 seed="$(any)"
}

sql() {
	psql -X -q -t -A "$server" -c "$1" 2>&1
}

# --- killed -------------------------------------------------------------------

begin "killed at random instants"
by_time "$(rounds 4)" shards=3
enough 100 by_time 1 shards=3
proves 100

begin "killed at random statements, and in the middle of a batch"
span=800
by_count "$(rounds 4)" kill-before=N shards=2
by_count "$(rounds 4)" kill-after=N engines=2 shards=2
by_count "$(rounds 4)" kill-step=N shards=3
by_count "$(rounds 4)" kill-commit=N shards=3
enough 200 by_count 1 kill-before=N shards=2
proves 200

begin "three nodes with the same cases, killed now and then"
for first in 0 32 64; do
	(RANDOM=$((seed + first)) && by_time "$(rounds 5)" first=$first \
		shards=2) &
done
wait
enough 200 by_time 1 first=64 shards=2
proves 200

begin "a node that is killed while it holds cases that others want"
starts first=32 requests=1200 seed="$(any)"
span=100
by_count "$(rounds 6)" kill-step=N shards=2
ends $!
proves 500

begin "a node that is frozen while it holds cases that others want"
hurry
starts first=0 requests=200 seed="$(any)" stop=$((20 + RANDOM % 60))
frozen=$!
waits_for $frozen T
suffers 1
starts first=32 requests=400 seed="$(any)"
ends $!
kill -CONT $frozen
ends $frozen
goes_on 400
proves 400

# --- connections --------------------------------------------------------------

# What is disturbed must get on also where everything is slow: disturbances
# become rarer.
begin "connections are cut by the server"
cuts=0
starts first=0 requests=800 seed="$(any)" shards=2
one=$!
starts first=32 requests=800 seed="$(any)" shards=2
other=$!
while is_running $one $other; do
	sql 'DO $$ BEGIN FOR i IN 1..10 LOOP
		PERFORM pg_stat_clear_snapshot();
		PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE application_name = '"'weft'"'
			ORDER BY random() LIMIT 1;
		PERFORM pg_sleep((0.02 + random() * 0.05) * '"$((1 + cuts / 20))"');
	END LOOP; END $$' >>"$folder/cuts"
	cuts=$((cuts + 1))
done
ends $one $other
suffers "$(grep -c 'due to administrator command' "$server_home/server.log")"
goes_on 1000
proves 1000

# through_proxy WORD...: runs two nodes whose connections the proxy cuts.
through_proxy() {
	local port=${server##*:} one other
	coproc proxy { "$build/tests/crash/proxy" "${port%%/*}" "$(any)" "$@" \
		2>"$folder/cuts"; }
	read -r port <&"${proxy[0]}"
	log "proxy $* (port $port)"
	via=${url/127.0.0.1:+([0-9])/127.0.0.1:$port}
	starts first=0 requests=400 seed="$(any)" shards=2
	one=$!
	starts first=32 requests=400 seed="$(any)"
	other=$!
	ends $one $other
	eval "exec ${proxy[1]}>&-"
	# shellcheck disable=SC2154 # coproc sets it
	wait "$proxy_PID" 2>/dev/null
	log "$(cat "$folder/cuts")"
	suffers "$(sed -n 's/ cuts$//p' "$folder/cuts")"
}
shopt -s extglob

begin "connections are cut at random messages"
through_proxy messages=600
goes_on 500
proves 500

begin "answers to COMMIT are lost"
through_proxy commits=4
goes_on 500
proves 500

# --- the server ---------------------------------------------------------------

begin "the server is restarted, and crashes"
starts first=0 requests=800 seed="$(any)" shards=2
one=$!
starts first=32 requests=800 seed="$(any)"
other=$!
mode=fast
restarts=0
while is_running $one $other; do
	sleep "$((restarts++ / 20)).$((3 + RANDOM % 6))"
	log "restart $mode"
	sh tests/postgresql.sh restart "$server_home" $mode ||
		log "exit code: the server does not come back"
	suffers 1
	[ $mode = fast ] && mode=immediate || mode=fast
done
ends $one $other
goes_on 1000
proves 1000

# --- statements ---------------------------------------------------------------

# Half of the sample is for each kind of cases.
for people in 0 1; do
	begin "each statement fails, its answer is lost, it is the last"
	works seed=1 turns=1 clients=8 requests=40 people=$people
	read -r statements _ < <(grep statements "$folder/said")
	step=$((statements / $(rounds 12) + 1))
	[ "$soak" = 0 ] || step=1
	for ((n = 1; n <= statements; n += step)); do
		for word in fail=$n lose=$n kill-before=$n; do
			works "seed=$n" "round=$n" turns=1 clients=8 \
				requests=40 people=$people fails=1 $word
		done
	done
	proves 200 $((n / step))
done

begin "statements fail for a while"
span=300
by_count "$(rounds 4)" fail=N fails=N requests=200 shards=2
proves 100

# --- one bad case -------------------------------------------------------------

begin "unused"
expect "one bad case among 64" "$crash" poison "$url" "$mix"

# --- builds that are broken on purpose ----------------------------------------

for ((k = $(rounds 2); k > 0; k--)); do
	begin "it answers before it commits" "$build/tests/crash/broken_early"
	span=60
	by_count 3 kill-commit=N
	finds_out
	begin "it ignores the version guard" \
		"$build/tests/crash/broken_unguarded"
	works "seed=$(any)" engines=2 requests=1000 cache=100000000
	finds_out
	begin "it forgets who is in an audience"
	works "seed=$(any)" people=1 forget=1 requests=200
	finds_out
done

# --- a full disk --------------------------------------------------------------

grep -A 12 'deadlock detected' "$server_home/server.log"
verdict $((1 - $?)) "transactions waited for each other"

small=$(mktemp -d)
if ! mount -t tmpfs -o size=160m,mode=1777 none "$small" 2>/dev/null; then
	rmdir "$small"
	small=
	echo "a disk that is full: only root can make a small one"
	skipped=$((skipped + 1))
	finish
fi
# The server's log must not be on the disk that is full.
small_log=$scratch/small.log
install -m 666 /dev/null "$small_log"
chmod o+x "$scratch"
export WEFT_POSTGRESQL_LOG=$small_log
start "$small"
small_home=$home
unset WEFT_POSTGRESQL_LOG
# A second segment for its WAL: a server that cannot write one stops.
sql 'SELECT pg_switch_wal()' >/dev/null
sql CHECKPOINT

failures() {
	grep -c 'No space left' "$small_log"
}

# filling: clients work while the disk is filled now and then.
filling() {
	local one other seen i fills=0
	starts first=0 requests=1200 seed="$(any)" "$@" shards=2
	one=$!
	starts first=32 requests=1200 seed="$(any)" "$@"
	other=$!
	while is_running $one $other; do
		sleep "$((fills++ / 20)).$((RANDOM % 5))"
		seen=$(failures)
		log "full"
		head -c 1G /dev/zero >"$small/ballast" 2>/dev/null
		for ((i = 0; i < 100 && $(failures) == seen; i++)); do
			is_running $one $other || break
			sleep 0.1
		done
		sleep "0.$((2 + RANDOM % 6))"
		log "not full any more"
		rm "$small/ballast"
	done
	ends $one $other
}

begin "the disk of the server is full for a while"
# Fast clients may end before the disk is full.
for ((round = 1; round <= 10 && $(failures) == 0; round++)); do
	filling round=$round
done
suffers "$(failures)"
goes_on 600
proves 600

finish

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The primary of a pair of PostgreSQL servers is killed under load, its
# synchronous standby is promoted, the clients go on. Then the proof, from the
# clients' records, that nothing was lost and nothing was done twice.
# usage: WEFT_BUILD=FOLDER tests/check-failover.sh; ends with "N passed, N
# failed[, N skipped]"
set -u
build=$(realpath "${WEFT_BUILD:-.}") || exit 2
cd "$(dirname "$0")/.." || exit 2
. tests/crash/lib.sh
primary=
standby=
clean_up() {
	[ -z "$primary" ] || tests/postgresql.sh stop "$primary"
	[ -z "$standby" ] || tests/postgresql.sh stop "$standby"
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'trap "" INT TERM HUP; exit 130' INT TERM HUP

# The pair of servers, as one URL.
new_store() {
	echo "postgresql://weft@${first#*@},${second#*@}/postgres?connect_timeout=5"
}

# start_pair: fails when there is no PostgreSQL.
start_pair() {
	local started
	started=$(tests/postgresql.sh start) || return
	{ read -r primary && read -r first; } <<<"$started"
	started=$(tests/postgresql.sh standby "$primary") || return
	{ read -r standby && read -r second; } <<<"$started"
	first=${first%/postgres}
	second=${second%/postgres}
}

# fail_over BYTES PROCESS: fails over while the process works, when its records
# have reached BYTES; all of them are 400,000 bytes.
fail_over() {
	local tries=0
	while [ "$(cat "$folder"/records/* 2>/dev/null | wc -c)" -lt "$1" ] &&
		[ $((tries += 1)) -lt 3000 ]; do
		sleep 0.1
	done
	log "the primary crashes, the standby is promoted"
	tests/postgresql.sh crash "$primary"
	# Without a primary it cannot end; with the new one it may, at once.
	! kill -0 "$2" || suffers 1
	tests/postgresql.sh promote "$standby"
}

for ((k = $(rounds 2); k > 0; k--)); do
	if ! start_pair; then
		skipped=$((skipped + 1))
		echo "there is no PostgreSQL to test with"
		break
	fi
	begin "the primary dies, its standby is promoted"
	works "seed=$(any)" engines=2 requests=4000 &
	fail_over $((30000 + RANDOM % 200000)) $!
	wait
	proves 1000
	tests/postgresql.sh stop "$primary"
	tests/postgresql.sh stop "$standby"
	primary= standby=
done
finish

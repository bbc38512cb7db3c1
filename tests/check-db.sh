#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# weft db from end to end: creates, shows, checks, damages and retires stores;
# errors are reported in a sentence and by the exit code.
# usage: WEFT=PATH tests/check-db.sh
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
weft=$(realpath "${WEFT:-./weft}")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# ends CODE ARGUMENT...: runs weft db ARGUMENT... and keeps its output.
ends() {
	local wanted=$1 code=0
	shift
	(cd "$scratch" && "$weft" db "$@") >"$scratch/out" 2>"$scratch/err" ||
		code=$?
	[ $code -eq "$wanted" ]
}

# Checks the last command's standard output or standard error.
out() { grep -q -e "$1" "$scratch/out"; }
err() { grep -q -e "$1" "$scratch/err"; }
silent() { [ ! -s "$scratch/err" ]; }
quiet() { silent && [ ! -s "$scratch/out" ]; }
json() { # the whole output is one JSON object
	command -v python3 >/dev/null 2>&1 || return 0
	python3 -m json.tool <"$scratch/out" >/dev/null 2>"$scratch/err"
}

# spoil FILE AT BYTES: writes bytes into a file.
spoil() {
	printf "$3" | dd of="$scratch/$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# fill URL: twenty finished cases, and ten that are live.
fill() {
	(cd "$scratch" &&
		"$weft" bench store --db "$1" --cases 20 --clients 4 &&
		"$weft" bench fill --db "$1" --cases 10 --clients 4) \
		>/dev/null 2>"$scratch/err"
}

# --- making ------------------------------------------------------------------

check "init makes a store" ends 0 init --db sqlite:a.db
check "init says where, which and of which version" \
	out '^sqlite:a.db is made: identity [0-9a-f]*, version 8$'
identity=$(sed -n 's/.*identity \([0-9a-f]*\),.*/\1/p' "$scratch/out")
check "init refuses a second time" ends 1 init --db sqlite:a.db
check "init says what is there" err "is a store already: identity $identity"
check "a file that may not grow is a failed write" \
	[ "$(ulimit -f 8; "$weft" db init --db "sqlite:$scratch/short.db" \
		>"$scratch/out" 2>"$scratch/err"; echo $?)" = 1 ]
check "and the message says so" err '^weft: .*SQLite: '
check "a copy that may not grow is no copy" \
	[ "$(ulimit -f 64; "$weft" db backup --db "sqlite:$scratch/a.db" \
		"$scratch/b.db" >"$scratch/out" 2>"$scratch/err"; echo $?)" = 1 ]
check "its name is in the message" err '^weft: .*/b.db: SQLite: '
check "and nothing of it is left" [ -z "$(ls "$scratch" | grep '^b.db')" ]
check "migrate has nothing to do" ends 0 migrate --db sqlite:a.db
check "migrate says so" out 'version 8: there is nothing to do'
check "show ends with 0" ends 0 show --db sqlite:a.db
check "show names the store" out "^identity  *$identity$"
check "show counts" out '^cases live  *0$'
check "an empty store is whole" ends 0 check --db sqlite:a.db
check "check says so" out '^nothing is damaged$'
check "without --db there is no store yet" ends 1 check
check "the sentence says what to do" err 'weft db init'
check "init without --db" ends 0 init
check "the default store is in weft.db" [ -f "$scratch/weft.db" ]
WEFT_DB=sqlite:b.db check "WEFT_DB names the store" ends 0 init
check "it is there" [ -f "$scratch/b.db" ]
check "init in a folder that is not there" ends 1 init --db sqlite:no/c.db
check "a path is no URL" ends 1 check --db a.db
check "the sentence says what is expected" err 'sqlite:PATH'

# --- wrong usage ---------------------------------------------------------------

check "an unknown action" ends 2 frobnicate
check "an option of another action" ends 2 init --dry-run
check "a value is missing" ends 2 show --db
check "an argument too many" ends 2 show x
check "retire needs a time" ends 2 retire
check "retire takes one time" \
	ends 2 retire --before 2026-01-01 --older-than 1d
check "no such day" ends 2 retire --before 2026-02-30
check "a day that is to come" ends 2 retire --before 2999-01-31
check "no such age" ends 2 retire --older-than 90
check "months are none" ends 2 retire --older-than P1M
check "help of an action" ends 0 check --help
check "help names the options" out '--set-aside'

# --- copies (tests/rest/test_backup.py has more) -------------------------------

check "a store is copied" ends 0 backup copy.db --db sqlite:a.db
check "backup says where, and which" \
	out "^sqlite:a.db is copied to copy.db: identity $identity, version 8\$"
check "the copy is whole" ends 0 check --quiet --db sqlite:copy.db
check "backup --quiet" ends 0 backup quiet.db --quiet --db sqlite:a.db
check "says nothing" quiet
check "a copy is not written over" ends 1 backup copy.db --db sqlite:a.db
check "the sentence says so" err 'copy.db is there already'
check "a folder that is not there" ends 1 backup no/copy.db --db sqlite:a.db
check "a store that is not there" ends 1 backup x.db --db sqlite:none.db
check "backup needs a file" ends 2 backup --db sqlite:a.db
check "one, not two" ends 2 backup x.db y.db --db sqlite:a.db
check "nothing is left of what failed" [ ! -e "$scratch/x.db" ]
check "a store in memory has no file" ends 1 backup x.db --db memory:

# --- stores that cannot be opened ---------------------------------------------

echo "This is a text, and a long one; it has nothing to do with Weft." \
	>"$scratch/text"
check "a file that is no database" ends 1 check --db sqlite:text
check "the sentence says so" err 'not a database'
check "it is left as it is" grep -q '^This is a text' "$scratch/text"
cp "$scratch/a.db" "$scratch/later.db"
spoil later.db 60 '\0\0\1\0'
for action in check show migrate; do
	check "$action refuses a later version" \
		ends 1 $action --db sqlite:later.db
	check "$action says so" err 'was made by a later Weft'
done
cp "$scratch/a.db" "$scratch/foreign.db"
spoil foreign.db 68 '\0\0\0\1'
check "another program's database" ends 1 check --db sqlite:foreign.db
check "the sentence says so" err 'not one of Weft'

# --- checking ------------------------------------------------------------------

fill sqlite:full.db
check "a store with cases is whole" ends 0 check --db sqlite:full.db
check "nothing on standard error where that is no terminal" silent
check "check counts" out \
	'^checked: 10 cases that are live, 20 that have ended, 230 steps'
check "check --quiet" ends 0 check --quiet --db sqlite:full.db
check "says nothing of a whole store" quiet
check "check --json" ends 0 check --json --db sqlite:full.db
check "is JSON" json
check "with the counts" out '"live": 10,'
check "show --json" ends 0 show --json --db sqlite:full.db
check "is JSON" json
check "with the counts" out '"ended": 20'

(cd "$scratch" && exec "$weft" bench store --db sqlite:full.db --seconds 600) \
	>/dev/null 2>&1 &
server=$!
for _ in $(seq 3000); do
	[ ! -s "$scratch/full.db-wal" ] || break
	sleep 0.1
done
check "a store in use" ends 1 check --db sqlite:full.db
check "the sentence says so" err 'in use by another process'
{ kill -9 $server && wait $server; } 2>/dev/null
check "a store whose engine was killed is whole" \
	ends 0 check --db sqlite:full.db

if command -v script >/dev/null 2>&1; then
	(cd "$scratch" && script -qec "$weft db check --db sqlite:full.db" \
		/dev/null) >"$scratch/out" 2>&1 </dev/null
	check "a bar on a terminal" out '\[#*\ *\] *[0-9]* %'
else
	skip "script is not installed: there is no terminal to try"
fi

# --- damage --------------------------------------------------------------------

fill sqlite:bad.db
at=$(grep -abo 'nextElementRef' "$scratch/bad.db" | head -n 1 | cut -d: -f1)
spoil bad.db "$at" N
check "a damaged specification is found" ends 1 check --db sqlite:bad.db
check "and named" out '^specification [0-9a-f]\{16\}: the stored specification'
check "its cases are named" \
	out '^case [0-9]*: its specification [0-9a-f]\{16\} is damaged$'
check "check counts" out \
	'^damaged: 31 findings; 30 cases and 1 specifications$'
check "check --json of damage" ends 1 check --json --db sqlite:bad.db
check "is JSON" json
check "names the case" out '{"kind": "damage", "case": [0-9]*, "text": "its'
check "damaged cases are quarantined" ends 1 check --set-aside --db sqlite:bad.db
check "check says so" out \
	'^case [0-9]* is quarantined now (incident [0-9]*): its specification'
check "those that are live" out '^quarantined: 10 cases, 10 of them now$'
check "the second time" ends 1 check --set-aside --quiet --db sqlite:bad.db
check "it is known" out '^case [0-9]* is quarantined (incident [0-9]*): its'
check "show counts" ends 0 show --db sqlite:bad.db
check "what is quarantined" out '^cases quarantined  *10$'
check "and the incidents" out '^incidents  *11$'

# Damaged bytes that are not text appear in messages.
if command -v python3 >/dev/null 2>&1; then
	cp "$scratch/full.db" "$scratch/odd.db"
	python3 - "$scratch/odd.db" <<-'END'
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		db.execute("UPDATE cases SET name = CAST(x'41ff1b0a42' AS TEXT)"
		           " WHERE number = (SELECT max(number) FROM cases)")
		db.commit()
	END
	check "an odd name" ends 1 check --quiet --db sqlite:odd.db
	check "is reported in one line" \
		[ -z "$(grep -v '^case [0-9]*: ' "$scratch/out")" ]
	check "and in JSON" ends 1 check --json --db sqlite:odd.db
	check "is JSON" json
fi

# --- retiring ------------------------------------------------------------------

check "nothing is old enough" ends 0 retire --older-than P1D --db sqlite:full.db
check "retire says so" out '^0 cases that ended before .* are retired$'
check "how much would be retired" \
	ends 0 retire --older-than 0h --dry-run --db sqlite:full.db
check "retire says how much" out '^[0-9]* cases .* would be retired$'
would=$(sed -n 's/ cases .* would be retired$//p' "$scratch/out")
check "there is something" [ "${would:-0}" -ge 20 ]
check "it is retired" ends 0 retire --older-than 0h --db sqlite:full.db
check "just as much" out "^$would cases that ended before .* are retired\$"
check "the free space is reported" out 'MB of the store are free'
check "retire by a date" ends 0 retire --before 2020-01-31 --db sqlite:full.db
check "or a moment" \
	ends 0 retire --before 2020-01-31T12:00:00Z --db sqlite:full.db
check "the time is reported" out 'before 2020-01-31T12:00:00Z'
check "what stays is whole" ends 0 check --db sqlite:full.db
check "and live" out ' 0 that have ended'

# --- PostgreSQL ----------------------------------------------------------------

# beside URL: runs the check while an engine works; the engine gets more time
# when it ended before the check. Sets the exit codes of both.
beside() {
	local seconds process
	for seconds in 2 8 32 128; do
		checked=0 works=no engine=0
		"$weft" bench store --db "$1" --seconds $seconds \
			>/dev/null 2>&1 &
		process=$!
		while kill -0 $process 2>/dev/null && ends 0 show --db "$1" &&
			out '^cases ended  *20$'; do
			sleep 0.1
		done
		ends 0 check --db "$1" || checked=$?
		! kill -0 $process 2>/dev/null || works=yes
		wait $process || engine=$?
		[ $works = no ] || return
	done
}

sql() { psql -q -v ON_ERROR_STOP=1 "$@" "$url" >"$scratch/out" 2>"$scratch/err"; }
# finished VERSION: as if another program had finished that version.
finished() {
	sql -c "INSERT INTO record (namespace_id, kind, name, value, change)
		SELECT 0, 'upgrade', 'finished', '$1', last FROM counter
		WHERE name = 'change' ON CONFLICT (namespace_id, kind, name)
		DO UPDATE SET value = '$1'"
}
# node NUMBER VERSION [SECONDS]: as if a node of another program lived, whose
# clock is ahead by that.
node() {
	sql -c "INSERT INTO record (namespace_id, kind, name, value, change)
		SELECT 0, 'node', '$1', convert_to('$2 0 $(($(date +%s) + ${3:-0}))000 left 0.0',
		'UTF8'), last FROM counter WHERE name = 'change'"
}

# serve LOG: starts a server on $url, and sets $server and the variables of the
# command line.
serve() {
	(cd "$scratch" && exec "$weft" serve --db "$url" \
		--listen 127.0.0.1:0) >"$scratch/$1" 2>&1 &
	server=$!
	for _ in $(seq 600); do
		! grep -q 'listening on' "$scratch/$1" || break
		sleep 0.1
	done
	export WEFT_TOKEN WEFT_SERVER
	WEFT_TOKEN=$(cat "$scratch/weft.token")
	WEFT_SERVER=$(sed -n 's/.*listening on //p' "$scratch/$1")
}
# starts: a case can be started on the last server.
starts() { "$weft" case start BusinessTrip >"$scratch/out" 2>"$scratch/err"; }
# completes CASE: and its item can be completed.
completes() {
	"$weft" item complete "$1:Ask" >"$scratch/out" 2>"$scratch/err"
}
# cancels CASE: it is moved to the cases that have ended.
cancels() { "$weft" case cancel "$1" >"$scratch/out" 2>"$scratch/err"; }

# A store of the version before is upgraded while nodes work on it; the tables
# of one of the version after are those of this one.
upgrade() {
	local schema="check_db_up_$$" url files known older first
	url="$WEFT_TEST_POSTGRESQL?options=-csearch_path%3D$schema"
	files=(schemas/sql/postgresql/*.sql)
	known=${#files[@]}
	older=$((known - 1))
	unset "files[$older]"
	check "PostgreSQL: an older store" sql -c "CREATE SCHEMA $schema" \
		"${files[@]/#/--file=}" -c "INSERT INTO store (name, value)
		VALUES ('version', '$older'), ('identity', '$(printf %032d 0)')"
	check "PostgreSQL: is not opened" ends 1 show --db "$url"
	check "PostgreSQL: the sentence says what to do" err 'weft db migrate'
	check "PostgreSQL: migrate brings it forward" ends 0 migrate --db "$url"
	check "PostgreSQL: it says so" \
		out "is brought from version $older to version $known\$"
	check "PostgreSQL: and what remains" out 'weft db migrate --finish$'
	check "PostgreSQL: show" ends 0 show --db "$url"
	check "PostgreSQL: knows it" out "^version  *$known, not finished\$"
	serve log
	first=$server
	check "PostgreSQL: a node loads a process" \
		"$weft" spec load --quiet examples/sequence.yawl
	check "PostgreSQL: and starts a case" starts
	check "PostgreSQL: show" ends 0 show --db "$url"
	check "PostgreSQL: names the node" \
		out "^node  *[0-9]*: [^ ]*, Weft [^ ]*, version $known, seen [0-9]* s ago$"
	check "PostgreSQL: an older node" node 99 "$older"
	check "PostgreSQL: nothing is finished" \
		ends 1 migrate --finish --db "$url"
	check "PostgreSQL: the sentence names it" \
		err "1 nodes do not know version $known of the tables: 99 (left, Weft 0.0)"
	check "PostgreSQL: and nothing else is said" test ! -s "$scratch/out"
	check "PostgreSQL: it ends" \
		sql -c "DELETE FROM record WHERE kind = 'node' AND name = '99'"
	check "PostgreSQL: one that was killed, with a wrong clock" \
		node 98 "$older" 86400
	check "PostgreSQL: nothing is finished" \
		ends 1 migrate --finish --db "$url"
	check "PostgreSQL: the sentence says what to do" \
		err '98 (left, Weft 0.0, whose clock is ahead: if it has ended, leave it out (--without))'
	check "PostgreSQL: --without needs --finish" \
		ends 2 migrate --without 98 --db "$url"
	check "PostgreSQL: and a number" \
		ends 2 migrate --finish --without left --db "$url"
	check "PostgreSQL: finish without it" \
		ends 0 migrate --finish --without 98 --db "$url"
	check "PostgreSQL: it says so" \
		out "is finished: all nodes may write version $known\$"
	check "PostgreSQL: finish again" ends 0 migrate --finish --db "$url"
	check "PostgreSQL: has nothing to do" out 'there is nothing to do$'

	check "PostgreSQL: a later program migrates" sql \
		-c "UPDATE store SET value = '$((known + 1))' WHERE name = 'version'" \
		-c "DO \$\$ DECLARE t text; BEGIN FOREACH t IN ARRAY ARRAY[
			'cases', 'ended', 'history', 'value', 'item', 'due',
			'message', 'answer', 'incident', 'specification', 'record']
		LOOP EXECUTE format(
			'ALTER TABLE %I ADD later bigint NOT NULL DEFAULT 0', t);
		END LOOP; END \$\$"
	finished "$known"
	check "PostgreSQL: this one can open it" ends 0 show --json --db "$url"
	check "PostgreSQL: is JSON" json
	check "PostgreSQL: with both versions" out "\"finished\": $known,"
	check "PostgreSQL: it cannot finish it" ends 1 migrate --finish --db "$url"
	check "PostgreSQL: the sentence says so" err 'only that can finish it'
	check "PostgreSQL: its node goes on" starts
	check "PostgreSQL: with old cases" completes 1
	check "PostgreSQL: and ends them" cancels 1
	serve log2
	check "PostgreSQL: another one can be started" starts
	check "PostgreSQL: and works" completes 2
	check "PostgreSQL: and writes all tables" cancels 2
	kill $server
	wait $server
	finished $((known + 1))
	check "PostgreSQL: finished, it is refused" ends 1 show --db "$url"
	check "PostgreSQL: the sentence says so" err 'made by a later Weft'
	wait $first
	check "PostgreSQL: a node that is too old ends" \
		grep -q '"superseded"' "$scratch/log"
	sql -c "SET client_min_messages = error" -c "DROP SCHEMA $schema CASCADE"
}

# Each run has a schema of its own.
postgresql() {
	local schema="check_db_$$" url
	url="$WEFT_TEST_POSTGRESQL?options=-csearch_path%3D$schema"
	url=${url/:\/\/weft@/://weft:secret@}

	check "PostgreSQL: there is no store yet" ends 1 show --db "$url"
	check "PostgreSQL: the sentence says what to do" err 'weft db init'
	check "PostgreSQL: init" ends 0 init --db "$url"
	check "PostgreSQL: init says where and which" \
		out '^postgresql://.* is made: identity [0-9a-f]*, version 8$'
	check "PostgreSQL: no password is shown" [ -z "$(grep secret \
		"$scratch/out")" ]
	check "PostgreSQL: init refuses a second time" ends 1 init --db "$url"
	check "PostgreSQL: the sentence says so" err 'is a store already'
	check "PostgreSQL: migrate" ends 0 migrate --db "$url"
	fill "$url"
	check "PostgreSQL: check" ends 0 check --db "$url"
	check "PostgreSQL: check counts" out \
		'^checked: 10 cases that are live, 20 that have ended, 230 steps'
	beside "$url"
	check "PostgreSQL: check beside an engine" [ $checked -eq 0 ]
	check "PostgreSQL: it is at work" [ $works = yes ]
	check "PostgreSQL: it was not disturbed" [ $engine -eq 0 ]
	check "PostgreSQL: show" ends 0 show --json --db "$url"
	check "PostgreSQL: is JSON" json
	check "PostgreSQL: retire" ends 0 retire --older-than 0h --db "$url"
	check "PostgreSQL: retire says how much" \
		out '^[0-9]* cases that ended before .* are retired$'
	check "PostgreSQL: none is left" out '^0 that have ended, and '
	check "PostgreSQL: what stays is whole" ends 0 check --db "$url"
	! command -v psql >/dev/null 2>&1 ||
		psql -q -c "SET client_min_messages = error" \
			-c "DROP SCHEMA $schema CASCADE" "$WEFT_TEST_POSTGRESQL"
}

if [ -n "${WEFT_TEST_POSTGRESQL:-}" ]; then
	postgresql
	if command -v psql >/dev/null 2>&1; then
		upgrade
	else
		skip "PostgreSQL: psql is not installed"
	fi
else
	skip "PostgreSQL: there is no server to test on"
fi

sum_up

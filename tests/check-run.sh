#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# "./setup run" (examples/serve.sh, after the build): the commands that it
# suggests work, and Ctrl-C leaves nothing behind.
# usage: WEFT=PATH tests/check-run.sh
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
cd "$(dirname "$0")/.." || exit 2
. tests/follow.sh
scratch=$(mktemp -d) || exit 2
script=
clean_up() {
	[ -z "$script" ] || kill -- "-$script" 2>/dev/null
	rm -rf "$scratch"
}
trap clean_up EXIT
passed=0
failed=0
skipped=0
ln -s "$weft" "$scratch/weft"

# expect WHAT COMMAND..
expect() {
	local what=$1
	shift
	if "$@" >"$scratch/out" 2>&1; then
		passed=$((passed + 1))
	else
		echo "$what"
		tail -n 5 "$scratch/out"
		failed=$((failed + 1))
	fi
}

# start FOLDER OPTION..: starts it in a process group of its own, as in a
# terminal.
start() {
	local i
	folder="$scratch/a $1"
	said=$(mktemp "$scratch/$1-XXXXXX.said")
	set -m
	WEFT=$weft timeout 3600 examples/serve.sh "${@:2}" \
		--listen 127.0.0.1:0 "$folder" >"$said" 2>&1 &
	script=$!
	set +m
	for ((i = 0; i < 6000; i++)); do
		! grep -q '^Ctrl-C' "$said" || return 0
		kill -0 $script 2>/dev/null || break
		sleep 0.1
	done
	cat "$said"
	return 1
}

# With the password that it prints for a person, by the session route.
sign_in_as_it_says() {
	local password
	password=$(sed -n 's/^- anna, .*: password //p' "$said")
	[ -n "$password" ] &&
		curl -sS --fail -m 60 "$(address)/v1/session" \
			--json "{\"name\": \"anna\", \"password\": \"$password\"}" |
		grep -q '"account": *"anna"'
}

# In its first line; without a page there is none.
open_what_it_says() {
	local opened
	"$weft" --version | grep -q '^page for browsers: yes' || return 0
	opened=$(sed -n '1s/^Weft is at .*; open it: //p' "$said")
	curl -sS --fail -m 60 -H 'Accept: text/html' "$opened" |
		grep -q '<script' || return 1
	curl -sS --fail -m 60 "$(address)/v1/session" \
		--json "{\"ticket\": \"${opened##*#ticket=}\"}" |
		grep -q '"account": *"admin"'
}

type_what_it_says() {
	(cd "$scratch" && sed -n 's/^  //p' "$said" | bash -e) |
		tee "$scratch/typed"
	grep -q 1:Ask "$scratch/typed" && grep -q '^sequence *2' "$scratch/typed"
}

# The walk of docs/PEOPLE.md, in a folder like that of the sources.
walk() {
	local text=$PWD/docs/PEOPLE.md
	mkdir -p "$scratch/build" && ln -s "$folder" "$scratch/build/run" &&
		cd "$scratch" || exit 2
	export WEFT_SERVER
	WEFT_SERVER=$(address)
	follow docs/PEOPLE.md 12 < <(sed -n \
		'/^## A first walk/,/^## The organisation/p' "$text")
	unset WEFT_SERVER
	cd "$OLDPWD" || exit 2
}

# interrupt: Ctrl-C reaches all processes of the group, more than once.
interrupt() {
	local i
	for ((i = 0; i < 20; i++)); do
		kill -INT -- "-$script" 2>/dev/null
	done
	wait "$script"
	# timeout may be gone before the script that it has started.
	while kill -0 -- "-$script" 2>/dev/null; do
		sleep 0.1
	done
	script=
}

address() {
	sed -n 's/^Weft is at \([^;]*\);.*/\1/p' "$said"
}

answers() {
	curl -sS "$(address)/healthz"
}

# Another server may have been given its port; it does not know the token.
is_silent() {
	! curl -sS --fail -m 60 "$(address)/v1/cases" \
		-H "Authorization: Bearer $(cat "$folder/weft.token")"
}

# serves CLUSTER: a running PostgreSQL has its data there.
serves() {
	pgrep -f "^[^ ]*/postgres.*$1"
}

# is_left CLUSTER: waits until there is none.  A server removes the file that
# pg_ctl waits for shortly before it ends.
is_left() {
	local i
	for ((i = 0; i < 600; i++)); do
		serves "$1" >/dev/null || return 0
		sleep 0.1
	done
	serves "$1"
	return 1
}

# A later number than that of the first: shards take numbers in blocks when many
# are taken, and an end of the server gives back those that are not used if no
# shard came after; a crash does not.
second="complete ([3-9]|[1-9][0-9]+):Ask"

expect "it does not start" start run
expect "what it says does not work" type_what_it_says
expect "the address that it prints does not sign in" open_what_it_says
expect "the password that it prints does not sign in" sign_in_as_it_says
walk
expect "it cannot start twice on one folder" bash -c '! "$@"' - \
	env WEFT="$weft" timeout 600 examples/serve.sh \
	--listen 127.0.0.1:0 "$folder"
expect "it does not answer" answers
interrupt
expect "the server is left" is_silent
expect "the lock is left" "$weft" db check --db "sqlite:$folder/weft.db"
expect "it does not start again" start run
expect "the second trip: $(cat "$said")" grep -Eq "$second" "$said"
interrupt

if [ -x "$(command -v initdb || echo /usr/lib/postgresql/*/bin/initdb)" ]; then
	expect "it does not start on PostgreSQL" start postgres --postgres
	expect "what it says does not work" type_what_it_says
	cluster=$(realpath "$folder/postgresql")
	expect "the address that it prints does not sign in" open_what_it_says
	expect "PostgreSQL is not at work" serves "$cluster"
	expect "it cannot start twice on one folder" bash -c '! "$@"' - \
		env WEFT="$weft" timeout 600 examples/serve.sh --postgres \
		--listen 127.0.0.1:0 "$folder"
	expect "PostgreSQL is stopped by that" serves "$cluster"
	interrupt
	expect "PostgreSQL is left" is_left "$cluster"
	expect "it does not start again on PostgreSQL" start postgres --postgres
	expect "the second trip: $(cat "$said")" \
		grep -Eq "$second" "$said"
	trip=$(grep -Eo "$second" "$said")
	# As if the machine had lost its power.  PostgreSQL does not start while
	# a process has the number of its predecessor, be it a zombie.
	postmaster=$(head -n 1 "$cluster/data/postmaster.pid")
	kill -KILL -- "-$script"
	pkill -KILL -f "^[^ ]*/postgres.*$cluster"
	wait "$script" 2>/dev/null
	while kill -0 "$postmaster" 2>/dev/null; do
		sleep 0.1
	done
	expect "it does not start after a crash" start postgres --postgres
	expect "the trip that waits goes on: $trip; $(cat "$said")" \
		grep -Fq "$trip" "$said"
	interrupt
	expect "PostgreSQL is left after that" is_left "$cluster"
else
	skipped=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a server with the examples loaded, three people and two cases, until
# Ctrl-C; it stops all that it started.
#
# usage: WEFT=PATH examples/serve.sh [--postgres] [--listen HOST:PORT] [FOLDER]
#
# The store is in FOLDER (build/run), and is still there the next time.  With
# --postgres it is a private PostgreSQL, whose data are in FOLDER
# (build/run-postgres) and which runs as long as the server does.
set -u
cd "$(dirname "$0")/.." || exit 1
weft=$(realpath "${WEFT:-./weft}") || exit 1
listen=127.0.0.1:8090
folder=
cluster=
server=

die() {
	echo "serve.sh: $*" >&2
	exit 1
}

stop() {
	trap '' INT TERM HUP
	if [ -n "$server" ]; then
		kill -TERM "$server" 2>/dev/null
		wait "$server"
	fi
	[ -z "$cluster" ] || tests/postgresql.sh close "$cluster"
}

# Not interrupted half way: who would stop it then?
start_postgresql() {
	trap '' INT TERM HUP
	started=$(tests/postgresql.sh open "$folder/postgresql" 9>&-) ||
		die "PostgreSQL cannot be started"
	cluster=$(echo "$started" | sed -n 1p)
	db=$(echo "$started" | sed -n 2p)
}

# It leaves weft.token where it is started, and says its address first.
start_server() {
	cd "$folder" || exit 1
	# Emptied here: the loop below must not read the address of the last run.
	: >server.log
	"$weft" serve --people --db "$db" --listen "$listen" >>server.log \
		2>&1 9>&- &
	server=$!
	cd "$OLDPWD" || exit 1
	while :; do
		WEFT_SERVER=$(sed -n 's/.*listening on \(http[^ "]*\).*/\1/p' \
			"$folder/server.log" | head -n 1)
		[ -z "$WEFT_SERVER" ] || break
		kill -0 "$server" 2>/dev/null || {
			tail -n 5 "$folder/server.log" >&2
			die "the server did not start"
		}
		sleep 0.1
	done
	export WEFT_SERVER
}

# add_person NAME OPTION...: an account with a password, which is made once and
# kept in FOLDER/people.txt, and with a token in FOLDER/NAME.token.
add_person() {
	name=$1
	shift
	grep -q "^$name " "$folder/people.txt" 2>/dev/null && return 0
	password=$(od -An -N6 -tx1 /dev/urandom | tr -d ' \n')
	token=$(cd "$folder" && echo "$password" | "$weft" account add "$name" \
		--db "$db" --role participant --password "$@" \
		2>>server.log 9>&-) || return 1
	(
		umask 077
		echo "$token" >"$folder/$name.token" &&
			echo "$name $password" >>"$folder/people.txt"
	)
}

password_of() {
	sed -n "s/^$1 //p" "$folder/people.txt"
}

postgres=
while [ $# -gt 0 ]; do
	case $1 in
	--postgres) postgres=1 ;;
	--listen)
		listen=${2:?}
		shift
		;;
	-*) die "unknown option $1" ;;
	*) folder=$1 ;;
	esac
	shift
done
folder=${folder:-build/run${postgres:+-postgres}}
mkdir -p "$folder" || exit 1
# Two servers may share a PostgreSQL, but the first one to stop would stop it.
exec 9>"$folder/lock" || exit 1
flock -n 9 || die "$folder is in use by another run"
trap stop EXIT
db=sqlite:weft.db
[ -z "$postgres" ] || start_postgresql
# A second Ctrl-C must not end what the first one began.
trap 'trap "" INT TERM HUP; exit 130' INT TERM HUP
start_server
WEFT_TOKEN=$(cat "$folder/weft.token") || exit 1
export WEFT_TOKEN
# An example that was changed since is refused; the cases keep the loaded one.
"$weft" people import --quiet examples/people/organisation.json || exit 1
"$weft" spec load --quiet examples/*.yawl examples/people/*.yawl || :
add_person anna --grant 'start process:UID_WeftPurchase' &&
	add_person ben --grant 'start process:UID_WeftPurchase' &&
	add_person cara || exit 1
# The server reads accounts that were added beside it within a second or so.
until WEFT_TOKEN=$(cat "$folder/cara.token") "$weft" work list \
	>/dev/null 2>&1; do
	kill -0 "$server" 2>/dev/null || exit 1
	sleep 0.1
done
# Cases of the last time go on; there is one of each process to begin with.
case=$("$weft" item list --specification BusinessTrip --task Ask --limit 1 |
	grep -o '[^ ]*:Ask' | head -n 1)
case=${case%:Ask}
[ -n "$case" ] ||
	case=$("$weft" case start BusinessTrip | sed -n 's/^case *//p')
[ -n "$case" ] || exit 1
"$weft" item list --specification Purchase --limit 1 | grep -q : ||
	"$weft" case start Purchase >/dev/null || exit 1

# The address signs in as the administrator, once.
if ! "$weft" --version | grep -q '^page for browsers: yes'; then
	echo "Weft is at $WEFT_SERVER; it was built without a page for browsers."
elif open=$(cd "$folder" && "$weft" account ticket admin --db "$db" \
	2>>server.log 9>&-); then
	echo "Weft is at $WEFT_SERVER; open it: $open"
else
	echo "Weft is at $WEFT_SERVER; open it and sign in."
fi
cat <<END
There is a case of BusinessTrip. In another terminal:
  export WEFT_SERVER=$WEFT_SERVER WEFT_TOKEN=\$(cat '$folder/weft.token')
  ./weft item list
  ./weft item complete $case:Ask
Three people take part in the process Purchase (docs/PEOPLE.md):
- anna, an employee: password $(password_of anna)
- ben, an employee and manager: password $(password_of ben)
- cara, a director and buyer: password $(password_of cara)
The worklist of anna, in another terminal:
  export WEFT_SERVER=$WEFT_SERVER WEFT_TOKEN=\$(cat '$folder/anna.token')
  ./weft work list
Ctrl-C stops it; what it says is in $folder/server.log.
END
wait "$server"
code=$?
server=
tail -n 5 "$folder/server.log" >&2
exit $code

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A private PostgreSQL for the tests and for examples/serve.sh: in a folder of
# its own, on a free port of 127.0.0.1 (only TCP: the path of a socket has to be
# short), run by an unprivileged user; it syncs like a production server. It
# touches no other cluster of the machine.
#
#   tests/postgresql.sh start       prints the folder and the URL, a line each
#   tests/postgresql.sh standby FOLDER
#       the same for a synchronous standby of the server in FOLDER
#   tests/postgresql.sh promote FOLDER       makes a standby the primary
#   tests/postgresql.sh crash FOLDER         as if its power went off
#   tests/postgresql.sh stop FOLDER          and removes it
#   tests/postgresql.sh open FOLDER
#       like start, in FOLDER, whose data are made only if there are none; a
#       server that runs there is used
#   tests/postgresql.sh close FOLDER         stops it and keeps the data
#   tests/postgresql.sh restart FOLDER MODE
#       MODE: fast, or immediate, which is a crash
#   tests/postgresql.sh run COMMAND ARGUMENT..
#       runs it with WEFT_TEST_POSTGRESQL=URL and stops the server behind it
#
# "start" and "open" exit with 77 when PostgreSQL is not installed.  The log is
# WEFT_POSTGRESQL_LOG, if that is set, and server.log in the folder otherwise.
set -u

tests=$(cd "$(dirname "$0")" && pwd) || exit 1
programs=
capable=
for folder in /usr/bin /usr/local/bin /usr/lib/postgresql/*/bin \
	${WEFT_POSTGRESQL_BIN:+"$WEFT_POSTGRESQL_BIN"}; do
	[ -x "$folder/initdb" ] && programs=$folder
done

die() {
	echo "postgresql.sh: $*" >&2
	exit 1
}

# initdb refuses root.
as_user() {
	if [ "$(id -u)" -ne 0 ]; then
		"$@"
	elif id postgres >/dev/null 2>&1; then
		# shellcheck disable=SC2086
		setpriv --reuid=postgres --regid=postgres --clear-groups $capable "$@"
	else
		# shellcheck disable=SC2086
		setpriv --reuid=nobody --regid=nogroup --clear-groups $capable "$@"
	fi
}

# new_folder: makes a folder that the user can write.
new_folder() {
	[ -n "$programs" ] || exit 77
	folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-postgresql-XXXXXX") || exit 1
	[ "$(id -u)" -ne 0 ] || chown "$(as_user id -u)" "$folder"
	chmod 755 "$folder"
	cd "$folder" || exit 1
}

# quietly COMMAND..: shows the output of a command only when it fails.
quietly() {
	"$@" >"$folder/log" 2>&1 || {
		cat "$folder/log" >&2
		rm -rf "$folder"
		die "$(basename "$2") failed"
	}
}

log_of() {
	echo "${WEFT_POSTGRESQL_LOG:-$1/server.log}"
}

# url_of PORT: prints the folder and the URL of a server.
url_of() {
	echo "$folder"
	echo "postgresql://weft@127.0.0.1:$1/postgres"
}

# serve: starts the server in $folder, and prints its folder and URL.
serve() {
	# Another process may take the port in the meantime.
	for try in 1 2 3 4 5; do
		port=$(python3 "$tests/rest/ports.py")
		if as_user "$programs/pg_ctl" start -w -t 600 -D "$folder/data" \
			-o "-p $port -k ''" -l "$(log_of "$folder")" \
			>/dev/null 2>&1 </dev/null; then
			url_of "$port"
			return 0
		fi
	done
	tail -n 20 "$(log_of "$folder")" >&2
	die "the server did not start ($try tries)"
}

# make_data: makes the data of a new server in $folder.
make_data() {
	quietly as_user "$programs/initdb" -D "$folder/data" -U weft -A trust \
		-E UTF8 --no-locale
	cat >>"$folder/data/postgresql.conf" <<-END
		listen_addresses = '127.0.0.1'
		shared_buffers = 64MB
		max_connections = 100
		max_wal_size = 512MB
		max_locks_per_transaction = 256
	END
}

# Without autovacuum: its transactions hold up the stream of history at times.
start() {
	new_folder
	make_data
	echo "autovacuum = off" >>"$folder/data/postgresql.conf"
	serve
}

# use_folder FOLDER: as $folder.  The folders above it may be closed to the
# user of PostgreSQL, as the home of root is.
use_folder() {
	[ -n "$programs" ] || exit 77
	mkdir -p "$1" || exit 1
	folder=$(cd "$1" && pwd -P) || exit 1
	[ "$(id -u)" -ne 0 ] || chown "$(as_user id -u)" "$folder"
	chmod 700 "$folder"
	as_user test -w "$folder" ||
		capable="--inh-caps +dac_override --ambient-caps +dac_override"
	cd "$folder" || exit 1
}

# The data are complete once they have their final name.
open() {
	use_folder "$1"
	if [ ! -e "$folder/data" ]; then
		rm -rf "$folder/new"
		(
			folder=$folder/new
			mkdir "$folder" || exit
			[ "$(id -u)" -ne 0 ] ||
				chown "$(as_user id -u)" "$folder"
			make_data
		) || exit
		mv "$folder/new/data" "$folder/data" || exit
		rm -rf "$folder/new"
	fi
	# A file that a crash left names a port where nobody answers, or another.
	if [ "$(sql "$folder" "SHOW data_directory" 2>/dev/null)" = \
		"$folder/data" ]; then
		url_of "$(sed -n 4p "$folder/data/postmaster.pid")"
	else
		serve
	fi
}

close() {
	use_folder "$1"
	as_user "$programs/pg_ctl" stop -w -t 600 -m fast -D "$folder/data" \
		>/dev/null 2>&1
}

# sql FOLDER SQL: runs SQL on the server in FOLDER.
sql() {
	as_user "$programs/psql" -qAtX -h 127.0.0.1 -U weft -d postgres \
		-p "$(sed -n 4p "$1/data/postmaster.pid")" -c "$2"
}

standby() {
	primary=$1
	new_folder
	quietly as_user "$programs/pg_basebackup" -h 127.0.0.1 -U weft -R \
		-p "$(sed -n 4p "$primary/data/postmaster.pid")" \
		-D "$folder/data" -c fast
	serve
	sql "$primary" "ALTER SYSTEM SET synchronous_standby_names = '*'" &&
		sql "$primary" "SELECT pg_reload_conf()" >/dev/null || return
	for try in $(seq 600); do
		sleep 1
		state=$(sql "$primary" "SELECT sync_state FROM pg_stat_replication")
		[ "$state" != sync ] || return 0
	done
	die "the standby does not follow ($try tries)"
}

promote() {
	as_user "$programs/pg_ctl" promote -w -t 600 -D "$1/data" >/dev/null
}

crash() {
	as_user "$programs/pg_ctl" stop -w -t 600 -m immediate -D "$1/data" \
		>/dev/null 2>&1
}

stop() {
	crash "$1"
	rm -rf "$1"
}

restart() {
	as_user "$programs/pg_ctl" restart -w -t 600 -m "$2" -D "$1/data" \
		-l "$(log_of "$1")" >/dev/null 2>&1 </dev/null
}

case ${1:-} in
start)
	start
	;;
open | close)
	"$1" "${2:?}"
	;;
restart)
	restart "${2:?}" "${3:?}"
	;;
standby | promote | crash | stop)
	"$1" "${2:?}"
	;;
run)
	shift
	started=$("$0" start) || exit
	folder=$(echo "$started" | sed -n 1p)
	WEFT_TEST_POSTGRESQL=$(echo "$started" | sed -n 2p)
	export WEFT_TEST_POSTGRESQL
	trap 'stop "$folder"' EXIT
	trap 'trap "" INT TERM HUP; exit 130' INT TERM HUP
	"$@"
	;;
*)
	sed -n 's/^#   \(tests\/postgresql\)/\1/p' "$0" >&2
	exit 2
	;;
esac

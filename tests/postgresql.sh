#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A private PostgreSQL for the tests: in a folder of its own, on a free port
# of 127.0.0.1, run by an unprivileged user; it syncs as a real one does.
# No other cluster of the machine is touched.
#
#   tests/postgresql.sh start       prints the folder and the URL, a line each
#   tests/postgresql.sh stop FOLDER
#   tests/postgresql.sh run COMMAND ARGUMENT..
#       runs it with WEFT_TEST_POSTGRESQL=URL and stops the server behind it
#
# "start" exits with 77 when PostgreSQL is not installed.
set -u

programs=
for folder in ${WEFT_POSTGRESQL_BIN:+"$WEFT_POSTGRESQL_BIN"} \
	/usr/lib/postgresql/*/bin /usr/local/bin /usr/bin; do
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
		setpriv --reuid=postgres --regid=postgres --clear-groups "$@"
	else
		setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
	fi
}

free_port() {
	python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

start() {
	[ -n "$programs" ] || exit 77
	folder=$(mktemp -d "${TMPDIR:-/tmp}/weft-postgresql-XXXXXX") || exit 1
	[ "$(id -u)" -ne 0 ] || chown "$(as_user id -u)" "$folder"
	chmod 755 "$folder"
	cd "$folder" || exit 1
	as_user "$programs/initdb" -D "$folder/data" -U weft -A trust \
		-E UTF8 --no-locale >"$folder/initdb.log" 2>&1 || {
		cat "$folder/initdb.log" >&2
		die "initdb failed"
	}
	cat >>"$folder/data/postgresql.conf" <<-END
		listen_addresses = '127.0.0.1'
		unix_socket_directories = '$folder'
		shared_buffers = 64MB
		max_connections = 100
		max_wal_size = 512MB
		autovacuum = off
		max_locks_per_transaction = 256
	END
	# Another process may take the port in between.
	for try in 1 2 3 4 5; do
		port=$(free_port)
		if as_user "$programs/pg_ctl" start -w -t 60 -D "$folder/data" \
			-o "-p $port" -l "$folder/server.log" \
			>/dev/null 2>&1 </dev/null; then
			echo "$folder"
			echo "postgresql://weft@127.0.0.1:$port/postgres"
			return 0
		fi
	done
	cat "$folder/server.log" >&2
	rm -rf "$folder"
	die "the server did not start ($try tries)"
}

stop() {
	as_user "$programs/pg_ctl" stop -w -m immediate -D "$1/data" \
		>/dev/null 2>&1
	rm -rf "$1"
}

case ${1:-} in
start)
	start
	;;
stop)
	stop "${2:?}"
	;;
run)
	shift
	started=$("$0" start) || exit
	folder=$(echo "$started" | sed -n 1p)
	WEFT_TEST_POSTGRESQL=$(echo "$started" | sed -n 2p)
	export WEFT_TEST_POSTGRESQL
	trap 'stop "$folder"' EXIT
	trap 'exit 130' INT TERM HUP
	"$@"
	;;
*)
	sed -n 's/^#   \(tests\/postgresql\)/\1/p' "$0" >&2
	exit 2
	;;
esac

# SPDX-License-Identifier: Apache-2.0
# What the benchmarks of a server share; sourced, from the top folder, with
# $weft and $store (sqlite or postgresql) set.  What is made is in $scratch, and
# gone in the end.

scratch=$(mktemp -d) || exit 1
cluster=
server=
service= # a process beside it
clean_up() {
	stop
	[ -z "$cluster" ] || tests/postgresql.sh stop "$cluster"
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'trap "" INT TERM HUP; exit 130' INT TERM HUP

die() {
	echo "$(basename "$0"): $*" >&2
	exit 1
}

stop() {
	local process
	for process in $server $service; do
		{ kill "$process" && wait "$process"; } 2>/dev/null
	done
	server=
	service=
}

# begin: there is a PostgreSQL, if that is the store: sets url.
begin() {
	local started
	[ "$store" = postgresql ] || return 0
	started=$(tests/postgresql.sh start) || exit
	{ read -r cluster && read -r url; } <<<"$started"
}

# database NAME: a fresh one of that name: sets db.
database() {
	rm -f "$scratch/weft.token" "$scratch/$1".db*
	case $store in
	sqlite) db=sqlite:$1.db ;;
	postgresql)
		psql -X -q -c "DROP DATABASE IF EXISTS weft_bench_$1" \
			-c "CREATE DATABASE weft_bench_$1" "$url" \
			2>"$scratch/err" || die "no database can be made"
		db=${url%/*}/weft_bench_$1
		;;
	*) die "--store: expected sqlite or postgresql, not $store" ;;
	esac
}

# start OPTION..: a server on $db, for weft's commands as well.
start() {
	local try
	: >"$scratch/log"
	(cd "$scratch" && exec "$weft" serve --db "$db" \
		--listen 127.0.0.1:0 "$@" >log 2>&1) &
	server=$!
	for ((try = 0; try < 200; try++)); do
		WEFT_SERVER=$(sed -n \
			's/.*listening on \(http[^ "]*\).*/\1/p' "$scratch/log")
		[ -z "$WEFT_SERVER" ] || break
		sleep 0.1
	done
	[ -n "$WEFT_SERVER" ] || die "no server: $(cat "$scratch/log")"
	WEFT_TOKEN=$(cat "$scratch/weft.token") || exit 1
	export WEFT_SERVER WEFT_TOKEN
}

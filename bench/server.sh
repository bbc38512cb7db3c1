# SPDX-License-Identifier: Apache-2.0
# What the benchmarks of a server share; sourced, from the top folder.  What is
# made is in $scratch, and gone in the end.

weft=${WEFT:-./weft}
sink=${WEFT_BUILD:-.}/bench/sink
store=sqlite # or postgresql
seconds=10
clients=64
parts=()

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

usage() {
	sed -n '4,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

# options "NAME.." [OPTION]..: sets the variables of those names; a word adds to
# parts if there is a function for it.
options() {
	local names=" $1 "
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--*)
			[[ $# -ge 2 && $names == *" ${1#--} "* ]] || usage
			printf -v "${1#--}" %s "$2"
			shift
			;;
		*)
			declare -F "part_$1" >"$scratch/out" || usage
			parts+=("$1")
			;;
		esac
		shift
	done
	weft=$(realpath "$weft") || exit 1
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

# begin_sink NAME [PORT]: a service that counts requests: sets service and port.
begin_sink() {
	local try
	rm -f "$scratch/$1"
	"$sink" ${2:+"$2"} >"$scratch/$1" &
	service=$!
	for ((try = 0; try < 200; try++)); do
		[ ! -s "$scratch/$1" ] || break
		sleep 0.1
	done
	port=$(head -n 1 "$scratch/$1")
	[ -n "$port" ] || die "no service"
}

# end_sink NAME: sets came, the requests that came.
end_sink() {
	kill "$service"
	wait "$service"
	service=
	came=$(tail -n 1 "$scratch/$1")
}

# register NAME KIND PORT [MEMBERS]: that service, with more members as JSON.
register() {
	curl -sf -o "$scratch/answer" -X PUT \
		-H "Authorization: Bearer $WEFT_TOKEN" -d '{"kind": "'"$2"'",
		"secret": "0123456789abcdef", '"${4:+$4,}"'
		"uri": "http://127.0.0.1:'"$3"'/"}' \
		"$WEFT_SERVER/v1/services/$1" ||
		die "the service $1 cannot be registered"
}

# bench OPTION..: weft bench http for so many seconds, its output in out.
bench() {
	"$weft" bench http --seconds "$seconds" --clients "$clients" "$@" \
		>"$scratch/out" 2>&1 ||
		die "weft bench http failed: $(cat "$scratch/out")"
}

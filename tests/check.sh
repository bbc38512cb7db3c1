#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests, or those parts of them that are named, several at once.
# usage: tests/check.sh --list
#        tests/check.sh BUILD [SANITIZED_BUILD [THREAD_BUILD]] [-- PART...]
#
# A part is a program or a script whose last line is "N passed, N failed[, N
# skipped]".  "PART" runs on BUILD, "PART:sanitized" on the build with the
# address and undefined behaviour sanitizers, "PART:threads" on the one with
# the thread sanitizer.  A build that is not given leaves its parts out.
# Parts run in a fixed order, two more at once than there are processors; each
# prints "PART: N passed, N failed (N s)" when it ends, and what it printed if
# it failed.  The last line is the sum.
#
# A script tests/check-NAME.sh is the part NAME.  Parts get these variables:
#   WEFT         the program to test
#   WEFT_BUILD   the folder that it and the test programs were built in
#   WEFT_SANITIZED  1: this is the build with sanitizers
#   WEFT_SEED    the seed of all random numbers; the same in each run of "check"
#   WEFT_SOAK    1: nothing is sampled, everything runs in full length
#   WEFT_TEST_POSTGRESQL  the URL of a PostgreSQL server that may be written
#                to; no two parts use one at once.  When it is not given,
#                servers are started if PostgreSQL is installed.
#   WEFT_CORPUS  a folder with recorded behaviour to compare with, or the one
#                that has it as corpus/ (../shared if that exists); the
#                tools that compare are in tools/ beside it
set -u

# The seed of "check".  Change it now and then, in a commit of its own.
usual_seed=20261123

# The longest a part may take, in seconds: a busy machine takes many times as
# long as an idle one.
limit=3600
[ "${WEFT_SOAK:-0}" = 0 ] || limit=86400

# Parts that take long begin first, so that none of them is left to the end.
long_parts="unit:sanitized rest:sanitized rest load console console:sanitized
	unit crash:sanitized crash-postgresql:sanitized crash-postgresql crash
	reload yawl:sanitized recorded-traces delivery:sanitized yawl
	unit:threads draw:sanitized delivery cli:sanitized client:sanitized
	draw providers:sanitized providers reload:sanitized failover:sanitized
	failover budgets"

# What only soak runs with sanitizers: the commands behind these parts are all
# run with sanitizers in other parts, on the same paths.
soak_parts="budgets completion config crash-postgresql embed failover
	first-process load package readme reload run saxon systemd"

# --- the parts ----------------------------------------------------------------

scripts() {
	local script
	for script in tests/check-*.sh; do
		script=${script#tests/check-}
		echo "${script%.sh}"
	done
}

fuzz_targets() {
	local file
	for file in tests/fuzz/fuzz_*.c; do
		file=${file#tests/fuzz/fuzz_}
		echo "fuzz-${file%.c}"
	done
}

# Parts whose processes are short, so that to start them takes most of the time:
# check runs them once, with sanitizers, which need not look for leaks, as
# commands free what they have by ending.  Parts that test something only without
# sanitizers (limits of memory and time) are none of them.
once_parts="cli client cover crash-http db draw examples formats query roundtrip
	schema semantics"

# is_once PART
is_once() {
	[ "$WEFT_SOAK" = 0 ] && [[ " $(echo $once_parts) " = *" ${1%:*} "* ]]
}

# All parts, those that take long first.
list() {
	{
		printf '%s\n' $long_parts
		printf '%s\n' layers format file-lists structure circles documents unused words unit scenarios
		scripts
		printf '%s\n' recorded-verdicts recorded-or-joins \
			recorded-soundness recorded-resources
		printf '%s:sanitized\n' unit scenarios
		fuzz_targets | sed 's/$/:sanitized/'
		scripts | sed 's/$/:sanitized/'
	} | awk -v soak="$WEFT_SOAK" -v left=" $(echo $soak_parts) " '
		soak == 0 && /:sanitized$/ &&
			index(left, " " substr($0, 1, length($0) - 10) " ") { next }
		!seen[$0]++'
}

# run_part NAME BUILD: what the part of this name (without its build) does.
run_part() {
	local name=$1 build=$2
	case $name in
	layers | format | structure | words)
		sh "tests/$name.sh"
		;;
	file-lists)
		sh tests/sources.sh
		;;
	circles | documents | unused)
		python3 -B "tests/$name.py" "$build"
		;;
	unit)
		unit_tests "$build"
		;;
	scenarios)
		"$build/weft" test tests/scenarios/*.wfs
		;;
	fuzz-*)
		"$build/tests/fuzz/replay-${name#fuzz-}" "$fuzz_rounds" \
			"$WEFT_SEED" "tests/fuzz/corpus-${name#fuzz-}"
		;;
	recorded-*)
		recorded "${name#recorded-}" "$build"
		;;
	*)
		WEFT=$build/weft WEFT_BUILD=$build bash "tests/check-$name.sh"
		;;
	esac
}

skip_all() {
	echo "$1"
	echo "0 passed, 0 failed, 1 skipped"
}

# The thread sanitizer runs the suites in which threads meet; the others would
# take long and find nothing.
unit_tests() {
	if [ ! -x "$1/tests/unit/unit" ]; then
		skip_all "CUnit was not installed when this was built"
	elif [ "$1" = "$threads" ]; then
		"$1/tests/unit/unit" load sharing runtime engine_threads \
			announcements leases due_commands searches long_steps timers nodes store sqlite \
			postgresql http tracing work yawl record_cache
	else
		# Where page faults are slow, memory that is given back and
		# taken again costs more than the tests.
		GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.trim_threshold=268435456:glibc.malloc.mmap_threshold=268435456 \
			"$1/tests/unit/unit"
	fi
}

# recorded NAME BUILD: compares with recorded behaviour.
recorded() {
	local tools="${WEFT_CORPUS:-}/../tools" every=20 weft=$2/weft
	if [ -z "${WEFT_CORPUS:-}" ]; then
		skip_all "there is no ../shared, and WEFT_CORPUS is not set"
		return
	fi
	[ "$WEFT_SOAK" = 0 ] || every=1
	case $1 in
	traces) recorded_traces "$tools/traces" --weft "$weft" ;;
	verdicts) compare verdicts python3 "$tools/verdicts" --weft "$weft" ;;
	or-joins)
		compare "OR-join answers" python3 "$tools/orjoin" --weft "$weft"
		;;
	soundness)
		compare verdicts python3 "$tools/soundness" --weft "$weft" \
			--seconds 300
		;;
	resources)
		compare "resource answers" resource_answers "$tools/resources" \
			--weft "$weft"
		;;
	xquery)
		at_least 98 python3 "$tools/qt3" --weft "$weft" --every $every
		;;
	esac
}

# What the gateways of the resource service answer: all but an export with hashes
# of passwords, which Weft does not give.
resource_stories="all_by_system allocate_by_system cache_edits calendar case_admin
	codelets deferred_choice item_data multi_instance nonhuman org_reads
	piling plugins reallocate reassign roles_change secondary sub_net
	timer_expiry"

# resource_answers TOOL OPTION...
resource_answers() {
	local story
	for story in $resource_stories; do
		set -- "$@" --story "$story"
	done
	python3 "$@"
}

# recorded_traces TOOL OPTION...: of each set of traces every eighth file, in
# soak all.  Each trace is a process of its own, so all take minutes.
recorded_traces() {
	local folder set name specs traces data count=0 every=8
	[ "$WEFT_SOAK" = 0 ] || every=1
	folder=$(mktemp -d) || return
	for set in specs:traces specs:traces-data:--data random/specs:random/traces \
		data/specs:data/traces:--data; do
		IFS=: read -r specs traces data <<<"$set"
		rm -f "$folder"/*
		for name in "$WEFT_CORPUS/$traces"/*; do
			count=$((count + 1))
			[ $((count % every)) -ne 0 ] || ln -s "$name" "$folder"
		done
		compare traces python3 "$@" --specs "$WEFT_CORPUS/$specs" \
			--traces "$folder" ${data:+"$data"}
	done | tee "$folder.sum" | grep -v '^[0-9]* passed, '
	# A set without an answer has failed.
	awk '/^[0-9]+ passed, / { p += $1; f += $3; sets++ } END {
		printf "%d passed, %d failed\n", p, f + 4 - sets }' "$folder.sum"
	rm -rf "$folder" "$folder.sum"
}

# compare UNIT COMMAND...: a tool whose last line begins "N / M UNIT"; all must
# be equal.
compare() {
	local unit=$1 said line
	shift
	said=$("$@")
	echo "$said"
	line=${said##*$'\n'}
	if [[ $line =~ ^([0-9]+)\ /\ ([0-9]+)\ $unit ]]; then
		echo "${BASH_REMATCH[1]} passed," \
			"$((BASH_REMATCH[2] - BASH_REMATCH[1])) failed"
	fi
}

# at_least PERCENT COMMAND...: one test, that enough of the cases hold.
at_least() {
	local wanted=$1 said held run
	shift
	said=$("$@")
	echo "$said"
	read -r held _ run _ <<<"${said##*$'\n'}"
	if [ "$((held * 100))" -ge "$((run * wanted))" ] && [ "$run" -gt 0 ]; then
		echo "1 passed, 0 failed"
	else
		echo "fewer than $wanted % hold"
		echo "0 passed, 1 failed"
	fi
}

# --- one part -----------------------------------------------------------------

# count LOG CODE: reads the last line of a part's log, and prints "P F S".  Adds
# to the log what is wrong when there is no such line.
count() {
	local log=$1 code=$2 line p=0 f=0 s=0
	line=$(tail -n 1 "$log")
	if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
		p=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]} s=${BASH_REMATCH[4]:-0}
		sed -i '$d' "$log"
	else
		echo "(no last line \"N passed, N failed\")" >>"$log"
		f=1
	fi
	if [ "$code" -ne 0 ] && [ "$f" -eq 0 ]; then
		echo "(exit code $code)" >>"$log"
		f=1
	fi
	if [ $((p + f + s)) -eq 0 ]; then
		echo "(nothing was tested)" >>"$log"
		f=1
	fi
	echo "$p $f $s"
}

# do_part PART FOLDER: runs a part, prints its report, adds its counts to
# FOLDER/sum.
do_part() {
	local part=$1 log=$2/log start=$SECONDS code=0 build=$plain p f s line
	local options
	case $part in
	*:sanitized) build=$sanitized ;;
	*:threads) build=$threads ;;
	esac
	export WEFT_SANITIZED=0
	[ "$build" = "$plain" ] || WEFT_SANITIZED=1
	options=$ASAN_OPTIONS
	! is_once "$part" || options+=:detect_leaks=0
	: >"$log"
	# A process group of its own, so that nothing of it is left behind.
	ASAN_OPTIONS=$options \
		setsid timeout $limit bash "$0" --part "${part%%:*}" "$build" \
		>"$log" 2>&1 </dev/null &
	echo $! >"$2/running"
	wait $! || code=$?
	rm -f "$2/running"
	read -r p f s < <(count "$log" "$code")
	echo "$p $f $s" >>"$2/sum"
	line="$part: $p passed, $f failed"
	[ "$s" -eq 0 ] || line="$line, $s skipped"
	{
		if [ "$f" -ne 0 ]; then
			tail -n 60 "$log" | sed 's/^/    /'
		elif [ "$s" -ne 0 ]; then
			tail -n 10 "$log" | sed 's/^/    /'
		fi
		printf '%s (%d s)\n' "$line" $((SECONDS - start))
	} >"$2/report"
	cat "$2/report"
}

# worker FOLDER: takes one part after the other from the list.
worker() {
	local part
	trap 'stop_part "$1"; exit 143' TERM
	while part=$(next); do
		do_part "$part" "$1"
	done
}

stop_part() {
	local process
	read -r process 2>/dev/null <"$1/running" && kill -TERM -- -"$process"
}

# next: prints the next part; each is given to one worker.
next() {
	exec 9<>"$scratch/lock"
	flock 9
	local part
	part=$(head -n 1 "$scratch/parts")
	[ -n "$part" ] || return 1
	sed -i 1d "$scratch/parts"
	echo "$part"
}

# --- all of them --------------------------------------------------------------

usage() {
	sed -n 's/^# \(usage: .*\)/\1/p; s/^#\(        tests.*\)/\1/p' "$0" >&2
	exit 2
}

export WEFT_SOAK=${WEFT_SOAK:-0}
fuzz_rounds=500
[ "$WEFT_SOAK" = 0 ] || fuzz_rounds=20000

case ${1:-} in
--list)
	cd "$(dirname "$0")/.." || exit 2
	list
	exit
	;;
--part) # in a process of its own; the environment is that of the worker
	cd "$(dirname "$0")/.." || exit 2
	threads=${WEFT_THREADS_BUILD:-}
	run_part "$2" "$3"
	exit
	;;
esac

builds=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	if [ "$1" = - ]; then
		builds+=("")
	else
		builds+=("$(cd "$1" && pwd)") || exit 2
	fi
	shift
done
[ $# -eq 0 ] || shift
[ ${#builds[@]} -ge 1 ] && [ ${#builds[@]} -le 3 ] || usage
plain=${builds[0]} sanitized=${builds[1]:-} threads=${builds[2]:-}
export WEFT_THREADS_BUILD=$threads
cd "$(dirname "$0")/.." || exit 2

if [ "$WEFT_SOAK" != 0 ] && [ -z "${WEFT_SEED:-}" ]; then
	WEFT_SEED=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
fi
export WEFT_SEED=${WEFT_SEED:-$usual_seed}
if [ -z "${WEFT_CORPUS:-}" ] && [ -d ../shared/corpus ]; then
	WEFT_CORPUS=../shared
fi
if [ -n "${WEFT_CORPUS:-}" ]; then
	[ ! -d "$WEFT_CORPUS/corpus" ] || WEFT_CORPUS=$WEFT_CORPUS/corpus
	WEFT_CORPUS=$(cd "$WEFT_CORPUS" && pwd) || exit 2
	export WEFT_CORPUS
fi

# A shim, which looks for the interpreter at each start, takes longer than it.
if python=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))' \
	2>/dev/null); then
	PATH=$python:$PATH
fi

# A report of a sanitizer must not look like a refusal (exit code 1).
export ASAN_OPTIONS=exitcode=99:detect_stack_use_after_return=1
# Half of the time went into remembering who allocated what, and into touching
# memory that was not used before; soak has all of both.
[ "$WEFT_SOAK" != 0 ] || ASAN_OPTIONS+=:malloc_context_size=8:quarantine_size_mb=16
export UBSAN_OPTIONS=exitcode=99:print_stacktrace=1
export LSAN_OPTIONS=exitcode=99:print_suppressions=0
LSAN_OPTIONS+=:suppressions=$PWD/tests/lsan.supp
export TSAN_OPTIONS=exitcode=99:halt_on_error=1

scratch=$(mktemp -d) || exit 2
servers=()
workers=()
clean_up() {
	local folder
	[ ${#workers[@]} -eq 0 ] || kill "${workers[@]}" 2>/dev/null
	wait
	for folder in "${servers[@]}"; do
		tests/postgresql.sh stop "$folder"
	done
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'trap "" INT TERM HUP; exit 130' INT TERM HUP

# Parts that are named, or all whose build is given.
if [ $# -gt 0 ]; then
	for part; do
		(WEFT_SOAK=1; list) | grep -qxF -e "$part" || {
			echo "check: there is no part \"$part\";" \
				"./setup check --list names all" >&2
			exit 2
		}
		echo "$part"
	done
else
	list | while read -r part; do
		[ -n "$sanitized" ] && is_once "$part" &&
			[[ $part != *:sanitized ]] || echo "$part"
	done
fi >"$scratch/parts" || exit 2
[ -n "$sanitized" ] || sed -i '/:sanitized$/d' "$scratch/parts"
[ -n "$threads" ] || sed -i '/:threads$/d' "$scratch/parts"

# Servers of PostgreSQL sync for nothing in memory, if there is enough of it.
# What a crash leaves is tested with servers on a disk, by the parts themselves.
servers_folder=${TMPDIR:-/tmp}
free=$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1)
[ "${free:-0}" -lt 8000000 ] || [ ! -w /dev/shm ] || servers_folder=/dev/shm

count=$(($(getconf _NPROCESSORS_ONLN) + 2))
[ -z "${WEFT_TEST_POSTGRESQL:-}" ] || count=1 # they would share it
parts=$(wc -l <"$scratch/parts")
[ "$count" -le "$parts" ] || count=$parts
echo "seed: $WEFT_SEED (WEFT_SEED=$WEFT_SEED repeats this run)"
for ((i = 0; i < count; i++)); do
	mkdir "$scratch/$i"
	started=
	if [ -z "${WEFT_TEST_POSTGRESQL:-}" ] &&
		started=$(TMPDIR=$servers_folder tests/postgresql.sh start); then
		servers+=("${started%%$'\n'*}")
	fi
	(
		trap - EXIT INT HUP
		[ -z "$started" ] ||
			export WEFT_TEST_POSTGRESQL=${started#*$'\n'}
		worker "$scratch/$i"
	) &
	workers+=($!)
done
wait
workers=()

passed=0 failed=0 skipped=0
if [ -s "$scratch/parts" ]; then
	echo "some parts were not run"
	failed=1
fi
while read -r p f s; do
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done < <(cat "$scratch"/*/sum)
line="$passed passed, $failed failed"
[ "$skipped" -eq 0 ] || line="$line, $skipped skipped"
[ "$failed" -eq 0 ] || echo "seed: $WEFT_SEED"
echo "$line"
[ "$failed" -eq 0 ]

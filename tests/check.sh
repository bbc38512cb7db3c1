#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every test on what is built in BUILD; those that look for memory
# errors also on the build with sanitizers, when it is given, and those that
# run threads on the one with the thread sanitizer.
# usage: tests/check.sh BUILD [SANITIZED_BUILD [THREAD_BUILD]]
#
# What runs on one build runs one part after the other, beside what runs on the
# other builds.  Each part prints "PART: N passed, N failed"; the last line is
# the sum.
# The parts are told by the environment:
#   WEFT         the program to test
#   WEFT_BUILD   the folder that it and the test programs were built in
#   WEFT_SANITIZED  1: this is the build with sanitizers
#   WEFT_SEED    the seed of everything that samples; set it to repeat a run
#   WEFT_SOAK    1: nothing is sampled, everything runs in full length
#   WEFT_TEST_POSTGRESQL  the URL of a PostgreSQL that may be written to, one
#                for each build; they are started when PostgreSQL is installed
#   WEFT_CORPUS  a folder with recorded behaviour to compare with, or the one
#                that has it as corpus/ (../shared if that is there); the
#                tools that compare are in tools/ beside it
# A script tests/check-NAME.sh is a part; its last line says "N passed,
# N failed[, N skipped]".
set -u

if [ $# -lt 1 ] || [ $# -gt 3 ]; then
	echo "usage: tests/check.sh BUILD [SANITIZED_BUILD [THREAD_BUILD]]" >&2
	exit 2
fi
plain=$(cd "$1" && pwd) || exit 2
sanitized=
if [ $# -ge 2 ]; then
	sanitized=$(cd "$2" && pwd) || exit 2
fi
threads=
if [ $# -eq 3 ]; then
	threads=$(cd "$3" && pwd) || exit 2
fi
cd "$(dirname "$0")/.." || exit 2

export WEFT_SEED=${WEFT_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
export WEFT_SOAK=${WEFT_SOAK:-0}
if [ -z "${WEFT_CORPUS:-}" ] && [ -d ../shared/corpus ]; then
	WEFT_CORPUS=../shared
fi
if [ -n "${WEFT_CORPUS:-}" ]; then
	[ ! -d "$WEFT_CORPUS/corpus" ] || WEFT_CORPUS=$WEFT_CORPUS/corpus
	WEFT_CORPUS=$(cd "$WEFT_CORPUS" && pwd) || exit 2
	export WEFT_CORPUS
fi

# A report of a sanitizer must not look like a refusal (exit code 1).
export ASAN_OPTIONS=exitcode=99:detect_stack_use_after_return=1
export UBSAN_OPTIONS=exitcode=99:print_stacktrace=1
export LSAN_OPTIONS=exitcode=99:print_suppressions=0
LSAN_OPTIONS+=:suppressions=$PWD/tests/lsan.supp
export TSAN_OPTIONS=exitcode=99:halt_on_error=1

scratch=$(mktemp -d) || exit 2
servers=()
lanes=()
clean_up() {
	local folder
	[ ${#lanes[@]} -eq 0 ] || kill "${lanes[@]}" 2>/dev/null
	for folder in "${servers[@]}"; do
		tests/postgresql.sh stop "$folder"
	done
	rm -rf "$scratch"
}
trap clean_up EXIT
trap 'trap "" INT TERM HUP; exit 130' INT TERM HUP
passed=0
failed=0
skipped=0

# No part may hang.
limit=1800
[ "$WEFT_SOAK" = 0 ] || limit=86400

# part NAME COMMAND...: runs a part, whose last line has its counts.
part() {
	local name=$1 code=0 start=$SECONDS line p f s
	shift
	if [ "$(type -t "$1")" = function ]; then
		"$@"
	else
		exec timeout $limit "$@"
	fi >"$scratch/log" 2>&1 </dev/null &
	running=$!
	wait $running || code=$?
	line=$(tail -n 1 "$scratch/log")
	if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
		p=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]} s=${BASH_REMATCH[4]:-0}
		sed -i '$d' "$scratch/log"
	else
		echo "(no last line \"N passed, N failed\")" >>"$scratch/log"
		p=0 f=1 s=0
	fi
	if [ "$code" -ne 0 ] && [ "$f" -eq 0 ]; then
		echo "(exit code $code)" >>"$scratch/log"
		f=1
	fi
	if [ $((p + f + s)) -eq 0 ]; then
		echo "(nothing was tested)" >>"$scratch/log"
		f=1
	fi
	passed=$((passed + p))
	failed=$((failed + f))
	skipped=$((skipped + s))
	line="$name: $p passed, $f failed"
	[ "$s" -eq 0 ] || line="$line, $s skipped"
	{
		if [ "$f" -ne 0 ]; then
			tail -n 60 "$scratch/log" | sed 's/^/    /'
		elif [ "$s" -ne 0 ]; then
			sed 's/^/    /' "$scratch/log" | tail -n 10
		fi
		printf '%s (%d s)\n' "$line" $((SECONDS - start))
	} >"$scratch/report"
	cat "$scratch/report"
}

# skip NAME WHY: a part that cannot run here.
skip() {
	skipped=$((skipped + 1))
	echo "$1: skipped, $2"
}

unit_tests() {
	if [ -x "$1/tests/unit/unit" ]; then
		part "unit tests$2" "$1/tests/unit/unit"
	else
		skip "unit tests$2" "CUnit was not there when this was built"
	fi
}

# The suites in which threads meet; under the thread sanitizer the others
# would take long and tell nothing.
thread_tests() {
	if [ -x "$1/tests/unit/unit" ]; then
		part "unit tests, threads" "$1/tests/unit/unit" load sharing \
			runtime due_commands timers nodes store sqlite postgresql
	else
		skip "unit tests, threads" \
			"CUnit was not there when this was built"
	fi
}

scenarios() {
	local files=(tests/scenarios/*.wfs)

	part "scenarios$2" "$1/weft" test "${files[@]}"
}

# The replay of all fuzz targets, counted in inputs.
replay() {
	local rounds=500 program name

	[ "$WEFT_SOAK" = 0 ] || rounds=20000
	for program in "$1"/tests/fuzz/replay-*; do
		[ -x "$program" ] || continue
		name=${program##*/replay-}
		part "fuzz corpus $name$2" "$program" "$rounds" "$WEFT_SEED" \
			"tests/fuzz/corpus-$name"
	done
}

scripts() {
	local script name sanitizers=0

	! grep -q '^INSTRUMENT = .*-fsanitize' "$1/Makefile" || sanitizers=1
	for script in tests/check-*.sh; do
		[ -f "$script" ] || continue
		name=${script#tests/check-}
		WEFT=$1/weft WEFT_BUILD=$1 WEFT_SANITIZED=$sanitizers \
			part "${name%.sh}$2" bash "$script"
	done
}

# compare UNIT COMMAND...: a tool whose last line begins "N / M"; all must be
# equal.
compare() {
	local unit=$1 line
	shift
	timeout $limit "$@" >"$scratch/compared"
	cat "$scratch/compared"
	line=$(tail -n 1 "$scratch/compared")
	if [[ $line =~ ^([0-9]+)\ /\ ([0-9]+)\ $unit ]]; then
		echo "${BASH_REMATCH[1]} passed," \
			"$((BASH_REMATCH[2] - BASH_REMATCH[1])) failed"
	fi
}

# at_least PERCENT COMMAND...: one test, that enough of the cases hold.
at_least() {
	local wanted=$1 held run
	shift
	timeout $limit "$@" >"$scratch/compared"
	cat "$scratch/compared"
	read -r held _ run _ < <(tail -n 1 "$scratch/compared")
	if [ "$((held * 100))" -ge "$((run * wanted))" ] && [ "$run" -gt 0 ]; then
		echo "1 passed, 0 failed"
	else
		echo "fewer than $wanted % hold"
		echo "0 passed, 1 failed"
	fi
}

comparisons() {
	local tools="${WEFT_CORPUS:-}/../tools" every=20 name

	if [ -z "${WEFT_CORPUS:-}" ]; then
		for name in traces verdicts OR-joins soundness; do
			skip "recorded $name" "there is no ../shared"
		done
		skip "XQuery test suite" "there is no ../shared"
		return
	fi
	[ "$WEFT_SOAK" = 0 ] || every=1
	part "recorded traces" compare traces \
		python3 "$tools/traces" --weft "$plain/weft"
	part "recorded verdicts" compare verdicts \
		python3 "$tools/verdicts" --weft "$plain/weft"
	part "recorded OR-joins" compare "OR-join answers" \
		python3 "$tools/orjoin" --weft "$plain/weft"
	part "recorded soundness" compare verdicts \
		python3 "$tools/soundness" --weft "$plain/weft" --seconds 300
	part "XQuery test suite" at_least 98 \
		python3 "$tools/qt3" --weft "$plain/weft" --every $every
	tail -n 1 "$scratch/log" | sed 's/^/    /'
}

everything_plain() {
	part "layers" sh tests/layers.sh
	part "format" sh tests/format.sh
	part "file lists" sh tests/sources.sh
	unit_tests "$plain" ""
	scenarios "$plain" ""
	[ -n "$sanitized" ] || replay "$plain" ""
	scripts "$plain" ""
	comparisons
}

everything_sanitized() {
	unit_tests "$sanitized" ", sanitized"
	scenarios "$sanitized" ", sanitized"
	replay "$sanitized" ", sanitized"
	scripts "$sanitized" ", sanitized"
	[ -z "$threads" ] || thread_tests "$threads"
}

# lane NAME: runs everything_NAME beside the others, with a scratch folder and
# a PostgreSQL of its own.
lane() {
	local name=$1 started
	mkdir "$scratch/$name"
	if [ -n "${WEFT_TEST_POSTGRESQL:-}" ]; then
		: # one was given
	elif started=$(tests/postgresql.sh start); then
		servers+=("${started%%$'\n'*}")
	else
		skip "tests on PostgreSQL" "no server could be started"
	fi
	(
		trap - EXIT
		trap 'kill "$running"; exit 143' TERM
		passed=0 failed=0 skipped=0
		[ -z "${started:-}" ] ||
			export WEFT_TEST_POSTGRESQL=${started#*$'\n'}
		scratch+=/$name
		"everything_$name"
		echo "$passed $failed $skipped" >"$scratch/sum"
	) &
	lanes+=($!)
}

echo "seed: $WEFT_SEED (WEFT_SEED=$WEFT_SEED repeats this run)"
lane plain
[ -z "${WEFT_TEST_POSTGRESQL:-}" ] || wait # they would share it
[ -z "$sanitized" ] || lane sanitized
wait
for sum in "$scratch"/*/; do
	if read -r p f s <"$sum/sum"; then
		passed=$((passed + p)) failed=$((failed + f))
		skipped=$((skipped + s))
	else
		echo "some parts did not run to their end"
		failed=$((failed + 1))
	fi
done
lanes=()

line="$passed passed, $failed failed"
[ "$skipped" -eq 0 ] || line="$line, $skipped skipped"
[ "$failed" -eq 0 ] || echo "seed: $WEFT_SEED"
echo "$line"
[ "$failed" -eq 0 ]

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Crashes and faults: clients work on an engine that is killed, whose disk loses
# writes, is full or broken, whose statements fail. Then the proof, from the
# clients' own records, that nothing was lost and nothing was done twice
# (docs/DURABILITY.md). The same proof must fail for builds that are broken on
# purpose.
#
# This is SQLite; check-crash-postgresql.sh does the same with PostgreSQL.
# usage: WEFT=./weft WEFT_BUILD=FOLDER tests/check-crash.sh; ends with "N
# passed, N failed, N skipped"
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
build=$(realpath "${WEFT_BUILD:-.}") || exit 2
cd "$(dirname "$0")/.." || exit 2
. tests/crash/lib.sh
disk=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch" "$disk"' EXIT

new_store() {
	echo "sqlite:$1/weft.db"
}

expect "the scenarios of the mix" "$weft" test "$mix"

# --- killed -------------------------------------------------------------------

begin "killed at random instants"
url=sqlite:$disk/weft.db
by_time "$(rounds 8)"
enough 200 by_time 1
proves 200

begin "killed while a record was written"
by_count 1 kill-before=N
for file in "$folder"/records/*; do
	printf 'I 49 1 2 1034 90566026' >>"$file"
done
enough 50 by_count 1 kill-before=N
for file in "$folder"/records/*; do
	printf 'A' >>"$file"
done
proves 50

begin "killed at random statements"
by_count "$(rounds 8)" kill-before=N
by_count "$(rounds 8)" kill-after=N engines=2
enough 200 by_count 1 kill-before=N
proves 200

begin "killed at random operations of the disk, so within commits"
by_count "$(rounds 16)" disk=1 kill=N
enough 200 by_count 1 disk=1 kill=N
proves 200

# --- the disk -----------------------------------------------------------------

begin "the power goes off"
by_count "$(rounds 12)" disk=1 cut=N
by_count "$(rounds 12)" disk=1 cut=N turns=1
enough 300 by_count 1 disk=1 cut=N turns=1
proves 300

begin "the disk is full for a while"
span=400
by_count "$(rounds 8)" disk=1 full=N fulls=N turns=1 requests=400
by_count "$(rounds 4)" disk=1 full=N fulls=N requests=400
proves 300

begin "a sync fails, what it should have saved is lost, the power goes off"
by_count "$(rounds 12)" disk=1 turns=1 break=N breaks=1 cut=N
enough 100 by_count 1 disk=1 turns=1 break=N breaks=1 cut=N
proves 100

begin "no sync is done any more, and the power goes off, or it is killed"
for ((k = $(rounds 24); k > 0; k--)); do
	at=$((50 + RANDOM % 300))
	works "seed=$(any)" disk=1 turns=1 clients=2 "break=$at" breaks=1000000 \
		"$([ $((k % 2)) = 0 ] && echo kill || echo cut)=$((at + 10 + RANDOM % 200))"
done
proves 100

begin "statements fail for a while"
span=400
by_count "$(rounds 8)" fail=N fails=N requests=300
by_count "$(rounds 8)" fail=N fails=N turns=1 requests=300
proves 300

# --- each statement, each operation -------------------------------------------

# each WHAT COUNT WORD: the n-th of COUNT, for every n or a sample; half of the
# sample is for each kind of cases.
each() {
	local n step=$(($2 / $(rounds 12) + 1))
	[ "$soak" = 0 ] || step=1
	for ((n = 1 + RANDOM % step; n <= $2; n += step)); do
		begin "$1 $n$who"
		works seed=7 turns=1 disk=1 clients=8 requests=40 \
			"people=$people" "$3=$n" "${@:4}"
		proves 0
	done
}

for people in 0 1; do
	[ $people = 0 ] && who= || who=", with people"
	begin "how many there are$who"
	works seed=7 turns=1 disk=1 clients=8 requests=40 "people=$people"
	read -r statements _ operations _ < <(grep statements "$folder/said")
	proves 40 0
	each "fails: statement" "$statements" fail fails=1
	each "its answer is lost: statement" "$statements" lose
	each "killed: statement" "$statements" kill-before
	each "full: operation" "$operations" full fulls=1
	each "not synced: operation" "$operations" break breaks=1
	each "power off: operation" "$operations" cut
	each "killed: operation" "$operations" kill
done

# --- one bad case -------------------------------------------------------------

expect "one bad case among 64" "$crash" poison "sqlite:$scratch/poison" "$mix"

# --- builds that are broken on purpose ----------------------------------------

for ((k = $(rounds 3); k > 0; k--)); do
	begin "it answers before it commits" "$build/tests/crash/broken_early"
	span=100
	by_count 3 disk=1 kill-commit=N
	finds_out
	begin "it ignores the version guard" "$build/tests/crash/broken_unguarded"
	works "seed=$(any)" engines=2 requests=1000 cache=100000000
	finds_out
	begin "it forgets who is in an audience"
	works "seed=$(any)" people=1 forget=1 requests=200
	finds_out
	begin "its disk lies"
	by_count 6 disk=1 lie=1 cut=N
	finds_out
done

finish

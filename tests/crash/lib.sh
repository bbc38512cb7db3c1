# SPDX-License-Identifier: Apache-2.0
# Functions of the crash test scripts; sourced, from the top folder, with $weft
# and $build set.
#
# A story is a new store, some processes that work on it and are killed or
# disturbed, and a proof. Everything random comes from WEFT_SEED; when a proof
# fails, the commands of its story are printed.

crash=$build/tests/crash/crash
mix=tests/crash/mix.wfs
soak=${WEFT_SOAK:-0}
sanitized=${WEFT_SANITIZED:-0}
seed=${WEFT_SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$seed
# A folder where syncing costs nothing, if there is one.
scratch=/tmp
[ ! -w /dev/shm ] || scratch=/dev/shm
scratch=$(mktemp -d "$scratch/weft-crash-XXXXXX") || exit 2
passed=0
failed=0
skipped=0
story=
trap 'echo "$story: was not over in time"; exit 143' TERM

# rounds N: the number of rounds: half of them in check, fewer with sanitizers,
# many when soaking.
rounds() {
	if [ "$soak" = 1 ]; then
		echo $(($1 * 25))
	elif [ "$sanitized" = 1 ]; then
		echo $((($1 + 7) / 8))
	else
		echo $((($1 + 1) / 2))
	fi
}

# least N: how many requests a story is about; fewer when there are fewer rounds.
least() {
	if [ "$soak" = 1 ]; then
		echo "$1"
	elif [ "$sanitized" = 1 ]; then
		echo $(($1 / 4))
	else
		echo $(($1 / 2))
	fi
}

# verdict CODE WHAT: counts the check.
verdict() {
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "$2 (WEFT_SEED=$seed)"
	[ ! -f "$folder/proof" ] || tail -n 30 "$folder/proof" | sed 's/^/    /'
	cat "$folder"/said* 2>/dev/null | grep -v '^at work' | tail -n 5 |
		sed 's/^/    /'
	tail -n 40 "$folder/commands" | sed 's/^/    /'
}

# begin WHAT [PROGRAM]: begins a new story; new_store makes stores. The workers
# reach their store by $via, if that is set.
begin() {
	story=$1
	program=${2:-$crash}
	span=2000
	round=0
	longer=0
	folder=$(mktemp -d "$scratch/XXXXXX") || exit 2
	mkdir "$folder/records" || exit 2
	url=$(new_store "$folder")
	via=
}

# log WORD...: records a command of the story.
log() {
	echo "$*" >>"$folder/commands"
}

# suffers N: adds N to the faults that were caused.
suffers() {
	echo "$1" >>"$folder/suffered"
}

# judge CODE: a process must end with 0 or by SIGKILL.
judge() {
	if [ "$1" -eq 137 ]; then
		suffers 1
	elif [ "$1" -ne 0 ]; then
		log "exit code $1"
	fi
}

# works WORD...: runs a worker, which may kill itself.
works() {
	log "$(basename "$program") work URL records $mix $*"
	{
		timeout 1800 "$program" work "${via:-$url}" "$folder/records" \
			"$mix" "$@" >>"$folder/said" 2>&1
		judge $?
	} 2>/dev/null
}

# killed_after SECONDS WORD...: runs a worker and kills it that long after it
# has begun to work.
killed_after() {
	local said process i
	log "timeout -s KILL $1 $(basename "$program") work URL records $mix" \
		"${@:2}"
	said=$(mktemp "$folder/said-XXXXXX")
	{
		"$program" work "${via:-$url}" "$folder/records" "$mix" \
			"${@:2}" >"$said" 2>&1 &
		process=$!
		for ((i = 0; i < 3000; i++)); do
			grep -q '^at work' "$said" && break
			kill -0 $process || break
			sleep 0.02
		done
		sleep "$1"
		kill -KILL $process
		wait $process
		judge $?
	} 2>/dev/null
}

any() {
	echo $((RANDOM * 32768 + RANDOM))
}

# by_time ROUNDS WORD...: workers killed at random instants, one after the
# other; each works $longer seconds longer.
by_time() {
	local i
	for ((i = 1; i <= $1; i++)); do
		round=$((round + 1))
		killed_after "$longer.$((2 + RANDOM % 6))$((RANDOM % 10))" \
			"seed=$(any)" "round=$round" "${@:2}"
	done
}

# by_count ROUNDS WORD...: workers kill themselves; NAME=N: a random number to
# $span.
by_count() {
	local i word words
	for ((i = 1; i <= $1; i++)); do
		words=()
		for word in "${@:2}"; do
			[[ $word != *=N ]] ||
				word=${word%N}$((1 + RANDOM % span))
			words+=("$word")
		done
		round=$((round + 1))
		works "seed=$(any)" "round=$round" "${words[@]}"
	done
}

# enough N COMMAND...: repeats the command until least N requests were
# acknowledged: workers may have been slow, or killed at once. On a slow machine
# they need more time.
enough() {
	local tries least
	least=$(least "$1")
	for ((tries = 0; tries < 100; tries++)); do
		[ "$(awk '$1 == "A" && $3 == "OK" && $7 == 0' \
			"$folder"/records/c* 2>/dev/null | wc -l)" -lt "$least" ] ||
			break
		longer=$((tries / 5))
		"${@:2}"
	done
	longer=0
}

# proof: runs the proof, with the program that is not broken.
proof() {
	timeout 1800 "$crash" check "$url" "$folder/records" "$mix" \
		>"$folder/proof" 2>&1
}

# suffered: the number of kills, failures and cuts.
suffered() {
	cat "$folder/suffered" "$folder"/said* 2>/dev/null | awk '
		/^[0-9]+$/ { sum += $1 }
		/ failures$/ { sum += $5 }
		END { print sum + 0 }'
}

# proves N [FAULTS]: nothing lost, nothing doubled, all ended well; and at
# least N requests (fewer with sanitizers) were acknowledged and FAULTS (1)
# faults were caused: with fewer it would prove little.
proves() {
	local code=0 acknowledged
	proof || code=1
	acknowledged=$(sed -n 's/.* requests, \([0-9]*\) acknowledged.*/\1/p' \
		"$folder/proof")
	if [ "${acknowledged:-0}" -lt "$(least "$1")" ]; then
		echo "only ${acknowledged:-0} requests were acknowledged" \
			>>"$folder/proof"
		code=1
	fi
	if [ "$(suffered)" -lt "${2:-1}" ]; then
		echo "only $(suffered) things went wrong on purpose" \
			>>"$folder/proof"
		code=1
	fi
	if grep -q '^exit code' "$folder/commands"; then
		code=1
	fi
	verdict "$code" "$story"
	rm -rf "$folder"
}

# finds_out: the proof must fail, with complaints.
finds_out() {
	local code=0
	proof || code=$?
	[ "$code" -eq 1 ] && grep -q ' [1-9][0-9]* complaints$' "$folder/proof"
	verdict $? "$story: is not found out"
	rm -rf "$folder"
}

# expect WHAT COMMAND...: a command that must succeed.
expect() {
	local code=0
	folder=$scratch
	echo "${*:2}" >"$scratch/commands"
	timeout 1800 "${@:2}" >"$scratch/said" 2>&1 || code=$?
	verdict "$code" "$1"
}

finish() {
	rm -rf "$scratch"
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
	exit
}

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The settings of weft serve: the precedence of sources, errors with their
# place, and docs/CONFIGURATION.md agrees with the program.
# usage: WEFT=PATH tests/check-config.sh
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
weft=$(realpath "${WEFT:-./weft}")
source=$PWD
docs=$PWD/docs/CONFIGURATION.md
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

# ends CODE OPTION...: runs weft serve with the file "conf" and keeps its
# output.
ends() {
	local wanted=$1 code=0
	shift
	timeout 600 "$weft" serve --config conf --show-config "$@" \
		>out 2>err || code=$?
	[ $code -eq "$wanted" ]
}

# is KEY VALUE ORIGIN: --show-config shows this value and its origin.
is() { grep -q -x -e "$1 = $2 *# $3" out; }
err() { grep -q -F -e "$1" err; }

# --- precedence ---------------------------------------------------------------

cat >conf <<'END'
# settings
db = postgresql://weft:hidden@localhost/x?password=hidden   # the store

	batch=7
holidays = 2026-12-25
holidays = 2027-01-01, 2026-12-26
cache = 1G
END
export WEFT_BATCH=8 WEFT_LOG_LEVEL=info WEFT_READERS=''
check "all is well" ends 0 --log-level=debug --unsafe --token-file 'a b'
check "a default" is listen 127.0.0.1:8090 default
check "the file counts more" is cache 1G conf:7
check "the environment counts more" is batch 8 WEFT_BATCH
check "an option counts more" is log-level debug option
check "what is empty in the environment is not said" is readers 4 default
check "a switch says yes" is unsafe yes option
check "a value with a blank" is token-file "a b" option
check "of the worklist neither" ends 0 --default-worklist http://x/ib#hidden
check "its address is" is default-worklist http://x/ib option
check "no password is shown" [ -z "$(grep hidden out err)" ]
check "all is well" ends 0
check "a list is added up" \
	is holidays "2026-12-25 2027-01-01, 2026-12-26" conf:5
check "no password is shown" [ -z "$(grep hidden out err)" ]
check "a default is no secret" is default-worklist 'http://.*#resource' default
unset WEFT_BATCH WEFT_LOG_LEVEL
cp out conf
check "what is shown can be read" [ -n "$(sed -i 's/ *#.*//' conf
	"$weft" serve --config conf --show-config)" ]
: >conf
check "holidays of an option are added up, too" \
	ends 0 --holidays 2026-01-01 --holidays 2026-01-02
check "they are" is holidays "2026-01-01 2026-01-02" option
WEFT_CONFIG=other
export WEFT_CONFIG
echo "batch = 9" >other
"$weft" serve --show-config >out 2>err
check "the environment names the file" is batch 9 other:1
unset WEFT_CONFIG
check "people have the items that name no service" ends 0 --people
check "so no service does" ends 2 --people --default-worklist http://x/ib#a
check "that is said" err "weft: people and default-worklist exclude each other"
check "without people it may" \
	ends 0 --people=no --default-worklist http://x/ib#a

printf 'answers-kept = P90D\nslow-batch = PT0.5S\nidle = 1m\n' >conf
check "durations may be those of ISO 8601" ends 0
: >conf

# --- errors -------------------------------------------------------------------

# refused LINE SENTENCE: the second line of the file is refused with that
# message.
refused() {
	printf '# one\n%s\n' "$1" >conf
	check "refused: $1" ends 2
	check "the place and what was expected: $1" err "weft: conf:2: $2"
	check "nothing is shown: $1" [ ! -s out ]
}

refused "lisen = 1" "there is no setting lisen; is listen meant?"
refused "log_level = info" "there is no setting log_level; is log-level meant?"
refused "frobnicate = 1" "there is no setting frobnicate"
refused "batch" 'expected KEY = VALUE, not "batch"'
refused "= 3" "there is no setting"
refused "batch = 0" 'batch: expected a number from 1 to 1024, not "0"'
refused "batch = 99999999999999999999" "batch: expected a number"
refused "batch = 1 2" "batch: expected a number"
refused "batch = -1" "batch: expected a number"
refused "queue = 1T" "queue: expected bytes such as 8K, 64M or 1G"
refused "queue = 17179869184G" "queue: expected bytes"
refused "idle = 1500ms" "idle: expected a duration such as 30s"
refused "idle = 10" "idle: expected a duration such as 30s"
refused "idle = P1M" "idle: expected a duration such as 30s"
refused "answers-kept = 1y" "answers-kept: expected a duration such as 500ms"
refused "answers-kept = 106751991168d" "answers-kept: expected a duration"
refused "unsafe = maybe" 'unsafe: expected yes or no, not "maybe"'
refused "holidays = 2026-02-30" "holidays: expected days such as 2026-12-25"
refused "allow-address = localhost" "allow-address: expected up to 64 of addr"
refused "allow-address = 10.0.0.0/33" "allow-address: expected"
refused "allow-address = ::1/129" "allow-address: expected"
refused "allow-address = 127.0.0.1/" "allow-address: expected"
for path in yawl /yawl/ / /a?b; do
	refused "yawl-path = $path" "yawl-path: expected a path such as /yawl"
done
refused "timezone = +15:00" "timezone: expected Z, or such as +01:00"
refused "timezone = 01:00" "timezone: expected Z"
refused "log-level = loud" "log-level: expected error, warning, info or debug"
for listen in : x :80 127.0.0.1: 127.0.0.1:65536 localhost:http; do
	refused "listen = $listen" "listen: expected HOST:PORT"
done
printf '\357\273\277batch = 7\r\n' >conf
check "a file as Windows writes it" ends 0
check "is read" is batch 7 conf:1
printf 'batch = 1\nbatch = 2\n' >conf
check "said twice" ends 2
check "said where" err "conf:2: batch is said twice"
printf 'batch = 1\0\n' >conf
check "no text" ends 2
head -c 2000000 /dev/zero | tr '\0' '#' >conf
check "a file too large" ends 2
head -c 100000 /dev/zero | tr '\0' 'x' >conf
check "a line too long to be right" ends 2
check "a folder is no file" [ "$("$weft" serve --config . 2>&1 >/dev/null |
	grep -c '^weft: ')" = 1 ]
rm conf
mkfifo conf
check "a pipe is no file" ends 2
check "of which it is said" err "conf: expected a file, not a pipe"
rm conf
: >conf
WEFT_BATCH=x check "in the environment" ends 2
check "the variable is named" err 'weft: WEFT_BATCH: batch: expected a number'
check "an unknown option is wrong usage" ends 2 --lisen 1
check "the one that is meant is named" err "is listen meant?"
check "an option twice" ends 2 --batch 1 --batch=2
check "an option without a value" ends 2 --batch
check "a switch with another value" ends 2 --unsafe=perhaps
check "a word too many" ends 2 word
"$weft" serve --config no-such-file >out 2>err
check "a file that is named must be there" err "no-such-file: No such file"

# --- documentation ------------------------------------------------------------

"$weft" serve --help >out 2>err
# The settings as rows of the documentation.
sed -n '/^  --[a-z_-]* [A-Z:#]* (.*)$/{N
s/^  --\([a-z_-]*\) \([A-Z:#]*\) (\(.*\))\n *\(.*\)/| `\1` | \2 | `\3` | \4 |/
s/``//
p
}' out | sort >wanted
grep '^| `[a-z_-]*` | [A-Z:#]* | ' "$docs" | sort >found
check "there are settings" [ "$(wc -l <wanted)" -gt 20 ]
diff wanted found >out
check "docs/CONFIGURATION.md has a row for each, and says the same" [ ! -s out ]
# The settings that SIGHUP reloads: those of settings.def, and the limits.
{
	sed -n 's/^WF_RELOADED_SETTING("\([a-z-]*\)".*/\1/p' "$source/cli/admin/settings.def"
	sed -n 's/^WF_LIMIT_ROW(\([a-z_]*\),.*/limit-\1/p' "$source/kernel/limits.def"
} | sort >wanted
sed -n '/^## Reloading/,/^## /s/^- `\([a-z_-]*\)`.*/\1/p' "$docs" | sort >found
check "some settings are reloaded" [ "$(wc -l <wanted)" -gt 5 ]
diff wanted found >out
check "docs/CONFIGURATION.md names those that are reloaded" [ ! -s out ]

sum_up

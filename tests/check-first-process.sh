#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Follows docs/FIRST-PROCESS.md like a reader (tests/follow.sh).
# usage: WEFT=./weft tests/check-first-process.sh; ends with "N passed, N
# failed"
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
cd "$(dirname "$0")/.." || exit 2
. tests/follow.sh
document=$PWD/docs/FIRST-PROCESS.md
LSAN_OPTIONS=${LSAN_OPTIONS:+$LSAN_OPTIONS:}print_suppressions=0
export LSAN_OPTIONS=$LSAN_OPTIONS:suppressions=$PWD/tests/lsan.supp
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/work" || exit 2
ln -s "$weft" "$scratch/bin/weft"
export PATH=$scratch/bin:$PATH
cd "$scratch/work" || exit 2
passed=0
failed=0

# Commands that the reader starts in another terminal.
timeout 3600 weft serve --listen 127.0.0.1:0 >../server 2>&1 &
server=$!
trap 'kill $server; wait $server; rm -rf "$scratch"' EXIT
for ((i = 0; i < 6000; i++)); do
	WEFT_SERVER=$(sed -n 's/.*listening on //p' ../server)
	[ -z "$WEFT_SERVER" ] || break
	sleep 0.1
done
export WEFT_SERVER
unset WEFT_TOKEN

follow "$document" 10 <"$document"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

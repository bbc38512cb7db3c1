#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the page for browsers costs, in a real Chromium on this machine, with the
# server and its database; each figure with its bound. Fails if one is beyond it.
# usage: bench/console.sh [OPTION]... [PART]...
#
#   size      bytes of the first load, compressed
#   ready     time from the navigation until a case and the overview are drawn,
#             with the processor slowed four times: medians
#   frames    frames a second while a net of 300 tasks is moved and zoomed
#   latency   from the commit of a step to its picture in an open page, beside
#             500 steps a second of other cases
#   pages     what the server works for an item with 200 open pages of cases, and
#             with the same pages at another server, in turns; few are in the
#             browser, the others programs that read as a page does
#
#   --weft PATH     the program (./weft)
#   --store STORE   sqlite or postgresql (sqlite)
#   --rounds N      of ready and pages (5)
#   --seconds N     of frames, and of each run of pages (6)
#   --steps N       of latency (300)
#   --rate N        of the steps beside them (500)
#   --pages N       (200)
#   --real N        of them in the browser (3)
set -u
cd "$(dirname "$0")/.." || exit 1

. bench/server.sh
. tests/console.sh

rounds=5 seconds=6 steps=300 rate=500 pages=200 real=3
for part in size ready frames latency pages; do
	eval "part_$part() { :; }" # console/tests/bench/ has them
done
options "weft store rounds seconds steps rate pages real" "$@"
console_tools "${WEFT_BUILD:-$(dirname "$weft")}" || die "$why"
console_copy "$scratch" || exit 1
begin
export WEFT=$weft WEFT_ROOT=$PWD WEFT_CHROMIUM=$chromium
[ "$store" = sqlite ] || export WEFT_TEST_POSTGRESQL=$url

# run COMMAND..: where the programs are
run() {
	(cd "$scratch/console" && "$@")
}
{ run npm run --silent types && run node build.mjs --tests; } >"$scratch/out" ||
	die "the programs cannot be bundled: $(cat "$scratch/out")"
run node dist-tests/bench/run.mjs --store "$store" --rounds "$rounds" \
	--seconds "$seconds" --steps "$steps" --rate "$rate" --pages "$pages" \
	--real "$real" "${parts[@]}"

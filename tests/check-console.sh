#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page for browsers: its types, its linter, its logic, and stories in a real
# Chromium against servers on SQLite and, where there is one, PostgreSQL with
# two nodes. Pictures of the views are left in the folder of the build.
# usage: WEFT=PATH WEFT_BUILD=FOLDER tests/check-console.sh [CHAPTER..];
# CHAPTER: of console/tests/browser/CHAPTER.story.ts
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
. tests/console.sh
WEFT=$(realpath "${WEFT:-./weft}")
build=$(realpath "${WEFT_BUILD:-build/plain}")
export WEFT
pictures=$(realpath -m "${WEFT_PICTURES:-$build/pictures}")

console_tools "$build" || {
	echo "$why"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
console_copy "$scratch" || exit 1
root=$PWD
cd "$scratch/console" || exit 1

# run COMMAND...: what it says is shown when it fails
run() {
	"$@" >"$scratch/out" 2>"$scratch/err"
}
check "types of the interface are made" run npm run --silent types
if [ "${WEFT_SANITIZED:-0}" = 0 ]; then
	check "the page has no error of types" run npx --no-install tsc --noEmit
	check "the linter finds nothing" run npx --no-install eslint \
		--max-warnings 0 src tests build.mjs dev.mjs
fi
check "the tests are bundled" run node build.mjs --tests
if [ "${WEFT_SANITIZED:-0}" = 0 ]; then
	check "the logic of the page" run node --test dist-tests/
fi

# The seed chooses the store; soak runs each story on both.
stores=(--store sqlite:1 --store postgresql:2)
if [ "${WEFT_SOAK:-0}" = 0 ] && [ -n "${WEFT_TEST_POSTGRESQL:-}" ]; then
	[ $(((${WEFT_SEED:-0} + ${WEFT_SANITIZED:-0}) % 2)) -eq 0 ] &&
		stores=(--store sqlite:1) || stores=(--store postgresql:2)
fi
WEFT_ROOT=$root WEFT_CHROMIUM=$chromium WEFT_PICTURES=$pictures \
	node dist-tests/browser/run.mjs "${stores[@]}" "$@" >"$scratch/stories" 2>&1
line=$(tail -n 1 "$scratch/stories")
if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
	passed=$((passed + BASH_REMATCH[1]))
	failed=$((failed + BASH_REMATCH[2]))
	skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
	sed '$d' "$scratch/stories"
else
	cat "$scratch/stories"
	echo "the stories did not come to their end"
	failed=$((failed + 1))
fi
sum_up

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The commands that README.md shows for a first case do what they say.
# usage: WEFT=PATH tests/check-readme.sh
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
cd "$(dirname "$0")/.." || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

cp -r examples README.md "$scratch" && cd "$scratch" || exit 2
ln -s "$weft" weft
while read -r line; do
	code=0
	eval "$line" >out 2>&1 </dev/null || code=$?
	case $line:$code in
	*:0 | "./weft check "*:6) passed=$((passed + 1)) ;;
	*)
		echo "$line: exit code $code"
		tail -n 5 out
		failed=$((failed + 1))
		;;
	esac
done < <(grep '^\./weft ' README.md)
[ -s picture.svg ] || {
	echo "there is no picture.svg"
	failed=$((failed + 1))
}
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The commands that README.md shows for a first case do what it says, on a
# server as "./setup run" starts it.
# usage: WEFT=PATH tests/check-readme.sh
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
cd "$(dirname "$0")/.." || exit 2
scratch=$(mktemp -d) || exit 2
server=
clean_up() {
	[ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null
	rm -rf "$scratch"
}
trap clean_up EXIT
passed=0
failed=0

cp -r examples README.md "$scratch" && cd "$scratch" || exit 2
ln -s "$weft" weft
timeout 3600 examples/serve.sh --listen 127.0.0.1:0 >said 2>&1 &
server=$!
for ((i = 0; i < 6000; i++)); do
	! grep -q '^Ctrl-C' said && kill -0 $server 2>/dev/null || break
	sleep 0.1
done
WEFT_SERVER=$(sed -n 's/^Weft is at \([^;]*\);.*/\1/p' said)
export WEFT_SERVER

# A command that is refused is a failure.
curl() {
	command curl -sS --fail-with-body "$@"
}

while read -r line; do
	code=0
	eval "${line//http:\/\/127.0.0.1:8090/$WEFT_SERVER}" \
		>out 2>&1 </dev/null || code=$?
	case $line:$code in
	*:0 | "./weft check "*:6) passed=$((passed + 1)) ;;
	*)
		echo "$line: exit code $code"
		tail -n 5 out
		failed=$((failed + 1))
		;;
	esac
done < <(grep -E '^(token=|export |curl |\./weft )' README.md)
[ -s picture.svg ] || {
	echo "there is no picture.svg"
	failed=$((failed + 1))
}
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 12 ]

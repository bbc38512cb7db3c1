#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The systemd unit: systemd accepts it, the server reports its state to systemd,
# and the unit's command starts a server.
# usage: WEFT=PATH tests/check-systemd.sh
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
weft=$(realpath "${WEFT:-./weft}")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

mkdir "$scratch/bin"
ln -s "$weft" "$scratch/bin/weft"
unit=$scratch/weft.service
sed "s|@bindir[@]|$scratch/bin|g" contrib/systemd/weft.service.in >"$unit"
check "every word is filled in" [ -z "$(grep '@[a-z]*dir@' "$unit")" ]
command=$(sed -n 's/^ExecStart=//p' "$unit")
# shellcheck disable=SC2086 # it is a command with its arguments
$command --config /dev/null --show-config >"$scratch/out" 2>&1
check "the server takes what it is started with" \
	grep -q '^listen = 127.0.0.1:8090 ' "$scratch/out"
if command -v systemd-analyze >/dev/null 2>&1; then
	systemd-analyze verify --man=no "$unit" >"$scratch/out" 2>&1
	check "systemd takes the unit" [ ! -s "$scratch/out" ]
else
	skip "systemd-analyze is not installed"
fi

# messages NAME: the messages sent to the socket with that name.
messages() {
	(cd "$scratch" && timeout 600 python3 - "$1" "$weft" <<-'END'
		import os, signal, socket, subprocess, sys
		name, weft = sys.argv[1:]
		there = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		there.bind("\0" + name[1:] if name[0] == "@" else name)
		there.settimeout(500)
		server = subprocess.Popen(
		    [weft, "serve", "--db", "memory:", "--listen", "0"],
		    env=dict(os.environ, NOTIFY_SOCKET=name),
		    stdout=subprocess.PIPE)
		try:
		    print(there.recv(100).decode(), end=" ")
		    # The server listens by then.
		    print(b"listening" in server.stdout.readline(), end=" ")
		    server.terminate()
		    print(there.recv(100).decode(), server.wait(500))
		finally:
		    server.kill()
	END
	)
}

if command -v python3 >/dev/null 2>&1; then
	for name in "$scratch/notify" "@weft-test-$$"; do
		messages "$name" >"$scratch/out" 2>&1
		check "it notifies when it is ready, and when it ends" \
			[ "$(cat "$scratch/out")" = "READY=1 True STOPPING=1 0" ]
	done
else
	skip "python3 is not installed"
fi
cd "$scratch" || exit 1
NOTIFY_SOCKET=/nowhere/at/all timeout 600 "$weft" serve --db memory: \
	--listen 0 >"$scratch/out" 2>&1 &
server=$!
for _ in $(seq 6000); do
	grep -q listening "$scratch/out" && break
	sleep 0.1
done
check "it runs when no process listens" grep -q listening "$scratch/out"
kill $server
wait $server
check "and ends" [ $? -eq 0 ]

sum_up

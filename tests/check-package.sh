#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packages for Debian: lintian finds no errors, and they contain what a
# service needs.  With WEFT_SOAK=1, as root, they are installed in a system made
# by debootstrap: the service is enabled, its command runs as its user with the
# packaged settings, an upgrade keeps data, removal too, and purging removes
# all.  No systemd runs there: that it starts the service is not tested.
# usage: WEFT_BUILD=FOLDER tests/check-package.sh
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
built=$(realpath "${WEFT_BUILD:-build/plain}")
scratch=$(mktemp -d) || exit 1
clean_up() {
	[ -z "${server:-}" ] || kill "$server" 2>/dev/null
	rm -rf "$scratch"
}
trap clean_up EXIT
run() { "$@" >"$scratch/out" 2>"$scratch/err"; }

if [ "${WEFT_SANITIZED:-0}" = 1 ] || ! command -v dh >/dev/null 2>&1; then
	skip "packages are built where debhelper is installed (./setup package)"
	sum_up
	exit
fi

# make_packages VERSION: from the programs that are built, into $scratch.
make_packages() {
	local folder=$scratch/source-$1
	mkdir "$folder"
	cp -r debian contrib "$folder"
	sed -i "1s/(.*)/($1)/" "$folder/debian/changelog"
	(cd "$folder" && WEFT_BUILT=$built DEB_BUILD_OPTIONS=noautodbgsym \
		debian/rules binary) >"$scratch/out" 2>&1
}

# Other than "*", for the packages of one version.
debs() { ls "$scratch"/*_"$1"_*.deb; }

version=$(dpkg-parsechangelog -l debian/changelog -S Version)
check "the packages are built" make_packages "$version"
check "they are three" [ "$(debs "$version" | wc -l)" = 3 ]
if command -v lintian >/dev/null 2>&1; then
	check "lintian finds no errors" run lintian --allow-root \
		--fail-on error $(debs "$version")
else
	skip "lintian is not installed"
fi

# --- contents -----------------------------------------------------------------

for package in weft libweft1 libweft-dev; do
	dpkg-deb -R "$scratch/${package}_${version}"_*.deb "$scratch/$package"
done
has() { [ -e "$scratch/$1" ] || ls "$scratch"/$1 >/dev/null 2>&1; }
while read -r file; do
	check "there is $file" has "$file"
done <<-'END'
	weft/usr/bin/weft
	weft/usr/libexec/weft/weft-bench
	weft/lib/systemd/system/weft.service
	weft/etc/weft/weft.conf
	weft/usr/share/man/man1/weft.1.gz
	weft/usr/share/bash-completion/completions/weft
	weft/usr/share/zsh/vendor-completions/_weft
	weft/usr/share/fish/vendor_completions.d/weft.fish
	weft/usr/share/doc/weft/copyright
	weft/usr/share/doc/weft/OPERATION.md
	weft/usr/share/doc/weft/examples/sequence.yawl
	libweft1/usr/lib/*/libweft.so.1
	libweft-dev/usr/lib/*/libweft.so
	libweft-dev/usr/lib/*/libweft.a
	libweft-dev/usr/lib/*/pkgconfig/weft.pc
	libweft-dev/usr/include/weft/engine.h
END
for script in "$scratch"/*/DEBIAN/p[or]*; do
	check "$script can be read by sh" run sh -n "$script"
done
for package in $(sed -n '/^build_packages="/,/"/p' setup | tr -d '"' |
	grep -o '[a-z0-9-]*-dev'); do
	[ "$package" = libc6-dev ] ||
		check "building needs $package" grep -q "$package" debian/control
done

weft=$scratch/weft/usr/bin/weft
conf=$scratch/weft/etc/weft/weft.conf
check "the settings are a file that upgrades keep" \
	grep -qx /etc/weft/weft.conf "$scratch/weft/DEBIAN/conffiles"
check "each line of it is a comment" [ -z "$(grep -v -e '^#' -e '^$' "$conf")" ]
sed -n 's/^# \([a-z_-]* =\)/\1/p' "$conf" >"$scratch/settings"
run env -i "$weft" serve --config "$scratch/settings" --show-config
check "and each setting is in it" [ "$(wc -l <"$scratch/settings")" = \
	"$(wc -l <"$scratch/out")" ]
check "with its default" [ "$(sed 's/ *#.*//' "$scratch/out")" = \
	"$(sed 's/ *#.*//' "$scratch/settings")" ]

unit=$scratch/weft/lib/systemd/system/weft.service
check "every word of the unit is filled in" [ -z "$(grep '@[a-z]*dir@' "$unit")" ]
check "its user is the one of the package" grep -qx User=weft "$unit"
check "which is there all the time" [ -z "$(grep DynamicUser "$unit")" ]
if command -v systemd-analyze >/dev/null 2>&1; then
	run systemd-analyze security --offline=true --threshold=20 "$unit"
	check "systemd says that it is hardened" [ $? -eq 0 ]
else
	skip "systemd-analyze is not installed"
fi

# --- an installation ----------------------------------------------------------

if [ "${WEFT_SOAK:-0}" = 0 ]; then
	sum_up
	exit
fi
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null 2>&1 ||
	! unshare --net ip link set lo up 2>/dev/null; then
	skip "installing needs root, debootstrap and iproute2"
	sum_up
	exit
fi

system=$scratch/system
inside() {
	run chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"
}
# A network of its own, so that the port is free: pid of the process in $server.
start() {
	local command
	command=$(sed -n 's/^ExecStart=//p' "$system/lib/systemd/system/weft.service")
	# shellcheck disable=SC2016 # the inner shell's
	unshare --net sh -c 'ip link set lo up && exec chroot "$@"' sh \
		"$system" setpriv --reuid weft --regid weft --clear-groups \
		env -i PATH=/usr/bin:/bin sh -c \
		"umask 077; cd /var/lib/weft && exec $command" \
		>"$scratch/server" 2>&1 &
	server=$!
	for _ in $(seq 600); do
		! grep -q 'listening on' "$scratch/server" || return 0
		sleep 0.1
	done
	cat "$scratch/server"
	return 1
}
stop() {
	kill "$server"
	wait "$server"
	server=
}
healthy() {
	run nsenter --net="/proc/$server/ns/net" \
		curl -sS http://127.0.0.1:8090/healthz
}
can() {
	run nsenter --net="/proc/$server/ns/net" env \
		WEFT_TOKEN="$(cat "$system/var/lib/weft/weft.token")" "$weft" "$@"
}

check "a system is made" run debootstrap --variant=minbase bookworm "$system" \
	"${WEFT_MIRROR:-http://deb.debian.org/debian}"
cp /etc/resolv.conf "$system/etc/resolv.conf"
# What dpkg installs there must not start what this machine would run.
printf '#!/bin/sh\nexit 101\n' >"$system/usr/sbin/policy-rc.d"
chmod 755 "$system/usr/sbin/policy-rc.d"
mkdir "$system/packages"
later=$version+1
check "the packages of a later version are built" make_packages "$later"
cp "$scratch"/*.deb "$system/packages"
inside apt-get update
check "one command installs it" inside apt-get install -y \
	--no-install-recommends "/packages/weft_${version}_$(dpkg --print-architecture).deb"
enabled=$system/etc/systemd/system/multi-user.target.wants/weft.service
check "the service is enabled" [ -L "$enabled" ]
check "it has a user" inside getent passwd weft
check "that cannot sign in" grep -q '^weft:.*nologin$' "$system/etc/passwd"
check "and a folder of its own" \
	[ "$(chroot "$system" stat -c '%U:%G %a' /var/lib/weft)" = "weft:weft 700" ]
check "others cannot read the settings" \
	[ "$(chroot "$system" stat -c '%U:%G %a' /etc/weft/weft.conf)" = "root:weft 640" ]
check "the command of the service starts" start
check "and is healthy" healthy
check "a process is loaded" can spec load examples/sequence.yawl
check "and a case started" can case start BusinessTrip
stop

echo 'log-level = info' >>"$system/etc/weft/weft.conf"
check "a later version is installed" inside apt-get install -y \
	--no-install-recommends "/packages/weft_${later}_$(dpkg --print-architecture).deb"
check "which is the one that is there" \
	[ "$(chroot "$system" dpkg-query -W -f '${Version}' weft)" = "$later" ]
check "the settings are kept" \
	grep -qx 'log-level = info' "$system/etc/weft/weft.conf"
check "others still cannot read them" \
	[ "$(chroot "$system" stat -c '%U:%G %a' /etc/weft/weft.conf)" = "root:weft 640" ]
check "the service is enabled as before" [ -L "$enabled" ]
check "it restarts the server" grep -q 'deb-systemd-invoke \$_dh_action' \
	"$system/var/lib/dpkg/info/weft.postinst"
check "it starts" start
check "the settings count" grep -q '"event": "started"' "$scratch/server"
check "the case is there" can case show 1
stop

check "it is removed" inside apt-get remove -y weft
check "the program is gone" [ ! -e "$system/usr/bin/weft" ]
check "the data stay" [ -s "$system/var/lib/weft/weft.db" ]
check "the settings too" [ -s "$system/etc/weft/weft.conf" ]
check "and the user" inside getent passwd weft
check "it is installed again" inside apt-get install -y \
	--no-install-recommends "/packages/weft_${later}_$(dpkg --print-architecture).deb"
check "it starts" start
check "the case is still there" can case show 1
stop
check "it is purged" inside apt-get purge -y weft
check "the data are gone" [ ! -e "$system/var/lib/weft" ]
check "the settings too" [ ! -e "$system/etc/weft" ]
check "and the user" [ -z "$(chroot "$system" getent passwd weft)" ]
check "and what enabled it" [ ! -L "$enabled" ]

check "a program that embeds the engine can be built" inside apt-get install -y \
	--no-install-recommends "/packages/libweft1_${later}_$(dpkg --print-architecture).deb" \
	"/packages/libweft-dev_${later}_$(dpkg --print-architecture).deb" gcc libc6-dev pkg-config
cp examples/embed/order.c "$system/tmp"
check "it is compiled" inside sh -c \
	'cd /tmp && gcc order.c $(pkg-config --cflags --libs weft) -o order'
check "and finds the library" inside ldd /tmp/order
check "of its name" grep -q 'libweft.so.1 => /' "$scratch/out"

sum_up

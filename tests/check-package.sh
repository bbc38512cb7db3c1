#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packages for Debian: lintian finds no errors, and they contain what a
# service needs.  With WEFT_SOAK=1, as root, they are installed in a system made
# by debootstrap, in which systemd runs (tests/boot.sh): the service is running
# then, an upgrade keeps its data and restarts it, removal keeps them too, and
# purging removes all.
# usage: WEFT_BUILD=FOLDER tests/check-package.sh
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
built=$(realpath "${WEFT_BUILD:-build/plain}")
scratch=$(mktemp -d) || exit 1
# The system that runs in $scratch/system, if any.
shut_down() {
	[ -n "${booted:-}" ] || return
	kill -KILL "$booted"
	wait "$booted"
	sh tests/boot.sh clean "$scratch/system"
	booted=
} 2>/dev/null
clean_up() {
	shut_down
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
	weft/usr/share/doc/weft/contrib/grafana/weft.json
	weft/usr/share/doc/weft/contrib/prometheus/weft.rules.yaml
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

# --- containers: what can be tested without one --------------------------------

container=contrib/container
# instruction NAME: its text, in one line.
instruction() {
	sed -e ':more' -e '/\\$/{N;s/\\\n//;b more' -e '}' $container/Containerfile |
		sed -n "s/^$1 //p"
}
if command -v python3 >/dev/null 2>&1; then
	run python3 - "$container/compose.yaml" <<-'END'
		import os, sys
		sys.path.insert(0, "tests/rest")
		import yaml_subset
		server = yaml_subset.read(open(sys.argv[1]).read())["services"]["weft"]
		folder = os.path.join(os.path.dirname(sys.argv[1]),
		                      server["build"]["context"])
		assert os.path.exists(
		    os.path.join(folder, server["build"]["dockerfile"]))
		for name, value in server["environment"].items():
		    if name.startswith("WEFT_"):
		        print(f"{name}={value}")
	END
	check "the compose file can be read" [ $? -eq 0 ]
	mapfile -t variables <"$scratch/out"
	check "it has settings" [ ${#variables[@]} -gt 0 ]
	check "and the server takes them, with those of the image" run env -i \
		$(instruction ENV) "${variables[@]}" "$weft" serve --show-config
	for variable in "${variables[@]}"; do
		check "$variable is used" [ "$(grep -c "# ${variable%%=*}\$" \
			"$scratch/out")" = 1 ]
	done
fi

# --- an installation ----------------------------------------------------------

if [ "${WEFT_SOAK:-0}" = 0 ]; then
	sum_up
	exit
fi
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null 2>&1 ||
	! unshare --net ip link set lo up 2>/dev/null; then
	skip "installing needs root, debootstrap, iproute2 and namespaces"
	sum_up
	exit
fi

# While it does not run: with the network of this machine.
clean="env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C"
clean="$clean DEBIAN_FRONTEND=noninteractive"
outside() { run chroot "$system" $clean "$@"; }
# While it runs; network: commands of this machine in its network.
inside() { run nsenter -t "$first" -m -p -u -i -n -C -r -w $clean "$@"; }
network() { run nsenter -t "$first" -n "$@"; }

boot() {
	sh tests/boot.sh run "$system" >"$scratch/boot" 2>&1 &
	booted=$!
	for _ in $(seq 600); do
		sleep 0.5
		kill -0 $booted 2>/dev/null || break
		first=$(pgrep -P $booted) || continue
		inside systemctl is-system-running
		! grep -q -e running -e degraded "$scratch/out" || return 0
	done
	cat "$scratch/boot"
	return 1
}

install() {
	inside apt-get install -y --no-install-recommends \
		"/packages/weft_$1_$(dpkg --print-architecture).deb"
}
# says WORD COMMAND...: what it prints is the word.
says() {
	local word=$1
	shift
	inside "$@"
	[ "$(cat "$scratch/out")" = "$word" ]
}
healthy() { network curl -sS -f http://127.0.0.1:8090/healthz; }
can() {
	network env WEFT_TOKEN="$(cat "$system/var/lib/weft/weft.token")" \
		"$weft" "$@"
}
process() {
	inside systemctl show -P MainPID weft
	cat "$scratch/out"
}
# Its processes, by what they were started with.
servers() {
	inside sh -c 'grep -l "^/usr/bin/weft" /proc/[0-9]*/cmdline'
	cat "$scratch/out"
}

system=$scratch/system
check "a system is made" run debootstrap --variant=minbase \
	--include=systemd,dbus bookworm "$system" \
	"${WEFT_MIRROR:-http://deb.debian.org/debian}"
cp /etc/resolv.conf "$system/etc/resolv.conf"
later=$version+1
check "the packages of a later version are built" make_packages "$later"
mkdir "$system/packages"
cp "$scratch"/*.deb "$system/packages"
check "lists are read" outside apt-get update
check "what the package needs is loaded" outside apt-get install -y \
	--no-install-recommends --download-only \
	"/packages/weft_${version}_$(dpkg --print-architecture).deb"
if ! boot; then
	skip "systemd does not run here in namespaces of its own"
	sum_up
	exit
fi

check "one command installs it" install "$version"
check "and the service is running" says active systemctl is-active weft
check "as one process" [ "$(servers | wc -l)" = 1 ]
check "it is enabled" says enabled systemctl is-enabled weft
check "it is healthy" healthy
check "its user is the one of the package" \
	says weft stat -c %U "/proc/$(process)"
check "who cannot sign in" grep -q '^weft:.*nologin$' "$system/etc/passwd"
check "and has a folder of its own" \
	says "weft:weft 700" stat -c '%U:%G %a' /var/lib/weft
check "others cannot read the settings" \
	says "root:weft 640" stat -c '%U:%G %a' /etc/weft/weft.conf
check "a process is loaded" can spec load examples/sequence.yawl
check "and a case started" can case start BusinessTrip

before=$(process)
inside kill -KILL "$before"
for _ in $(seq 600); do
	sleep 0.1
	now=$(process)
	[ "$now" = 0 ] || [ "$now" = "$before" ] || break
done
check "killed, it is started again" says active systemctl is-active weft
before=$(process)

echo 'log-level = info' >>"$system/etc/weft/weft.conf"
check "a later version is installed" install "$later"
check "which is the one that is there" \
	says "$later" dpkg-query -W -f '${Version}\n' weft
check "the server is restarted" [ "$(process)" != "$before" ]
check "and running" says active systemctl is-active weft
check "the settings are kept" \
	grep -qx 'log-level = info' "$system/etc/weft/weft.conf"
check "and used" inside sh -c \
	'journalctl -u weft -o cat | grep "\"event\": \"started\""'
check "others still cannot read them" \
	says "root:weft 640" stat -c '%U:%G %a' /etc/weft/weft.conf
check "the case is there" can case show 1

check "it is removed" inside apt-get remove -y weft
check "the program is gone" [ ! -e "$system/usr/bin/weft" ]
check "no server runs" [ -z "$(servers)" ]
check "the data stay" [ -s "$system/var/lib/weft/weft.db" ]
check "the settings too" [ -s "$system/etc/weft/weft.conf" ]
check "and the user" grep -q '^weft:' "$system/etc/passwd"
check "it is installed again" install "$later"
check "and running" says active systemctl is-active weft
check "the case is still there" can case show 1
check "it is purged" inside apt-get purge -y weft
check "the data are gone" [ ! -e "$system/var/lib/weft" ]
check "the settings too" [ ! -e "$system/etc/weft" ]
check "and the user" [ -z "$(grep '^weft:' "$system/etc/passwd")" ]
check "and what enabled it" [ ! -L \
	"$system/etc/systemd/system/multi-user.target.wants/weft.service" ]
shut_down

# As in a container: without systemd, and the image's settings and question.
check "it is installed without systemd" outside apt-get install -y \
	--no-install-recommends curl \
	"/packages/weft_${later}_$(dpkg --print-architecture).deb"
: >"$scratch/server"
# shellcheck disable=SC2016 # the inner shells'
unshare --net sh -c 'ip link set lo up && exec chroot "$@"' sh "$system" \
	setpriv --reuid weft --regid weft --clear-groups env -i \
	PATH=/usr/bin:/bin $(instruction ENV) WEFT_INSECURE=yes \
	sh -c 'cd /var/lib/weft && exec weft serve' >"$scratch/server" 2>&1 &
server=$!
for _ in $(seq 600); do
	! grep -q 'listening on' "$scratch/server" || break
	sleep 0.1
done
question=$(instruction HEALTHCHECK | sed 's/.* CMD //')
check "it is healthy" run nsenter -t $server -n sh -c "$question"
kill $server
wait $server
check "and ends when it is asked to" [ $? -eq 0 ]
run unshare --net sh -c "$question"
check "where no server runs, it is not healthy" [ $? -ne 0 ]

check "a program that embeds the engine can be built" outside apt-get install \
	-y --no-install-recommends gcc libc6-dev pkg-config \
	"/packages/libweft1_${later}_$(dpkg --print-architecture).deb" \
	"/packages/libweft-dev_${later}_$(dpkg --print-architecture).deb"
cp examples/embed/order.c "$system/tmp"
check "it is compiled" outside sh -c \
	'cd /tmp && gcc order.c $(pkg-config --cflags --libs weft) -o order'
check "and finds the library" outside ldd /tmp/order
check "by its name" grep -q 'libweft.so.1 => /' "$scratch/out"

sum_up

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the systemd of a system in a folder (made by debootstrap), as root, in
# namespaces of its own: processes, mounts, network with nothing but lo, and
# control groups.  For tests of services; nothing of the machine is changed.
#
#   tests/boot.sh run FOLDER     until it is killed, and all of the system with it
#   tests/boot.sh clean FOLDER   afterwards: removes its control group
#
# The first process of the system is the only child of the process of "run".
set -u
folder=$(realpath "$2") || exit 1
group=weft-test-$(basename "$(dirname "$folder")")

case $1 in
run)
	exec unshare --mount sh "$0" inside-mounts "$folder"
	;;
clean)
	exec unshare --mount sh "$0" clean-group "$folder"
	;;
inside-mounts)
	# The new control group becomes the root of those that systemd makes.
	mount -t cgroup2 cgroup2 "$folder/sys" && mkdir -p "$folder/sys/$group" &&
		echo $$ >"$folder/sys/$group/cgroup.procs" || exit 1
	umount "$folder/sys"
	exec unshare --cgroup --pid --fork --kill-child --mount --net --uts --ipc \
		sh "$0" first-process "$folder"
	;;
first-process)
	mount --make-rprivate / && mount --bind "$folder" "$folder" &&
		mount -t proc proc "$folder/proc" &&
		mount -t tmpfs -o mode=755 tmpfs "$folder/run" &&
		mount -t sysfs -o ro sysfs "$folder/sys" &&
		mount -t cgroup2 cgroup2 "$folder/sys/fs/cgroup" &&
		mount -t tmpfs -o mode=755 tmpfs "$folder/dev" || exit 1
	for name in null zero full random urandom tty; do
		touch "$folder/dev/$name"
		mount --bind "/dev/$name" "$folder/dev/$name" || exit 1
	done
	mkdir "$folder/dev/pts" "$folder/dev/shm"
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$folder/dev/pts"
	ln -s pts/ptmx "$folder/dev/ptmx"
	ip link set lo up || exit 1
	exec chroot "$folder" env -i container=other \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system
	;;
clean-group)
	mount -t cgroup2 cgroup2 "$folder/sys" || exit 1
	# What was killed may not have ended yet.
	for _ in $(seq 100); do
		grep -qs '^populated 1' "$folder/sys/$group/cgroup.events" || break
		sleep 0.1
	done
	[ ! -d "$folder/sys/$group" ] ||
		find "$folder/sys/$group" -depth -type d -exec rmdir {} +
	;;
*)
	sed -n 's/^#   //p' "$0" >&2
	exit 2
	;;
esac

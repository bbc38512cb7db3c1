#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the page for browsers of console/ with npm, outside of the sources:
# FOLDER/console/dist.  Where the packages that it needs cannot be fetched, it
# says so and leaves no page, which is no failure.  Several builds may share the
# folder: what was made of the same files is not made again.
# usage: console.sh SOURCES FOLDER
set -eu
export LC_ALL=C
sources=$1
folder=$2
[ -f "$sources/console/package.json" ] || exit 0

mkdir -p "$folder/schemas"
folder=$(cd "$folder" && pwd)
log=$folder/log
# One build at a time; the others find what it has made.
if command -v flock >/dev/null 2>&1; then
	exec 9>"$folder/lock"
	flock 9
fi

# What tools make there (.gitignore) is none of the sources.
list() {
	(cd "$sources" && find console schemas/openapi.yaml \
		\( -path console/node_modules -o -path console/dist \
		-o -path console/dist-tests -o -path console/meta.json \
		-o -path console/src/api/schema.d.ts \) -prune -o -type f -print |
		sort)
}

sum_of() {
	list | (cd "$sources" && while read -r file; do
		cksum "$file"
	done) | cksum
}

# Also read-only sources can be removed again.
copy() {
	find "$folder/console" -mindepth 1 -maxdepth 1 \
		! -name node_modules -exec rm -rf {} + 2>/dev/null || :
	list | while read -r file; do
		mkdir -p "$folder/${file%/*}"
		cp -f "$sources/$file" "$folder/$file"
		chmod u+w "$folder/$file"
	done
}

die() {
	tail -n 30 "$log" >&2
	echo "console: $*; all it said is in $log" >&2
	exit 1
}

# The packages of the lock file, once for each lock file.
fetch() {
	wanted=$(cksum <package-lock.json)
	[ "$(cat "$folder/packages" 2>/dev/null)" != "$wanted" ] || return 0
	rm -f "$folder/packages"
	npm ci --ignore-scripts --prefer-offline --no-audit --no-fund \
		--no-update-notifier --fetch-retries 1 \
		--fetch-retry-maxtimeout 10000 >"$log" 2>&1 || return 1
	echo "$wanted" >"$folder/packages"
}

# That the lock file does not fit is a mistake in the sources.
leave_out() {
	! grep -q EUSAGE "$log" || die "npm ci failed"
	echo "console: the page for browsers is left out, as its packages" \
		"cannot be fetched: $(grep -m 1 -e 'npm ERR! code' \
			-e 'npm error code' "$log" || tail -n 1 "$log")" >&2
	echo "$sum" >"$folder/failed"
	exit 0
}

sum=$(sum_of)
[ "$(cat "$folder/built" 2>/dev/null)" != "$sum" ] || exit 0
[ "$(cat "$folder/failed" 2>/dev/null)" != "$sum" ] || exit 0
rm -rf "$folder/built" "$folder/failed" "$folder/console/dist"
copy
cd "$folder/console"
fetch || leave_out
npm run build >"$log" 2>&1 || die "npm run build failed"
[ -f dist/index.html ] || die "npm run build made no dist/index.html"
echo "$sum" >"$folder/built"

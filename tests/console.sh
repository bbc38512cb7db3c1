# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that run programs of console/tests, from the top folder.
# shellcheck shell=bash disable=SC2034 # chromium is for the script

# console_tools BUILD: sets chromium and modules, the packages that BUILD has.
# Fails, and sets why, if they are not here.
console_tools() {
	why=
	# Where build-aux/console.sh has made the page, or where one works on it.
	modules=$1/../console/console/node_modules
	[ -d "$modules" ] || modules=console/node_modules
	if ! command -v npm >/dev/null 2>&1; then
		why="npm is not installed"
	elif ! chromium=$(command -v chromium || command -v chromium-browser); then
		why="Chromium is not installed"
	elif [ ! -d "$modules" ]; then
		why="the packages of the page were not fetched"
	fi
	[ -z "$why" ]
}

# console_copy FOLDER: makes FOLDER/console, a copy to bundle the programs in:
# two builds that are tested at once do not write the same files.
console_copy() {
	mkdir -p "$1/schemas" "$1/console" &&
		cp schemas/openapi.yaml "$1/schemas" &&
		cp -r console/src console/tests console/*.* "$1/console" &&
		ln -s "$(realpath "$modules")" "$1/console/node_modules"
}

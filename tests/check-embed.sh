#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the library into a folder of its own and uses it from there, as an
# embedder does: each header compiles by itself in C and C++, the shared library
# exports exactly what the headers declare, and the example of examples/embed
# runs with the shared and the static library.
# usage: WEFT_BUILD=FOLDER tests/check-embed.sh; ends with "N passed, N
# failed[, N skipped]"
set -u
build=$(cd "${WEFT_BUILD:-.}" && pwd) || exit 2
cd "$(dirname "$0")/.." || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
skipped=0

if [ "${WEFT_SANITIZED:-0}" = 1 ]; then
	echo "what is installed has no sanitizers"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi

# expect WHAT COMMAND...: counts the check; shows the output of a command that
# failed.
expect() {
	local what=$1
	shift
	if timeout 1800 "$@" >"$scratch/out" 2>&1; then
		passed=$((passed + 1))
	else
		echo "$what"
		tail -n 20 "$scratch/out" | sed 's/^/    /'
		failed=$((failed + 1))
	fi
}

skip() {
	echo "$*"
	skipped=$((skipped + 1))
}

finish() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ $failed -eq 0 ]
	exit
}

setting() {
	sed -n "s/^$1 = //p" "$build/Makefile"
}

cc=$(setting CC)
prefix=$scratch/root$(setting prefix)
expect "make install" make -s -C "$build" install "DESTDIR=$scratch/root"
pc=$(find "$scratch/root" -name weft.pc)
lib=$(dirname "$(dirname "${pc:-/}")")
[ -n "$pc" ] && [ -f "$prefix/include/weft/engine.h" ] || finish

# flags OPTION...: what pkg-config prints for the installed library.
flags() {
	PKG_CONFIG_PATH=$lib/pkgconfig pkg-config \
		--define-variable=prefix="$prefix" "$@" weft
}

# --- headers ------------------------------------------------------------------

# alone COMPILER SUFFIX STANDARD: compiles each header by itself.
alone() {
	local header
	for header in "$prefix"/include/weft/*.h; do
		echo "#include <weft/${header##*/}>" >"$scratch/alone.$2"
		# shellcheck disable=SC2046 # flags are meant to be split
		expect "${header##*/} in a program of its own, $3" $1 -std=$3 \
			-Wall -Wextra -Wpedantic -Werror $(flags --cflags) \
			-c -o "$scratch/alone.o" "$scratch/alone.$2"
	done
}

alone "$cc" c c99
if command -v c++ >/dev/null 2>&1; then
	alone c++ cc c++11
else
	skip "there is no C++ compiler"
fi

# --- the example --------------------------------------------------------------

# run WHAT FOLDER: runs two cases on one store, and refuses a file that is no
# store.
run() {
	local db=$scratch/$1.db
	local example=("$scratch/order" examples/subprocess.yawl "sqlite:$db")

	expect "the example, $1" env LD_LIBRARY_PATH="$2" "${example[@]}"
	LD_LIBRARY_PATH=$2 "${example[@]}" >"$scratch/second" 2>&1
	printf '%s is done\n' 2:Receive 2.2:Pack 2.2:Ship 2:Invoice \
		>"$scratch/wanted"
	expect "its second case, $1" diff "$scratch/wanted" "$scratch/second"
	LD_LIBRARY_PATH=$2 "$scratch/order" README.md "sqlite:$db" \
		2>"$scratch/refusal"
	expect "a file that is no specification, $1" \
		grep -q 'is not valid: line 1' "$scratch/refusal"
}

# links WHAT FLAG...: builds the example.
links() {
	local what=$1
	shift
	expect "the example is built, $what" $cc -Wall -Wextra -Werror \
		-o "$scratch/order" examples/embed/order.c "$@"
}

if [ -e "$lib/libweft.so" ]; then
	# shellcheck disable=SC2046
	links shared $(flags --cflags --libs)
	expect "it uses the shared library" \
		grep -q 'libweft\.so\.' "$scratch/order"
	run shared "$lib"
else
	skip "there is no shared library"
fi
if [ -e "$lib/libweft.a" ]; then
	mkdir "$scratch/static"
	cp "$lib/libweft.a" "$scratch/static"
	# shellcheck disable=SC2046
	links static $(flags --static --cflags --libs \
		--define-variable=libdir="$scratch/static")
	expect "it needs no shared library" \
		sh -c "! grep -q 'libweft\.so' '$scratch/order'"
	run static "$scratch/static"
else
	skip "there is no static library"
fi
expect "the example has at most 40 lines" \
	test "$(wc -l <examples/embed/order.c)" -le 40

# --- symbols ------------------------------------------------------------------

# A program that refers to all of the symbols, from a list.
uses() {
	sed 's|.*/\(.*\)|#include <weft/\1>|' \
		< <(ls "$prefix"/include/weft/*.h)
	echo 'const void *all[] = {'
	sed 's/.*/(const void *)\&&,/'
	printf '};\nint main(void) { return all[0] == 0; }\n'
}

if [ -e "$lib/libweft.so" ] && command -v nm >/dev/null 2>&1; then
	nm -D --defined-only "$lib/libweft.so" | awk '{ print $3 }' |
		sort >"$scratch/shown"
	uses <"$scratch/shown" >"$scratch/shown.c"
	# shellcheck disable=SC2046
	expect "what the shared library shows is declared" \
		$cc -Werror -c -o "$scratch/shown.o" \
		$(flags --cflags) "$scratch/shown.c"
	# shellcheck disable=SC2046
	sed 's|.*/\(.*\)|#include <weft/\1>|' \
		< <(ls "$prefix"/include/weft/*.h) |
		$cc -E -P $(flags --cflags) - |
		grep -o 'wf_[a-z0-9_]*(' | tr -d '(' | sort -u |
		uses >"$scratch/declared.c"
	# shellcheck disable=SC2046
	expect "what is declared is in the shared library" \
		$cc -o "$scratch/declared" "$scratch/declared.c" \
		$(flags --cflags --libs)
	expect "there are many such functions" \
		test "$(wc -l <"$scratch/shown")" -gt 100
else
	skip "the symbols of a shared library cannot be listed"
fi
if [ -e "$lib/libweft.a" ] && command -v nm >/dev/null 2>&1; then
	nm -g --defined-only "$lib/libweft.a" 2>/dev/null |
		awk 'NF == 3 { print $3 }' >"$scratch/names"
	expect "the static library has names" test -s "$scratch/names"
	grep -v '^wf_' "$scratch/names" >"$scratch/strange"
	expect "all names in the static library begin with wf_" \
		diff /dev/null "$scratch/strange"
fi

expect "make uninstall" make -s -C "$build" uninstall "DESTDIR=$scratch/root"
find "$scratch/root" ! -type d >"$scratch/left"
expect "nothing is left" diff /dev/null "$scratch/left"
finish

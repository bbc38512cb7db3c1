#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the built page as C to standard output: a table of its files, each as
# it is and, unless that saves nothing, as gzip compresses it.  A folder without
# a page makes an empty table.
# usage: embed.sh FOLDER
set -eu
folder=$1
# All files together, as they are.
most_bytes=4000000

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

die() {
	echo "embed.sh: $*" >&2
	exit 1
}

# type_of NAME: its content type.
type_of() {
	case $1 in
	*.html) echo "text/html; charset=utf-8" ;;
	*.js) echo "text/javascript; charset=utf-8" ;;
	*.css) echo "text/css; charset=utf-8" ;;
	*.svg) echo "image/svg+xml" ;;
	*.png) echo "image/png" ;;
	*.woff2) echo "font/woff2" ;;
	*.woff) echo "font/woff" ;;
	*.webmanifest) echo "application/manifest+json" ;;
	*) die "$1: a page has no files of this kind" ;;
	esac
}

# bytes NAME FILE: an array.
bytes() {
	echo "static const unsigned char $1[] = {"
	od -An -v -tu1 "$2" | sed 's/ *\([0-9][0-9]*\)/\1,/g'
	echo "};"
}

size_of() {
	wc -c <"$1" | tr -d ' '
}

# add FILE: its arrays now, its row for later.
add() {
	name=${1#"$folder"/}
	[ -s "$1" ] || die "$1 is empty"
	type=$(type_of "$name")
	all=$((all + $(size_of "$1")))
	bytes "file_$count" "$1"
	packed="NULL, 0"
	gzip -9 -n -c "$1" >"$scratch/packed"
	if [ "$(size_of "$scratch/packed")" -lt "$(size_of "$1")" ]; then
		bytes "packed_$count" "$scratch/packed"
		packed="packed_$count, sizeof(packed_$count)"
	fi
	tag=$(cksum <"$1" | tr ' ' '-')
	echo "{ \"$name\", \"$type\", \"$tag\", file_$count," \
		"sizeof(file_$count), $packed }," >>"$scratch/rows"
	count=$((count + 1))
}

count=0
all=0
: >"$scratch/rows"
if [ -f "$folder/index.html" ]; then
	add "$folder/index.html"
	for file in "$folder"/assets/*; do
		add "$file"
	done
fi
[ $all -le $most_bytes ] || die "the page has $all bytes, more than $most_bytes"
echo "static const struct page_file files[] = {"
cat "$scratch/rows"
echo "{ .name = NULL } };"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the order of the layers: a file includes headers of its own folder and
# of folders before it in the table, nothing else; the same holds for
# sub-folders that have an order; and the headers of each library are included
# only where the table allows it.  Of another folder, a file includes only the
# headers and tables that the README.md of that folder lists as public.
# usage: tests/layers.sh; ends with "N passed, N failed", counted in files
cd "$(dirname "$0")/.." || exit 1

layers="base petri xquery data spec kernel people verify persistence runtime draw
	form http tracing history worklist identity work server operation rest yawl migration app cli bench"

# Sub-folders in their order.
# eval/ calls functions through the pointers that analysis/ has bound.
parts="xquery/text xquery/item xquery/atomic xquery/pattern xquery/parse
	xquery/tree xquery/eval xquery/functions xquery/analysis
	people/organisation people runtime/terms runtime runtime/integrity"
# Sub-folders that do not know each other.
apart="persistence/memory persistence/sqlite persistence/postgresql"
# Measures the SQL of the store without the store.
inside="bench/bare.c"

files=
for layer in $layers; do
	for file in "$layer/README.md" "$layer"/*.c "$layer"/*.h "$layer"/*.def \
		"$layer"/*/*.c "$layer"/*/*.h "$layer"/*/*.def; do
		[ -f "$file" ] && files="$files $file"
	done
done

# shellcheck disable=SC2086 # the list is meant to be split
awk -v layers="$layers" -v parts="$parts" -v apart=" $apart " \
	-v inside=" $inside " '
BEGIN {
	count = split(layers, names, " ")
	for (i = 1; i <= count; i++)
		rank[names[i]] = i
	count = split(parts, names, " ")
	for (i = 1; i <= count; i++)
		part[names[i]] = i
	# Folders behind a folder may include its headers.
	fence["^<libxml/"] = "xquery data spec bench"
	fence["^<pcre2"] = "xquery"
	fence["^<utf8proc"] = "xquery"
	fence["^<ut(hash|list|array|string)"] = "base"
	fence["^<(graphviz/|gvc)"] = "draw"
	fence["^<sqlite3"] = "persistence"
	fence["^<(postgresql/|libpq)"] = "persistence"
	fence["^(<pthread|\"base/clock)"] = "base persistence runtime draw http tracing history worklist identity work server operation rest yawl migration app"
	fence["^<jansson"] = "data people draw form http tracing history worklist identity work server operation rest yawl migration app cli bench"
	fence["^<microhttpd"] = "http"
	fence["^<gnutls/"] = "http identity bench"
	fence["^<ldap"] = "identity"
	fence["^<curl/"] = "http work"
	fence["^<sodium"] = "http tracing identity work rest yawl app"
}
function wrong(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what
	bad[FILENAME] = 1
}
function in_list(word, list) {
	return index(list, " " word " ") > 0
}
# That of a folder is read before the sources that may know the folder.
FILENAME ~ /README/ {
	if (sub(/^Public headers: /, "")) {
		folder = FILENAME
		sub(/README.*/, "", folder)
		gsub(/[`,]|\.$/, "")
		count = split($0, names, " ")
		for (i = 1; i <= count; i++)
			public[folder names[i]] = 1
	}
	next
}
FNR == 1 {
	files++
	folder = FILENAME
	sub(/\/.*/, "", folder)
	own = FILENAME
	sub(/\/[^\/]*$/, "", own)
}
/^[ \t]*#[ \t]*include/ {
	header = $0
	sub(/^[ \t]*#[ \t]*include[ \t]*/, "", header)
	if (header ~ /^"/) {
		name = substr(header, 2)
		sub(/".*/, "", name)
		if (name !~ /\//) {
			wrong("\"" name "\" does not name its folder")
			next
		}
		other = name
		sub(/\/[^\/]*$/, "", other)
		if (own in part && other in part && part[other] > part[own])
			wrong(own "/ may not know " header)
		if (own != other && in_list(own, apart) &&
		    in_list(other, apart))
			wrong(own "/ may not know " header)
		path = name
		sub(/\/.*/, "", name)
		if (name != folder && !(path in public) &&
		    !in_list(FILENAME, inside))
			wrong(header " is private to " name "/")
		if (!(name in rank))
			wrong(header " is in no layer")
		else if (rank[name] > rank[folder])
			wrong(folder "/ may not know " header)
		next
	}
	for (pattern in fence)
		if (header ~ pattern &&
		    index(" " fence[pattern] " ", " " folder " ") == 0)
			wrong(header " belongs to " fence[pattern] " only")
}
END {
	failed = 0
	for (file in bad)
		failed++
	printf "%d passed, %d failed\n", files - failed, failed
	exit failed > 0
}' $files

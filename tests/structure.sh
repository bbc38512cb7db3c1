#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Holds the structure of the source tree, and prints it: no folder has more
# than 42 source files, each layer has a README.md of 10 to 30 lines, and the
# folders that run processes have at least 10 wf_assert() for 1,000 lines. Parsers
# of libxml2 are made after wf_quiet_begin(), which sets it up.
# usage: tests/structure.sh; ends with "N passed, N failed"
cd "$(dirname "$0")/.." || exit 1

most_files=42
layers="base petri xquery data spec kernel people verify persistence runtime
	draw form http history worklist identity work server rest yawl migration app cli bench"
guarded=" kernel runtime http identity work server "

passed=0
failed=0
# holds CONDITION.. -- WHAT: counts; says WHAT when the condition is false.
holds() {
	what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		echo "$what"
		failed=$((failed + 1))
	fi
}

# sources FOLDER [DEPTH]
sources() {
	find "$1" ${2:+-maxdepth "$2"} \( -name '*.[ch]' -o -name '*.def' \)
}

printf '%-14s %6s %7s %8s %6s\n' folder files lines asserts /1000
for layer in $layers; do
	lines=$(sources "$layer" | xargs cat | wc -l)
	asserts=$(find "$layer" -name '*.[ch]' -exec grep -ho \
		'^.*\bwf_assert(' {} + | wc -l)
	rate=$((asserts * 1000 / lines))
	printf '%-14s %6d %7d %8d %6d\n' "$layer" \
		"$(sources "$layer" | wc -l)" "$lines" "$asserts" $rate
	for folder in $(find "$layer" -type d); do
		files=$(sources "$folder" 1 | wc -l)
		holds "$folder has $files files, more than $most_files" \
			[ "$files" -le $most_files ]
	done
	length=$(cat "$layer/README.md" 2>/dev/null | wc -l)
	holds "$layer/README.md has $length lines, not 10 to 30" \
		[ "$length" -ge 10 -a "$length" -le 30 ]
	case $guarded in
	*" $layer "*)
		holds "$layer has fewer than 10 asserts for 1,000 lines" \
			[ $rate -ge 10 ]
		;;
	esac
done

# Line by line: a function ends at a brace in the first column.
parsers=$(sources . | grep -v '^\./build/\|^\./tests/\|^\./bench/' | xargs awk '
	/^}/ { begun = 0 }
	/wf_quiet_begin\(/ { begun = 1 }
	!begun && /xml(New|Create[A-Za-z]*)ParserCtxt\(|xmlReaderForMemory\(/ {
		print FILENAME ":" FNR ": makes a parser before wf_quiet_begin()"
	}')
holds "$parsers" [ -z "$parsers" ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

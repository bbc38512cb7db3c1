#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Holds the vocabulary (docs/GLOSSARY.md): words that Weft once had for things
# that have a usual name do not come back, in code, comments, docs, messages.
# usage: tests/words.sh; ends with "N passed, N failed", counted in words
cd "$(dirname "$0")/.." || exit 1

# A word, as an extended regular expression, and what to write instead.  It is
# found with "_", digits and signs around it, so in names as well as in texts.
words="
(un)?seal(s|ed|ing)?|checksum
parcels?|message
flights?|delivery
errands?|due command
patience|request time-out
dossiers?|case export
chronicles?|case log
twins?|shadow run
aside|quarantined
books?|log key
past_out|earlier attempts
[*&]past|earlier attempts
past(\.|->)[a-z]+|earlier attempts
tells?|notify, report
telling|notify, report
told|notify, report
look(s|ed|ing)?|inspect
peek(s|ed|ing)?|inspect
culprits?|what fails
"

# What stays, as lines FILE:LINE:TEXT.  Names that are stored or sent
# (docs/GLOSSARY.md):
allowed='set_aside|set-aside|"damage", "aside"|FOR look IN'
# Usual terms: to look up in a table, a parser that peeks at the next token.
allowed="$allowed|look(s|ed)?[ _]up|looks .* up|looks? (like|for)|MSG_PEEK"
allowed="$allowed|^xquery/.*peek|^cli/scenario/script.c:.*peek|yaml_subset.py:.*peek"
# Data and tasks of the examples and tests: a service ships a parcel, a task
# books a flight or tells somebody.
allowed="$allowed|^(examples|docs|tests)/.*([pP]arcel|Book|Tell|Look)"
allowed="$allowed|^tests/scenarios/logging"
# The element of HTML.
allowed="$allowed|</?aside"
allowed="$allowed|^tests/yawl/.*(book|BOOK|PARCEL|[\"/]told)"
files=$(git ls-files 2>/dev/null | grep -v -e '^tests/fuzz/corpus' \
	-e '^tests/formats/' -e '^tests/words.sh$' -e '^NEWS.md$' \
	-e '\.svg$' -e '^docs/GLOSSARY.md$')
if [ -z "$files" ]; then
	echo "this is no checkout of git"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi

passed=0
failed=0
scratch=$(mktemp) || exit 1
trap 'rm -f "$scratch"' EXIT
for line in $(echo "$words" | tr ' ' '~'); do
	line=$(echo "$line" | tr '~' ' ')
	word=${line%|*} instead=${line##*|}
	# shellcheck disable=SC2086 # the list is meant to be split
	grep -niE -e "(^|[^a-z])($word)(\$|[^a-z])" -- $files |
		grep -vE -e "$allowed" >"$scratch"
	if [ -s "$scratch" ]; then
		echo "\"$word\" is to be \"$instead\":"
		sed 's/^/    /' "$scratch" | cut -c1-100
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

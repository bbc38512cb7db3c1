#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Holds the vocabulary (docs/GLOSSARY.md): words that Weft once had for things
# that have a usual name do not come back, in code, comments, docs, messages.
# usage: tests/words.sh; ends with "N passed, N failed", counted in words
cd "$(dirname "$0")/.." || exit 1

# A word, as an extended regular expression, and what to write instead.
words="
(un)?seal(ed|s)?|checksum
parcels?|message
flights?|delivery
errands?|due command
patience|request time-out
dossiers?|case export
chronicles?|case log
twins?|shadow run
aside|quarantined
wf_book[a-z_]*|log key
wf_tell[a-z_]*|notify, report
wf_look_[a-z_]*|inspect
culprits?|what fails
"

# Names that are stored or sent stay (docs/GLOSSARY.md): the option --set-aside
# and the kind "aside" of findings; set_aside, setAside and the like are words
# of their own, which grep -w does not find.  In the examples a service packs
# and ships a parcel, a variable of that name.
allowed='set-aside|"damage", "aside"'
allowed="$allowed|parcels? : string|goods parcel|in parcels|</?parcel>|^tests/.*parcel( |=|\"|\$)"
files=$(git ls-files 2>/dev/null | grep -v -e '^tests/fuzz/corpus' \
	-e '^tests/formats/' -e '^tests/words.sh$' -e '^NEWS.md$' \
	-e '\.svg$' -e '^docs/PROGRESS.md$' -e '^tests/yawl/' \
	-e '^docs/GLOSSARY.md$' -e '^examples/')
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
	grep -nwiE -e "$word" -- $files | grep -vE -e "$allowed" >"$scratch"
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

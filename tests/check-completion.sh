#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shells complete the words of weft: bash, and zsh and fish where they are
# installed.
# usage: WEFT=PATH tests/check-completion.sh
set -u
weft=$(realpath "${WEFT:-./weft}") || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
skipped=0

# verdict WHAT FOUND WANTED...: each wanted word is among those found.
verdict() {
	local word
	for word in "${@:3}"; do
		if [[ " $2 " == *" $word "* ]]; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			echo "$1: $word is not among: $2"
		fi
	done
}

is_none() {
	if [ -z "$2" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$1: $2"
	fi
}

# completes WORD..: prints the completions of the last word.
completes() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_weft
	echo "${COMPREPLY[@]}"
}

eval "$("$weft" completion bash)"
commands=$("$weft" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
if [ -z "$commands" ]; then
	failed=$((failed + 1))
	echo "there are no commands"
fi
# shellcheck disable=SC2086 # lists are meant to be split
verdict "bash, weft" "$(completes weft '')" $commands --help
for command in $commands; do
	options=$("$weft" "$command" --help |
		grep -oE '^  --?[a-z_-]+' | tr -d ' ')
	found=$(completes weft "$command" '')
	verbs=$("$weft" "$command" --no-such-option 2>&1 |
		sed -n "s/^  weft $command \([a-z]*\).*/\1/p")
	for verb in $verbs; do
		verdict "bash, weft $command" "$found" "$verb"
		found="$found $(completes weft "$command" "$verb" '')"
	done
	# shellcheck disable=SC2086
	verdict "bash, weft $command" "$found" $options
done
verdict "bash, a beginning" "$(completes weft it)" item
is_none "bash, another beginning" "$(completes weft nothing)"
verdict "bash, a later word" "$(completes weft run a.yawl --tr)" --trace
verdict "bash, a part" "$(completes weft bench sto)" store
is_none "bash, an option of another verb" "$(completes weft case show --wa)"

if command -v fish >/dev/null 2>&1; then
	"$weft" completion fish >"$scratch/weft.fish"
	ask() {
		HOME=$scratch fish --no-config -c \
			"source $scratch/weft.fish; complete -C '$1'" |
			cut -f 1 | tr '\n' ' '
	}
	# shellcheck disable=SC2086
	verdict "fish, weft" "$(ask 'weft ')" $commands
	verdict "fish, a verb" "$(ask 'weft case st')" start
	verdict "fish, an option" "$(ask 'weft case start --wa')" --wait
	is_none "fish, no second verb" "$(ask 'weft case start sus')"
else
	skipped=$((skipped + 1))
fi
if command -v zsh >/dev/null 2>&1; then
	"$weft" completion zsh >"$scratch/_weft"
	found=$(zsh -f -c "autoload -U compinit && compinit -u -D
		source $scratch/_weft && whence -w _weft; echo \$_comps[weft]" 2>&1 |
		tr '\n' ' ')
	verdict "zsh" "$found" function _bash_complete
else
	skipped=$((skipped + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]

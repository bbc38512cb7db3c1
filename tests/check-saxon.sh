#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Queries give the same result as in Saxon: those of the available
# specifications, each over 20 documents, and random ones. Skipped without a JDK
# and Saxon (Debian: default-jdk-headless, libsaxonhe-java); SAXON_JAR names the
# latter when it is elsewhere.
# usage: WEFT_BUILD=FOLDER tests/check-saxon.sh
set -u
cd "$(dirname "$0")/.." || exit 1
build=${WEFT_BUILD:-.}
jar=${SAXON_JAR:-/usr/share/java/Saxon-HE.jar}
seed=${WEFT_SEED:-1}
random=2000
files=(examples/*.yawl tests/fuzz/corpus-spec/*.yawl)

if ! command -v javac >/dev/null 2>&1 || [ ! -f "$jar" ] ||
	[ "${WEFT_SANITIZED:-0}" = 1 ]; then
	echo "javac or Saxon is not installed, or this is the build with sanitizers"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
if [ -n "${WEFT_CORPUS:-}" ]; then
	files+=("$WEFT_CORPUS"/specs/*)
	if [ "${WEFT_SOAK:-0}" = 1 ]; then
		files+=("$WEFT_CORPUS"/data/specs/* "$WEFT_CORPUS"/random/specs/*)
		files+=("$WEFT_CORPUS"/soundness/*)
	fi
fi
[ "${WEFT_SOAK:-0}" = 0 ] || random=100000

scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/classes" "$scratch/cases"
if ! javac -nowarn -cp "$jar" -d "$scratch/classes" tests/saxon/*.java \
	2>"$scratch/err" || ! java -cp "$jar:$scratch/classes" Differential \
	"$seed" 20 "$random" "$scratch/cases" "${files[@]}" 2>>"$scratch/err"; then
	tail -n 5 "$scratch/err"
	echo "0 passed, 1 failed"
	exit 1
fi
echo "seed $seed"
"$build/tests/saxon/compare" "$scratch/cases" 2>/dev/null

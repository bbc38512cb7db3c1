#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A specification that is read and written back is the same. Specifications that
# are refused do not count.
# usage: WEFT_BUILD=FOLDER tests/check-roundtrip.sh
set -u
cd "$(dirname "$0")/.." || exit 1
build=${WEFT_BUILD:-.}

files=(examples/*.yawl examples/services/*.yawl tests/fuzz/corpus-spec/*.yawl)
if [ -n "${WEFT_CORPUS:-}" ]; then
	files+=("$WEFT_CORPUS"/specs/* "$WEFT_CORPUS"/data/specs/*)
	[ "${WEFT_SOAK:-0}" = 0 ] ||
		files+=("$WEFT_CORPUS"/random/specs/*)
fi
set -o pipefail
"$build/tests/roundtrip" "${files[@]}" | sed '$ s/, [0-9]* skipped$//'

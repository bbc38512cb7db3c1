#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# YAWL's interfaces: a table of requests with exact answers, and, where there is
# a corpus, recorded exchanges with a YAWL engine.
# usage: WEFT=PATH tests/check-yawl.sh [NAME..]; NAME: of tests/yawl/test_NAME.py
set -u
cd "$(dirname "$0")/.." || exit 1
if [ -z "${WEFT_CORPUS:-}" ] && [ -d ../shared/corpus ]; then
	WEFT_CORPUS=$(realpath ../shared/corpus)
fi
export WEFT_CORPUS=${WEFT_CORPUS:-}
WEFT_TESTS=tests/yawl exec tests/check-rest.sh "$@"

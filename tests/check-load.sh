#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The server under load, at its limits and at its end; with sanitizers in soak.
# usage: WEFT=PATH tests/check-load.sh [NAME..]; NAME: of tests/load/test_NAME.py
set -u
cd "$(dirname "$0")/.." || exit 1
export PYTHONPATH=$PWD/tests/rest
WEFT_TESTS=tests/load exec tests/check-rest.sh "$@"

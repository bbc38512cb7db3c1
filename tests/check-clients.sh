#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The clients in clients/, against a server and against openapi.yaml, and the
# tests of examples/testing/. JavaScript needs node from version 18.
# usage: WEFT=PATH tests/check-clients.sh [NAME..]; NAME: of
# tests/clients/test_NAME.py
set -u
cd "$(dirname "$0")/.." || exit 1
WEFT_TESTS=tests/clients exec tests/check-rest.sh "$@"

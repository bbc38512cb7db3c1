#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Signing in with others: a directory (a private slapd, where it is installed)
# and a provider (OpenID Connect, JWT, OAuth 2), each started once.
# usage: WEFT=PATH tests/check-providers.sh [NAME..]; NAME: of
# tests/providers/test_NAME.py
set -u
cd "$(dirname "$0")/.." || exit 1
export PYTHONPATH=$PWD/tests/rest:$PWD/tests/delivery
WEFT_TESTS=tests/providers exec tests/check-rest.sh "$@"

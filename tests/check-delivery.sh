#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Delivery of items to services that are slow, refuse, hang up or are killed.
# usage: WEFT=PATH tests/check-delivery.sh [NAME..]; NAME: of
# tests/delivery/test_NAME.py
set -u
cd "$(dirname "$0")/.." || exit 1
WEFT_TESTS=tests/delivery exec tests/check-rest.sh "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes a file as C to standard output: an array of its bytes, and a NUL.
# usage: embed.sh NAME FILE
set -eu
echo "static const char $1[] = {"
od -An -v -tx1 "$2" | sed -e 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
echo "0 };"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the migrations as C to standard output: one array of bytes a file,
# and a table of all.
# usage, in the top folder: embed.sh FILE...; a file is called schemas/sql/STORE/NUMBER-WORDS.sql
set -eu
for file; do
	store=$(basename "$(dirname "$file")")
	number=$(basename "$file" | sed -e 's/-.*//' -e 's/^0*//')
	sh base/embed.sh "sql_${store}_${number}" "$file"
done
echo "static const struct wf_migration migrations[] = {"
for file; do
	store=$(basename "$(dirname "$file")")
	number=$(basename "$file" | sed -e 's/-.*//' -e 's/^0*//')
	echo "{ \"$store\", $number, sql_${store}_${number} },"
done
echo "};"

# SPDX-License-Identifier: Apache-2.0
# Made part of the program by persistence/embed.sh, which wants a path from the
# top folder.
MIGRATIONS = \
	%D%/sql/postgresql/0001-tables.sql \
	%D%/sql/postgresql/0002-trust.sql \
	%D%/sql/postgresql/0003-people.sql \
	%D%/sql/postgresql/0004-people-at-work.sql \
	%D%/sql/postgresql/0005-own-cases.sql \
	%D%/sql/postgresql/0006-operations.sql \
	%D%/sql/postgresql/0007-console.sql \
	%D%/sql/postgresql/0008-case-counts.sql \
	%D%/sql/sqlite/0001-tables.sql \
	%D%/sql/sqlite/0002-trust.sql \
	%D%/sql/sqlite/0003-people.sql \
	%D%/sql/sqlite/0004-people-at-work.sql \
	%D%/sql/sqlite/0005-own-cases.sql \
	%D%/sql/sqlite/0006-operations.sql \
	%D%/sql/sqlite/0007-console.sql \
	%D%/sql/sqlite/0008-case-counts.sql

EXTRA_DIST += $(MIGRATIONS) \
	%D%/openapi.yaml \
	%D%/specification-4.0.xsd

# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libpersistence.la
%C%_libpersistence_la_SOURCES = \
	%D%/backend.c \
	%D%/backend.h \
	%D%/case_export.c \
	%D%/case_files.h \
	%D%/columns.c \
	%D%/columns.h \
	%D%/contract.def \
	%D%/figures.c \
	%D%/figures.h \
	%D%/find.c \
	%D%/find_items.c \
	%D%/indexes.c \
	%D%/indexes.h \
	%D%/item_queues.c \
	%D%/latches.c \
	%D%/latches.h \
	%D%/memory/memory.c \
	%D%/memory/memory_batch.c \
	%D%/memory/memory_audit.c \
	%D%/memory/memory_outcomes.c \
	%D%/memory/memory_catalogue.c \
	%D%/memory/memory_comments.c \
	%D%/memory/memory_counters.c \
	%D%/memory/memory_documents.c \
	%D%/memory/memory_figures.c \
	%D%/memory/memory_item_queues.c \
	%D%/memory/memory_priv.h \
	%D%/memory/memory_queues.c \
	%D%/memory/memory_read.c \
	%D%/memory/memory_rows.c \
	%D%/memory/memory_sessions.c \
	%D%/memory/memory_statistics.c \
	%D%/memory/memory_terms.c \
	%D%/memory/memory_table.c \
	%D%/memory/memory_table.h \
	%D%/migrations.c \
	%D%/migrations.h \
	%D%/nodes.c \
	%D%/nodes.h \
	%D%/postgresql/postgresql.c \
	%D%/postgresql/postgresql_batch.c \
	%D%/postgresql/postgresql_audit.c \
	%D%/postgresql/postgresql_outcomes.c \
	%D%/postgresql/postgresql_catalogue.c \
	%D%/postgresql/postgresql_comments.c \
	%D%/postgresql/postgresql_commit.c \
	%D%/postgresql/postgresql_connection.c \
	%D%/postgresql/postgresql_counters.c \
	%D%/postgresql/postgresql_documents.c \
	%D%/postgresql/postgresql_figures.c \
	%D%/postgresql/postgresql_error.c \
	%D%/postgresql/postgresql_item_queues.c \
	%D%/postgresql/postgresql_keeping.c \
	%D%/postgresql/postgresql_layouts.c \
	%D%/postgresql/postgresql_priv.h \
	%D%/postgresql/postgresql_queues.c \
	%D%/postgresql/postgresql_read.c \
	%D%/postgresql/postgresql_run.c \
	%D%/postgresql/postgresql_sessions.c \
	%D%/postgresql/postgresql_statement.c \
	%D%/postgresql/postgresql_statements.def \
	%D%/postgresql/postgresql_statistics.c \
	%D%/postgresql/postgresql_terms.c \
	%D%/postgresql/postgresql_writes.def \
	%D%/record_cache.c \
	%D%/record_cache.h \
	%D%/rows.def \
	%D%/rows.h \
	%D%/sqlite/sqlite.c \
	%D%/sqlite/sqlite_batch.c \
	%D%/sqlite/sqlite_audit.c \
	%D%/sqlite/sqlite_outcomes.c \
	%D%/sqlite/sqlite_catalogue.c \
	%D%/sqlite/sqlite_comments.c \
	%D%/sqlite/sqlite_counters.c \
	%D%/sqlite/sqlite_documents.c \
	%D%/sqlite/sqlite_figures.c \
	%D%/sqlite/sqlite_file.c \
	%D%/sqlite/sqlite_item_queues.c \
	%D%/sqlite/sqlite_keeping.c \
	%D%/sqlite/sqlite_log.c \
	%D%/sqlite/sqlite_priv.h \
	%D%/sqlite/sqlite_queues.c \
	%D%/sqlite/sqlite_read.c \
	%D%/sqlite/sqlite_sessions.c \
	%D%/sqlite/sqlite_statement.c \
	%D%/sqlite/sqlite_statements.def \
	%D%/sqlite/sqlite_statistics.c \
	%D%/sqlite/sqlite_terms.c \
	%D%/store.c \
	%D%/store.h \
	%D%/store_open.c \
	%D%/term.c \
	%D%/term.h \
	%D%/verify.def \
	%D%/where.c \
	%D%/where.h

PUBLIC += \
	%D%/case_files.h \
	%D%/figures.h \
	%D%/rows.def \
	%D%/rows.h \
	%D%/store.h \
	%D%/term.h \
	%D%/where.h

# The SQL of schemas/sql/ becomes part of the program.
BUILT_SOURCES += persistence/migrations.inc
CLEANFILES += persistence/migrations.inc
persistence/migrations.inc: %D%/local.mk %D%/embed.sh base/embed.sh $(MIGRATIONS)
	$(AM_V_GEN)$(MKDIR_P) %D% && \
		(cd $(srcdir) && sh %D%/embed.sh $(MIGRATIONS)) >$@.new && \
		mv $@.new $@
persistence/migrations.lo: persistence/migrations.inc
EXTRA_DIST += %D%/README.md %D%/embed.sh

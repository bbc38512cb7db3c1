# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libpersistence.la
%C%_libpersistence_la_SOURCES = \
	%D%/backend.h \
	%D%/columns.c \
	%D%/columns.h \
	%D%/dossiers.c \
	%D%/latches.c \
	%D%/latches.h \
	%D%/lock.h \
	%D%/memory.c \
	%D%/memory_batch.c \
	%D%/memory_catalogue.c \
	%D%/memory_priv.h \
	%D%/memory_queues.c \
	%D%/memory_read.c \
	%D%/memory_table.c \
	%D%/memory_table.h \
	%D%/migrations.c \
	%D%/migrations.h \
	%D%/postgresql.c \
	%D%/postgresql_batch.c \
	%D%/postgresql_catalogue.c \
	%D%/postgresql_commit.c \
	%D%/postgresql_connection.c \
	%D%/postgresql_keeping.c \
	%D%/postgresql_priv.h \
	%D%/postgresql_queues.c \
	%D%/postgresql_read.c \
	%D%/postgresql_run.c \
	%D%/postgresql_shapes.c \
	%D%/postgresql_statement.c \
	%D%/postgresql_statements.def \
	%D%/postgresql_writes.def \
	%D%/rows.h \
	%D%/sqlite.c \
	%D%/sqlite_batch.c \
	%D%/sqlite_catalogue.c \
	%D%/sqlite_file.c \
	%D%/sqlite_keeping.c \
	%D%/sqlite_log.c \
	%D%/sqlite_priv.h \
	%D%/sqlite_queues.c \
	%D%/sqlite_read.c \
	%D%/sqlite_statement.c \
	%D%/sqlite_statements.def \
	%D%/store.c \
	%D%/store.h \
	%D%/verify.def

PUBLIC += \
	%D%/rows.h \
	%D%/store.h

# The SQL of schemas/sql/ becomes part of the program.
BUILT_SOURCES += persistence/migrations.inc
CLEANFILES += persistence/migrations.inc
persistence/migrations.inc: %D%/embed.sh base/embed.sh $(MIGRATIONS)
	$(AM_V_GEN)$(MKDIR_P) %D% && \
		(cd $(srcdir) && sh %D%/embed.sh $(MIGRATIONS)) >$@.new && \
		mv $@.new $@
persistence/migrations.lo: persistence/migrations.inc
EXTRA_DIST += %D%/embed.sh

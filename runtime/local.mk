# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libruntime.la
%C%_libruntime_la_SOURCES = \
	%D%/announcements.def \
	%D%/batch.c \
	%D%/batch.h \
	%D%/cache.c \
	%D%/cache.h \
	%D%/due.c \
	%D%/effects.c \
	%D%/engine.c \
	%D%/engine.h \
	%D%/errand.c \
	%D%/errand.h \
	%D%/integrity.c \
	%D%/integrity.h \
	%D%/integrity_aside.c \
	%D%/integrity_case.c \
	%D%/integrity_priv.h \
	%D%/integrity_rows.c \
	%D%/look.c \
	%D%/note.c \
	%D%/numbers.c \
	%D%/plan.c \
	%D%/queue.c \
	%D%/request.c \
	%D%/request.h \
	%D%/request_later.c \
	%D%/request_lease.c \
	%D%/request_step.c \
	%D%/requests.def \
	%D%/seal.c \
	%D%/seal.h \
	%D%/search.c \
	%D%/shard.c \
	%D%/shard.h \
	%D%/specs.c \
	%D%/specs.h \
	%D%/starts.c \
	%D%/submit.c \
	%D%/tell.c \
	%D%/threads.c \
	%D%/threads.h

PUBLIC += \
	%D%/announcements.def \
	%D%/engine.h \
	%D%/requests.def

# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libruntime.la
%C%_libruntime_la_SOURCES = \
	%D%/announcements.def \
	%D%/batch.c \
	%D%/batch.h \
	%D%/batch_rows.c \
	%D%/cache.c \
	%D%/cache.h \
	%D%/change/migrate.c \
	%D%/change/migrate.h \
	%D%/change/migrate_copy.c \
	%D%/change/row_specs.c \
	%D%/change/row_specs.h \
	%D%/checksum.c \
	%D%/checksum.h \
	%D%/context.c \
	%D%/due.c \
	%D%/due_claimed.c \
	%D%/due_command.c \
	%D%/due_command.h \
	%D%/effects.c \
	%D%/engine.c \
	%D%/engine.h \
	%D%/incidents/closing.c \
	%D%/incidents/deadlock.c \
	%D%/inspect.c \
	%D%/integrity/integrity.c \
	%D%/integrity/integrity.h \
	%D%/integrity/integrity_case.c \
	%D%/integrity/integrity_priv.h \
	%D%/integrity/integrity_quarantine.c \
	%D%/integrity/integrity_rows.c \
	%D%/long_step.c \
	%D%/moments/moment.c \
	%D%/moments/moments.c \
	%D%/moments/moments.h \
	%D%/notice.c \
	%D%/notify.c \
	%D%/numbers.c \
	%D%/observing/observed.c \
	%D%/observing/observed.def \
	%D%/people.c \
	%D%/plan.c \
	%D%/queue.c \
	%D%/request.c \
	%D%/request.h \
	%D%/request_later.c \
	%D%/request_lease.c \
	%D%/request_step.c \
	%D%/requests.def \
	%D%/search.c \
	%D%/shard.c \
	%D%/shard.h \
	%D%/specs.c \
	%D%/specs.h \
	%D%/starts.c \
	%D%/step_request.c \
	%D%/submit.c \
	%D%/terms/terms.c \
	%D%/terms/terms.h \
	%D%/terms/terms_type.c \
	%D%/threads.c \
	%D%/trials.c \
	%D%/value_source.c \
	%D%/value_source.h

PUBLIC += \
	%D%/announcements.def \
	%D%/engine.h \
	%D%/observing/observed.def \
	%D%/requests.def

EXTRA_DIST += %D%/README.md

# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
noinst_LTLIBRARIES += %D%/libpeople.la
%C%_libpeople_la_SOURCES = \
	%D%/actions.def \
	%D%/allocation.c \
	%D%/allocation.h \
	%D%/allocators.def \
	%D%/audience.c \
	%D%/audience.h \
	%D%/backup.c \
	%D%/backup.h \
	%D%/decision.c \
	%D%/decision.h \
	%D%/decision_priv.h \
	%D%/distribution.c \
	%D%/distribution.h \
	%D%/due.c \
	%D%/due.h \
	%D%/filter.c \
	%D%/filter.h \
	%D%/import.c \
	%D%/import.h \
	%D%/needs.c \
	%D%/needs.h \
	%D%/org_file.c \
	%D%/org_file.h \
	%D%/org_table.c \
	%D%/org_table.h \
	%D%/organisation.c \
	%D%/organisation.def \
	%D%/organisation.h \
	%D%/people_set.c \
	%D%/permission.c \
	%D%/rate.c \
	%D%/rate.h \
	%D%/record.c \
	%D%/record.h \
	%D%/record_json.c \
	%D%/record_json.h \
	%D%/reference.c \
	%D%/reference.h \
	%D%/resourcing.c \
	%D%/resourcing.h \
	%D%/resourcing_check.c \
	%D%/resourcing_check.h \
	%D%/task_privileges.def \
	%D%/task_rule.c \
	%D%/task_rule.h \
	%D%/urgency.c \
	%D%/working_calendar.c \
	%D%/working_calendar.h \
	%D%/user_privileges.def \
	%D%/work_log.c \
	%D%/work_log.h

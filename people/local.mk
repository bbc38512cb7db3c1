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
	%D%/decision.c \
	%D%/decision.h \
	%D%/decision_priv.h \
	%D%/distribution.c \
	%D%/distribution.h \
	%D%/due.c \
	%D%/due.h \
	%D%/filter.c \
	%D%/filter.h \
	%D%/needs.c \
	%D%/needs.h \
	%D%/organisation/backup.c \
	%D%/organisation/backup.h \
	%D%/organisation/import.c \
	%D%/organisation/import.h \
	%D%/organisation/org_file.c \
	%D%/organisation/org_file.h \
	%D%/organisation/org_table.c \
	%D%/organisation/org_table.h \
	%D%/organisation/organisation.c \
	%D%/organisation/organisation.def \
	%D%/organisation/organisation.h \
	%D%/organisation/people_set.c \
	%D%/organisation/record.c \
	%D%/organisation/record.h \
	%D%/organisation/record_json.c \
	%D%/organisation/record_json.h \
	%D%/organisation/reference.c \
	%D%/organisation/reference.h \
	%D%/organisation/user_privileges.def \
	%D%/organisation/working_calendar.c \
	%D%/organisation/working_calendar.h \
	%D%/permission.c \
	%D%/rate.c \
	%D%/rate.h \
	%D%/resourcing.c \
	%D%/resourcing.h \
	%D%/resourcing_check.c \
	%D%/resourcing_check.h \
	%D%/task_privileges.def \
	%D%/task_rule.c \
	%D%/task_rule.h \
	%D%/urgency.c \
	%D%/work_log.c \
	%D%/work_log.h

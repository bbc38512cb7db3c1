# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
noinst_LTLIBRARIES += %D%/liboperation.la
%C%_liboperation_la_SOURCES = \
	%D%/change.c \
	%D%/change.h \
	%D%/incident_groups.c \
	%D%/incidents.c \
	%D%/incidents.h \
	%D%/incidents_priv.h \
	%D%/operation.c \
	%D%/operation.h \
	%D%/operation_command.c \
	%D%/operation_page.c \
	%D%/operation_preview.c \
	%D%/operation_priv.h \
	%D%/operation_record.c \
	%D%/operation_request.c \
	%D%/operation_run.c \
	%D%/operation_select.c \
	%D%/operation_turn.c \
	%D%/operations.def \
	%D%/plan.c \
	%D%/plan.h \
	%D%/prospect.c \
	%D%/prospect.h

# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libserver.la
%C%_libserver_la_SOURCES = \
	%D%/account.c \
	%D%/account.h \
	%D%/account_check.c \
	%D%/account_priv.h \
	%D%/catalogue.c \
	%D%/catalogue.h \
	%D%/context.c \
	%D%/context.h \
	%D%/counts.c \
	%D%/dispatch.c \
	%D%/dispatch.h \
	%D%/fair_queue.c \
	%D%/fair_queue.h \
	%D%/live_events.c \
	%D%/live_events.h \
	%D%/live_events_priv.h \
	%D%/live_events_reader.c \
	%D%/log.c \
	%D%/log.h \
	%D%/metrics.def \
	%D%/server_log.c \
	%D%/sign_in.c \
	%D%/sign_in.h \
	%D%/soundness.c \
	%D%/soundness.h
EXTRA_DIST += %D%/README.md

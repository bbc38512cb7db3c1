# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libserver.la
%C%_libserver_la_SOURCES = \
	%D%/answer_cache.c \
	%D%/answer_cache.h \
	%D%/case_filter.c \
	%D%/case_filter.h \
	%D%/catalogue.c \
	%D%/catalogue.h \
	%D%/context.c \
	%D%/context.h \
	%D%/counts.c \
	%D%/dispatch.c \
	%D%/dispatch.h \
	%D%/document_download.c \
	%D%/document_type.c \
	%D%/document_type.h \
	%D%/document_upload.c \
	%D%/documents.h \
	%D%/index_fill.c \
	%D%/index_fill.h \
	%D%/live_events.c \
	%D%/live_events.h \
	%D%/live_events_priv.h \
	%D%/live_events_reader.c \
	%D%/live_list.c \
	%D%/live_list.h \
	%D%/log.c \
	%D%/log.h \
	%D%/metrics.def \
	%D%/request_spans.c \
	%D%/request_spans.h \
	%D%/retention.c \
	%D%/retention.h \
	%D%/server_log.c \
	%D%/soundness.c \
	%D%/soundness.h \
	%D%/test_clock.c \
	%D%/test_clock.h
EXTRA_DIST += %D%/README.md

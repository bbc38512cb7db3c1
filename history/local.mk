# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libhistory.la
%C%_libhistory_la_SOURCES = \
	%D%/case_log.c \
	%D%/case_log.h \
	%D%/case_reader.c \
	%D%/case_reader.h \
	%D%/item_history.c \
	%D%/item_history.h \
	%D%/item_offer.c \
	%D%/item_offer.h \
	%D%/item_starter.c \
	%D%/item_starter.h \
	%D%/statistics/case_times.c \
	%D%/statistics/case_times.h \
	%D%/statistics/fold.c \
	%D%/statistics/fold.h \
	%D%/statistics/histogram.c \
	%D%/statistics/histogram.h \
	%D%/statistics/measures.def \
	%D%/statistics/process_counts.c \
	%D%/statistics/process_counts.h \
	%D%/statistics/statistics.c \
	%D%/statistics/statistics.h \
	%D%/statistics/summary.c \
	%D%/statistics/summary.h \
	%D%/statistics/tally.c \
	%D%/statistics/tally.h \
	%D%/steps.c \
	%D%/steps.h \
	%D%/xes.c \
	%D%/xes.h \
	%D%/xes_export.c \
	%D%/xes_export.h \
	%D%/xes_file.c \
	%D%/xes_file.h
EXTRA_DIST += %D%/README.md

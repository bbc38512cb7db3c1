# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
noinst_LTLIBRARIES += %D%/libworklist.la
%C%_libworklist_la_SOURCES = \
	%D%/absences.c \
	%D%/absences.h \
	%D%/audiences.c \
	%D%/audiences.h \
	%D%/busy.c \
	%D%/busy.h \
	%D%/decisions.c \
	%D%/decisions.h \
	%D%/departures.c \
	%D%/departures.h \
	%D%/deputies.c \
	%D%/deputies.h \
	%D%/entry.c \
	%D%/entry_priv.h \
	%D%/facts.c \
	%D%/facts.h \
	%D%/facts_fold.c \
	%D%/facts_priv.h \
	%D%/list.c \
	%D%/list.h \
	%D%/listeners.c \
	%D%/listeners.h \
	%D%/org_cache.c \
	%D%/org_cache.h \
	%D%/org_cache_priv.h \
	%D%/org_edit.c \
	%D%/org_edit.h \
	%D%/piles.c \
	%D%/piles.h

# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libengine.la
%C%_libengine_la_SOURCES = \
	%D%/apply.c \
	%D%/case.h \
	%D%/check.c \
	%D%/commands.def \
	%D%/encode.c \
	%D%/event.c \
	%D%/event.h \
	%D%/events.def \
	%D%/flow.c \
	%D%/item.c \
	%D%/item_moves.def \
	%D%/kernel.c \
	%D%/kernel.h \
	%D%/limits.def \
	%D%/mapping.c \
	%D%/memory.c \
	%D%/or_join.h \
	%D%/output.c \
	%D%/record.c \
	%D%/record.h \
	%D%/state.c \
	%D%/state.h \
	%D%/statuses.def \
	%D%/undo.c \
	%D%/undo.h \
	%D%/view.c

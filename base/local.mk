# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
noinst_LTLIBRARIES += %D%/libbase.la
%C%_libbase_la_SOURCES = \
	%D%/bitset.h \
	%D%/buffer.c \
	%D%/buffer.h \
	%D%/clip.h \
	%D%/clock.c \
	%D%/clock.h \
	%D%/codec.c \
	%D%/codec.h \
	%D%/diagnostics.c \
	%D%/diagnostics.h \
	%D%/error.c \
	%D%/error.h \
	%D%/escape.c \
	%D%/escape.h \
	%D%/limits.h \
	%D%/map.c \
	%D%/map.h \
	%D%/memory.c \
	%D%/memory.h \
	%D%/panic.c \
	%D%/panic.h \
	%D%/pause.c \
	%D%/pause.h \
	%D%/random.h \
	%D%/rc.def \
	%D%/spread.h \
	%D%/time_text.c \
	%D%/time_text.h

PUBLIC += \
	%D%/buffer.h \
	%D%/diagnostics.h \
	%D%/error.h \
	%D%/limits.h \
	%D%/memory.h \
	%D%/pause.h \
	%D%/rc.def \
	%D%/spread.h

# Files become part of the program by this.
EXTRA_DIST += %D%/embed.sh

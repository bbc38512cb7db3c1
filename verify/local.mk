# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
noinst_LTLIBRARIES += %D%/libverify.la
%C%_libverify_la_SOURCES = \
	%D%/circles.c \
	%D%/circles.h \
	%D%/completion.c \
	%D%/completion.h \
	%D%/facts.c \
	%D%/facts.h \
	%D%/fallback.c \
	%D%/fallback.h \
	%D%/findings.def \
	%D%/model.c \
	%D%/model.h \
	%D%/space.c \
	%D%/space.h \
	%D%/verify.c \
	%D%/verify.h \
	%D%/witness.c \
	%D%/witness.h \
	%D%/words.c

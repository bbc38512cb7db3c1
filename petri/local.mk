# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
noinst_LTLIBRARIES += %D%/libpetri.la
%C%_libpetri_la_SOURCES = \
	%D%/backward.c \
	%D%/backward.h \
	%D%/bag.c \
	%D%/bag.h \
	%D%/cover.c \
	%D%/cover.h \
	%D%/expand.c \
	%D%/forward.c \
	%D%/forward.h \
	%D%/heap.h \
	%D%/invariant.c \
	%D%/invariant.h \
	%D%/net.c \
	%D%/net.h \
	%D%/problem.h \
	%D%/read_mist.c \
	%D%/read_pnml.c \
	%D%/reduce.c \
	%D%/reduce.h \
	%D%/relax.c \
	%D%/relax.h \
	%D%/xml.c \
	%D%/xml.h

# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libpetri.la
%C%_libpetri_la_SOURCES = \
	%D%/backward.c \
	%D%/backward.h \
	%D%/bag.c \
	%D%/bag.h \
	%D%/expand.c \
	%D%/forward.c \
	%D%/forward.h \
	%D%/heap.h \
	%D%/invariant.c \
	%D%/invariant.h \
	%D%/net.c \
	%D%/net.h \
	%D%/reduce.c \
	%D%/reduce.h \
	%D%/relax.c \
	%D%/relax.h

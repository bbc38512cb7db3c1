# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
noinst_LTLIBRARIES += %D%/libform.la
%C%_libform_la_SOURCES = \
	%D%/form.c \
	%D%/form.h \
	%D%/hints.c \
	%D%/hints.h

# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
noinst_LTLIBRARIES += %D%/liboperation.la
%C%_liboperation_la_SOURCES = \
	%D%/change.c \
	%D%/change.h \
	%D%/plan.c \
	%D%/plan.h \
	%D%/prospect.c \
	%D%/prospect.h

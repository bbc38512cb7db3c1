# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libapp.la
%C%_libapp_la_SOURCES = \
	%D%/app.c \
	%D%/app.h \
	%D%/app_priv.h \
	%D%/first_account.c \
	%D%/refresh.c \
	%D%/systemd.c \
	%D%/systemd.h

EXTRA_DIST += %D%/README.md

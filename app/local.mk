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

# One archive of all that a server consists of.
%C%_libapp_la_LIBADD = migration/libmigration.la yawl/libyawl.la \
	rest/librest.la server/libserver.la work/libwork.la \
	identity/libidentity.la \
	worklist/libworklist.la history/libhistory.la \
	http/libhttp.la draw/libdraw.la form/libform.la
EXTRA_DIST += %D%/README.md

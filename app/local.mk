# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libapp.la
%C%_libapp_la_SOURCES = \
	%D%/server.c \
	%D%/server.h \
	%D%/systemd.c \
	%D%/systemd.h


# One archive of all that a server consists of.
%C%_libapp_la_LIBADD = migration/libmigration.la yawl/libyawl.la \
	rest/librest.la server/libserver.la work/libwork.la \
	history/libhistory.la http/libhttp.la draw/libdraw.la

# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libapp.la
%C%_libapp_la_SOURCES = \
	%D%/server.c \
	%D%/server.h \
	%D%/systemd.c \
	%D%/systemd.h

# The description of the interface becomes part of the program.
BUILT_SOURCES += services/openapi.inc
CLEANFILES += services/openapi.inc
services/openapi.inc: base/embed.sh schemas/openapi.yaml
	$(AM_V_GEN)$(MKDIR_P) %D% && \
		sh $(srcdir)/base/embed.sh openapi \
			$(srcdir)/schemas/openapi.yaml >$@.new && \
		mv $@.new $@
services/rest_welcome.lo: services/openapi.inc

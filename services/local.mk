# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libservices.la
%C%_libservices_la_SOURCES = \
	%D%/server.c \
	%D%/server.h

# The description of the interface becomes part of the program.
BUILT_SOURCES += services/openapi.inc
CLEANFILES += services/openapi.inc
services/openapi.inc: base/embed.sh schemas/openapi.yaml
	$(AM_V_GEN)$(MKDIR_P) %D% && \
		sh $(srcdir)/base/embed.sh openapi \
			$(srcdir)/schemas/openapi.yaml >$@.new && \
		mv $@.new $@
services/rest_welcome.lo: services/openapi.inc

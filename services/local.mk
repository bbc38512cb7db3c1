# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libservices.la
%C%_libservices_la_SOURCES = \
	%D%/server.c \
	%D%/server.h \
	%D%/yawl_export.c \
	%D%/yawl_import.c \
	%D%/yawl_import.h \
	%D%/yawl_import_action.c \
	%D%/yawl_import_case.c \
	%D%/yawl_import_items.c \
	%D%/yawl_import_priv.h \
	%D%/yawl_move.c \
	%D%/yawl_move.h \
	%D%/yawl_move_cases.c \
	%D%/yawl_move_priv.h \
	%D%/yawl_remote.c \
	%D%/yawl_remote.h

# The description of the interface becomes part of the program.
BUILT_SOURCES += services/openapi.inc
CLEANFILES += services/openapi.inc
services/openapi.inc: base/embed.sh schemas/openapi.yaml
	$(AM_V_GEN)$(MKDIR_P) %D% && \
		sh $(srcdir)/base/embed.sh openapi \
			$(srcdir)/schemas/openapi.yaml >$@.new && \
		mv $@.new $@
services/rest_welcome.lo: services/openapi.inc

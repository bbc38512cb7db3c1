# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libservices.la
%C%_libservices_la_SOURCES = \
	%D%/server.c \
	%D%/server.h \
	%D%/sha1.c \
	%D%/sha1.h \
	%D%/yawl.c \
	%D%/yawl.h \
	%D%/yawl_account.c \
	%D%/yawl_actions.def \
	%D%/yawl_announce.c \
	%D%/yawl_announce.h \
	%D%/yawl_book.c \
	%D%/yawl_book.h \
	%D%/yawl_case.c \
	%D%/yawl_client.c \
	%D%/yawl_client.h \
	%D%/yawl_command.c \
	%D%/yawl_export.c \
	%D%/yawl_form.c \
	%D%/yawl_import.c \
	%D%/yawl_import.h \
	%D%/yawl_import_action.c \
	%D%/yawl_import_case.c \
	%D%/yawl_import_items.c \
	%D%/yawl_import_priv.h \
	%D%/yawl_item.c \
	%D%/yawl_log.c \
	%D%/yawl_log.h \
	%D%/yawl_log_case.c \
	%D%/yawl_log_specification.c \
	%D%/yawl_move.c \
	%D%/yawl_move.h \
	%D%/yawl_move_cases.c \
	%D%/yawl_move_priv.h \
	%D%/yawl_parameter.c \
	%D%/yawl_parameter.h \
	%D%/yawl_reannounce.c \
	%D%/yawl_record.c \
	%D%/yawl_record.h \
	%D%/yawl_remote.c \
	%D%/yawl_remote.h \
	%D%/yawl_service.c \
	%D%/yawl_service.h \
	%D%/yawl_session.c \
	%D%/yawl_session.h \
	%D%/yawl_specification.c \
	%D%/yawl_state.c \
	%D%/yawl_summary.c \
	%D%/yawl_system.c

# The description of the interface becomes part of the program.
BUILT_SOURCES += services/openapi.inc
CLEANFILES += services/openapi.inc
services/openapi.inc: base/embed.sh schemas/openapi.yaml
	$(AM_V_GEN)$(MKDIR_P) %D% && \
		sh $(srcdir)/base/embed.sh openapi \
			$(srcdir)/schemas/openapi.yaml >$@.new && \
		mv $@.new $@
services/rest_welcome.lo: services/openapi.inc

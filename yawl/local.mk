# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libyawl.la
%C%_libyawl_la_SOURCES = \
	%D%/actions.def \
	%D%/announcement.c \
	%D%/announcement.h \
	%D%/announcement_form.c \
	%D%/client.c \
	%D%/client.h \
	%D%/interface_a_account.c \
	%D%/interface_a_service.c \
	%D%/interface_a_service.h \
	%D%/interface_b_case.c \
	%D%/interface_b_command.c \
	%D%/interface_b_item.c \
	%D%/interface_b_reannounce.c \
	%D%/interface_b_specification.c \
	%D%/interface_b_state.c \
	%D%/interface_b_summary.c \
	%D%/interface_b_system.c \
	%D%/interface_e.c \
	%D%/interface_e.h \
	%D%/interface_e_case.c \
	%D%/interface_e_specification.c \
	%D%/item_record.c \
	%D%/item_record.h \
	%D%/log_keys.c \
	%D%/log_keys.h \
	%D%/parameter.c \
	%D%/parameter.h \
	%D%/route.c \
	%D%/session.c \
	%D%/session.h \
	%D%/sha1.c \
	%D%/sha1.h \
	%D%/yawl.c \
	%D%/yawl.h

EXTRA_DIST += %D%/README.md

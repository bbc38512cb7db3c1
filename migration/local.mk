# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/libmigration.la
%C%_libmigration_la_SOURCES = \
	%D%/actions.c \
	%D%/actions.def \
	%D%/actions.h \
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

EXTRA_DIST += %D%/README.md

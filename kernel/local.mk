# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += %D%/README.md
noinst_LTLIBRARIES += %D%/libkernel.la
%C%_libkernel_la_SOURCES = \
	%D%/apply.c \
	%D%/assignment/assignment.h \
	%D%/assignment/assignment_moves.def \
	%D%/assignment/assignment_state.c \
	%D%/assignment/assignment_state.h \
	%D%/assignment/assignment_step.c \
	%D%/assignment/cost_step.c \
	%D%/assignment/urgency_state.c \
	%D%/assignment/urgency_step.c \
	%D%/assignment/work_state.c \
	%D%/case.h \
	%D%/case_data.c \
	%D%/change/migrate.h \
	%D%/change/migrate_case.c \
	%D%/change/migrate_check.c \
	%D%/change/migrate_plan.c \
	%D%/change/migrate_priv.h \
	%D%/change/repair.c \
	%D%/change/repair.def \
	%D%/change/repair.h \
	%D%/check.c \
	%D%/command.h \
	%D%/commands.def \
	%D%/emit.c \
	%D%/encode.c \
	%D%/event.c \
	%D%/event.h \
	%D%/events.def \
	%D%/flow.c \
	%D%/import.c \
	%D%/import.def \
	%D%/import.h \
	%D%/import_item.c \
	%D%/import_priv.h \
	%D%/item.c \
	%D%/item_moves.def \
	%D%/kernel.c \
	%D%/kernel.h \
	%D%/limits.def \
	%D%/log.c \
	%D%/mapping.c \
	%D%/memory.c \
	%D%/or_join/or_join.h \
	%D%/or_join/or_join_command.c \
	%D%/or_join/or_join_compile.c \
	%D%/or_join/or_join_decide.c \
	%D%/or_join/or_join_memory.c \
	%D%/or_join/or_join_net.c \
	%D%/or_join/or_join_priv.h \
	%D%/or_join/or_join_search.c \
	%D%/or_join/or_join_state.c \
	%D%/or_join/or_join_state.h \
	%D%/or_join/or_join_witness.c \
	%D%/output.c \
	%D%/places.c \
	%D%/places.h \
	%D%/record.c \
	%D%/record.h \
	%D%/state.c \
	%D%/step_memory.c \
	%D%/state.h \
	%D%/statuses.def \
	%D%/step.h \
	%D%/timer.c \
	%D%/undo.c \
	%D%/undo.h \
	%D%/view.c \
	%D%/view.h \
	%D%/why.c \
	%D%/why.h

PUBLIC += \
	%D%/assignment/assignment.h \
	%D%/case.h \
	%D%/change/repair.def \
	%D%/change/repair.h \
	%D%/command.h \
	%D%/commands.def \
	%D%/limits.def \
	%D%/statuses.def \
	%D%/why.h

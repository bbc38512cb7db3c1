# SPDX-License-Identifier: Apache-2.0
bin_PROGRAMS += weft
weft_SOURCES = \
	%D%/admin/accounts.c \
	%D%/admin/bench_command.c \
	%D%/admin/db.c \
	%D%/admin/db.h \
	%D%/admin/db_check.c \
	%D%/admin/db_retire.c \
	%D%/admin/import_yawl.c \
	%D%/admin/serve.c \
	%D%/admin/setting_types.def \
	%D%/admin/settings.c \
	%D%/admin/settings.def \
	%D%/admin/settings.h \
	%D%/admin/settings_value.c \
	%D%/check/check.c \
	%D%/check/check.h \
	%D%/check/check_json.c \
	%D%/check/check_text.c \
	%D%/check/check_words.c \
	%D%/check/cover.c \
	%D%/check/cover_net.c \
	%D%/check/cover_net.h \
	%D%/check/query.c \
	%D%/commands.c \
	%D%/commands.def \
	%D%/commands.h \
	%D%/completion.c \
	%D%/duration.c \
	%D%/duration.h \
	%D%/draw/draw_command.c \
	%D%/draw/new.c \
	%D%/help.c \
	%D%/help.h \
	%D%/json_text.c \
	%D%/json_text.h \
	%D%/main.c \
	%D%/options.c \
	%D%/options.h \
	%D%/people/answer.c \
	%D%/people/people.h \
	%D%/people/people_command.c \
	%D%/remote/connection.c \
	%D%/remote/connection.h \
	%D%/remote/progress.c \
	%D%/remote/progress.h \
	%D%/remote/remote.c \
	%D%/remote/remote_account.c \
	%D%/remote/remote_account.h \
	%D%/remote/remote.def \
	%D%/remote/remote.h \
	%D%/remote/remote_case.c \
	%D%/remote/remote_change.c \
	%D%/remote/remote_data.c \
	%D%/remote/remote_document.c \
	%D%/remote/remote_names.c \
	%D%/remote/remote_operation.c \
	%D%/remote/remote_options.c \
	%D%/remote/remote_organisation.c \
	%D%/remote/remote_print.c \
	%D%/remote/remote_entry.c \
	%D%/remote/remote_subscription.c \
	%D%/remote/remote_verbs.c \
	%D%/run/drive.c \
	%D%/run/drive.h \
	%D%/run/narration.c \
	%D%/run/narration.h \
	%D%/run/reference.c \
	%D%/run/reference.h \
	%D%/run/run.c \
	%D%/run/trace.c \
	%D%/run/trace.h \
	%D%/scenario/expect.c \
	%D%/scenario/expect.h \
	%D%/scenario/expect_people.c \
	%D%/scenario/expect_people.h \
	%D%/scenario/expect_urgency.c \
	%D%/scenario/expect_urgency.h \
	%D%/scenario/notation.c \
	%D%/scenario/notation.h \
	%D%/scenario/notation_task.c \
	%D%/scenario/notation_write.c \
	%D%/scenario/people_lines.c \
	%D%/scenario/people_lines.h \
	%D%/scenario/scenario.c \
	%D%/scenario/scenario.h \
	%D%/scenario/script.c \
	%D%/scenario/script.h \
	%D%/scenario/session.c \
	%D%/scenario/session.h \
	%D%/scenario/session_facts.c \
	%D%/scenario/session_facts.h \
	%D%/scenario/shadow_run.c \
	%D%/scenario/shadow_run.h \
	%D%/scenario/test.c \
	%D%/scenario/words.c \
	%D%/scenario/words.h \
	%D%/similar.c \
	%D%/similar.h
EXTRA_DIST += %D%/README.md
weft_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBEXECDIR='"$(pkglibexecdir)"'
weft_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)

# Prints the man page, for docs/local.mk.
noinst_PROGRAMS += %D%/manual
%C%_manual_SOURCES = %D%/commands.c %D%/manual.c %D%/similar.c
%C%_manual_LDADD = base/libbase.la

# SPDX-License-Identifier: Apache-2.0

# --- unit tests: one suite per file, named in suites.def

if CUNIT
check_PROGRAMS += %D%/unit/unit
unit-tests: $(BUILT_SOURCES)
	$(MAKE) %D%/unit/unit
else
unit-tests:
endif
.PHONY: unit-tests
%C%_unit_unit_SOURCES = \
	%D%/unit/disk.c \
	%D%/unit/disk.h \
	%D%/unit/engine_fixture.c \
	%D%/unit/engine_fixture.h \
	%D%/unit/main.c \
	%D%/unit/office_fixture.c \
	%D%/unit/office_fixture.h \
	%D%/unit/or_join_model.c \
	%D%/unit/or_join_model.h \
	%D%/unit/random_net.c \
	%D%/unit/random_net.h \
	%D%/message_queues.h \
	%D%/unit/seed.h \
	%D%/unit/simulation.h \
	%D%/unit/simulation_clients.c \
	%D%/unit/simulation_counts.def \
	%D%/unit/simulation_model.c \
	%D%/unit/statistic_recount.c \
	%D%/unit/statistic_recount.h \
	%D%/unit/store_cost.c \
	%D%/unit/store_cost.h \
	%D%/unit/store_dump.c \
	%D%/unit/store_dump.h \
	%D%/unit/store_fixture.c \
	%D%/unit/store_fixture.h \
	%D%/unit/store_random.c \
	%D%/unit/strict_store.c \
	%D%/unit/strict_store.h \
	%D%/unit/suites.def \
	%D%/unit/test_alarms.c \
	%D%/unit/test_announcements.c \
	%D%/unit/test_answer_cache.c \
	%D%/unit/test_subscriptions.c \
	%D%/unit/test_atomic.c \
	%D%/unit/test_backlog.c \
	%D%/unit/test_base.c \
	%D%/unit/test_batch.c \
	%D%/unit/test_calendar.c \
	%D%/unit/test_columns.c \
	%D%/unit/test_costs.c \
	%D%/unit/test_disk.c \
	%D%/unit/test_documents.c \
	%D%/unit/test_figures.c \
	%D%/unit/test_find.c \
	%D%/unit/test_indexes.c \
	%D%/unit/test_own_cases.c \
	%D%/unit/test_pages.c \
	%D%/unit/test_due.c \
	%D%/unit/test_due_commands.c \
	%D%/unit/test_engine_threads.c \
	%D%/unit/test_facts.c \
	%D%/unit/test_histogram.c \
	%D%/unit/test_statistics.c \
	%D%/unit/test_followers.c \
	%D%/unit/test_fairness.c \
	%D%/unit/test_form.c \
	%D%/unit/test_failures.c \
	%D%/unit/test_history.c \
	%D%/unit/test_http.c \
	%D%/unit/test_identity.c \
	%D%/unit/test_import.c \
	%D%/unit/test_migrate.c \
	%D%/unit/test_migrations.c \
	%D%/unit/test_integrity.c \
	%D%/unit/test_item_queues.c \
	%D%/unit/test_json.c \
	%D%/unit/test_kernel.c \
	%D%/unit/test_leases.c \
	%D%/unit/test_load.c \
	%D%/unit/test_long_steps.c \
	%D%/unit/test_moments.c \
	%D%/unit/test_nodes.c \
	%D%/unit/test_or_join.c \
	%D%/unit/test_petri.c \
	%D%/unit/test_places.c \
	%D%/unit/test_organisation.c \
	%D%/unit/test_people.c \
	%D%/unit/test_postgresql.c \
	%D%/unit/test_postgresql_nodes.c \
	%D%/unit/test_provider.c \
	%D%/unit/test_query.c \
	%D%/unit/test_query_limits.c \
	%D%/unit/test_record_cache.c \
	%D%/unit/test_record_kinds.c \
	%D%/unit/test_requests.c \
	%D%/unit/test_runtime.c \
	%D%/unit/test_schema_limits.c \
	%D%/unit/test_searches.c \
	%D%/unit/test_sender.c \
	%D%/unit/test_sessions.c \
	%D%/unit/test_sharing.c \
	%D%/unit/test_simulation.c \
	%D%/unit/test_spec.c \
	%D%/unit/test_sqlite.c \
	%D%/unit/test_starts.c \
	%D%/unit/test_store.c \
	%D%/unit/test_store_alike.c \
	%D%/unit/test_store_migrated.c \
	%D%/unit/test_store_outcomes.c \
	%D%/unit/test_store_queues.c \
	%D%/unit/test_store_records.c \
	%D%/unit/test_store_stream.c \
	%D%/unit/test_timers.c \
	%D%/unit/test_tracing.c \
	%D%/unit/test_type.c \
	%D%/unit/test_upgrade.c \
	%D%/unit/test_value.c \
	%D%/unit/test_verify.c \
	%D%/unit/test_work.c \
	%D%/unit/test_worklist.c \
	%D%/unit/test_yawl.c \
	%D%/unit/type_fixture.c \
	%D%/unit/type_fixture.h
%C%_unit_unit_CPPFLAGS = $(AM_CPPFLAGS) $(CUNIT_CFLAGS)
%C%_unit_unit_LDADD = form/libform.la yawl/libyawl.la operation/liboperation.la server/libserver.la work/libwork.la \
	identity/libidentity.la worklist/libworklist.la history/libhistory.la \
	tracing/libtracing.la http/libhttp.la \
	$(LAYER_LIBS) $(MICROHTTPD_LIBS) $(SODIUM_LIBS) $(CURL_LIBS) $(GNUTLS_LIBS) \
	$(LDAP_LIBS) \
	$(CUNIT_LIBS)

# --- programs that check-NAME.sh runs

check_PROGRAMS += \
	%D%/roundtrip \
	%D%/saxon/compare \
	%D%/verdicts
%C%_saxon_compare_SOURCES = %D%/saxon/compare.c
%C%_saxon_compare_LDADD = $(LAYER_LIBS)
%C%_roundtrip_SOURCES = %D%/roundtrip.c
%C%_roundtrip_LDADD = $(LAYER_LIBS)
%C%_verdicts_SOURCES = %D%/verdicts.c
%C%_verdicts_LDADD = $(LAYER_LIBS)

# --- crashes: clients at work and the proof; the statements of a store go
# --- through faults.c, and builds that are broken on purpose lie to the engine

check_PROGRAMS += \
	%D%/crash/broken_early \
	%D%/crash/broken_unguarded \
	%D%/crash/crash \
	%D%/crash/proxy
crash_sources = \
	%D%/crash/check.c \
	%D%/crash/check.h \
	%D%/crash/check_cases.c \
	%D%/crash/check_people.c \
	%D%/crash/check_streams.c \
	%D%/crash/crash.c \
	%D%/crash/facts.c \
	%D%/crash/facts.h \
	%D%/crash/faults.c \
	%D%/crash/faults.h \
	%D%/crash/mix.c \
	%D%/crash/mix.h \
	%D%/crash/people.c \
	%D%/crash/people.h \
	%D%/crash/poison.c \
	%D%/crash/poison.h \
	%D%/crash/records.c \
	%D%/crash/records.h \
	%D%/crash/work.c \
	%D%/crash/work.h \
	%D%/unit/disk.c \
	$(scenario_sources)
scenario_libs = worklist/libworklist.la history/libhistory.la
crash_wraps = -Wl,--wrap=wf_statement -Wl,--wrap=wf_statement_end \
	-Wl,--wrap=wf_store_commit
broken_wraps = $(crash_wraps) -Wl,--wrap=wf_store_begin
%C%_crash_crash_SOURCES = $(crash_sources)
%C%_crash_crash_LDFLAGS = $(AM_LDFLAGS) $(crash_wraps)
%C%_crash_crash_LDADD = $(scenario_libs) $(LAYER_LIBS)
%C%_crash_broken_early_SOURCES = %D%/crash/broken_early.c $(crash_sources)
%C%_crash_broken_early_LDFLAGS = $(AM_LDFLAGS) $(broken_wraps) \
	-Wl,--wrap=wf_shard_turn
%C%_crash_broken_early_LDADD = $(scenario_libs) $(LAYER_LIBS)
%C%_crash_broken_unguarded_SOURCES = \
	%D%/crash/broken_unguarded.c $(crash_sources)
%C%_crash_broken_unguarded_LDFLAGS = $(AM_LDFLAGS) $(broken_wraps)
%C%_crash_broken_unguarded_LDADD = $(scenario_libs) $(LAYER_LIBS)
%C%_crash_proxy_SOURCES = %D%/crash/proxy.c
%C%_crash_proxy_LDADD = $(LAYER_LIBS)

# --- fuzz targets: replay-NAME runs fuzz_NAME.c over the files of corpus-NAME

check_PROGRAMS += \
	%D%/fuzz/replay-calendar \
	%D%/fuzz/replay-document \
	%D%/fuzz/replay-export \
	%D%/fuzz/replay-form \
	%D%/fuzz/replay-grants \
	%D%/fuzz/replay-head \
	%D%/fuzz/replay-histogram \
	%D%/fuzz/replay-json \
	%D%/fuzz/replay-people \
	%D%/fuzz/replay-petri \
	%D%/fuzz/replay-query \
	%D%/fuzz/replay-request \
	%D%/fuzz/replay-script \
	%D%/fuzz/replay-spec \
	%D%/fuzz/replay-state \
	%D%/fuzz/replay-token \
	%D%/fuzz/replay-trace \
	%D%/fuzz/replay-value \
	%D%/fuzz/replay-where
%C%_fuzz_replay_calendar_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_calendar.c
%C%_fuzz_replay_calendar_LDADD = $(LAYER_LIBS)
%C%_fuzz_replay_document_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_document.c
%C%_fuzz_replay_document_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_replay_export_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_export.c
%C%_fuzz_replay_export_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_replay_form_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_form.c
%C%_fuzz_replay_form_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_replay_grants_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_grants.c
%C%_fuzz_replay_grants_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_replay_head_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_head.c
%C%_fuzz_replay_head_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_replay_histogram_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_histogram.c
%C%_fuzz_replay_histogram_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_replay_json_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_json.c
%C%_fuzz_replay_json_LDADD = $(LAYER_LIBS)
%C%_fuzz_replay_people_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_people.c
%C%_fuzz_replay_people_LDADD = $(LAYER_LIBS)
%C%_fuzz_replay_petri_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_petri.c
%C%_fuzz_replay_petri_LDADD = $(LAYER_LIBS)
%C%_fuzz_replay_query_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_query.c
%C%_fuzz_replay_query_LDADD = $(LAYER_LIBS)
# It has an HTTP library of its own.
%C%_fuzz_replay_request_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_request.c
%C%_fuzz_replay_request_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
script_sources = %D%/fuzz/fuzz_script.c $(scenario_sources)
scenario_sources = \
	cli/scenario/expect.c \
	cli/scenario/expect_people.c \
	cli/scenario/expect_urgency.c \
	cli/scenario/notation.c \
	cli/scenario/notation_task.c \
	cli/scenario/notation_write.c \
	cli/scenario/people_lines.c \
	cli/run/reference.c \
	cli/scenario/scenario.c \
	cli/scenario/script.c \
	cli/scenario/session.c \
	cli/scenario/session_facts.c \
	cli/run/trace.c \
	cli/scenario/shadow_run.c \
	cli/scenario/words.c
%C%_fuzz_replay_script_SOURCES = %D%/fuzz/replay.c $(script_sources)
%C%_fuzz_replay_script_LDADD = $(scenario_libs) $(LAYER_LIBS)
%C%_fuzz_replay_spec_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_spec.c
%C%_fuzz_replay_spec_LDADD = $(LAYER_LIBS)
%C%_fuzz_replay_state_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_state.c
%C%_fuzz_replay_state_LDADD = $(LAYER_LIBS)
%C%_fuzz_replay_token_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_token.c
%C%_fuzz_replay_token_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_replay_trace_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_trace.c
%C%_fuzz_replay_trace_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_replay_value_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_value.c
%C%_fuzz_replay_value_LDADD = $(LAYER_LIBS)
%C%_fuzz_replay_where_SOURCES = %D%/fuzz/replay.c %D%/fuzz/fuzz_where.c
%C%_fuzz_replay_where_LDADD = $(LAYER_LIBS)

if FUZZING
noinst_PROGRAMS += \
	%D%/fuzz/fuzz-calendar \
	%D%/fuzz/fuzz-document \
	%D%/fuzz/fuzz-export \
	%D%/fuzz/fuzz-form \
	%D%/fuzz/fuzz-grants \
	%D%/fuzz/fuzz-head \
	%D%/fuzz/fuzz-histogram \
	%D%/fuzz/fuzz-json \
	%D%/fuzz/fuzz-people \
	%D%/fuzz/fuzz-petri \
	%D%/fuzz/fuzz-query \
	%D%/fuzz/fuzz-request \
	%D%/fuzz/fuzz-script \
	%D%/fuzz/fuzz-spec \
	%D%/fuzz/fuzz-state \
	%D%/fuzz/fuzz-token \
	%D%/fuzz/fuzz-trace \
	%D%/fuzz/fuzz-value
endif
%C%_fuzz_fuzz_calendar_SOURCES = %D%/fuzz/fuzz_calendar.c
%C%_fuzz_fuzz_calendar_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_calendar_LDADD = $(LAYER_LIBS)
%C%_fuzz_fuzz_document_SOURCES = %D%/fuzz/fuzz_document.c
%C%_fuzz_fuzz_document_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_document_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_fuzz_export_SOURCES = %D%/fuzz/fuzz_export.c
%C%_fuzz_fuzz_export_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_export_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_fuzz_form_SOURCES = %D%/fuzz/fuzz_form.c
%C%_fuzz_fuzz_form_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_form_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_fuzz_grants_SOURCES = %D%/fuzz/fuzz_grants.c
%C%_fuzz_fuzz_grants_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_grants_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_fuzz_head_SOURCES = %D%/fuzz/fuzz_head.c
%C%_fuzz_fuzz_head_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_head_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_fuzz_histogram_SOURCES = %D%/fuzz/fuzz_histogram.c
%C%_fuzz_fuzz_histogram_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_histogram_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_fuzz_json_SOURCES = %D%/fuzz/fuzz_json.c
%C%_fuzz_fuzz_json_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_json_LDADD = $(LAYER_LIBS)
%C%_fuzz_fuzz_people_SOURCES = %D%/fuzz/fuzz_people.c
%C%_fuzz_fuzz_people_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_people_LDADD = $(LAYER_LIBS)
%C%_fuzz_fuzz_petri_SOURCES = %D%/fuzz/fuzz_petri.c
%C%_fuzz_fuzz_petri_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_petri_LDADD = $(LAYER_LIBS)
%C%_fuzz_fuzz_query_SOURCES = %D%/fuzz/fuzz_query.c
%C%_fuzz_fuzz_query_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_query_LDADD = $(LAYER_LIBS)
%C%_fuzz_fuzz_request_SOURCES = %D%/fuzz/fuzz_request.c
%C%_fuzz_fuzz_request_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_request_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_fuzz_script_SOURCES = $(script_sources)
%C%_fuzz_fuzz_script_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_script_LDADD = $(scenario_libs) $(LAYER_LIBS)
%C%_fuzz_fuzz_spec_SOURCES = %D%/fuzz/fuzz_spec.c
%C%_fuzz_fuzz_spec_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_spec_LDADD = $(LAYER_LIBS)
%C%_fuzz_fuzz_state_SOURCES = %D%/fuzz/fuzz_state.c
%C%_fuzz_fuzz_state_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_state_LDADD = $(LAYER_LIBS)
%C%_fuzz_fuzz_token_SOURCES = %D%/fuzz/fuzz_token.c
%C%_fuzz_fuzz_token_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_token_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_fuzz_trace_SOURCES = %D%/fuzz/fuzz_trace.c
%C%_fuzz_fuzz_trace_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_trace_LDADD = $(SERVER_LIBS) $(LAYER_LIBS)
%C%_fuzz_fuzz_value_SOURCES = %D%/fuzz/fuzz_value.c
%C%_fuzz_fuzz_value_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_value_LDADD = $(LAYER_LIBS)

EXTRA_DIST += \
	%D%/fuzz/corpus-calendar \
	%D%/fuzz/corpus-document \
	%D%/fuzz/corpus-export \
	%D%/fuzz/corpus-form \
	%D%/fuzz/corpus-grants \
	%D%/fuzz/corpus-head \
	%D%/fuzz/corpus-histogram \
	%D%/fuzz/corpus-json \
	%D%/fuzz/corpus-people \
	%D%/fuzz/corpus-petri \
	%D%/fuzz/corpus-query \
	%D%/fuzz/corpus-request \
	%D%/fuzz/corpus-script \
	%D%/fuzz/corpus-spec \
	%D%/fuzz/corpus-state \
	%D%/fuzz/corpus-token \
	%D%/fuzz/corpus-trace \
	%D%/fuzz/corpus-value \
	%D%/fuzz/corpus-where

# --- targets that run them

EXTRA_DIST += \
	%D%/check-bad-input.sh \
	%D%/check-bench.sh \
	%D%/check-budgets.sh \
	%D%/check-cli.sh \
	%D%/check-client.sh \
	%D%/check-clients.sh \
	%D%/check-completion.sh \
	%D%/check-config.sh \
	%D%/check-console.sh \
	%D%/check-cover.sh \
	%D%/check-crash-http.sh \
	%D%/check-crash.sh \
	%D%/check-crash-postgresql.sh \
	%D%/check-db.sh \
	%D%/check-delivery.sh \
	%D%/check-draw.sh \
	%D%/check-embed.sh \
	%D%/check-examples.sh \
	%D%/check-failover.sh \
	%D%/check-first-process.sh \
	%D%/check-formats.sh \
	%D%/check-load.sh \
	%D%/check-package.sh \
	%D%/check-providers.sh \
	%D%/check-query.sh \
	%D%/check-readme.sh \
	%D%/check-reload.sh \
	%D%/check-rest.sh \
	%D%/check-roundtrip.sh \
	%D%/check-run.sh \
	%D%/check-saxon.sh \
	%D%/check-schema.sh \
	%D%/check-soundness.sh \
	%D%/check-systemd.sh \
	%D%/check-semantics.sh \
	%D%/check-yawl.sh \
	%D%/boot.sh \
	%D%/check.sh \
	%D%/circles.py \
	%D%/documents.py \
	%D%/events.py \
	%D%/crash/clients.py \
	%D%/crash/count.yawl \
	%D%/console.sh \
	%D%/crash/lib.sh \
	%D%/crash/mix.wfs \
	%D%/format.sh \
	%D%/formats \
	%D%/layers.sh \
	%D%/follow.sh \
	%D%/lib.sh \
	%D%/saxon/Corpus.java \
	%D%/saxon/Differential.java \
	%D%/saxon/Documents.java \
	%D%/saxon/Queries.java \
	%D%/lsan.supp \
	%D%/postgresql.sh \
	%D%/clients \
	%D%/delivery \
	%D%/load \
	%D%/providers \
	%D%/rest \
	%D%/scenarios \
	%D%/sources.sh \
	%D%/structure.sh \
	%D%/unused.py \
	%D%/words.sh \
	%D%/draw \
	%D%/yawl

# "all" is a make of its own: not at the same time as the rest.
check-programs: all
	$(MAKE) $(check_PROGRAMS)
.PHONY: check-programs

check-local:
	bash $(srcdir)/%D%/check.sh .

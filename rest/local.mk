# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += %D%/librest.la
%C%_librest_la_SOURCES = \
	%D%/rest.c \
	%D%/rest.h \
	%D%/rest_absence.c \
	%D%/rest_action.c \
	%D%/account/rest_account.c \
	%D%/account/rest_audit.c \
	%D%/rest_browser.c \
	%D%/rest_case.c \
	%D%/case/rest_allowed.c \
	%D%/case/rest_moment.c \
	%D%/case/rest_moment.h \
	%D%/case/rest_waiting.c \
	%D%/case/rest_waiting.h \
	%D%/change/rest_change.c \
	%D%/change/rest_change.h \
	%D%/change/rest_repair.c \
	%D%/rest_claim.c \
	%D%/rest_command.c \
	%D%/rest_comment.c \
	%D%/rest_data.c \
	%D%/rest_data.h \
	%D%/document/rest_document.c \
	%D%/document/rest_document.h \
	%D%/document/rest_document_right.c \
	%D%/rest_draft.c \
	%D%/rest_events.c \
	%D%/rest_find.c \
	%D%/rest_form.c \
	%D%/rest_history.c \
	%D%/incident/rest_incident.c \
	%D%/incident/rest_incident.h \
	%D%/incident/rest_incident_bulk.c \
	%D%/incident/rest_incident_groups.c \
	%D%/rest_index.c \
	%D%/rest_item.c \
	%D%/rest_item.h \
	%D%/rest_item_data.c \
	%D%/rest_load.c \
	%D%/rest_metrics.c \
	%D%/rest_needs.c \
	%D%/account/rest_oidc.c \
	%D%/rest_organisation.c \
	%D%/overview/rest_case_counts.c \
	%D%/overview/rest_overview.c \
	%D%/overview/rest_overview.h \
	%D%/overview/rest_server.c \
	%D%/overview/rest_service_state.c \
	%D%/overview/rest_service_test.c \
	%D%/rest_organisation_file.c \
	%D%/rest_own_case.c \
	%D%/page/rest_page.c \
	%D%/page/rest_page.h \
	%D%/page/rest_welcome.c \
	%D%/rest_pause.c \
	%D%/operation/rest_operation.c \
	%D%/rest_people.c \
	%D%/rest_people.h \
	%D%/picture/report_json.c \
	%D%/picture/rest_check.c \
	%D%/picture/rest_nets.c \
	%D%/picture/rest_picture.h \
	%D%/picture/rest_standing.c \
	%D%/rest_pile.c \
	%D%/rest_right.c \
	%D%/rest_route.c \
	%D%/rest_service.c \
	%D%/account/rest_session.c \
	%D%/account/rest_session.h \
	%D%/rest_specification.c \
	%D%/rest_start.c \
	%D%/subscription/rest_subscription.c \
	%D%/statistics/process_metrics.c \
	%D%/statistics/process_metrics.h \
	%D%/statistics/rest_statistics.c \
	%D%/rest_system.c \
	%D%/rest_taken.c \
	%D%/rest_urgency.c \
	%D%/account/rest_kept.c \
	%D%/search/rest_search.c \
	%D%/search/rest_search.h \
	%D%/worklist/rest_worklist.c \
	%D%/worklist/worklist_priv.h \
	%D%/worklist/worklist_query.c \
	%D%/worklist/worklist_queues.c \
	%D%/worklist/worklist_row.c \
	%D%/worklist/worklist_words.c \
	%D%/routes.def

# The description of the interface becomes part of the program.
BUILT_SOURCES += rest/openapi.inc
CLEANFILES += rest/openapi.inc
rest/openapi.inc: base/embed.sh schemas/openapi.yaml
	$(AM_V_GEN)$(MKDIR_P) %D% && \
		sh $(srcdir)/base/embed.sh openapi \
			$(srcdir)/schemas/openapi.yaml >$@.new && \
		mv $@.new $@
rest/page/rest_welcome.lo: rest/openapi.inc

# So does the page for browsers, if there is one: npm has made it of console/,
# or does that now (see configure.ac).
BUILT_SOURCES += rest/page/page.inc
CLEANFILES += rest/page/page.inc
rest/page/page.inc: rest/page/embed.sh build-aux/console.sh $(CONSOLE_FILES)
	$(AM_V_GEN)$(MKDIR_P) %D%/page && $(CONSOLE_MAKE) \
		sh $(srcdir)/rest/page/embed.sh "$(CONSOLE_PAGE)" >$@.new && \
		mv $@.new $@
rest/page/rest_page.lo: rest/page/page.inc
EXTRA_DIST += %D%/README.md %D%/page/embed.sh

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a specification that was loaded is sound, and its rules for people
 * are right.  The analysis is advice, so it comes after the loading, and within
 * bounds that count, not with a clock: about a second on a slow machine.  "weft
 * check" has no such bounds.
 */
#include "server/soundness.h"

#include "people/resourcing_check.h"
#include "verify/verify.h"
#include "worklist/org_cache.h"

#define STATES_LEAST 200U /* of a net */
#define MEMORY_BYTES ((size_t)64 << 20)
#define WORK_PER_STATE 1000U
#define TEXT_MAXIMUM_BYTES 2048U

struct checking {
	struct wf_server *server;
	struct wf_diagnostics *diagnostics;
	const struct wf_spec_file *file;
	bool logs;
};

static void log_net(const struct checking *checking, const struct wf_spec *spec,
    const struct wf_net *net, const char *text)
{
	struct wf_log_line line;

	if (!checking->logs ||
	    !wf_log_begin(&line, checking->server->settings.log, WF_LOG_WARNING,
		"specification_not_sound"))
		return;
	wf_log_text(&line, "uri", spec->uri);
	wf_log_text(&line, "version", spec->metadata.version);
	wf_log_text(&line, "net", net->decomposition->id);
	wf_log_text(&line, "text", text);
	wf_log_end(&line);
}

/* The first finding; they are in the order of their weight. */
static void put_findings(
    const struct wf_net_report *report, struct wf_buffer *text)
{
	uint32_t more = 0;
	bool first = true;

	wf_buffer_puts(text, "it is not sound: ");
	for (uint32_t i = 0; i < report->finding_count; i++) {
		const struct wf_finding *finding = &report->findings[i];

		if (finding->kind > WF_FINDING_UNBOUNDED)
			continue;
		if (first)
			wf_finding_sentence(report->net, finding, text);
		else
			more++;
		first = false;
	}
	if (more > 0)
		wf_buffer_printf(
		    text, "; %u more finding%s", more, more == 1 ? "" : "s");
	wf_buffer_puts(
	    text, "; \"weft check\" of the file shows by which tasks");
}

static void warn_of_net(struct checking *checking, const struct wf_spec *spec,
    const struct wf_net_report *report)
{
	const char *net = report->net->decomposition->id;
	struct wf_buffer text;
	char element[128];

	wf_buffer_init(&text, TEXT_MAXIMUM_BYTES);
	snprintf(element, sizeof(element), "net %.100s", net);
	if (report->sound == WF_NO) {
		put_findings(report, &text);
		log_net(checking, spec, report->net, wf_buffer_text(&text));
	} else {
		wf_buffer_printf(&text,
		    "whether it is sound is not decided in %u states; \"weft "
		    "check\" of the file decides more",
		    report->state_count);
	}
	if (checking->diagnostics != NULL)
		wf_diagnostics_add(checking->diagnostics, WF_WARNING, 0,
		    element, "%s", wf_buffer_text(&text));
	wf_buffer_free(&text);
}

struct wf_report *wf_server_analyse(
    const struct wf_spec *spec, size_t count, uint32_t states)
{
	struct wf_verify_options options = wf_verify_default;
	size_t parts = count * (spec->decomposition_count + 1);

	options.states = (uint32_t)(states / parts);
	if (options.states < STATES_LEAST)
		options.states = STATES_LEAST;
	options.bytes = MEMORY_BYTES;
	options.work = (uint64_t)WORK_PER_STATE * states / parts;
	return wf_verify(spec, &options);
}

static struct wf_report *check_spec(
    struct checking *checking, const struct wf_spec *spec, uint32_t states)
{
	struct wf_report *report =
	    wf_server_analyse(spec, checking->file->spec_count, states);

	for (uint32_t i = 0; i < report->net_count; i++)
		if (report->nets[i].sound != WF_YES)
			warn_of_net(checking, spec, &report->nets[i]);
	return report;
}

/* --- rules for people ----------------------------------------------------- */

static void report_rule(const struct checking *checking,
    const struct wf_spec *spec, const struct wf_diagnostic *one)
{
	struct wf_log_line line;

	if (checking->diagnostics != NULL)
		wf_diagnostics_add(checking->diagnostics, WF_WARNING, one->line,
		    one->element, "%s", one->message);
	if (!checking->logs ||
	    !wf_log_begin(&line, checking->server->settings.log, WF_LOG_WARNING,
		"specification_rule_wrong"))
		return;
	wf_log_text(&line, "uri", spec->uri);
	wf_log_text(&line, "version", spec->metadata.version);
	wf_log_number(&line, "line", (uint64_t)one->line);
	wf_log_text(&line, "element", one->element);
	wf_log_text(&line, "text", one->message);
	wf_log_end(&line);
}

/* Names are checked where the server decides about people. */
static void check_rules(
    const struct checking *checking, const struct wf_spec *spec)
{
	struct wf_server *server = checking->server;
	struct wf_diagnostics *found = wf_diagnostics_new("");
	const struct wf_diagnostic *one;
	struct wf_organisation *organisation;

	wf_resourcing_check(spec, found);
	if (server->settings.people) {
		organisation = wf_org_cache_get(server->organisation);
		wf_resourcing_check_names(spec, organisation, found);
		wf_organisation_unref(&organisation);
	}
	for (size_t i = 0; i < wf_diagnostics_count(found); i++) {
		one = wf_diagnostics_at(found, i);
		if (one == NULL)
			break;
		report_rule(checking, spec, one);
	}
	wf_diagnostics_free(&found);
}

static void check_all_rules(const struct checking *checking)
{
	for (uint32_t i = 0; i < checking->file->spec_count; i++)
		check_rules(checking, checking->file->specs[i]);
}

void wf_server_check_file(struct wf_server *server,
    const struct wf_spec_file *file, uint32_t states,
    struct wf_diagnostics *diagnostics, struct wf_report **reports)
{
	struct checking checking = { server, diagnostics, file, false };

	check_all_rules(&checking);
	for (uint32_t i = 0; i < file->spec_count; i++)
		reports[i] = check_spec(&checking, file->specs[i], states);
}

void wf_server_check_soundness(struct wf_server *server, const char *xml,
    size_t length, struct wf_diagnostics *diagnostics)
{
	struct checking checking = { server, diagnostics, NULL, true };
	struct wf_diagnostics *own = wf_diagnostics_new("");
	struct wf_spec_file *file = NULL;
	struct wf_report *report;

	/* The errors were reported before; advice is left out. */
	if (wf_spec_read(&file, xml, length, own) == WF_OK) {
		checking.file = file;
		check_all_rules(&checking);
		for (uint32_t i = 0; i < file->spec_count; i++) {
			report = check_spec(
			    &checking, file->specs[i], WF_SOUNDNESS_STATES);
			wf_report_free(&report);
		}
	}
	wf_spec_file_free(&file);
	wf_diagnostics_free(&own);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of a YAWL engine, and their numbers. */
#include <stdlib.h>
#include <string.h>

#include "migration/yawl_import.h"
#include "migration/yawl_move_priv.h"

#define ACTOR "import-yawl"
#define REMARKS_MAXIMUM ((size_t)1 << 24)

/* --- numbers of cases ----------------------------------------------------- */

static uint64_t number_of(const char *id)
{
	size_t length = strlen(id);

	/* A longer text is not a number of the counter. */
	return length > 0 && length < 19 && strspn(id, "0123456789") == length
		   ? strtoull(id, NULL, 10)
		   : 0;
}

/*
 * The highest case number in the log of the engine, which has completed cases,
 * too.
 */
static enum wf_rc find_logged(
    struct moving *m, uint64_t *highest, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; i < m->spec_count && rc == WF_OK; i++) {
		const struct moved_spec *spec = &m->specs[i];
		const char *parameters[] = { "identifier", spec->identifier,
			"version", spec->version, "uri", spec->uri, NULL };
		const struct wf_xml *answer;
		const struct wf_xml *cases;

		rc = wf_move_ask(m, WF_YAWL_GATE_E, "getSpecificationCaseIDs",
		    spec->identifier[0] == '\0' ? parameters + 2 : parameters,
		    &answer, err);
		cases = rc == WF_OK ? wf_xml_child(answer, "cases") : NULL;
		for (const struct wf_xml *c = cases == NULL ? NULL
							    : cases->children;
		     c != NULL; c = c->next)
			if (number_of(c->text) > *highest)
				*highest = number_of(c->text);
	}
	return rc;
}

static enum wf_rc take_counter(struct moving *m,
    const struct wf_yawl_export *cases, size_t count, struct wf_error *err)
{
	struct wf_error none = { .rc = WF_OK };
	uint64_t highest = 0;
	const char *name;

	for (size_t i = 0; i < count; i++)
		if (number_of(cases[i].id) > highest)
			highest = number_of(cases[i].id);
	if (find_logged(m, &highest, &none) != WF_OK)
		wf_move_report(m, "counter", "cases", WF_YAWL_REMARK,
		    "the engine's log has no numbers of ended cases: new cases "
		    "may get them again");
	name = wf_arena_printf(m->arena, "of cases, from %llu on",
	    (unsigned long long)highest + 1);
	if (highest > 0 && m->engine != NULL &&
	    wf_store_reserve_above(m->store, WF_COUNTER_CASE, highest, err) !=
		WF_OK)
		return err->rc;
	wf_move_report(m, "counter", name, WF_YAWL_MOVED, "");
	return WF_OK;
}

/* --- cases ---------------------------------------------------------------- */

static const struct wf_spec *spec_of(
    const struct moving *m, const struct wf_yawl_export *exported)
{
	for (size_t i = 0; i < m->spec_count; i++)
		if (m->specs[i].file != NULL &&
		    wf_move_is_spec(exported->identifier, exported->uri,
			exported->version, &m->specs[i]))
			return m->specs[i].file->specs[0];
	return NULL;
}

static void report_remarks(
    struct moving *m, const char *name, const struct wf_buffer *remarks)
{
	const char *at = wf_buffer_text(remarks);

	while (*at != '\0') {
		size_t length = strcspn(at, "\n");

		wf_move_report(m, "case", name, WF_YAWL_REMARK,
		    wf_arena_strndup(m->arena, at, length));
		at += length + (at[length] == '\n');
	}
}

static void take_case(struct moving *m, const struct wf_yawl_export *exported)
{
	struct wf_yawl_take take = { .engine = m->engine,
		.store = m->store,
		.spec = spec_of(m, exported),
		.actor = ACTOR,
		.now = m->move->now };
	struct wf_error err = { .rc = WF_OK };
	enum wf_yawl_taking taking = WF_YAWL_TAKEN;
	struct wf_buffer remarks;
	enum wf_rc rc;

	wf_buffer_init(&remarks, REMARKS_MAXIMUM);
	if (take.spec == NULL)
		rc = wf_fail(&err, WF_NOT_FOUND,
		    "its specification was not taken: %.200s %.50s",
		    exported->uri, exported->version);
	else
		rc =
		    wf_yawl_take_case(&take, exported, &taking, &remarks, &err);
	if (rc == WF_OK) {
		wf_move_report(m, "case", exported->id,
		    taking == WF_YAWL_TAKEN ? WF_YAWL_MOVED : WF_YAWL_WAS_THERE,
		    "");
		report_remarks(m, exported->id, &remarks);
	} else {
		wf_move_report_error(m, "case", exported->id, &err);
	}
	wf_buffer_free(&remarks);
}

static enum wf_rc read_export(struct moving *m, const struct wf_xml *answer,
    struct wf_yawl_export **cases_out, size_t *count_out, struct wf_error *err)
{
	return wf_yawl_export_read(m->arena, answer->source,
	    answer->source_length, cases_out, count_out, err);
}

/*
 * Exports cases one by one, because one failing case fails the export of all.
 */
static enum wf_rc read_each(struct moving *m, struct wf_yawl_export **cases_out,
    size_t *count_out, struct wf_error *err)
{
	const struct wf_xml *answer;
	const struct wf_xml *list;
	size_t room = 0;
	enum wf_rc rc = wf_move_ask(
	    m, WF_YAWL_GATE_B, "getAllRunningCases", NULL, &answer, err);

	if (rc != WF_OK)
		return rc;
	list = wf_xml_child(answer, "AllRunningCases");
	for (const struct wf_xml *s = list == NULL ? NULL : list->children;
	     s != NULL; s = s->next)
		room += wf_move_count(s);
	*cases_out = wf_arena_array(m->arena, room, sizeof(**cases_out));
	for (const struct wf_xml *s = list == NULL ? NULL : list->children;
	     s != NULL; s = s->next)
		for (const struct wf_xml *c = s->children; c != NULL;
		     c = c->next) {
			const char *parameters[] = { "caseID", c->text, NULL };
			struct wf_error own = { .rc = WF_OK };
			struct wf_yawl_export *one;
			size_t count = 0;

			rc = wf_move_ask(m, WF_YAWL_GATE_B, "exportCaseState",
			    parameters, &answer, &own);
			if (rc == WF_OK)
				rc = read_export(m, answer, &one, &count, &own);
			if (rc == WF_OK && count == 1)
				(*cases_out)[(*count_out)++] = one[0];
			else
				wf_move_report(m, "case", c->text,
				    WF_YAWL_NOT_MOVED,
				    rc != WF_OK ? own.message
						: "it is not exported");
		}
	return WF_OK;
}

enum wf_rc wf_move_cases(struct moving *m, struct wf_error *err)
{
	struct wf_error own = { .rc = WF_OK };
	struct wf_yawl_export *cases = NULL;
	const struct wf_xml *answer;
	size_t count = 0;
	enum wf_rc rc = wf_move_ask(
	    m, WF_YAWL_GATE_B, "exportAllCaseStates", NULL, &answer, &own);

	if (rc == WF_OK)
		rc = read_export(m, answer, &cases, &count, &own);
	if (rc != WF_OK) {
		wf_move_report(
		    m, "cases", "all at once", WF_YAWL_REMARK, own.message);
		count = 0;
		rc = read_each(m, &cases, &count, err);
	}
	if (rc == WF_OK)
		rc = take_counter(m, cases, count, err);
	for (size_t i = 0; i < count && rc == WF_OK; i++) {
		wf_move_show(m, "cases", i + 1, count);
		take_case(m, &cases[i]);
	}
	return rc;
}

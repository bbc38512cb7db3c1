/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analysis of a loaded specification, and what loading a file would say of
 * it, with its pictures and its analysis; of the file nothing is stored.
 *
 * The time is bounded by a number of states, not by a clock, so that the same
 * request always has the same answer.
 */
#include <string.h>

#include "draw/draw.h"
#include "rest/picture/rest_picture.h"
#include "server/soundness.h"

/* The argument "states". */
static bool read_states(struct wf_rest *rest, uint64_t *states_out)
{
	const char *text = wf_rest_argument(rest, "states");

	*states_out = WF_SOUNDNESS_STATES;
	if (text == NULL)
		return true;
	if (!wf_rest_number(rest, "states", text, states_out))
		return false;
	if (*states_out >= 1 && *states_out <= WF_SOUNDNESS_STATES_MOST)
		return true;
	wf_rest_refuse(rest, "states: expected a number from 1 to %u",
	    WF_SOUNDNESS_STATES_MOST);
	return false;
}

/* --- a loaded specification ----------------------------------------------- */

static void analyse(
    struct wf_derived_answer *answer, const struct wf_spec *spec)
{
	struct wf_report *report =
	    wf_server_analyse(spec, 1, (uint32_t)answer->number);

	wf_rest_put_specification(&answer->text, answer->key, spec, NULL);
	wf_buffer_puts(&answer->text, ",\"check\":");
	wf_report_put(report, &answer->text);
	wf_buffer_puts(&answer->text, "}\n");
	wf_report_free(&report);
}

void wf_rest_check_specification(struct wf_rest *rest)
{
	struct wf_derived_answer answer = { .rest = rest, .make = analyse };

	if (read_states(rest, &answer.number))
		wf_rest_derive(&answer);
}

/* --- a file --------------------------------------------------------------- */

static void put_spec(struct wf_buffer *text, const struct wf_spec *spec,
    const struct wf_report *report, uint32_t *flows)
{
	json_t *name = json_object();
	struct wf_error err = { .rc = WF_OK };

	wf_json_put_text(name, "name", spec->name);
	json_object_set_new(name, "decorator", json_integer(WF_DRAW_DECORATOR));
	json_object_set_new(name, "stack", json_integer(WF_DRAW_STACK));
	wf_rest_put_specification(text, 0, spec, name);
	wf_buffer_puts(text, ",\"nets\":");
	if (wf_draw_nets(spec, flows, text, &err) != WF_OK)
		text->full = true;
	wf_buffer_puts(text, ",\"check\":");
	wf_report_put(report, text);
	wf_buffer_putc(text, '}');
}

static void put_specs(struct wf_buffer *text, const struct wf_spec_file *file,
    struct wf_report **reports)
{
	uint32_t flows = WF_GRAPHVIZ_FLOWS;

	for (uint32_t i = 0; i < file->spec_count; i++) {
		wf_buffer_puts(text, i == 0 ? "" : ",");
		put_spec(text, file->specs[i], reports[i], &flows);
		wf_report_free(&reports[i]);
	}
}

static void answer_file(struct wf_rest *rest, const struct wf_spec_file *file,
    uint32_t states, struct wf_diagnostics *diagnostics)
{
	size_t count = file == NULL ? 0 : file->spec_count;
	struct wf_report **reports =
	    wf_arena_array(rest->arena, count + 1, sizeof(*reports));
	json_t *head = json_object();
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer text;

	wf_buffer_init(&text, WF_DERIVED_BYTES);
	if (file != NULL)
		wf_server_check_file(
		    rest->server, file, states, diagnostics, reports);
	json_object_set_new(
	    head, "diagnostics", wf_rest_list_diagnostics(diagnostics));
	wf_answer_open(&text, head);
	wf_buffer_puts(&text, ",\"specifications\":[");
	if (file != NULL)
		put_specs(&text, file, reports);
	wf_buffer_puts(&text, "]}\n");
	if (wf_answer_check(&text, &err) == WF_OK)
		wf_exchange_answer(rest->exchange, 200, "application/json",
		    wf_buffer_text(&text), text.length);
	else
		wf_rest_fail(rest, &err);
	wf_buffer_free(&text);
}

void wf_rest_check_file(struct wf_rest *rest)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("");
	struct wf_spec_file *file = NULL;
	uint64_t states;
	size_t length;
	const char *xml = wf_exchange_body(rest->exchange, &length);
	bool good = read_states(rest, &states);

	if (good && wf_spec_read(&file, xml, length, diagnostics) == WF_OK)
		good = wf_rest_may_file(rest, file);
	if (good)
		answer_file(rest, file, (uint32_t)states, diagnostics);
	wf_spec_file_free(&file);
	wf_diagnostics_free(&diagnostics);
}

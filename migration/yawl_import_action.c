/* SPDX-License-Identifier: Apache-2.0 */
/* importCases of interface B: imports each case by itself. */
#include <inttypes.h>
#include <string.h>

#include "data/xml_writer.h"
#include "migration/actions.h"
#include "migration/yawl_import.h"

#define REASONS_MAXIMUM ((size_t)1 << 20)

struct importing {
	struct wf_yawl_take take;
	const struct wf_yawl_export *exported;
	struct wf_buffer *remarks; /* not used here */
	struct wf_error *err;
	enum wf_rc rc;
};

static void take_case(void *context, const struct wf_spec *spec)
{
	struct importing *importing = context;
	enum wf_yawl_taking taking;

	importing->take.spec = spec;
	importing->rc = wf_yawl_take_case(&importing->take, importing->exported,
	    &taking, importing->remarks, importing->err);
}

static uint64_t find_spec(const struct wf_specification_list *specs,
    const struct wf_yawl_export *exported)
{
	struct wf_yawl_spec_id id = { .identifier = exported->identifier,
		.version = exported->version,
		.uri = exported->uri };

	if (id.identifier[0] == '\0')
		id.identifier = NULL;
	for (size_t i = 0; i < specs->count; i++)
		if (wf_yawl_spec_is(&specs->rows[i], &id))
			return specs->rows[i].key;
	return 0;
}

static enum wf_rc import_case(struct wf_yawl_call *call,
    const struct wf_specification_list *specs,
    const struct wf_yawl_export *exported, uint64_t *number_out,
    struct wf_error *err)
{
	struct wf_engine *engine = call->server->engine;
	uint64_t key = find_spec(specs, exported);
	struct wf_buffer remarks;
	struct importing importing = { .take = { .engine = engine,
					   .actor = call->user,
					   .now = wf_engine_now(engine),
					   .renumbers = true },
		.exported = exported,
		.remarks = &remarks,
		.err = err };
	enum wf_rc rc;

	if (key == 0)
		return wf_fail(
		    err, WF_NOT_FOUND, "Specification for case is not loaded");
	rc = wf_engine_borrow(engine, &importing.take.store, err);
	if (rc != WF_OK)
		return rc;
	wf_buffer_init(&remarks, REASONS_MAXIMUM);
	rc = wf_engine_inspect_spec(engine, WF_NAMESPACE_DEFAULT, key, false,
	    take_case, &importing, err);
	wf_buffer_free(&remarks);
	wf_engine_give_back(engine, importing.take.store);
	*number_out = importing.take.number;
	return rc != WF_OK ? rc : importing.rc;
}

static void import_all(struct wf_yawl_call *call,
    const struct wf_specification_list *specs,
    const struct wf_yawl_export *cases, size_t count)
{
	struct wf_buffer reasons;
	struct wf_buffer numbers; /* cases that got one, with it */
	size_t done = 0;

	wf_buffer_init(&reasons, REASONS_MAXIMUM);
	wf_buffer_init(&numbers, REASONS_MAXIMUM);
	for (size_t i = 0; i < count; i++) {
		struct wf_error err = { .rc = WF_OK };
		uint64_t number = 0;

		if (import_case(call, specs, &cases[i], &number, &err) == WF_OK)
			done++;
		if (number != 0)
			wf_buffer_printf(&numbers, "%s %s as %" PRIu64,
			    numbers.length == 0 ? "" : ",", cases[i].id,
			    number);
		if (err.rc != WF_OK)
			wf_buffer_printf(&reasons, "%s%s: %s",
			    reasons.length == 0 ? "" : "; ", cases[i].id,
			    err.message);
	}
	if (numbers.length > 0)
		wf_buffer_puts(&numbers, ", whose old numbers are used");
	if (done == count) {
		wf_buffer_printf(&call->out,
		    "<success>%zu case(s) imported successfully", done);
		if (numbers.length > 0)
			wf_buffer_puts(&call->out, ":");
		wf_xml_put_text(&call->out, wf_buffer_text(&numbers));
		wf_buffer_puts(&call->out, "</success>");
		wf_yawl_answer(call);
	} else {
		wf_yawl_fail(call, "Failed to import case(s): %s%s%s",
		    wf_buffer_text(&reasons),
		    numbers.length > 0 ? "; imported:" : "",
		    wf_buffer_text(&numbers));
	}
	wf_buffer_free(&reasons);
	wf_buffer_free(&numbers);
}

void wf_yawl_import_cases(struct wf_yawl_call *call)
{
	const char *xml = wf_yawl_parameter(call, "xml");
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_list specs;
	struct wf_yawl_export *cases;
	size_t count;

	if (xml == NULL)
		xml = "";
	if (wf_yawl_export_read(
		call->arena, xml, strlen(xml), &cases, &count, &err) != WF_OK) {
		wf_yawl_fail(call, "Failed to import case(s): %s", err.message);
		return;
	}
	if (wf_yawl_list_specs(call, &specs))
		import_all(call, &specs, cases, count);
}

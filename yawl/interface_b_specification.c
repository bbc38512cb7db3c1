/* SPDX-License-Identifier: Apache-2.0 */
/* Loading and removing specifications, and describing them and their tasks. */
#include <stdlib.h>
#include <string.h>

#include "data/xml_writer.h"
#include "server/catalogue.h"
#include "server/soundness.h"
#include "spec/markup.h"
#include "yawl/parameter.h"
#include "yawl/yawl.h"

#define PER_FILE 64U
#define VERSION_DEFAULT "0.1"

/* --- naming --------------------------------------------------------------- */

static bool is_given(const char *text)
{
	return text != NULL && *text != '\0' && strcmp(text, "null") != 0;
}

struct wf_yawl_spec_id wf_yawl_spec_id(const struct wf_yawl_call *call)
{
	struct wf_yawl_spec_id id = { wf_yawl_parameter(call, "specidentifier"),
		wf_yawl_parameter(call, "specversion"),
		wf_yawl_parameter(call, "specuri") };

	if (!is_given(id.identifier))
		id.identifier = NULL;
	if (!is_given(id.version))
		id.version = VERSION_DEFAULT;
	if (id.uri == NULL)
		id.uri = "null";
	return id;
}

/* A specification is identified by its identifier if it has one, else by URI.
 */
static bool is_of(
    const struct wf_specification_row *row, const struct wf_yawl_spec_id *id)
{
	return id->identifier != NULL
		   ? strcmp(row->identifier, id->identifier) == 0
		   : strcmp(row->uri, id->uri) == 0;
}

bool wf_yawl_spec_is(
    const struct wf_specification_row *row, const struct wf_yawl_spec_id *id)
{
	return is_of(row, id) &&
	       wf_compare_versions(row->version, id->version) == 0;
}

const char *wf_yawl_spec_text(
    struct wf_yawl_call *call, const struct wf_yawl_spec_id *id)
{
	return wf_arena_printf(call->arena, "%s - version %s%s", id->uri,
	    id->version, wf_yawl_minor(id->version));
}

void wf_yawl_put_spec_id(struct wf_buffer *xml, const char *identifier,
    const char *version, const char *uri)
{
	wf_buffer_puts(xml, "<specificationid>");
	wf_xml_put_optional(xml, "identifier", identifier);
	wf_yawl_put_version(xml, "version", version);
	wf_xml_put_element(xml, "uri", uri);
	wf_buffer_puts(xml, "</specificationid>");
}

struct identifier {
	struct wf_arena *arena;
	const char *text;
};

static void take_identifier(void *context, const struct wf_spec *spec)
{
	struct identifier *identifier = context;

	identifier->text =
	    spec->metadata.identifier == NULL
		? NULL
		: wf_arena_strdup(identifier->arena, spec->metadata.identifier);
}

/* In the row of a specification without identifier, the URI takes its place. */
const char *wf_yawl_identifier(
    struct wf_yawl_call *call, const struct wf_specification_row *row)
{
	struct identifier identifier = { call->arena, row->identifier };
	struct wf_error err = { .rc = WF_OK };

	if (strcmp(row->identifier, row->uri) == 0)
		(void)(wf_engine_inspect_spec(call->server->engine,
			   WF_NAMESPACE_DEFAULT, row->key, false,
			   take_identifier, &identifier, &err) == WF_OK);
	return identifier.text;
}

static enum wf_rc list(struct wf_yawl_call *call,
    struct wf_specification_list *list_out, struct wf_error *err)
{
	return wf_catalogue_list(call->server->engine, WF_NAMESPACE_DEFAULT,
	    call->arena, list_out, err);
}

bool wf_yawl_list_specs(
    struct wf_yawl_call *call, struct wf_specification_list *list_out)
{
	struct wf_error err = { .rc = WF_OK };

	if (list(call, list_out, &err) == WF_OK)
		return true;
	wf_yawl_fail_error(call, &err);
	return false;
}

/* The latest version of the same specification; NULL: there is no later one. */
static const char *find_later(const struct wf_specification_list *specs,
    const struct wf_specification_row *row)
{
	const struct wf_yawl_spec_id id = {
		row->identifier[0] == '\0' ? NULL : row->identifier,
		row->version, row->uri
	};
	const char *latest = row->version;

	for (size_t i = 0; i < specs->count; i++)
		if (is_of(&specs->rows[i], &id) &&
		    wf_compare_versions(specs->rows[i].version, latest) > 0)
			latest = specs->rows[i].version;
	return latest == row->version ? NULL : latest;
}

bool wf_yawl_find_spec_and_latest(struct wf_yawl_call *call,
    struct wf_specification_row *row_out, const char **latest_out,
    struct wf_error *err)
{
	struct wf_yawl_spec_id id = wf_yawl_spec_id(call);
	struct wf_specification_list specs;

	if (list(call, &specs, err) != WF_OK)
		return false;
	for (size_t i = 0; i < specs.count; i++)
		if (wf_yawl_spec_is(&specs.rows[i], &id)) {
			*row_out = specs.rows[i];
			*latest_out = find_later(&specs, row_out);
			return true;
		}
	wf_fail(err, WF_NOT_FOUND, "there is no such specification");
	return false;
}

bool wf_yawl_find_spec(struct wf_yawl_call *call,
    struct wf_specification_row *row_out, struct wf_error *err)
{
	const char *latest;

	return wf_yawl_find_spec_and_latest(call, row_out, &latest, err);
}

/* --- loading -------------------------------------------------------------- */

static void put_messages(
    struct wf_buffer *xml, const struct wf_diagnostics *diagnostics)
{
	size_t count = wf_diagnostics_count(diagnostics);
	const struct wf_diagnostic *one;

	if (count == 0) {
		wf_buffer_puts(xml, "<verificationMessages/>");
		return;
	}
	wf_buffer_puts(xml, "<verificationMessages>");
	for (size_t i = 0;
	     i < count && (one = wf_diagnostics_at(diagnostics, i)) != NULL;
	     i++) {
		const char *name =
		    one->severity == WF_ERROR ? "error" : "warning";

		wf_buffer_printf(xml, "<%s>", name);
		wf_xml_put_optional(xml, "source", one->element);
		wf_buffer_puts(xml, "<message>");
		if (one->line > 0)
			wf_buffer_printf(xml, "line %d: ", one->line);
		wf_xml_put_text(xml, one->message);
		wf_buffer_printf(xml, "</message></%s>", name);
	}
	wf_buffer_puts(xml, "</verificationMessages>");
}

static void refuse(
    struct wf_yawl_call *call, const struct wf_diagnostics *diagnostics)
{
	wf_buffer_puts(&call->out, "<failure><reason>");
	put_messages(&call->out, diagnostics);
	wf_buffer_puts(&call->out, "</reason></failure>");
	wf_yawl_answer(call);
}

static bool is_xml(
    struct wf_yawl_call *call, struct wf_diagnostics *diagnostics)
{
	bool good =
	    wf_yawl_parse(call, wf_yawl_parameter(call, "specXML")) != NULL;

	if (!good)
		wf_diagnostics_add(
		    diagnostics, WF_ERROR, 0, "", "Invalid XML specification.");
	return good;
}

static bool has_other(
    const struct wf_specification_list *loaded, const struct wf_spec *spec)
{
	const struct wf_yawl_spec_id id = { spec->metadata.identifier,
		spec->metadata.version, spec->uri };

	for (size_t i = 0; i < loaded->count; i++)
		if (loaded->rows[i].key != spec->key &&
		    wf_yawl_spec_is(&loaded->rows[i], &id))
			return true;
	return false;
}

/* For what was loaded since check(). */
static enum wf_rc judge(void *context, const struct wf_spec_file *file,
    struct wf_store *store, struct wf_error *err)
{
	const struct wf_specification_filter filter = {
		.namespace_id = WF_NAMESPACE_DEFAULT
	};
	struct wf_yawl_call *call = context;
	struct wf_specification_list loaded;
	enum wf_rc rc =
	    wf_store_specifications(store, &filter, call->arena, &loaded, err);

	for (uint32_t i = 0; rc == WF_OK && i < file->spec_count; i++)
		if (has_other(&loaded, file->specs[i]))
			rc = wf_fail(err, WF_CONFLICT,
			    "another specification with the same id was "
			    "loaded at the same time");
	return rc;
}

/* A loaded specification is not replaced: it must be removed first. */
static void check_new(const struct wf_specification_list *loaded,
    const struct wf_spec *spec, struct wf_diagnostics *diagnostics)
{
	const char *identifier = spec->metadata.identifier;
	const struct wf_yawl_spec_id id = { identifier, spec->metadata.version,
		spec->uri };

	for (size_t i = 0; i < loaded->count; i++)
		if (wf_yawl_spec_is(&loaded->rows[i], &id)) {
			wf_diagnostics_add(diagnostics, WF_ERROR, 0, "",
			    "There is a specification with an identical id to "
			    "[%s: %s- Version: %s%s] already loaded into the "
			    "engine.",
			    identifier != NULL ? "UID" : "URI",
			    identifier != NULL ? identifier : spec->uri,
			    spec->metadata.version,
			    wf_yawl_minor(spec->metadata.version));
			return;
		}
}

/* The items of such a decomposition go to the default worklist. */
static void warn_of_services(struct wf_yawl_call *call,
    const struct wf_spec *spec, struct wf_diagnostics *diagnostics)
{
	struct wf_services *services = call->server->services;
	const struct wf_service_set *set = wf_services_hold(services);

	for (size_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_decomposition *work = &spec->decompositions[i];

		if (work->service_uri != NULL &&
		    wf_service_by_uri(
			set, WF_NAMESPACE_DEFAULT, work->service_uri) == NULL)
			wf_diagnostics_add(diagnostics, WF_WARNING, 0, work->id,
			    "YAWL service [%s] at WSGateway [%s] is not "
			    "registered with engine.",
			    work->service_uri, work->id);
	}
	wf_services_let_go(services, set);
}

static enum wf_rc check(struct wf_yawl_call *call,
    struct wf_diagnostics *diagnostics, struct wf_error *err)
{
	const char *xml = wf_yawl_parameter(call, "specXML");
	struct wf_diagnostics *own = wf_diagnostics_new("");
	struct wf_specification_list loaded;
	struct wf_spec_file *file = NULL;
	enum wf_rc rc = list(call, &loaded, err);

	/* Errors in the file are reported when it is loaded. */
	if (rc == WF_OK && wf_spec_read(&file, xml, strlen(xml), own) == WF_OK)
		for (uint32_t i = 0; i < file->spec_count; i++) {
			check_new(&loaded, file->specs[i], diagnostics);
			if (wf_diagnostics_errors(diagnostics) == 0)
				warn_of_services(
				    call, file->specs[i], diagnostics);
		}
	wf_spec_file_free(&file);
	wf_diagnostics_free(&own);
	return rc;
}

static void answer_loaded(struct wf_yawl_call *call,
    const struct wf_diagnostics *diagnostics, const uint64_t *keys,
    size_t count)
{
	struct wf_specification_list loaded;

	if (!wf_yawl_list_specs(call, &loaded))
		return;
	wf_buffer_puts(&call->out, "<upload><specifications>");
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < loaded.count; i++)
			if (loaded.rows[i].key == keys[k])
				wf_yawl_put_spec_id(&call->out,
				    wf_yawl_identifier(call, &loaded.rows[i]),
				    loaded.rows[i].version, loaded.rows[i].uri);
	wf_buffer_puts(&call->out, "</specifications>");
	put_messages(&call->out, diagnostics);
	wf_buffer_puts(&call->out, "</upload>");
	wf_yawl_answer(call);
}

static void load(struct wf_yawl_call *call, struct wf_diagnostics *diagnostics)
{
	const char *xml = wf_yawl_parameter(call, "specXML");
	struct wf_error err = { .rc = WF_OK };
	uint64_t keys[PER_FILE];
	size_t count = 0;
	enum wf_rc rc = check(call, diagnostics, &err);

	if (rc == WF_OK && wf_diagnostics_errors(diagnostics) == 0)
		rc = wf_engine_load_judged(call->server->engine,
		    WF_NAMESPACE_DEFAULT, xml, strlen(xml), judge, call,
		    diagnostics, keys, PER_FILE, &count, &err);
	if (wf_diagnostics_errors(diagnostics) > 0)
		refuse(call, diagnostics);
	else if (rc != WF_OK)
		wf_yawl_fail_error(call, &err);
	else {
		/* YAWL does not ask this; the log says it. */
		wf_server_check_soundness(call->server, xml, strlen(xml), NULL);
		answer_loaded(call, diagnostics, keys, count);
	}
}

void wf_yawl_upload(struct wf_yawl_call *call)
{
	struct wf_diagnostics *diagnostics;

	if (wf_yawl_parameter(call, "specXML") == NULL) {
		wf_yawl_fail_action(call);
		return;
	}
	diagnostics = wf_diagnostics_new("");
	if (is_xml(call, diagnostics))
		load(call, diagnostics);
	else
		refuse(call, diagnostics);
	wf_diagnostics_free(&diagnostics);
}

void wf_yawl_unload(struct wf_yawl_call *call)
{
	struct wf_yawl_spec_id id = wf_yawl_spec_id(call);
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_row row;

	if (!wf_yawl_find_spec(call, &row, &err)) {
		if (err.rc == WF_NOT_FOUND)
			wf_yawl_fail(call,
			    "Engine contains no such specification with id "
			    "'%s'.",
			    wf_yawl_spec_text(call, &id));
		else
			wf_yawl_fail_error(call, &err);
	} else if (wf_engine_unload(call->server->engine, WF_NAMESPACE_DEFAULT,
		       row.key, &err) == WF_OK) {
		wf_yawl_succeed(call);
	} else if (err.rc == WF_CONFLICT) {
		wf_yawl_fail(call,
		    "Cannot unload specification '%s' as one or more cases "
		    "are currently active against it.",
		    wf_yawl_spec_text(call, &id));
	} else {
		wf_yawl_fail_error(call, &err);
	}
}

/* --- inspecting ----------------------------------------------------------- */

static void put_data(void *context, const struct wf_spec *spec)
{
	struct wf_yawl_call *call = context;

	wf_yawl_put_specification(&call->out, spec, call->arena);
}

void wf_yawl_list_specifications(struct wf_yawl_call *call)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_list specs;

	if (!wf_yawl_list_specs(call, &specs))
		return;
	for (size_t i = 0; i < specs.count && err.rc == WF_OK; i++)
		if (wf_engine_inspect_spec(call->server->engine,
			WF_NAMESPACE_DEFAULT, specs.rows[i].key, false,
			put_data, call, &err) == WF_NOT_FOUND)
			wf_error_clear(&err); /* removed meanwhile */
	if (err.rc == WF_OK)
		wf_yawl_answer(call);
	else
		wf_yawl_fail_error(call, &err);
}

/* Calls how with the specification that the request names.  WF_NOT_FOUND. */
static enum wf_rc show(
    struct wf_yawl_call *call, wf_inspect_spec_f how, struct wf_error *err)
{
	struct wf_specification_row row;

	return wf_yawl_find_spec(call, &row, err)
		   ? wf_engine_inspect_spec(call->server->engine,
			 WF_NAMESPACE_DEFAULT, row.key, false, how, call, err)
		   : err->rc;
}

/*
 * The same, and answers with what how wrote, or with its error.  unknown: the
 * failure's text when there is no such specification, with %s for name.
 */
static void answer_from_spec(struct wf_yawl_call *call, wf_inspect_spec_f how,
    const char *unknown, const char *name)
{
	struct wf_error err = { .rc = WF_OK };

	if (show(call, how, &err) == WF_NOT_FOUND)
		wf_yawl_fail(call, unknown, name);
	else if (err.rc != WF_OK)
		wf_yawl_fail_error(call, &err);
	else if (call->error.rc != WF_OK)
		wf_yawl_fail_error(call, &call->error);
	else
		wf_yawl_answer(call);
}

static const char *name_of(struct wf_yawl_call *call)
{
	struct wf_yawl_spec_id id = wf_yawl_spec_id(call);

	return wf_yawl_spec_text(call, &id);
}

void wf_yawl_get_specification_data(struct wf_yawl_call *call)
{
	answer_from_spec(
	    call, put_data, "No specification found for id: %s", name_of(call));
}

void wf_yawl_put_spec(struct wf_buffer *xml, const struct wf_spec *spec)
{
	struct wf_spec_file one = *spec->file;
	struct wf_spec *specs[1] = { (struct wf_spec *)(uintptr_t)spec };

	one.specs = specs;
	one.spec_count = 1;
	wf_spec_write(&one, xml);
}

static void put_whole(void *context, const struct wf_spec *spec)
{
	struct wf_yawl_call *call = context;

	wf_yawl_put_spec(&call->out, spec);
}

void wf_yawl_get_specification(struct wf_yawl_call *call)
{
	answer_from_spec(call, put_whole,
	    "Specification with ID (%s) not found.", name_of(call));
}

static void put_schema(void *context, const struct wf_spec *spec)
{
	struct wf_yawl_call *call = context;

	if (spec->schema != NULL)
		wf_markup_write(spec->schema, 0, NULL, &call->out);
	else
		wf_buffer_puts(&call->out,
		    "<xs:schema "
		    "xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"/>");
}

/* A specification that does not exist has no data types either. */
void wf_yawl_get_schema(struct wf_yawl_call *call)
{
	struct wf_error err = { .rc = WF_OK };

	if (show(call, put_schema, &err) == WF_NOT_FOUND) {
		wf_error_clear(&err);
		wf_buffer_puts(&call->out, "null");
	}
	if (err.rc == WF_OK)
		wf_yawl_answer(call);
	else
		wf_yawl_fail_error(call, &err);
}

/* --- tasks ---------------------------------------------------------------- */

#define NO_SUCH_TASK "The was no task found with ID %.200s"
#define NO_MULTI_INSTANCE "There was no task found with ID %.200s"
#define NO_RESOURCING "Unable to get resourcing information for task: %.200s"

/* The task in any of the nets; NULL: there is none. */
static const struct wf_task *find_task(
    const struct wf_spec *spec, const char *id)
{
	uint32_t at = 0;

	return wf_spec_next_task(spec, id, &at);
}

static const char *task_id(const struct wf_yawl_call *call)
{
	const char *id = wf_yawl_parameter(call, "taskID");

	return id == NULL ? "null" : id;
}

static void put_task(void *context, const struct wf_spec *spec)
{
	struct wf_yawl_call *call = context;
	const struct wf_task *task = find_task(spec, task_id(call));

	if (task != NULL)
		wf_yawl_put_task(&call->out, task, call->arena);
	else
		wf_fail(
		    &call->error, WF_NOT_FOUND, NO_SUCH_TASK, task_id(call));
}

void wf_yawl_get_task(struct wf_yawl_call *call)
{
	answer_from_spec(call, put_task, NO_SUCH_TASK, task_id(call));
}

static void put_multi_instance(void *context, const struct wf_spec *spec)
{
	struct wf_yawl_call *call = context;
	const struct wf_task *task = find_task(spec, task_id(call));

	if (task == NULL)
		wf_fail(&call->error, WF_NOT_FOUND, NO_MULTI_INSTANCE,
		    task_id(call));
	else if (task->multi == NULL)
		wf_fail(&call->error, WF_CONFLICT,
		    "%.200s is not a multi-instance task", task_id(call));
	else
		wf_yawl_put_multi_instance(&call->out, task);
}

void wf_yawl_get_multi_instance(struct wf_yawl_call *call)
{
	answer_from_spec(
	    call, put_multi_instance, NO_MULTI_INSTANCE, task_id(call));
}

static void put_resourcing(void *context, const struct wf_spec *spec)
{
	struct wf_yawl_call *call = context;
	const struct wf_task *task = find_task(spec, task_id(call));

	if (task == NULL)
		wf_fail(
		    &call->error, WF_NOT_FOUND, NO_RESOURCING, task_id(call));
	else if (task->resourcing == NULL)
		wf_buffer_puts(&call->out, "null");
	else
		wf_markup_write(task->resourcing, -1, NULL, &call->out);
}

void wf_yawl_get_resourcing(struct wf_yawl_call *call)
{
	answer_from_spec(call, put_resourcing, NO_RESOURCING, task_id(call));
}

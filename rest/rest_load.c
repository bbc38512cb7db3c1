/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading specifications.  Other content under an identifier and version that
 * are loaded is refused: what a version is must not depend on when its case was
 * started.  With replace=true it is accepted while no case of it ever ran.
 */
#include <string.h>

#include "rest/rest.h"
#include "server/catalogue.h"
#include "server/soundness.h"
#include "spec/spec.h"

#define PER_FILE 64U
#define STARTS_PAGE 1000U

json_t *wf_rest_list_diagnostics(const struct wf_diagnostics *diagnostics)
{
	json_t *array = json_array();

	for (size_t i = 0; i < wf_diagnostics_count(diagnostics); i++) {
		const struct wf_diagnostic *one =
		    wf_diagnostics_at(diagnostics, i);
		json_t *object;

		if (one == NULL)
			break;
		object = json_object();
		json_object_set_new(object, "severity",
		    json_string(
			one->severity == WF_ERROR ? "error" : "warning"));
		if (one->line > 0)
			json_object_set_new(
			    object, "line", json_integer(one->line));
		wf_json_put_text(object, "element", one->element);
		json_object_set_new(object, "text", json_string(one->message));
		json_array_append_new(array, object);
	}
	return array;
}

static void answer_invalid(
    struct wf_rest *rest, const struct wf_diagnostics *diagnostics)
{
	json_t *problem = wf_rest_make_problem(422, "data",
	    "The specification is not valid", "diagnostics say what is wrong");

	json_object_set_new(
	    problem, "diagnostics", wf_rest_list_diagnostics(diagnostics));
	wf_rest_answer_problem(rest, 422, problem);
}

static void answer_loaded(struct wf_rest *rest,
    const struct wf_diagnostics *diagnostics, const uint64_t *keys,
    size_t count)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_list list;
	json_t *array;
	json_t *answer;

	if (wf_catalogue_list(rest->server->engine, rest->account.namespace_id,
		rest->arena, &list, &err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	array = json_array();
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < list.count; i++)
			if (list.rows[i].key == keys[k])
				json_array_append_new(
				    array, wf_rest_describe_specification(
					       rest, &list.rows[i]));
	answer = json_object();
	json_object_set_new(answer, "specifications", array);
	json_object_set_new(
	    answer, "diagnostics", wf_rest_list_diagnostics(diagnostics));
	wf_rest_answer(rest, 201, answer);
}

/* --- replacing ------------------------------------------------------------ */

/* What judges a file, and what it has found the last time. */
struct replacing {
	struct wf_rest *rest;
	bool replaces;
	uint64_t keys[PER_FILE]; /* of what is replaced */
	size_t count;
	bool is_refused; /* the account may not, which was answered */
};

static bool is_replaced(
    const struct wf_specification_row *row, const struct wf_spec *spec)
{
	const char *identifier = spec->metadata.identifier;

	return row->key != spec->key &&
	       strcmp(row->identifier,
		   identifier == NULL ? spec->uri : identifier) == 0 &&
	       wf_compare_versions(row->version, spec->metadata.version) == 0;
}

/* Whether a start of a case of it is delayed. */
static enum wf_rc has_starts(const struct wf_rest *rest, struct wf_store *store,
    uint64_t key, bool *has_out, struct wf_error *err)
{
	struct wf_starts starts = { .count = STARTS_PAGE };
	uint64_t after = 0;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && starts.count == STARTS_PAGE && !*has_out) {
		rc = wf_starts_read(store, rest->account.namespace_id, after,
		    STARTS_PAGE, rest->arena, &starts, err);
		for (size_t i = 0; rc == WF_OK && i < starts.count; i++) {
			after = starts.rows[i].number;
			*has_out |= starts.rows[i].specification == key;
		}
	}
	return rc;
}

/* Refuses what was used. */
static enum wf_rc check_unused(const struct wf_rest *rest,
    struct wf_store *store, const struct wf_specification_row *row,
    struct wf_error *err)
{
	struct wf_case_filter filter = { .namespace_id =
					     rest->account.namespace_id,
		.specifications = { &row->key, 1 },
		.limit = 1 };
	struct wf_case_list list = { .count = 0 };
	bool used = row->has_retired;
	enum wf_rc rc = wf_store_cases(store, &filter, rest->arena, &list, err);

	if (rc == WF_OK && !used)
		rc = has_starts(rest, store, row->key, &used, err);
	if (rc == WF_OK && (used || list.count > 0))
		rc = wf_fail(err, WF_CONFLICT,
		    "cases of %.100s, version %.20s, were started, so it "
		    "cannot be replaced: give the new content another version",
		    row->uri, row->version);
	return rc;
}

static enum wf_rc check_row(struct replacing *replacing, struct wf_store *store,
    const struct wf_specification_row *row, struct wf_error *err)
{
	enum wf_rc rc;

	if (!replacing->replaces)
		return wf_fail(err, WF_CONFLICT,
		    "%.100s, version %.20s, is loaded with other content: give "
		    "the new content another version, or, while no case of it "
		    "was started, replace it (replace=true, weft spec load "
		    "--replace)",
		    row->uri, row->version);
	rc = check_unused(replacing->rest, store, row, err);
	if (rc == WF_OK && replacing->count < PER_FILE)
		replacing->keys[replacing->count++] = row->key;
	return rc;
}

bool wf_rest_may_file(struct wf_rest *rest, const struct wf_spec_file *file)
{
	bool was_allowed = rest->is_allowed;
	bool good = true;

	for (uint32_t i = 0; good && i < file->spec_count; i++) {
		rest->is_allowed = was_allowed;
		good =
		    wf_rest_may(rest, wf_spec_identifier(file->specs[i]), NULL);
	}
	return good;
}

static enum wf_rc judge(void *context, const struct wf_spec_file *file,
    struct wf_store *store, struct wf_error *err)
{
	struct replacing *replacing = context;
	struct wf_arena *arena = replacing->rest->arena;
	const struct wf_specification_filter filter = {
		.namespace_id = replacing->rest->account.namespace_id
	};
	struct wf_specification_list list;
	enum wf_rc rc =
	    wf_store_specifications(store, &filter, arena, &list, err);

	if (rc == WF_OK && !wf_rest_may_file(replacing->rest, file)) {
		replacing->is_refused = true;
		return wf_fail(err, WF_INVALID, "the account may not load it");
	}
	replacing->count = 0;
	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		for (uint32_t k = 0; rc == WF_OK && k < file->spec_count; k++)
			if (is_replaced(&list.rows[i], file->specs[k]))
				rc = check_row(
				    replacing, store, &list.rows[i], err);
	return rc;
}

/* --- loading -------------------------------------------------------------- */

static enum wf_rc load(struct replacing *replacing,
    struct wf_diagnostics *diagnostics, uint64_t keys[PER_FILE],
    size_t *count_out, struct wf_error *err)
{
	struct wf_rest *rest = replacing->rest;
	struct wf_engine *engine = rest->server->engine;
	uint32_t namespace_id = rest->account.namespace_id;
	size_t length;
	const char *xml = wf_exchange_body(rest->exchange, &length);
	enum wf_rc rc = wf_engine_load_judged(engine, namespace_id, xml, length,
	    judge, replacing, diagnostics, keys, PER_FILE, count_out, err);

	for (size_t i = 0; rc == WF_OK && i < replacing->count; i++) {
		rc = wf_engine_unload(
		    engine, namespace_id, replacing->keys[i], err);
		/* Another load at the same time has replaced it. */
		if (rc == WF_NOT_FOUND)
			rc = WF_OK;
	}
	if (rc == WF_OK)
		wf_server_check_soundness(
		    rest->server, xml, length, diagnostics);
	return rc;
}

void wf_rest_load_specifications(struct wf_rest *rest)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("");
	struct replacing replacing = { .rest = rest };
	struct wf_error err = { .rc = WF_OK };
	uint64_t keys[PER_FILE];
	size_t count = 0;
	enum wf_rc rc = WF_INVALID;
	bool good = wf_rest_switch(rest, "replace", &replacing.replaces);

	if (good)
		rc = load(&replacing, diagnostics, keys, &count, &err);
	if (good && rc == WF_OK)
		answer_loaded(rest, diagnostics, keys, count);
	else if (replacing.is_refused)
		; /* answered */
	else if (wf_diagnostics_errors(diagnostics) > 0)
		answer_invalid(rest, diagnostics);
	else if (good)
		wf_rest_fail(rest, &err);
	wf_diagnostics_free(&diagnostics);
}

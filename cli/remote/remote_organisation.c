/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of the organisation: members on the command line, and files.
 * The kind of records is the member "list" of the verb.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/remote/remote.h"
#include "people/organisation/org_file.h"
#include "people/organisation/org_table.h"

#define TEXT_MAXIMUM ((size_t)1 << 30)
#define PATH_MAXIMUM 65536U

/* --- members -------------------------------------------------------------- */

/* Adds "MEMBER=VALUE"; a member that is a list may be given several times. */
static enum wf_rc add_member(
    enum wf_org_kind kind, const char *word, json_t *body, struct wf_error *err)
{
	const char *equals = strchr(word, '=');
	const struct wf_org_field *field = NULL;
	char *name;
	json_t *value;

	if (equals == NULL)
		return wf_fail(err, WF_INVALID,
		    "%.100s: expected MEMBER=VALUE, or a JSON object", word);
	name = wf_strndup(word, (size_t)(equals - word));
	if (name[0] != '\0')
		field = wf_org_field_find(kind, name);
	value = equals[1] == '\0' ? json_null()
				  : wf_org_table_value(field, equals + 1);
	if (value == NULL) {
		(void)wf_fail(err, WF_INVALID, "%.60s: \"%.60s\" is not %s",
		    name, equals + 1,
		    field != NULL && field->type == WF_ORG_FLAG ? "yes or no"
		    : field != NULL && field->type == WF_ORG_OBJECT
			? "JSON"
			: "a number");
	} else if (json_is_array(value) &&
		   json_is_array(json_object_get(body, name))) {
		json_array_extend(json_object_get(body, name), value);
		json_decref(value);
	} else {
		/* The server refuses a member that there is not. */
		json_object_set_new(body, name, value);
	}
	wf_free(name);
	return value == NULL ? WF_INVALID : WF_OK;
}

static enum wf_rc add_object(
    const char *word, json_t *body, struct wf_error *err)
{
	struct wf_buffer text;
	json_error_t error;
	json_t *json;

	wf_buffer_init(&text, TEXT_MAXIMUM);
	if (!wf_remote_read(word, &text)) {
		wf_buffer_free(&text);
		return wf_fail(err, WF_INVALID, "there are no members");
	}
	json = json_loadb(
	    wf_buffer_text(&text), text.length, JSON_REJECT_DUPLICATES, &error);
	wf_buffer_free(&text);
	if (!json_is_object(json)) {
		json_decref(json);
		return wf_fail(err, WF_INVALID, "expected a JSON object%s%s",
		    json == NULL ? ": " : "", json == NULL ? error.text : "");
	}
	json_object_update(body, json);
	json_decref(json);
	return WF_OK;
}

static enum wf_rc add_members(
    const struct wf_remote *remote, json_t *body, struct wf_error *err)
{
	enum wf_org_kind kind = wf_org_kind_find(remote->verb->list);
	enum wf_rc rc = WF_OK;

	for (size_t i = 1; rc == WF_OK && i < remote->word_count; i++) {
		const char *word = remote->words[i];

		rc = word[0] == '{' || word[0] == '@' || strcmp(word, "-") == 0
			 ? add_object(word, body, err)
			 : add_member(kind, word, body, err);
	}
	return rc;
}

/* Without an id the server makes one; with one the record must be new. */
static enum wf_rc send_record(
    struct wf_remote *remote, json_t *body, struct wf_error *err)
{
	bool has_id = remote->id != NULL;
	char *text = json_dumps(body, JSON_COMPACT);
	struct wf_call call = { .method = has_id ? "PUT" : remote->verb->method,
		.body = text,
		.length = strlen(text),
		.is_new = has_id };
	struct wf_buffer path;
	enum wf_rc rc;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	if (has_id) {
		wf_buffer_putc(&path, '/');
		wf_client_escape(&path, remote->id);
	}
	call.path = wf_buffer_text(&path);
	rc = wf_remote_send(remote, &call, err);
	free(text);
	wf_buffer_free(&path);
	return rc;
}

int wf_remote_put_record(struct wf_remote *remote)
{
	enum wf_org_kind kind = wf_org_kind_find(remote->verb->list);
	struct wf_error err = { .rc = WF_OK };
	json_t *body = json_object();
	enum wf_rc rc;

	if (strcmp(remote->verb->name, "add") == 0)
		json_object_set_new(body, wf_org_layouts[kind].fields[0].json,
		    json_string(remote->words[0]));
	rc = add_members(remote, body, &err);
	if (rc == WF_OK)
		rc = send_record(remote, body, &err);
	json_decref(body);
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_report(remote, &err);
}

/* --- files ---------------------------------------------------------------- */

/*
 * The argument "kind": that of the command; for "weft people", which has files
 * of all kinds, that of --kind, and people in a table.
 */
static const char *kind_of(const struct wf_remote *remote, bool is_table)
{
	if (strcmp(remote->verb->noun, "people") != 0)
		return remote->verb->list;
	return remote->kind == NULL && is_table ? remote->verb->list
						: remote->kind;
}

/* "role Clerk: skipped: its id is known already" */
static void print_record(const json_t *row)
{
	const char *name = json_string_value(json_object_get(row, "name"));
	const char *why = json_string_value(json_object_get(row, "why"));
	struct wf_buffer line;

	wf_buffer_init(&line, TEXT_MAXIMUM);
	wf_buffer_printf(&line, "%s %s: %s",
	    json_string_value(json_object_get(row, "kind")),
	    name != NULL ? name : json_string_value(json_object_get(row, "id")),
	    json_string_value(json_object_get(row, "result")));
	if (why != NULL)
		wf_buffer_printf(&line, ": %s", why);
	wf_remote_print_line(wf_buffer_text(&line));
	wf_buffer_free(&line);
}

/* "roles: 2 added, 1 skipped" */
static void print_report(const json_t *report)
{
	json_t *records = json_object_get(report, "records");
	json_t *kinds = json_object_get(report, "kinds");
	const char *kind;
	const char *result;
	json_t *counts;
	json_t *count;
	json_t *row;
	size_t i;

	json_array_foreach(records, i, row) print_record(row);
	json_object_foreach(kinds, kind, counts)
	{
		const char *before = ": ";

		fputs(kind, stdout);
		json_object_foreach(counts, result, count)
		{
			printf("%s%lld %s", before,
			    (long long)json_integer_value(count), result);
			before = ", ";
		}
		puts("");
	}
	if (json_object_size(kinds) == 0)
		puts("the file has no records");
	if (json_is_true(json_object_get(report, "dry_run")))
		puts("nothing was changed (--dry-run)");
}

static int send_file(struct wf_remote *remote, const struct wf_buffer *file)
{
	const char *format = remote->format;
	enum wf_org_format guessed =
	    wf_org_format_of(wf_buffer_text(file), file->length);
	struct wf_error err = { .rc = WF_OK };
	struct wf_call call = { .method = remote->verb->method,
		.type = "application/octet-stream",
		.body = wf_buffer_text(file),
		.length = file->length };
	struct wf_buffer path;
	struct wf_buffer text;
	json_t *report;
	int code = WF_EXIT_DONE;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_buffer_init(&text, TEXT_MAXIMUM);
	wf_remote_put_path(remote, &path);
	wf_remote_put_argument(&path, "format", format);
	wf_remote_put_argument(&path, "kind",
	    kind_of(remote, format == NULL ? guessed == WF_ORG_CSV
					   : strcmp(format, "csv") == 0));
	wf_remote_put_argument(&path, "update", remote->update ? "true" : NULL);
	wf_remote_put_argument(
	    &path, "dry_run", remote->dry_run ? "true" : NULL);
	call.path = wf_buffer_text(&path);
	if (wf_client_call(remote->client, &call, &text, &err) != WF_OK) {
		wf_error_prefix(&err, "%s", remote->words[0]);
		code = wf_remote_report(remote, &err);
	} else {
		report =
		    json_loadb(wf_buffer_text(&text), text.length, 0, NULL);
		if (remote->json)
			wf_remote_print_json(report);
		else if (!remote->quiet)
			print_report(report);
		json_decref(report);
	}
	wf_buffer_free(&path);
	wf_buffer_free(&text);
	return code;
}

int wf_remote_import(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	bool is_input = strcmp(remote->words[0], "-") == 0;
	struct wf_buffer file;
	int code;

	wf_buffer_init(&file, TEXT_MAXIMUM);
	code = wf_buffer_read_file(&file,
		   is_input ? "/dev/stdin" : remote->words[0], &err) == WF_OK
		   ? send_file(remote, &file)
		   : wf_remote_report(remote, &err);
	wf_buffer_free(&file);
	return code;
}

int wf_remote_export(struct wf_remote *remote)
{
	struct wf_buffer path;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	wf_remote_put_argument(&path, "format", remote->format);
	wf_remote_put_argument(&path, "kind",
	    kind_of(remote,
		remote->format != NULL && strcmp(remote->format, "csv") == 0));
	return wf_remote_get_text(remote, &path);
}

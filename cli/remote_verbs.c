/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs do. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/remote.h"

#define TEXT_MAXIMUM ((size_t)1 << 30)
#define PATH_MAXIMUM 65536U

/* Pages of a list that are asked for when no limit is given. */
#define PAGE "1000"

static void put_argument(
    struct wf_buffer *path, const char *name, const char *value)
{
	if (value == NULL)
		return;
	wf_buffer_putc(
	    path, strchr(wf_buffer_text(path), '?') == NULL ? '?' : '&');
	wf_buffer_printf(path, "%s=", name);
	wf_client_escape(path, value);
}

/* The verb's path with the first word in it. */
static void put_path(const struct wf_remote *remote, struct wf_buffer *path)
{
	const char *pattern = remote->verb->path;
	const char *mark = strchr(pattern, '%');

	if (mark == NULL) {
		wf_buffer_puts(path, pattern);
		return;
	}
	wf_buffer_append(path, pattern, (size_t)(mark - pattern));
	wf_client_escape(path, remote->words[0]);
	wf_buffer_puts(path, mark + 1);
}

/* --- lists ---------------------------------------------------------------- */

static void put_filter(
    const struct wf_remote *remote, struct wf_buffer *path, const char *after)
{
	put_argument(path, "status", remote->status);
	put_argument(path, "specification", remote->specification);
	put_argument(path, "case", remote->case_id);
	put_argument(path, "task", remote->task);
	if (remote->oldest)
		put_argument(path, "order", "oldest");
	if (strcmp(remote->verb->noun, "spec") != 0)
		put_argument(path, "limit",
		    remote->limit == NULL ? PAGE : remote->limit);
	put_argument(path, "after", after);
}

/* Page after page, unless a limit was given. */
int wf_remote_list(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *all = json_array();
	char *after = NULL;
	enum wf_rc rc;

	do {
		struct wf_buffer path;
		json_t *answer;
		const char *next;

		wf_buffer_init(&path, PATH_MAXIMUM);
		put_path(remote, &path);
		put_filter(remote, &path, after);
		rc = wf_client_json(remote->client, "GET",
		    wf_buffer_text(&path), NULL, &answer, &err);
		wf_buffer_free(&path);
		wf_free(after);
		json_array_extend(
		    all, json_object_get(answer, remote->verb->list));
		next = json_string_value(json_object_get(answer, "next"));
		after = next == NULL || remote->limit != NULL ? NULL
							      : wf_strdup(next);
		json_decref(answer);
	} while (rc == WF_OK && after != NULL);
	if (rc == WF_OK && remote->json)
		wf_remote_print_json(all);
	else if (rc == WF_OK)
		wf_remote_print_list(all, remote->verb->columns);
	json_decref(all);
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_fail(&err);
}

/* --- one ------------------------------------------------------------------ */

static void show(const struct wf_remote *remote, const json_t *answer)
{
	if (answer == NULL || remote->quiet)
		return;
	if (remote->json)
		wf_remote_print_json(answer);
	else
		wf_remote_print_object(answer);
}

int wf_remote_show(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer path;
	json_t *answer;
	enum wf_rc rc;

	wf_buffer_init(&path, PATH_MAXIMUM);
	put_path(remote, &path);
	if (remote->word_count > 1)
		put_argument(&path, "task", remote->words[1]);
	rc = wf_client_json(remote->client, remote->verb->method,
	    wf_buffer_text(&path), NULL, &answer, &err);
	wf_buffer_free(&path);
	show(remote, answer);
	json_decref(answer);
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_fail(&err);
}

static int write_text(
    const struct wf_remote *remote, const struct wf_buffer *text)
{
	FILE *file =
	    remote->output == NULL ? stdout : fopen(remote->output, "wb");
	bool good;

	if (file == NULL) {
		fprintf(
		    stderr, "weft: %s: %s\n", remote->output, strerror(errno));
		return WF_EXIT_REFUSED;
	}
	good =
	    fwrite(wf_buffer_text(text), 1, text->length, file) == text->length;
	if (file != stdout)
		good = fclose(file) == 0 && good;
	return good ? WF_EXIT_DONE : WF_EXIT_REFUSED;
}

int wf_remote_text(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_call call = { .method = "GET" };
	struct wf_buffer path;
	struct wf_buffer text;
	int code;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_buffer_init(&text, TEXT_MAXIMUM);
	put_path(remote, &path);
	call.path = wf_buffer_text(&path);
	code = wf_client_call(remote->client, &call, &text, &err) == WF_OK
		   ? write_text(remote, &text)
		   : wf_remote_fail(&err);
	wf_buffer_free(&path);
	wf_buffer_free(&text);
	return code;
}

/* --- commands ------------------------------------------------------------- */

/* The body of a command: data, a reason, or none. */
static bool put_body(const struct wf_remote *remote, struct wf_buffer *body)
{
	json_t *json;
	char *text;

	if (remote->word_count > 1)
		return wf_remote_read(remote->words[1], body);
	if (remote->reason == NULL)
		return true;
	json = json_object();
	json_object_set_new(json, "reason", json_string(remote->reason));
	text = json_dumps(json, JSON_COMPACT);
	wf_buffer_puts(body, text);
	free(text);
	json_decref(json);
	return true;
}

static int send_command(struct wf_remote *remote, const struct wf_buffer *body)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer path;
	struct wf_buffer text;
	struct wf_call call = { .method = remote->verb->method,
		.body = wf_buffer_text(body),
		.length = body->length,
		.key = remote->key };
	json_t *answer;
	enum wf_rc rc;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_buffer_init(&text, TEXT_MAXIMUM);
	put_path(remote, &path);
	call.path = wf_buffer_text(&path);
	if (call.body[strspn(call.body, " \t\r\n")] == '<')
		call.type = "application/xml";
	rc = wf_client_call(remote->client, &call, &text, &err);
	if (rc == WF_OK) {
		answer =
		    json_loadb(wf_buffer_text(&text), text.length, 0, NULL);
		show(remote, answer);
		json_decref(answer);
	}
	wf_buffer_free(&path);
	wf_buffer_free(&text);
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_fail(&err);
}

int wf_remote_command(struct wf_remote *remote)
{
	struct wf_buffer body;
	int code = WF_EXIT_REFUSED;

	wf_buffer_init(&body, TEXT_MAXIMUM);
	if (put_body(remote, &body))
		code = send_command(remote, &body);
	wf_buffer_free(&body);
	return code;
}

/* --- specifications ------------------------------------------------------- */

static enum wf_rc load_file(
    struct wf_remote *remote, const char *path, json_t *all)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_call call = { .method = "POST",
		.path = "/v1/specifications",
		.type = "application/xml" };
	struct wf_buffer xml;
	struct wf_buffer text;
	json_t *answer;
	enum wf_rc rc;

	wf_buffer_init(&xml, TEXT_MAXIMUM);
	wf_buffer_init(&text, TEXT_MAXIMUM);
	rc = wf_buffer_read_file(&xml, path, &err);
	call.body = wf_buffer_text(&xml);
	call.length = xml.length;
	if (rc == WF_OK)
		rc = wf_client_call(remote->client, &call, &text, &err);
	if (rc == WF_OK) {
		answer =
		    json_loadb(wf_buffer_text(&text), text.length, 0, NULL);
		json_array_extend(
		    all, json_object_get(answer, "specifications"));
		wf_remote_print_diagnostics(path, answer);
		json_decref(answer);
	} else {
		answer =
		    json_loadb(wf_buffer_text(&text), text.length, 0, NULL);
		if (!wf_remote_print_diagnostics(path, answer)) {
			snprintf(err.place.file, sizeof(err.place.file),
			    "%.255s", path);
			(void)wf_remote_fail(&err);
		}
		json_decref(answer);
	}
	wf_buffer_free(&xml);
	wf_buffer_free(&text);
	return rc;
}

/* One that is refused does not keep the others out. */
int wf_remote_load(struct wf_remote *remote)
{
	json_t *all = json_array();
	int code = WF_EXIT_DONE;

	for (size_t i = 0; i < remote->word_count; i++)
		if (load_file(remote, remote->words[i], all) != WF_OK)
			code = WF_EXIT_REFUSED;
	if (remote->json)
		wf_remote_print_json(all);
	else if (!remote->quiet && json_array_size(all) > 0)
		wf_remote_print_list(all, "key uri version title");
	json_decref(all);
	return code;
}

/* "weft: FILE:LINE: [warning: ][element: ]text"; false: there were none. */
bool wf_remote_print_diagnostics(const char *path, const json_t *answer)
{
	json_t *diagnostics = json_object_get(answer, "diagnostics");
	json_t *one;
	size_t i;

	json_array_foreach(diagnostics, i, one)
	{
		const char *severity =
		    json_string_value(json_object_get(one, "severity"));
		const char *element =
		    json_string_value(json_object_get(one, "element"));

		fprintf(stderr, "weft: %s:%d: %s%s%s%s\n", path,
		    (int)json_integer_value(json_object_get(one, "line")),
		    severity != NULL && strcmp(severity, "warning") == 0
			? "warning: "
			: "",
		    element == NULL ? "" : element, element == NULL ? "" : ": ",
		    json_string_value(json_object_get(one, "text")));
	}
	return json_array_size(diagnostics) > 0;
}

/* --- incidents ------------------------------------------------------------ */

int wf_remote_retry(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *choice = json_object();
	json_t *numbers;
	json_t *answer;
	enum wf_rc rc;

	if (remote->case_id != NULL)
		json_object_set_new(
		    choice, "case", json_string(remote->case_id));
	if (remote->all)
		json_object_set_new(choice, "all", json_true());
	if (remote->word_count > 0) {
		numbers = json_array();
		for (size_t i = 0; i < remote->word_count; i++)
			json_array_append_new(
			    numbers, json_integer(atoll(remote->words[i])));
		json_object_set_new(choice, "incidents", numbers);
	}
	rc = wf_client_json(remote->client, "POST", "/v1/incidents:retry",
	    choice, &answer, &err);
	json_decref(choice);
	show(remote, answer);
	json_decref(answer);
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_fail(&err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs: most send one request and print the answer. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/duration.h"
#include "cli/remote/progress.h"
#include "cli/remote/remote.h"

#define TEXT_MAXIMUM ((size_t)1 << 30)
#define PATH_MAXIMUM 65536U

/* Rows of a page at most; longer lists are requested page by page. */
#define PAGE 1000U

void wf_remote_put_argument(
    struct wf_buffer *path, const char *name, const char *value)
{
	if (value == NULL)
		return;
	wf_buffer_putc(
	    path, strchr(wf_buffer_text(path), '?') == NULL ? '?' : '&');
	wf_buffer_printf(path, "%s=", name);
	wf_client_escape(path, value);
}

void wf_remote_put_path(const struct wf_remote *remote, struct wf_buffer *path)
{
	const char *at = remote->verb->path;

	for (size_t word = 0; *at != '\0'; word++) {
		size_t length = strcspn(at, "%");

		wf_buffer_append(path, at, length);
		at += length;
		if (*at == '%') {
			wf_client_escape(path, remote->words[word]);
			at++;
		}
	}
}

/* --- lists ---------------------------------------------------------------- */

static void put_filter(const struct wf_remote *remote, struct wf_buffer *path,
    const char *after, uint64_t wanted)
{
	char limit[24];

	snprintf(limit, sizeof(limit), "%" PRIu64,
	    wanted < PAGE ? wanted : (uint64_t)PAGE);
	wf_remote_put_argument(path, "status", remote->status);
	wf_remote_put_argument(path, "specification", remote->specification);
	wf_remote_put_argument(path, "version", remote->version);
	wf_remote_put_argument(path, "case", remote->case_id);
	wf_remote_put_argument(path, "code", remote->code);
	wf_remote_put_argument(path, "task", remote->task);
	wf_remote_put_argument(path, "mine", remote->mine ? "true" : NULL);
	wf_remote_put_argument(
	    path, "set_aside", remote->quarantined ? "true" : NULL);
	if (remote->oldest)
		wf_remote_put_argument(path, "order", "oldest");
	wf_remote_put_argument(path, "q", remote->find);
	/* Of people, not of cases. */
	if (!remote->json && wf_cli_takes(remote->row, "find") &&
	    !wf_cli_takes(remote->row, "where"))
		wf_remote_put_argument(path, "names", "true");
	wf_remote_put_argument(path, "view", remote->view);
	wf_remote_put_argument(path, "state", remote->state);
	wf_remote_put_argument(path, "data", remote->input);
	wf_remote_put_argument(path, "for", remote->user);
	wf_remote_put_argument(path, "priority", remote->priority);
	wf_remote_put_argument(path, "older", remote->older);
	wf_remote_put_argument(path, "due", remote->due);
	wf_remote_put_argument(path, "title", remote->title);
	wf_remote_put_argument(path, "newer", remote->newer);
	wf_remote_put_argument(path, "unchanged", remote->unchanged);
	wf_remote_put_argument(path, "incident", remote->incident);
	wf_remote_put_argument(path, "where", remote->where);
	wf_remote_put_argument(path, "order", remote->order);
	wf_remote_put_argument(
	    path, "descending", remote->descending ? "true" : NULL);
	wf_remote_put_argument(path, "account", remote->account);
	wf_remote_put_argument(path, "result", remote->result);
	wf_remote_put_argument(path, "kind", remote->kind);
	wf_remote_put_argument(path, "from", remote->from);
	wf_remote_put_argument(path, "to", remote->to);
	wf_remote_put_argument(path, "per", remote->per);
	if (wf_cli_takes(remote->row, "limit"))
		wf_remote_put_argument(path, "limit", limit);
	wf_remote_put_argument(path, "after", after);
}

static void print_list(struct wf_remote *remote, json_t *rows)
{
	if (json_array_size(rows) == 0) {
		printf("no %s\n", remote->verb->list);
		return;
	}
	if (strstr(remote->verb->columns, "specification") != NULL)
		wf_remote_name_specifications(remote, rows);
	wf_remote_print_list(rows, remote->verb->columns);
}

/* Answers that are counted say whether all is counted. */
static void note_incomplete(const struct wf_remote *remote)
{
	if (!remote->quiet)
		fputs("weft: some of the history is not counted yet\n", stderr);
}

/* Requests pages until there are as many rows as --limit wants. */
int wf_remote_list(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	uint64_t wanted = UINT64_MAX;
	json_t *all;
	char *after = NULL;
	bool is_incomplete = false;
	enum wf_rc rc;

	if (remote->limit != NULL &&
	    (!wf_cli_number(remote->limit, UINT64_MAX, &wanted) || wanted == 0))
		return wf_cli_usage(remote->verb->noun,
		    "--limit is a number from 1, not \"%s\"", remote->limit);
	all = json_array();
	do {
		struct wf_buffer path;
		json_t *answer;
		const char *next;

		wf_buffer_init(&path, PATH_MAXIMUM);
		wf_remote_put_path(remote, &path);
		put_filter(remote, &path, after, wanted - json_array_size(all));
		rc = wf_client_json(remote->client, "GET",
		    wf_buffer_text(&path), NULL, &answer, &err);
		wf_buffer_free(&path);
		wf_free(after);
		json_array_extend(
		    all, json_object_get(answer, remote->verb->list));
		is_incomplete |=
		    json_is_false(json_object_get(answer, "complete"));
		next = json_string_value(json_object_get(answer, "next"));
		after = next == NULL || json_array_size(all) >= wanted
			    ? NULL
			    : wf_strdup(next);
		json_decref(answer);
	} while (rc == WF_OK && after != NULL);
	if (rc == WF_OK && remote->json)
		wf_remote_print_json(all);
	else if (rc == WF_OK && !remote->quiet)
		print_list(remote, all);
	json_decref(all);
	if (rc == WF_OK && is_incomplete)
		note_incomplete(remote);
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_report(remote, &err);
}

/* --- one ------------------------------------------------------------------ */

void wf_remote_show_answer(struct wf_remote *remote, json_t *answer)
{
	if (answer == NULL || remote->quiet)
		return;
	if (remote->json) {
		wf_remote_print_json(answer);
		return;
	}
	wf_remote_name_specifications(remote, answer);
	wf_remote_print_object(answer);
}

int wf_remote_ask(struct wf_remote *remote, const char *method,
    struct wf_buffer *path, json_t *body)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *answer;
	enum wf_rc rc = wf_client_json(
	    remote->client, method, wf_buffer_text(path), body, &answer, &err);

	wf_buffer_free(path);
	wf_remote_show_answer(remote, answer);
	json_decref(answer);
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_report(remote, &err);
}

enum wf_rc wf_remote_send(
    struct wf_remote *remote, const struct wf_call *call, struct wf_error *err)
{
	struct wf_buffer text;
	json_t *answer;
	enum wf_rc rc;

	wf_buffer_init(&text, TEXT_MAXIMUM);
	rc = wf_client_call(remote->client, call, &text, err);
	if (rc == WF_OK) {
		answer =
		    json_loadb(wf_buffer_text(&text), text.length, 0, NULL);
		wf_remote_show_answer(remote, answer);
		json_decref(answer);
	}
	wf_buffer_free(&text);
	return rc;
}

int wf_remote_retain(struct wf_remote *remote)
{
	struct wf_buffer path;
	char iso[WF_CLI_DURATION_SIZE];
	const char *word = remote->words[1];
	json_t *body = json_pack(
	    "{s:s}", "keep", wf_cli_short_duration(word, iso) ? iso : word);
	int code;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	code = wf_remote_ask(remote, remote->verb->method, &path, body);
	json_decref(body);
	return code;
}

int wf_remote_erase(struct wf_remote *remote)
{
	struct wf_buffer path;

	if (remote->reason == NULL)
		return wf_cli_usage("case", "erase needs --reason TEXT");
	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	wf_remote_put_argument(&path, "reason", remote->reason);
	return wf_remote_ask(remote, remote->verb->method, &path, NULL);
}

enum wf_rc wf_remote_get(
    struct wf_remote *remote, json_t **answer_out, struct wf_error *err)
{
	struct wf_buffer path;
	enum wf_rc rc;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	if (remote->word_count > 1)
		wf_remote_put_argument(&path, "task", remote->words[1]);
	rc = wf_client_json(remote->client, "GET", wf_buffer_text(&path), NULL,
	    answer_out, err);
	wf_buffer_free(&path);
	return rc;
}

/* In words: what the answer has for programs is shown with --json. */
int wf_remote_why(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *answer;
	enum wf_rc rc = wf_remote_get(remote, &answer, &err);

	if (rc == WF_OK && !remote->json) {
		json_object_del(answer, "nets");
		json_object_del(answer, "service");
	}
	wf_remote_show_answer(remote, answer);
	json_decref(answer);
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_report(remote, &err);
}

int wf_remote_show(struct wf_remote *remote)
{
	struct wf_buffer path;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	if (remote->word_count > 1)
		wf_remote_put_argument(&path, "task", remote->words[1]);
	wf_remote_put_argument(&path, "for", remote->user);
	return wf_remote_ask(remote, remote->verb->method, &path, NULL);
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

#define LOG_END "</log>\n"

/* Where the log goes, and the last bytes written. */
struct written {
	FILE *to;
	char end[sizeof(LOG_END) - 1];
};

static bool write_bytes(void *context, const char *bytes, size_t size)
{
	struct written *written = context;
	size_t room = sizeof(written->end);

	if (size >= room) {
		memcpy(written->end, bytes + size - room, room);
	} else {
		memmove(written->end, written->end + size, room - size);
		memcpy(written->end + room - size, bytes, size);
	}
	return fwrite(bytes, 1, size, written->to) == size;
}

static enum wf_rc copy_log(
    struct wf_remote *remote, struct written *written, struct wf_error *err)
{
	struct wf_buffer path;
	enum wf_rc rc;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	wf_remote_put_argument(&path, "data", remote->data ? "true" : NULL);
	wf_remote_put_argument(&path, "all", remote->all ? "true" : NULL);
	rc = wf_client_copy(
	    remote->client, wf_buffer_text(&path), write_bytes, written, err);
	wf_buffer_free(&path);
	if (rc == WF_OK &&
	    memcmp(written->end, LOG_END, sizeof(written->end)) != 0)
		rc = wf_fail(err, WF_IO,
		    "the log ends in the middle: the server could not read "
		    "all of it");
	return rc;
}

/* The log is written as it arrives: it may be larger than memory. */
int wf_remote_log(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	struct written written = { .to = stdout };
	enum wf_rc rc;

	if (remote->output != NULL)
		written.to = fopen(remote->output, "w");
	if (written.to == NULL) {
		wf_fail(&err, WF_IO, "%s: %s", remote->output, strerror(errno));
		return wf_remote_report(remote, &err);
	}
	rc = copy_log(remote, &written, &err);
	if ((written.to == stdout ? fflush(stdout) : fclose(written.to)) != 0 &&
	    rc == WF_OK)
		rc = wf_fail(&err, WF_IO, "the log cannot be written: %s",
		    strerror(errno));
	return rc == WF_OK ? 0 : wf_remote_report(remote, &err);
}

int wf_remote_get_text(struct wf_remote *remote, struct wf_buffer *path)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_call call = { .method = "GET", .path = wf_buffer_text(path) };
	struct wf_buffer text;
	int code;

	wf_buffer_init(&text, TEXT_MAXIMUM);
	code = wf_client_call(remote->client, &call, &text, &err) == WF_OK
		   ? write_text(remote, &text)
		   : wf_remote_report(remote, &err);
	wf_buffer_free(path);
	wf_buffer_free(&text);
	return code;
}

int wf_remote_text(struct wf_remote *remote)
{
	struct wf_buffer path;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	return wf_remote_get_text(remote, &path);
}

/* --- commands ------------------------------------------------------------- */

/* The body of a request: data, a reason, or nothing. */
static bool put_body(const struct wf_remote *remote, struct wf_buffer *body)
{
	json_t *json;
	char *text;

	if (remote->word_count > 1)
		return wf_remote_read(remote->words[1], body);
	if (remote->reason == NULL && !remote->cancel)
		return true;
	json = json_object();
	if (remote->reason != NULL)
		json_object_set_new(
		    json, "reason", json_string(remote->reason));
	if (remote->cancel)
		json_object_set_new(json, "cancel", json_true());
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
	struct wf_call call = { .method = remote->verb->method,
		.body = wf_buffer_text(body),
		.length = body->length,
		.key = remote->key };
	enum wf_rc rc;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	wf_remote_put_argument(&path, "version", remote->version);
	wf_remote_put_argument(&path, "fence", remote->fence);
	wf_remote_put_argument(
	    &path, "override", remote->override ? "true" : NULL);
	wf_remote_put_argument(&path, "for", remote->user);
	call.path = wf_buffer_text(&path);
	if (call.body[strspn(call.body, " \t\r\n")] == '<')
		call.type = "application/xml";
	rc = wf_remote_send(remote, &call, &err);
	wf_buffer_free(&path);
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_report(remote, &err);
}

/* "to": one user, with "offer" all of them; no user, no member; or "service".
 */
int wf_remote_assign(struct wf_remote *remote)
{
	bool is_offer = strcmp(remote->verb->name, "offer") == 0 ||
			strcmp(remote->verb->name, "reoffer") == 0;
	json_t *json = json_object();
	json_t *users = json_array();
	struct wf_buffer body;
	char *text;
	int code;

	for (size_t i = 1; i < remote->word_count; i++)
		json_array_append_new(users, json_string(remote->words[i]));
	if (is_offer && json_array_size(users) > 0)
		json_object_set(json, "to", users);
	else if (!is_offer)
		json_object_set(json,
		    strcmp(remote->verb->name, "redirect") == 0 ? "service"
								: "to",
		    json_array_get(users, 0));
	if (remote->without_data)
		json_object_set_new(json, "without_data", json_true());
	if (remote->reason != NULL)
		json_object_set_new(
		    json, "reason", json_string(remote->reason));
	json_decref(users);
	text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	wf_buffer_init(&body, TEXT_MAXIMUM);
	wf_buffer_puts(&body, text);
	free(text);
	code = send_command(remote, &body);
	wf_buffer_free(&body);
	return code;
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

/* "weft: FILE:LINE: [warning: ][element: ]text"; false: there were none. */
static bool print_diagnostics(const char *path, const json_t *answer)
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
		int line =
		    (int)json_integer_value(json_object_get(one, "line"));

		fprintf(stderr, "weft: %s:", path);
		if (line > 0)
			fprintf(stderr, "%d:", line);
		fprintf(stderr, " %s%s%s%s\n",
		    severity != NULL && strcmp(severity, "warning") == 0
			? "warning: "
			: "",
		    element == NULL ? "" : element, element == NULL ? "" : ": ",
		    json_string_value(json_object_get(one, "text")));
	}
	return json_array_size(diagnostics) > 0;
}

/* Prints and collects the answer about a file; err: whether it was accepted. */
static void take_answer(const struct wf_remote *remote, const char *path,
    const struct wf_buffer *text, struct wf_progress *progress,
    struct wf_error *err, json_t *all)
{
	json_t *answer =
	    json_loadb(wf_buffer_text(text), text->length, 0, NULL);

	if (err->rc != WF_OK ||
	    json_array_size(json_object_get(answer, "diagnostics")) > 0)
		wf_progress_hide(progress);
	json_array_extend(all, json_object_get(answer, "specifications"));
	if (!print_diagnostics(path, answer) && err->rc != WF_OK) {
		snprintf(
		    err->place.file, sizeof(err->place.file), "%.255s", path);
		(void)wf_remote_report(remote, err);
	}
	json_decref(answer);
}

static enum wf_rc load_file(struct wf_remote *remote, const char *path,
    struct wf_progress *progress, json_t *all)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_call call = { .method = "POST",
		.path = remote->replace ? "/v1/specifications?replace=true"
					: "/v1/specifications",
		.type = "application/xml" };
	struct wf_buffer xml;
	struct wf_buffer text;
	enum wf_rc rc;

	wf_buffer_init(&xml, TEXT_MAXIMUM);
	wf_buffer_init(&text, TEXT_MAXIMUM);
	rc = wf_buffer_read_file(&xml, path, &err);
	if (rc != WF_OK) {
		wf_progress_hide(progress);
		(void)wf_remote_report(remote, &err);
	} else {
		call.body = wf_buffer_text(&xml);
		call.length = xml.length;
		rc = wf_client_call(remote->client, &call, &text, &err);
		take_answer(remote, path, &text, progress, &err, all);
	}
	wf_buffer_free(&xml);
	wf_buffer_free(&text);
	return rc;
}

/* A file that is refused does not keep the others from being loaded. */
int wf_remote_load(struct wf_remote *remote)
{
	struct wf_progress progress;
	json_t *all = json_array();
	int code = WF_EXIT_DONE;

	wf_progress_init(&progress, remote->quiet || remote->word_count == 1);
	for (size_t i = 0; i < remote->word_count; i++) {
		wf_progress_show(
		    &progress, "specifications", i, remote->word_count);
		if (load_file(remote, remote->words[i], &progress, all) !=
		    WF_OK)
			code = WF_EXIT_REFUSED;
	}
	wf_progress_hide(&progress);
	if (remote->json)
		wf_remote_print_json(all);
	else if (!remote->quiet && json_array_size(all) > 0)
		wf_remote_print_list(all, "key uri version title");
	json_decref(all);
	return code;
}

/* --- incidents ------------------------------------------------------------ */

int wf_remote_retry(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *choice = json_object();
	json_t *numbers;
	json_t *answer;
	const char *bad = NULL;
	json_int_t retried;
	enum wf_rc rc;

	if (remote->case_id != NULL)
		json_object_set_new(
		    choice, "case", json_string(remote->case_id));
	if (remote->all)
		json_object_set_new(choice, "all", json_true());
	if (remote->word_count > 0) {
		numbers = json_array();
		for (size_t i = 0; i < remote->word_count; i++) {
			const char *word = remote->words[i];

			if (word[strspn(word, "0123456789")] != '\0')
				bad = word;
			json_array_append_new(
			    numbers, json_integer(atoll(word)));
		}
		json_object_set_new(choice, "incidents", numbers);
	}
	if (json_object_size(choice) == 0) {
		json_decref(choice);
		return wf_cli_usage("incident",
		    "expected weft incident retry NUMBER..., or --case CASE, "
		    "or --all");
	}
	if (bad != NULL) {
		json_decref(choice);
		return wf_cli_usage(
		    "incident", "%s is no number of an incident", bad);
	}
	rc = wf_client_json(remote->client, "POST", "/v1/incidents:retry",
	    choice, &answer, &err);
	json_decref(choice);
	retried = json_integer_value(json_object_get(answer, "retried"));
	wf_remote_show_answer(remote, answer);
	json_decref(answer);
	if (rc == WF_OK && (size_t)retried < remote->word_count)
		rc = wf_fail(&err, WF_NOT_FOUND,
		    remote->word_count == 1
			? "there is no such open incident, or its command "
			  "cannot be tried again"
			: "the others are no open incidents, or their "
			  "commands cannot be tried again");
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_report(remote, &err);
}

int wf_remote_add_index(struct wf_remote *remote)
{
	json_t *body = json_pack("{s:s,s:s}", "specification", remote->words[0],
	    "variable", remote->words[1]);
	struct wf_buffer path;
	int code;

	if (remote->type != NULL)
		json_object_set_new(body, "type", json_string(remote->type));
	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	code = wf_remote_ask(remote, "POST", &path, body);
	json_decref(body);
	return code;
}

/* Unlike wf_remote_show(), both words are in the path. */
int wf_remote_remove_index(struct wf_remote *remote)
{
	struct wf_buffer path;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	return wf_remote_ask(remote, "DELETE", &path, NULL);
}

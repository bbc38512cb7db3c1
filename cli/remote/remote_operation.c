/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on many cases: started, tried, waited for, and their reports. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/json_text.h"
#include "cli/remote/progress.h"
#include "cli/remote/remote.h"

#define PATH_MAXIMUM 65536U
#define LINE_BYTES ((size_t)1 << 20)
#define WAIT_NS 200000000L

static const char *text_of(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	return text == NULL ? "" : text;
}

static long long number_of(const json_t *object, const char *member)
{
	return (long long)json_integer_value(json_object_get(object, member));
}

/* --- the request ---------------------------------------------------------- */

static void put(json_t *object, const char *member, const char *text)
{
	if (text != NULL)
		json_object_set_new(object, member, wf_json_text(text));
}

static json_t *make_filter(const struct wf_remote *remote)
{
	json_t *filter = json_object();

	put(filter, "q", remote->find);
	put(filter, "title", remote->title);
	put(filter, "status", remote->status);
	put(filter, "specification", remote->specification);
	put(filter, "version", remote->version);
	put(filter, "older", remote->older);
	put(filter, "newer", remote->newer);
	put(filter, "unchanged", remote->unchanged);
	put(filter, "incident", remote->incident);
	put(filter, "where", remote->where);
	return filter;
}

/* 0, or the exit code of wrong usage. */
static int put_selection(struct wf_remote *remote, json_t *body, bool has_names)
{
	json_t *filter = make_filter(remote);
	json_t *names;

	if (has_names && (json_object_size(filter) > 0 || remote->all)) {
		json_decref(filter);
		return wf_cli_usage("operation",
		    "expected ids of cases, or options that select cases, and "
		    "not both");
	}
	if (!has_names && json_object_size(filter) == 0 && !remote->all) {
		json_decref(filter);
		return wf_cli_usage("operation",
		    "expected ids of cases, options that select cases, or "
		    "--all");
	}
	if (!has_names) {
		json_object_set_new(body, "filter", filter);
		return WF_EXIT_DONE;
	}
	json_decref(filter);
	names = json_array();
	for (size_t i = 1; i < remote->word_count; i++)
		json_array_append_new(names, wf_json_text(remote->words[i]));
	json_object_set_new(body, "cases", names);
	return WF_EXIT_DONE;
}

/* Of a migration: without --into, another version of the selected process. */
static int put_target(struct wf_remote *remote, json_t *body)
{
	put(body, "specification",
	    remote->into != NULL ? remote->into : remote->specification);
	put(body, "version", remote->to);
	return wf_remote_read_plan(remote, body) ? WF_EXIT_DONE
						 : WF_EXIT_REFUSED;
}

static int put_rate(struct wf_remote *remote, json_t *body)
{
	uint64_t rate;

	if (remote->rate == NULL)
		return WF_EXIT_DONE;
	if (!wf_cli_number(remote->rate, INT32_MAX, &rate))
		return wf_cli_usage("operation",
		    "--rate is a number of cases in a second, not \"%.80s\"",
		    remote->rate);
	json_object_set_new(body, "rate", json_integer((json_int_t)rate));
	return WF_EXIT_DONE;
}

/* "skip-items" is as good as "skip_items". */
static void spell_kind(char *kind)
{
	for (char *at = kind; *at != '\0'; at++)
		if (*at == '-')
			*at = '_';
}

/* Whether an operation of this kind is final. */
static bool is_final(const char *kind)
{
	static const struct {
		const char *kind;
		const char *back;
	} kinds[] = {
#define WF_OPERATION(name, word, back, what, meaning) { word, back },
#include "operation/operations.def"
#undef WF_OPERATION
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].kind, kind) == 0)
			return kinds[i].back[0] == '\0';
	return false;
}

/* What the server would say in words that are not those of options. */
static int check_usage(const struct wf_remote *remote)
{
	const char *kind = remote->words[0];

	if (is_final(kind) && remote->reason == NULL && !remote->dry_run)
		return wf_cli_usage("operation",
		    "nothing undoes %s: it needs --reason TEXT", kind);
	if (strcmp(kind, "migrate") == 0 && remote->into == NULL &&
	    remote->specification == NULL)
		return wf_cli_usage("operation",
		    "migrate: expected --into SPEC, or --specification SPEC, "
		    "of which --to VERSION is another version");
	if (strcmp(kind, "repair") == 0 && remote->word_count == 1)
		return wf_cli_usage(
		    "operation", "repair: expected changes, such as \"add P\"");
	if (strcmp(kind, "repair") != 0 && remote->net != NULL)
		return wf_cli_usage("operation", "--net is for repair");
	return WF_EXIT_DONE;
}

static int make_body(struct wf_remote *remote, json_t *body)
{
	const char *kind = remote->words[0];
	bool is_repair = strcmp(kind, "repair") == 0;
	int code;

	spell_kind(remote->words[0]);
	code = check_usage(remote);
	if (code != WF_EXIT_DONE)
		return code;
	put(body, "kind", kind);
	if (is_repair) {
		json_t *changes = wf_remote_read_changes(remote);

		if (changes == NULL)
			return WF_EXIT_USAGE;
		json_object_set_new(body, "changes", changes);
	}
	code =
	    put_selection(remote, body, !is_repair && remote->word_count > 1);
	if (code == WF_EXIT_DONE && strcmp(kind, "migrate") == 0)
		code = put_target(remote, body);
	if (code == WF_EXIT_DONE)
		code = put_rate(remote, body);
	put(body, "task", remote->task);
	put(body, "reason", remote->reason);
	if (remote->force)
		json_object_set_new(body, "force", json_true());
	if (remote->dry_run)
		json_object_set_new(body, "dry_run", json_true());
	return code;
}

/* --- what is shown -------------------------------------------------------- */

static void print_sample(const json_t *preview)
{
	json_t *sample = json_object_get(preview, "sample");
	long long more =
	    number_of(preview, "count") - (long long)json_array_size(sample);
	struct wf_buffer line;
	json_t *row;
	size_t i;

	json_array_foreach(sample, i, row)
	{
		wf_buffer_init(&line, LINE_BYTES);
		wf_buffer_printf(&line, "  %s%s%s%s%s", text_of(row, "case"),
		    text_of(row, "subject")[0] == '\0' ? "" : "  ",
		    text_of(row, "subject"),
		    json_is_false(json_object_get(row, "allowed"))
			? " would be refused: "
			: "",
		    text_of(row, "refusal"));
		wf_remote_print_line(wf_buffer_text(&line));
		wf_buffer_free(&line);
	}
	if (more > 0)
		printf("  and %lld more\n", more);
}

static void print_group(const json_t *group)
{
	struct wf_buffer line;

	wf_buffer_init(&line, LINE_BYTES);
	wf_buffer_printf(&line, "%lld like %s (%s): %s%s",
	    number_of(group, "count"), text_of(group, "example"),
	    text_of(group, "specification"),
	    json_is_true(json_object_get(group, "allowed"))
		? "possible"
		: "would be refused: ",
	    text_of(group, "refusal"));
	wf_remote_print_line(wf_buffer_text(&line));
	wf_buffer_free(&line);
	wf_remote_print_problems(json_object_get(group, "problems"));
	wf_remote_print_prospects(json_object_get(group, "prospects"));
}

static void print_preview(struct wf_remote *remote, json_t *preview)
{
	json_t *groups = json_object_get(preview, "groups");
	struct wf_buffer line;
	json_t *group;
	size_t i;

	wf_buffer_init(&line, LINE_BYTES);
	wf_buffer_printf(&line, "%s would be done to %s%lld", remote->words[0],
	    json_is_true(json_object_get(preview, "more")) ? "more than " : "",
	    number_of(preview, "count"));
	if (number_of(preview, "markings") > 0)
		wf_buffer_printf(&line, "; %lld different markings",
		    number_of(preview, "markings"));
	wf_remote_print_line(wf_buffer_text(&line));
	wf_buffer_free(&line);
	if (groups == NULL)
		print_sample(preview);
	wf_remote_name_specifications(remote, groups);
	json_array_foreach(groups, i, group) print_group(group);
}

/* "operation 3: migrate: done, 996 done, 4 refused" */
static void print_operation(const json_t *operation)
{
	struct wf_buffer line;
	const char *error = text_of(operation, "error");

	wf_buffer_init(&line, LINE_BYTES);
	wf_buffer_printf(&line,
	    "operation %lld: %s: %s, %lld done, %lld refused",
	    number_of(operation, "operation"), text_of(operation, "kind"),
	    text_of(operation, "state"), number_of(operation, "done"),
	    number_of(operation, "refused"));
	if (error[0] != '\0')
		wf_buffer_printf(&line, "\n  %s", error);
	wf_remote_print_line(wf_buffer_text(&line));
	wf_buffer_free(&line);
}

/* --- waiting -------------------------------------------------------------- */

static bool is_over(const json_t *operation)
{
	const char *state = text_of(operation, "state");

	return strcmp(state, "running") != 0 && strcmp(state, "paused") != 0;
}

/* Replaces the operation by what it is when it is over. */
static enum wf_rc wait_for(
    struct wf_remote *remote, json_t **operation, struct wf_error *err)
{
	const struct timespec pause = { .tv_nsec = WAIT_NS };
	struct wf_progress progress;
	struct wf_buffer path;
	enum wf_rc rc = WF_OK;

	wf_progress_init(&progress, remote->quiet || remote->json);
	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_buffer_printf(
	    &path, "/v1/operations/%lld", number_of(*operation, "operation"));
	while (rc == WF_OK && !is_over(*operation)) {
		json_t *next;

		wf_progress_show(&progress, text_of(*operation, "kind"),
		    (uint64_t)number_of(*operation, "done"), 0);
		nanosleep(&pause, NULL);
		rc = wf_client_json(remote->client, "GET",
		    wf_buffer_text(&path), NULL, &next, err);
		if (rc != WF_OK)
			break;
		wf_progress_hide(&progress);
		json_decref(*operation);
		*operation = next;
	}
	wf_progress_hide(&progress);
	wf_buffer_free(&path);
	return rc;
}

/*
 * Shows an operation; takes the reference.  Only a caller that waits for its
 * end learns from the exit code how it ended.
 */
static int follow(struct wf_remote *remote, json_t *operation)
{
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc =
	    remote->wait ? wait_for(remote, &operation, &err) : WF_OK;
	bool is_good = !remote->wait ||
		       (strcmp(text_of(operation, "state"), "done") == 0 &&
			   number_of(operation, "refused") == 0);

	if (rc == WF_OK && remote->json)
		wf_remote_print_json(operation);
	else if (rc == WF_OK && !remote->quiet)
		print_operation(operation);
	json_decref(operation);
	if (rc != WF_OK)
		return wf_remote_report(remote, &err);
	return is_good ? WF_EXIT_DONE : WF_EXIT_REFUSED;
}

/* --- verbs ---------------------------------------------------------------- */

int wf_remote_start_operation(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *body = json_object();
	json_t *answer = NULL;
	int code = make_body(remote, body);
	enum wf_rc rc;

	if (code != WF_EXIT_DONE) {
		json_decref(body);
		return code;
	}
	rc = wf_remote_send_body(remote, body, &answer, &err);
	json_decref(body);
	if (rc != WF_OK)
		return wf_remote_report(remote, &err);
	if (!remote->dry_run)
		return follow(remote, answer);
	if (remote->json)
		wf_remote_print_json(answer);
	else if (!remote->quiet)
		print_preview(remote, answer);
	json_decref(answer);
	return WF_EXIT_DONE;
}

/* Pause, resume, cancel and undo. */
int wf_remote_set_operation(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer path;
	json_t *body = json_object();
	json_t *answer = NULL;
	enum wf_rc rc;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	put(body, "reason", remote->reason);
	rc = wf_client_json(remote->client, "POST", wf_buffer_text(&path),
	    remote->reason == NULL ? NULL : body, &answer, &err);
	json_decref(body);
	wf_buffer_free(&path);
	return rc == WF_OK ? follow(remote, answer)
			   : wf_remote_report(remote, &err);
}

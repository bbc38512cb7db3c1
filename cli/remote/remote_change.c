/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repairs and migrations of a case, and its prospects.  The changes of a repair
 * are words: "cancel B enter C", "move p q 2", "set n=7".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_text.h"
#include "cli/remote/remote.h"

#define PATH_MAXIMUM 65536U
#define TEXT_MAXIMUM ((size_t)64 << 20)
#define LINE_BYTES ((size_t)1 << 20)

/* --- changes -------------------------------------------------------------- */

static const struct {
	const char *word;
	const char *change;   /* in JSON */
	const char *names[2]; /* of what follows */
	bool has_tokens;      /* a number may follow behind that */
} changes[] = {
	{ "add", "add", { "condition", NULL }, true },
	{ "remove", "remove", { "condition", NULL }, true },
	{ "move", "move", { "from", "to" }, true },
	{ "cancel", "cancel", { "task", NULL }, false },
	{ "empty", "empty", { NULL, NULL }, false },
	{ "enter", "enter", { "task", NULL }, false },
	{ "skip-to", "skip_to", { "task", NULL }, false },
	{ "finish", "finish", { NULL, NULL }, false },
};

#define CHANGES (sizeof(changes) / sizeof(changes[0]))

struct words {
	const struct wf_remote *remote;
	size_t at; /* of the next word */
};

/* NULL: there is none any more. */
static const char *next_word(struct words *words)
{
	return words->at < words->remote->word_count
		   ? words->remote->words[words->at++]
		   : NULL;
}

static bool next_number(struct words *words, uint64_t *number_out)
{
	if (words->at >= words->remote->word_count ||
	    !wf_cli_number(
		words->remote->words[words->at], INT32_MAX, number_out))
		return false;
	words->at++;
	return true;
}

/* "n=7", "name=Ann": JSON, or else a text. */
static bool put_value(json_t *data, const char *word)
{
	const char *equals = strchr(word, '=');
	json_t *value;

	if (equals == NULL || equals == word)
		return false;
	value = json_loads(equals + 1, JSON_DECODE_ANY, NULL);
	if (value == NULL)
		value = wf_json_text(equals + 1);
	return json_object_setn_new(
		   data, word, (size_t)(equals - word), value) == 0;
}

/* NULL: after a message. */
static json_t *read_set(struct words *words, json_t *change)
{
	json_t *data = json_object();

	json_object_set_new(change, "change", json_string("set"));
	json_object_set_new(change, "data", data);
	while (words->at < words->remote->word_count &&
	       put_value(data, words->remote->words[words->at]))
		words->at++;
	if (json_object_size(data) > 0)
		return change;
	json_decref(change);
	(void)wf_cli_usage(
	    words->remote->verb->noun, "set: expected NAME=VALUE");
	return NULL;
}

static json_t *read_change(struct words *words)
{
	json_t *change = json_object();
	const char *word = next_word(words);
	uint64_t tokens;
	size_t kind = 0;

	if (words->remote->net != NULL)
		json_object_set_new(
		    change, "net", wf_json_text(words->remote->net));
	if (strcmp(word, "set") == 0)
		return read_set(words, change);
	while (kind < CHANGES && strcmp(changes[kind].word, word) != 0)
		kind++;
	if (kind == CHANGES) {
		(void)wf_cli_usage(words->remote->verb->noun,
		    "expected add, remove, move, cancel, empty, enter, "
		    "skip-to, finish or set, not \"%.80s\"",
		    word);
		json_decref(change);
		return NULL;
	}
	json_object_set_new(
	    change, "change", json_string(changes[kind].change));
	for (size_t i = 0; i < 2 && changes[kind].names[i] != NULL; i++) {
		const char *name = next_word(words);

		if (name == NULL) {
			(void)wf_cli_usage(words->remote->verb->noun,
			    "%s: expected the id of %s", changes[kind].word,
			    strcmp(changes[kind].names[i], "task") == 0
				? "a task"
				: "a condition");
			json_decref(change);
			return NULL;
		}
		json_object_set_new(
		    change, changes[kind].names[i], wf_json_text(name));
	}
	if (changes[kind].has_tokens && next_number(words, &tokens))
		json_object_set_new(
		    change, "tokens", json_integer((json_int_t)tokens));
	return change;
}

/* --- what is shown -------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	return text == NULL ? "" : text;
}

static void print_items(const json_t *items, const char *what)
{
	struct wf_buffer line;
	json_t *item;
	size_t i;

	json_array_foreach(items, i, item)
	{
		wf_buffer_init(&line, LINE_BYTES);
		wf_buffer_printf(
		    &line, "  %s  %s", what, text_of(item, "item"));
		wf_remote_print_line(wf_buffer_text(&line));
		wf_buffer_free(&line);
	}
}

void wf_remote_print_problems(const json_t *problems)
{
	struct wf_buffer line;
	json_t *problem;
	size_t i;

	json_array_foreach(problems, i, problem)
	{
		wf_buffer_init(&line, LINE_BYTES);
		wf_buffer_printf(&line, "  problem  net %s: %s",
		    text_of(problem, "net"), text_of(problem, "text"));
		wf_remote_print_line(wf_buffer_text(&line));
		wf_buffer_free(&line);
	}
}

static void put_prospect(struct wf_buffer *line, const json_t *prospect)
{
	const char *possible = text_of(prospect, "possible");
	const char *ending = text_of(prospect, "ending");
	const char *failing = text_of(prospect, "failing");

	wf_buffer_printf(line, "  net %s (%s): ", text_of(prospect, "net"),
	    text_of(prospect, "name"));
	if (strcmp(possible, "yes") == 0)
		wf_buffer_printf(line, "can complete%s%s",
		    ending[0] == '\0' ? "" : ": ", ending);
	else if (strcmp(possible, "no") == 0)
		wf_buffer_printf(line, "cannot complete%s%s",
		    failing[0] == '\0' ? "" : ": ", failing);
	else
		wf_buffer_puts(line, "whether it can complete is not known");
	if (strcmp(possible, "no") != 0 && failing[0] != '\0')
		wf_buffer_printf(line, "\n    but it can fail: %s", failing);
}

void wf_remote_print_prospects(const json_t *prospects)
{
	struct wf_buffer line;
	json_t *prospect;
	size_t i;

	json_array_foreach(prospects, i, prospect)
	{
		wf_buffer_init(&line, LINE_BYTES);
		put_prospect(&line, prospect);
		wf_remote_print_line(wf_buffer_text(&line));
		wf_buffer_free(&line);
	}
}

static void print_rest(const json_t *answer)
{
	wf_remote_print_problems(json_object_get(answer, "problems"));
	print_items(json_object_get(answer, "ended"), "goes");
	print_items(json_object_get(answer, "enabled"), "comes");
	wf_remote_print_prospects(json_object_get(answer, "prospects"));
}

/* "case 7: repair refused: ..", and what was seen of it. */
static void print_answer(const struct wf_remote *remote, const json_t *answer)
{
	const json_t *allowed = json_object_get(answer, "allowed");
	struct wf_buffer line;

	wf_buffer_init(&line, LINE_BYTES);
	wf_buffer_printf(&line, "case %s: ", text_of(answer, "case"));
	if (json_is_false(allowed))
		wf_buffer_printf(&line, "%s would be refused: %s",
		    remote->verb->name,
		    text_of(json_object_get(answer, "refusal"), "detail"));
	else if (allowed != NULL)
		wf_buffer_printf(&line, "%s is possible, after step %lld",
		    remote->verb->name,
		    (long long)json_integer_value(
			json_object_get(answer, "steps")));
	else
		wf_buffer_printf(&line, "%s is done, step %lld",
		    remote->verb->name,
		    (long long)json_integer_value(
			json_object_get(answer, "sequence")));
	if (json_object_get(answer, "status") != NULL)
		wf_buffer_printf(&line, "%s %s",
		    allowed == NULL ? "; it is" : "; it would be",
		    text_of(answer, "status"));
	wf_remote_print_line(wf_buffer_text(&line));
	wf_buffer_free(&line);
	print_rest(answer);
}

static void show(const struct wf_remote *remote, const json_t *answer)
{
	if (remote->json)
		wf_remote_print_json(answer);
	else if (!remote->quiet)
		print_answer(remote, answer);
}

/* --- requests ------------------------------------------------------------- */

enum wf_rc wf_remote_send_body(struct wf_remote *remote, const json_t *body,
    json_t **answer_out, struct wf_error *err)
{
	char *dumped = json_dumps(body, JSON_COMPACT);
	struct wf_buffer path;
	struct wf_buffer text;
	struct wf_call call = { .method = remote->verb->method,
		.body = dumped,
		.length = strlen(dumped),
		.key = remote->key };
	enum wf_rc rc;

	*answer_out = NULL;
	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_buffer_init(&text, TEXT_MAXIMUM);
	wf_remote_put_path(remote, &path);
	call.path = wf_buffer_text(&path);
	rc = wf_client_call(remote->client, &call, &text, err);
	if (rc == WF_OK)
		*answer_out =
		    json_loadb(wf_buffer_text(&text), text.length, 0, NULL);
	wf_buffer_free(&text);
	wf_buffer_free(&path);
	free(dumped);
	return rc;
}

/* A dry run of what was refused says all that is wrong. */
static void explain(struct wf_remote *remote, json_t *body)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *answer;

	remote->key = NULL;
	json_object_set_new(body, "dry_run", json_true());
	if (wf_remote_send_body(remote, body, &answer, &err) == WF_OK)
		print_rest(answer);
	json_decref(answer);
}

/* Takes the reference to body. */
static int change_case(struct wf_remote *remote, json_t *body)
{
	struct wf_error err = { .rc = WF_OK };
	uint64_t steps;
	json_t *answer;
	int code;

	if (remote->steps != NULL) {
		if (!wf_cli_number(remote->steps, INT32_MAX, &steps)) {
			json_decref(body);
			return wf_cli_usage("case",
			    "--steps is a number, not \"%.80s\"",
			    remote->steps);
		}
		json_object_set_new(
		    body, "steps", json_integer((json_int_t)steps));
	}
	if (remote->reason != NULL)
		json_object_set_new(
		    body, "reason", wf_json_text(remote->reason));
	json_object_set_new(body, "dry_run", json_boolean(remote->dry_run));
	json_object_set_new(body, "force", json_boolean(remote->force));
	if (wf_remote_send_body(remote, body, &answer, &err) == WF_OK) {
		show(remote, answer);
		code = json_is_false(json_object_get(answer, "allowed"))
			   ? WF_EXIT_REFUSED
			   : WF_EXIT_DONE;
	} else {
		code = wf_remote_report(remote, &err);
		if (err.rc == WF_CONFLICT && !remote->json && !remote->quiet)
			explain(remote, body);
	}
	json_decref(answer);
	json_decref(body);
	return code;
}

json_t *wf_remote_read_changes(const struct wf_remote *remote)
{
	struct words words = { remote, 1 };
	json_t *list = json_array();
	json_t *change = list;

	while (words.at < remote->word_count && change != NULL) {
		change = read_change(&words);
		if (change != NULL)
			json_array_append_new(list, change);
	}
	if (change != NULL)
		return list;
	json_decref(list);
	return NULL;
}

int wf_remote_repair(struct wf_remote *remote)
{
	json_t *list = wf_remote_read_changes(remote);

	return list == NULL
		   ? WF_EXIT_USAGE
		   : change_case(remote, json_pack("{s:o}", "changes", list));
}

bool wf_remote_read_plan(const struct wf_remote *remote, json_t *body)
{
	struct wf_buffer name;
	struct wf_buffer text;
	json_error_t error;
	json_t *plan = NULL;
	bool good;

	if (remote->plan == NULL)
		return true;
	wf_buffer_init(&name, PATH_MAXIMUM);
	wf_buffer_init(&text, TEXT_MAXIMUM);
	wf_buffer_printf(&name, "%s%s",
	    strcmp(remote->plan, "-") == 0 ? "" : "@", remote->plan);
	good = wf_remote_read(wf_buffer_text(&name), &text);
	if (good) {
		plan = json_loadb(wf_buffer_text(&text), text.length,
		    JSON_REJECT_DUPLICATES, &error);
		good = plan != NULL;
		if (!good)
			(void)wf_cli_usage(remote->verb->noun,
			    "%s: no JSON: line %d, column %d: %s", remote->plan,
			    error.line, error.column, error.text);
	}
	if (good)
		json_object_set_new(body, "plan", plan);
	wf_buffer_free(&text);
	wf_buffer_free(&name);
	return good;
}

int wf_remote_migrate(struct wf_remote *remote)
{
	json_t *body = json_object();

	if (remote->specification != NULL)
		json_object_set_new(
		    body, "specification", wf_json_text(remote->specification));
	if (remote->to != NULL)
		json_object_set_new(body, "version", wf_json_text(remote->to));
	if (!wf_remote_read_plan(remote, body)) {
		json_decref(body);
		return WF_EXIT_REFUSED;
	}
	return change_case(remote, body);
}

/* An ended case has none. */
static void show_prospects(const json_t *answer)
{
	const json_t *prospects = json_object_get(answer, "prospects");
	struct wf_buffer line;

	wf_remote_print_prospects(prospects);
	if (json_array_size(prospects) > 0)
		return;
	wf_buffer_init(&line, LINE_BYTES);
	wf_buffer_printf(&line, "case %s is %s", text_of(answer, "case"),
	    text_of(answer, "status"));
	wf_remote_print_line(wf_buffer_text(&line));
	wf_buffer_free(&line);
}

int wf_remote_prospects(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *answer;
	enum wf_rc rc = wf_remote_get(remote, &answer, &err);

	if (rc == WF_OK && remote->json)
		wf_remote_print_json(answer);
	else if (rc == WF_OK && !remote->quiet)
		show_prospects(answer);
	json_decref(answer);
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_report(remote, &err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Starts cases, one or one for each line of a file, and follows cases. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/remote/progress.h"
#include "cli/remote/remote.h"
#include "xquery/text/unicode.h"

#define TEXT_MAXIMUM ((size_t)1 << 30)
#define PATH_MAXIMUM 65536U
/* Names of an audience that a line has, at most. */
#define SHOWN 10U

static void put(json_t *object, const char *name, const char *value)
{
	if (value != NULL)
		json_object_set_new(object, name, json_string(value));
}

/* The request, as far as it is the same for all cases of --each. */
static json_t *make_start(const struct wf_remote *remote)
{
	json_t *start = json_object();

	put(start, "specification", remote->words[0]);
	put(start, "version", remote->version);
	put(start, "title", remote->title);
	put(start, "at", remote->at);
	put(start, "delay", remote->delay);
	put(start, "observer", remote->observer);
	return start;
}

/* Data that begins with "<" is XML, other data is JSON. */
static bool put_data(json_t *start, const char *text, struct wf_error *err)
{
	json_error_t error;
	json_t *data;

	if (!wf_is_utf8(text, strlen(text))) {
		(void)wf_fail(err, WF_INVALID, "the data is not UTF-8");
		return false;
	}
	if (text[strspn(text, " \t\r\n")] == '<') {
		put(start, "xml", text);
		return true;
	}
	data = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (data == NULL) {
		(void)wf_fail(err, WF_INVALID,
		    "the data is no JSON: line %d, column %d: %s", error.line,
		    error.column, error.text);
		return false;
	}
	json_object_set_new(start, "data", data);
	return true;
}

static bool read_data(const struct wf_remote *remote, json_t *start)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer text;
	bool good;

	if (remote->word_count < 2)
		return true;
	wf_buffer_init(&text, TEXT_MAXIMUM);
	good = wf_remote_read(remote->words[1], &text);
	if (good && !put_data(start, wf_buffer_text(&text), &err)) {
		(void)wf_remote_report(remote, &err);
		good = false;
	}
	wf_buffer_free(&text);
	return good;
}

int wf_remote_comment(struct wf_remote *remote)
{
	struct wf_buffer path;
	json_t *body;
	int code;

	if (remote->remove != NULL && remote->word_count > 1)
		return wf_cli_usage("case", "comment: a TEXT and --remove");
	if (remote->remove == NULL && remote->word_count < 2)
		return wf_remote_list(remote);
	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	if (remote->remove != NULL) {
		wf_buffer_putc(&path, '/');
		wf_client_escape(&path, remote->remove);
		return wf_remote_ask(remote, "DELETE", &path, NULL);
	}
	body = json_object();
	put(body, "text", remote->words[1]);
	code = wf_remote_ask(remote, "POST", &path, body);
	json_decref(body);
	return code;
}

/* The id of a case is no number of a start, even if it consists of digits. */
int wf_remote_withdraw(struct wf_remote *remote)
{
	uint64_t number;

	if (!wf_cli_number(remote->words[0], UINT64_MAX, &number))
		return wf_cli_usage("case",
		    "START is a number that \"weft case delayed\" shows, not "
		    "\"%.80s\"; \"weft work withdraw CASE\" withdraws a case "
		    "that you have started",
		    remote->words[0]);
	return wf_remote_show(remote);
}

/* --- following ------------------------------------------------------------ */

static bool is_over(const char *status)
{
	return status != NULL && strcmp(status, "running") != 0 &&
	       strcmp(status, "suspended") != 0 &&
	       strcmp(status, "scheduled") != 0;
}

static const char *text_of(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	return text == NULL ? "" : text;
}

/* "by anna (rest), against a lease: no paper"; "by timer" */
static void print_cause(const json_t *step)
{
	const char *actor = text_of(step, "actor");
	const char *origin = text_of(step, "origin");
	const char *reason = text_of(step, "reason");
	json_int_t incident =
	    json_integer_value(json_object_get(step, "incident"));

	if (actor[0] == '\0' && origin[0] == '\0')
		return;
	printf("  by %s", actor[0] == '\0' ? origin : actor);
	if (actor[0] != '\0' && origin[0] != '\0')
		printf(" (%s)", origin);
	if (incident != 0)
		printf(", retry of incident %lld", (long long)incident);
	if (json_is_true(json_object_get(step, "override")))
		printf(", against a lease");
	if (reason[0] != '\0')
		printf(": %s", reason);
}

/* "anna, ben and 12 more": of count texts, some of which are in the array. */
static void print_texts(const char *before, const json_t *texts, size_t count)
{
	size_t size = json_array_size(texts);

	if (count < size)
		count = size;
	for (size_t i = 0; i < size && i < SHOWN; i++)
		printf("%s%s", i == 0 ? before : ", ",
		    json_string_value(json_array_get(texts, i)));
	if (size > 0 && count > SHOWN)
		printf(" and %zu more", count - SHOWN);
}

/* " to everybody but anna"; " to ben, cara and 300 more"; " to role Clerk" */
static void print_audience(const json_t *audience)
{
	const json_t *people = json_object_get(audience, "people");
	const json_t *roles = json_object_get(audience, "roles");

	if (json_is_true(json_object_get(audience, "all")))
		printf(" to everybody");
	else if (json_array_size(people) == 0 &&
		 json_object_get(audience, "set") != NULL)
		printf(" to many");
	print_texts(" to ", people,
	    (size_t)json_integer_value(json_object_get(audience, "count")));
	print_texts(
	    json_array_size(roles) == 1 ? " to role " : " to roles ", roles, 0);
	print_texts(" but ", json_object_get(audience, "except"), 0);
}

/* " p in 7: 2"; " from 1.0 to 2.0" */
static void print_change(const json_t *event)
{
	const json_t *from = json_object_get(event, "from");
	const json_t *to = json_object_get(event, "to");

	if (json_object_get(event, "condition") != NULL)
		printf(" %s in %s", text_of(event, "condition"),
		    text_of(event, "net"));
	if (strcmp(text_of(event, "event"), "CONDITION_MARKED") == 0)
		printf(": %lld", (long long)json_integer_value(
				     json_object_get(event, "number")));
	if (from != NULL)
		printf(" from %s %s", text_of(from, "uri"),
		    text_of(from, "version"));
	if (to != NULL)
		printf(" to %s %s", text_of(to, "uri"), text_of(to, "version"));
}

/*
 * "2026-01-01T00:00:00.000Z  7  3  TASK_FIRED 7.1:A", the first event of a step
 * with who did it, how and why; an event about people with whom it is about.
 */
static void print_step(const json_t *step)
{
	json_t *event;
	size_t i;

	json_array_foreach(json_object_get(step, "events"), i, event)
	{
		const char *item = text_of(event, "item");
		const char *status = text_of(event, "status");

		printf("%s  %s  %lld  %s%s%s%s%s", text_of(step, "time"),
		    text_of(step, "case"),
		    (long long)json_integer_value(
			json_object_get(step, "sequence")),
		    text_of(event, "event"), item[0] == '\0' ? "" : " ", item,
		    status[0] == '\0' ? "" : " ", status);
		print_change(event);
		if (json_object_get(event, "participant") != NULL)
			printf(" %s", text_of(event, "participant"));
		print_audience(json_object_get(event, "audience"));
		if (i == 0)
			print_cause(step);
		printf("\n");
	}
	fflush(stdout);
}

static bool ends_case(const json_t *step)
{
	json_t *event;
	size_t i;

	json_array_foreach(json_object_get(step, "events"), i, event)
	{
		const char *name =
		    json_string_value(json_object_get(event, "event"));

		if (name != NULL && (strcmp(name, "CASE_COMPLETED") == 0 ||
					strcmp(name, "CASE_DEADLOCKED") == 0 ||
					strcmp(name, "CASE_CANCELLED") == 0))
			return true;
	}
	return false;
}

struct watching {
	const struct wf_remote *remote;
	const char *case_id; /* NULL: all */
	bool silent;
	bool over;
	bool reported;	  /* that the connection broke */
	json_int_t start; /* number of a delayed start; 0: the case is there */
	bool asks;	  /* for incidents, when nothing happens */
	bool paused;	  /* to ask */
	json_int_t incident; /* the last that was reported */
	char id[128];	     /* of the last event */
};

static bool take_event(void *context, const char *id, const char *data)
{
	struct watching *watching = context;
	json_t *step;

	if (data == NULL) {
		watching->paused = watching->asks;
		return !watching->paused;
	}
	step = json_loads(data, 0, NULL);
	watching->reported = false;
	watching->start = 0;
	snprintf(watching->id, sizeof(watching->id), "%s", id);
	if (!watching->silent && watching->remote->json)
		printf("%s\n", data);
	else if (!watching->silent)
		print_step(step);
	fflush(stdout);
	if (watching->case_id != NULL && ends_case(step))
		watching->over = true;
	json_decref(step);
	return !watching->over;
}

static void put_events(const struct watching *watching, struct wf_buffer *path)
{
	wf_buffer_puts(path, "/v1/events?");
	if (watching->id[0] != '\0') {
		wf_buffer_puts(path, "after=");
		wf_client_escape(path, watching->id);
	}
	if (watching->case_id != NULL) {
		wf_buffer_puts(path, "&case=");
		wf_client_escape(path, watching->case_id);
	}
}

/*
 * Whether the start is still delayed; false once the case is there, or will
 * never be.  True when the server does not answer.
 */
static bool is_delayed(const struct watching *watching)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer path;
	json_t *answer;
	json_t *first;
	bool is;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_buffer_printf(&path, "/v1/starts?limit=1&after=%lld",
	    (long long)watching->start - 1);
	is = wf_client_json(watching->remote->client, "GET",
		 wf_buffer_text(&path), NULL, &answer, &err) != WF_OK;
	wf_buffer_free(&path);
	first = json_array_get(json_object_get(answer, "starts"), 0);
	is |= json_integer_value(json_object_get(first, "start")) ==
	      watching->start;
	json_decref(answer);
	return is;
}

/* A case with an incident may wait for ever. */
static void report_incident(struct watching *watching)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer path;
	json_int_t incident;
	json_t *answer;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_buffer_puts(&path, "/v1/cases/");
	wf_client_escape(&path, watching->case_id);
	if (wf_client_json(watching->remote->client, "GET",
		wf_buffer_text(&path), NULL, &answer, &err) == WF_OK) {
		incident =
		    json_integer_value(json_object_get(answer, "incident"));
		if (incident != 0 && incident != watching->incident)
			fprintf(stderr,
			    "weft: case %s has the incident %lld (%s); still "
			    "waiting\n",
			    watching->case_id, (long long)incident,
			    text_of(answer, "incident_code"));
		watching->incident = incident;
	}
	json_decref(answer);
	wf_buffer_free(&path);
}

/* Reconnects and continues after the last event when the connection breaks. */
static enum wf_rc watch(struct watching *watching, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;
	bool is_last = false;

	while (!watching->over) {
		struct wf_buffer path;

		is_last = watching->start != 0 && !is_delayed(watching);
		wf_buffer_init(&path, PATH_MAXIMUM);
		put_events(watching, &path);
		wf_error_clear(err);
		rc = wf_client_stream(watching->remote->client,
		    wf_buffer_text(&path), take_event, watching, err);
		wf_buffer_free(&path);
		if (watching->paused) {
			watching->paused = false;
			report_incident(watching);
			continue;
		}
		if (rc == WF_NOT_FOUND && watching->start != 0 && !is_last) {
			sleep(1);
			continue;
		}
		if (rc != WF_OK && rc != WF_UNAVAILABLE)
			break;
		if (!watching->over && !watching->reported)
			fprintf(stderr, "weft: %s; trying again\n",
			    rc == WF_OK ? "the server ended the stream"
					: err->message);
		watching->reported = true;
		if (!watching->over)
			sleep(1);
	}
	if (rc == WF_NOT_FOUND && is_last) {
		wf_error_clear(err);
		return wf_fail(err, WF_NOT_FOUND,
		    "case %s was not started: its start was withdrawn, or an "
		    "incident says why",
		    watching->case_id);
	}
	return watching->over ? WF_OK : rc;
}

int wf_remote_watch(struct wf_remote *remote)
{
	struct watching watching = { .remote = remote,
		.case_id = remote->word_count > 0 ? remote->words[0] : NULL };
	struct wf_error err = { .rc = WF_OK };

	/* A case from its beginning, all of them from now. */
	if (watching.case_id != NULL)
		strcpy(watching.id, "0");
	return watch(&watching, &err) == WF_OK ? WF_EXIT_DONE
					       : wf_remote_report(remote, &err);
}

int wf_remote_history(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *all = json_array();
	char after[32] = "0";
	size_t count;
	enum wf_rc rc;

	do {
		struct wf_buffer path;
		json_t *answer;
		json_t *step;
		const char *next;
		size_t i;

		wf_buffer_init(&path, PATH_MAXIMUM);
		wf_buffer_puts(&path, "/v1/cases/");
		wf_client_escape(&path, remote->words[0]);
		wf_buffer_printf(&path, "/history?limit=1000&after=%s%s", after,
		    remote->json ? "" : "&names=true");
		rc = wf_client_json(remote->client, "GET",
		    wf_buffer_text(&path), NULL, &answer, &err);
		wf_buffer_free(&path);
		count = json_array_size(json_object_get(answer, "steps"));
		json_array_foreach(json_object_get(answer, "steps"), i, step)
		{
			if (remote->json)
				json_array_append(all, step);
			else
				print_step(step);
		}
		next = json_string_value(json_object_get(answer, "next"));
		snprintf(after, sizeof(after), "%s", next == NULL ? "" : next);
		json_decref(answer);
	} while (rc == WF_OK && count > 0 && after[0] != '\0');
	if (rc == WF_OK && remote->json)
		wf_remote_print_json(all);
	json_decref(all);
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_report(remote, &err);
}

/* --- starting ------------------------------------------------------------- */

/* Returns the exit code: 0 completed, 3 deadlocked, 1 anything else. */
static int show_end(struct wf_remote *remote, const char *id)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer path;
	const char *status;
	json_t *answer;
	int code;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_buffer_puts(&path, "/v1/cases/");
	wf_client_escape(&path, id);
	if (wf_client_json(remote->client, "GET", wf_buffer_text(&path), NULL,
		&answer, &err) != WF_OK) {
		wf_buffer_free(&path);
		return wf_remote_report(remote, &err);
	}
	wf_buffer_free(&path);
	status = json_string_value(json_object_get(answer, "status"));
	code = status != NULL && strcmp(status, "completed") == 0    ? 0
	       : status != NULL && strcmp(status, "deadlocked") == 0 ? 3
								     : 1;
	wf_remote_show_answer(remote, answer);
	json_decref(answer);
	return code;
}

static int wait_for(struct wf_remote *remote, const json_t *started)
{
	const char *id = json_string_value(json_object_get(started, "case"));
	const char *status =
	    json_string_value(json_object_get(started, "status"));
	struct watching watching = { .remote = remote,
		.case_id = id,
		.silent = true,
		.asks = !remote->quiet,
		.id = "0" };
	struct wf_error err = { .rc = WF_OK };

	if (id == NULL || status == NULL) {
		(void)wf_fail(&err, WF_IO, "the answer names no case");
		return wf_remote_report(remote, &err);
	}
	if (strcmp(status, "scheduled") == 0)
		watching.start =
		    json_integer_value(json_object_get(started, "start"));
	if (!remote->quiet)
		fprintf(
		    stderr, "case %s is %s; waiting for its end\n", id, status);
	if (!is_over(status) && watch(&watching, &err) != WF_OK)
		return wf_remote_report(remote, &err);
	return show_end(remote, id);
}

static int start_one(struct wf_remote *remote, json_t *start)
{
	struct wf_error err = { .rc = WF_OK };
	char *text = json_dumps(start, JSON_COMPACT);
	struct wf_call call = { .method = "POST",
		.path = "/v1/cases",
		.body = text,
		.length = strlen(text),
		.key = remote->key };
	struct wf_buffer body;
	json_t *answer = NULL;
	int code = WF_EXIT_DONE;

	wf_buffer_init(&body, TEXT_MAXIMUM);
	if (wf_client_call(remote->client, &call, &body, &err) != WF_OK)
		code = wf_remote_report(remote, &err);
	else
		answer =
		    json_loadb(wf_buffer_text(&body), body.length, 0, NULL);
	if (answer != NULL && remote->wait)
		code = wait_for(remote, answer);
	else
		wf_remote_show_answer(remote, answer);
	json_decref(answer);
	wf_buffer_free(&body);
	free(text);
	return code;
}

/* --- a case for each line ------------------------------------------------- */

struct many {
	const struct wf_remote *remote;
	FILE *file;
	char *line;
	size_t capacity;
	size_t read;
	size_t total;  /* lines; 0: not known */
	size_t *lines; /* of each call, its line */
	size_t line_count;
	size_t started;
	size_t failed;
	bool ids; /* are printed */
	struct wf_progress progress;
};

static void say_line(struct many *many, size_t line, const char *why)
{
	wf_progress_hide(&many->progress);
	fprintf(stderr, "weft: %s:%zu: %s\n", many->remote->each, line, why);
	many->failed++;
}

static json_t *next_start(void *context)
{
	struct many *many = context;
	struct wf_error err = { .rc = WF_OK };
	json_t *start;

	while (getline(&many->line, &many->capacity, many->file) >= 0) {
		many->read++;
		if (many->line[strspn(many->line, " \t\r\n")] == '\0')
			continue;
		start = make_start(many->remote);
		wf_error_clear(&err);
		if (put_data(start, many->line, &err)) {
			many->lines = wf_realloc(many->lines,
			    (many->line_count + 1) * sizeof(*many->lines));
			many->lines[many->line_count++] = many->read;
			return start;
		}
		say_line(many, many->read, err.message);
		json_decref(start);
	}
	return NULL;
}

static bool note_start(void *context, size_t number, const json_t *answer,
    const struct wf_error *err)
{
	struct many *many = context;

	if (err->rc != WF_OK) {
		say_line(many, many->lines[number], err->message);
	} else {
		many->started++;
		if (many->remote->json)
			wf_remote_print_json(answer);
		else if (many->ids)
			printf("%s\n",
			    json_string_value(json_object_get(answer, "case")));
		fflush(stdout); /* the id of a started case must not get lost */
	}
	wf_progress_show(&many->progress, "cases", many->started + many->failed,
	    many->total);
	return err->rc != WF_UNAVAILABLE;
}

/* Counts the lines of a file that can be read twice; 0 for others. */
static size_t count_lines(FILE *file)
{
	size_t count = 0;
	int byte;

	if (fseek(file, 0, SEEK_SET) != 0)
		return 0;
	while ((byte = getc(file)) != EOF)
		count += byte == '\n';
	rewind(file);
	return count;
}

static int start_each(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	struct many many = { .remote = remote, .file = stdin };
	struct wf_client_many calls = { .method = "POST",
		.path = "/v1/cases",
		.next = next_start,
		.done = note_start,
		.context = &many };
	enum wf_rc rc;

	if (strcmp(remote->each, "-") != 0)
		many.file = fopen(remote->each, "r");
	if (many.file == NULL) {
		fprintf(
		    stderr, "weft: %s: %s\n", remote->each, strerror(errno));
		return WF_EXIT_REFUSED;
	}
	wf_progress_init(&many.progress, remote->quiet);
	/* A terminal shows the bar, else the ids are printed. */
	many.ids = !remote->quiet &&
		   !(many.progress.wanted && isatty(STDOUT_FILENO) == 1);
	if (many.progress.wanted)
		many.total = count_lines(many.file);
	rc = wf_client_many(remote->client, &calls, &err);
	wf_progress_hide(&many.progress);
	free(many.line);
	wf_free(many.lines);
	if (many.file != stdin)
		fclose(many.file);
	if (rc != WF_OK)
		return wf_remote_report(remote, &err);
	fprintf(stderr, "%zu cases started, %zu refused\n", many.started,
	    many.failed);
	return many.failed == 0 ? WF_EXIT_DONE : WF_EXIT_REFUSED;
}

int wf_remote_start(struct wf_remote *remote)
{
	json_t *start;
	int code = WF_EXIT_REFUSED;

	if (remote->each != NULL)
		return start_each(remote);
	start = make_start(remote);
	put(start, "case", remote->id);
	if (read_data(remote, start))
		code = start_one(remote, start);
	json_decref(start);
	return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expectations: each has a row in the table at the end, a function that
 * compares, and a sentence that says what was there instead.
 */
#include "cli/scenario/expect.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/time_text.h"
#include "cli/run/trace.h"
#include "cli/scenario/expect_people.h"
#include "cli/scenario/expect_urgency.h"
#include "cli/scenario/words.h"
#include "kernel/event.h"
#include "kernel/view.h"

#define TEXT_MAXIMUM ((size_t)64 << 20)

static enum wf_rc differ(
    struct wf_error *err, const char *expected, const char *found)
{
	return wf_fail(err, WF_CONFLICT, "expected %.220s, but there is %.220s",
	    expected, found[0] != '\0' ? found : "nothing");
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "p=1" is of the root net: "1/p=1". */
static char *full_mark(const char *word)
{
	struct wf_buffer text;

	wf_buffer_init(&text, TEXT_MAXIMUM);
	if (strchr(word, '/') == NULL)
		wf_buffer_puts(&text, WF_SESSION_CASE "/");
	wf_buffer_puts(&text, word);
	return wf_buffer_take(&text);
}

static enum wf_rc expect_marking(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	char **marks = wf_calloc(count + 1, sizeof(*marks));
	struct wf_buffer expected;
	struct wf_buffer found;
	enum wf_rc rc = WF_OK;

	wf_buffer_init(&expected, TEXT_MAXIMUM);
	wf_buffer_init(&found, TEXT_MAXIMUM);
	for (size_t i = 0; i < count; i++)
		marks[i] = full_mark(words[i]);
	qsort(marks, count, sizeof(*marks), compare_words);
	for (size_t i = 0; i < count; i++) {
		wf_buffer_puts(&expected, i > 0 ? " " : "");
		wf_buffer_puts(&expected, marks[i]);
		wf_free(marks[i]);
	}
	wf_free(marks);
	wf_trace_marking(session->instance, &found);
	if (strcmp(wf_buffer_text(&expected), wf_buffer_text(&found)) != 0) {
		wf_buffer_puts(&expected, count == 0 ? "no tokens" : "");
		rc = differ(
		    err, wf_buffer_text(&expected), wf_buffer_text(&found));
	}
	wf_buffer_free(&expected);
	wf_buffer_free(&found);
	return rc;
}

/* "A:Enabled", or "1.2:A:Enabled" in full. */
static bool is_item(const struct wf_item *item, const char *word)
{
	char text[WF_ITEM_ID_SIZE + 32];
	char id[WF_ITEM_ID_SIZE];
	const char *status = wf_item_status_name(item->status);

	snprintf(text, sizeof(text), "%s:%s", item->task->id, status);
	if (strcmp(text, word) == 0)
		return true;
	wf_item_id(item, id);
	snprintf(text, sizeof(text), "%s:%s", id, status);
	return strcmp(text, word) == 0;
}

static void list_items(
    const struct wf_item *items, size_t count, struct wf_buffer *text)
{
	char id[WF_ITEM_ID_SIZE];

	for (size_t i = 0; i < count; i++) {
		wf_item_id(&items[i], id);
		wf_buffer_printf(text, "%s%s:%s", i > 0 ? " " : "", id,
		    wf_item_status_name(items[i].status));
	}
}

static void list_words(char *const *words, size_t count, struct wf_buffer *text)
{
	for (size_t i = 0; i < count; i++) {
		wf_buffer_puts(text, i > 0 ? " " : "");
		wf_buffer_puts(text, words[i]);
	}
}

/* Takes the first remaining item that the word stands for. */
static bool take_item(
    const char *word, const struct wf_item *items, bool *taken, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!taken[i] && is_item(&items[i], word)) {
			taken[i] = true;
			return true;
		}
	return false;
}

/* Whether the word names one item only: "1.2:A:Enabled". */
static bool is_full(const char *word)
{
	return strchr(word, ':') != strrchr(word, ':');
}

/* Whether each word can be matched with an item of its own. */
static bool all_match(
    char *const *words, const struct wf_item *items, size_t count)
{
	bool *taken = wf_calloc(count + 1, sizeof(*taken));
	bool good = true;

	for (size_t i = 0; i < count && good; i++)
		if (is_full(words[i]))
			good = take_item(words[i], items, taken, count);
	for (size_t i = 0; i < count && good; i++)
		if (!is_full(words[i]))
			good = take_item(words[i], items, taken, count);
	wf_free(taken);
	return good;
}

static enum wf_rc expect_items(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	struct wf_item *items;
	size_t item_count = wf_case_items(session->instance, &items);
	struct wf_buffer expected;
	struct wf_buffer found;
	enum wf_rc rc = WF_OK;

	wf_buffer_init(&expected, TEXT_MAXIMUM);
	wf_buffer_init(&found, TEXT_MAXIMUM);
	if (item_count != count || !all_match(words, items, count)) {
		list_words(words, count, &expected);
		list_items(items, item_count, &found);
		rc = differ(err,
		    count > 0 ? wf_buffer_text(&expected) : "no item",
		    wf_buffer_text(&found));
	}
	wf_buffer_free(&expected);
	wf_buffer_free(&found);
	wf_free(items);
	return rc;
}

/* Finds the net with this id among the live ones. */
struct search {
	const char *id;
	size_t length;
	struct wf_buffer *xml;
	bool found;
};

static void append_net_data(void *argument, const struct wf_net_view *view)
{
	struct search *search = argument;

	if (strlen(view->case_id) != search->length ||
	    memcmp(view->case_id, search->id, search->length) != 0)
		return;
	search->found = true;
	wf_buffer_puts(search->xml, "<data>");
	for (uint32_t i = 0; i < view->net->variable_count; i++)
		if (view->variables[i] != NULL)
			wf_buffer_append(search->xml,
			    wf_value_text(view->variables[i]),
			    view->variables[i]->length);
	wf_buffer_puts(search->xml, "</data>");
}

/* The data of the net with this id, as XML. */
static enum wf_rc net_data(const struct wf_session *session, const char *id,
    size_t length, struct wf_buffer *xml, struct wf_error *err)
{
	struct search search = { id, length, xml, false };

	if (length == strlen(WF_SESSION_CASE) &&
	    memcmp(id, WF_SESSION_CASE, length) == 0) {
		wf_case_data(session->instance, xml);
		return WF_OK;
	}
	wf_case_nets(session->instance, append_net_data, &search);
	return search.found ? WF_OK
			    : wf_fail(err, WF_CONFLICT,
				  "no net %.*s is running", (int)length, id);
}

/* The value that the words "x=3" or "<x>..</x>" stand for. */
static enum wf_rc expected_value(
    const char *word, struct wf_value **value_out, struct wf_error *err)
{
	const char *equals = strchr(word, '=');
	struct wf_arena *arena;
	char *name;
	char *text;

	if (word[0] == '<')
		return wf_value_parse(value_out, word, strlen(word), err);
	arena = wf_arena_new();
	name = wf_arena_strndup(arena, word, (size_t)(equals - word));
	text = wf_word_unquote(arena, equals + 1);
	*value_out = wf_value_new_text(name, text, strlen(text));
	wf_arena_free(&arena);
	return *value_out != NULL
		   ? WF_OK
		   : wf_fail(err, WF_LIMIT, "the value is larger than %u bytes",
			 WF_VALUE_BYTES);
}

/* The child of a document that has the same name. */
static const struct wf_value *same_name(
    const struct wf_value_list *list, const struct wf_value *value)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->values[i]->name_length == value->name_length &&
		    memcmp(wf_value_name(list->values[i]), wf_value_name(value),
			value->name_length) == 0)
			return list->values[i];
	return NULL;
}

static enum wf_rc expect_value(
    const char *word, const struct wf_buffer *xml, struct wf_error *err)
{
	struct wf_value *expected = NULL;
	struct wf_value_list list = { 0 };
	const struct wf_value *found;
	enum wf_rc rc;

	rc = expected_value(word, &expected, err);
	if (rc == WF_OK)
		rc = wf_value_list_parse(
		    &list, wf_buffer_text(xml), xml->length, err);
	if (rc == WF_OK) {
		found = same_name(&list, expected);
		if (found == NULL || !wf_value_equal(found, expected))
			rc = differ(err, wf_value_text(expected),
			    found != NULL ? wf_value_text(found)
					  : wf_buffer_text(xml));
		wf_value_list_free(&list);
	}
	wf_value_unref(&expected);
	return rc;
}

/* "1.1/x=3": the net's id, up to the /; the root net's when there is none. */
static const char *split_net(
    const char *word, const char **id_out, size_t *length_out)
{
	const char *slash = strpbrk(word, "/=<");

	if (slash != NULL && *slash == '/') {
		*id_out = word;
		*length_out = (size_t)(slash - word);
		return slash + 1;
	}
	*id_out = WF_SESSION_CASE;
	*length_out = strlen(WF_SESSION_CASE);
	return word;
}

static enum wf_rc expect_data(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; i < count && rc == WF_OK; i++) {
		struct wf_buffer xml;
		const char *id;
		size_t length;
		const char *word = split_net(words[i], &id, &length);

		wf_buffer_init(&xml, TEXT_MAXIMUM);
		rc = net_data(session, id, length, &xml, err);
		if (rc == WF_OK)
			rc = expect_value(word, &xml, err);
		wf_buffer_free(&xml);
	}
	return rc;
}

static enum wf_rc expect_input(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	char id[WF_ITEM_ID_SIZE];
	struct wf_buffer xml;
	enum wf_rc rc;

	rc = wf_session_item(session, words[0], id, err);
	if (rc != WF_OK)
		return rc;
	wf_buffer_init(&xml, TEXT_MAXIMUM);
	rc = wf_case_item_input(session->instance, id, &xml, err);
	for (size_t i = 1; i < count && rc == WF_OK; i++)
		rc = expect_value(words[i], &xml, err);
	wf_buffer_free(&xml);
	return rc;
}

/* The text that the item has as its documentation. */
static enum wf_rc expect_doc(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	char id[WF_ITEM_ID_SIZE];
	uint64_t work = WF_INSPECTION_WORK;
	struct wf_arena *arena;
	struct wf_buffer found;
	const char *expected;
	enum wf_rc rc = wf_session_item(session, words[0], id, err);

	if (rc != WF_OK)
		return rc;
	arena = wf_arena_new();
	wf_buffer_init(&found, TEXT_MAXIMUM);
	expected = count > 1 ? wf_word_unquote(arena, words[1]) : "";
	rc = wf_case_item_documentation(
	    session->instance, id, session->now, 0, &work, &found, err);
	if (rc == WF_OK && strcmp(expected, wf_buffer_text(&found)) != 0)
		rc = differ(err, expected, wf_buffer_text(&found));
	wf_buffer_free(&found);
	wf_arena_free(&arena);
	return rc;
}

/* What the last command had logged by predicates, each in quotes. */
static void list_logged(
    const struct wf_session *session, struct wf_buffer *found)
{
	struct wf_event_reader reader;
	const struct wf_event *event;

	wf_event_reader_init(&reader, session->step.events.data,
	    session->step.events.length, NULL);
	while ((event = wf_event_next(&reader, NULL)) != NULL)
		if (event->kind == WF_EVENT_PREDICATE_LOGGED)
			wf_buffer_printf(found, "%s\"%.*s\"",
			    found->length > 0 ? " " : "",
			    (int)event->text_length, event->text);
	wf_event_reader_free(&reader);
}

static enum wf_rc expect_logged(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	struct wf_buffer expected;
	struct wf_buffer found;
	enum wf_rc rc = WF_OK;

	wf_buffer_init(&expected, TEXT_MAXIMUM);
	wf_buffer_init(&found, TEXT_MAXIMUM);
	list_words(words, count, &expected);
	list_logged(session, &found);
	if (strcmp(wf_buffer_text(&expected), wf_buffer_text(&found)) != 0)
		rc = differ(err,
		    count > 0 ? wf_buffer_text(&expected) : "no text",
		    wf_buffer_text(&found));
	wf_buffer_free(&expected);
	wf_buffer_free(&found);
	return rc;
}

/* The output of the case, as one element. */
static enum wf_rc expect_output(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	struct wf_value *expected = NULL;
	struct wf_value *found = NULL;
	struct wf_buffer xml;
	enum wf_rc rc;

	(void)count;
	wf_buffer_init(&xml, TEXT_MAXIMUM);
	wf_case_output(session->instance, &xml);
	rc = wf_value_parse(&expected, words[0], strlen(words[0]), err);
	if (rc == WF_OK)
		rc = wf_value_parse(
		    &found, wf_buffer_text(&xml), xml.length, err);
	if (rc == WF_OK && !wf_value_equal(found, expected))
		rc = differ(err, words[0], wf_buffer_text(&xml));
	wf_value_unref(&expected);
	wf_value_unref(&found);
	wf_buffer_free(&xml);
	return rc;
}

/* Each text is part of the message that refused the last command. */
static enum wf_rc expect_error(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; i < count && rc == WF_OK; i++) {
		const char *text = wf_word_unquote(arena, words[i]);

		if (strstr(session->refusal.message, text) == NULL)
			rc = differ(err, text, session->refusal.message);
	}
	wf_arena_free(&arena);
	return rc;
}

/* The items of these tasks belong to one deferred choice. */
static enum wf_rc expect_choice(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	uint32_t choice = 0;

	for (size_t i = 0; i < count; i++) {
		char id[WF_ITEM_ID_SIZE];
		struct wf_item item;
		enum wf_rc rc;

		rc = wf_session_item(session, words[i], id, err);
		if (rc == WF_OK)
			rc = wf_case_item(session->instance, id, &item, err);
		if (rc != WF_OK)
			return rc;
		if (item.choice == 0 || (i > 0 && item.choice != choice))
			return wf_fail(err, WF_CONFLICT,
			    "%s is not in the same deferred choice", words[i]);
		choice = item.choice;
	}
	return WF_OK;
}

/* "A=2026-01-01T00:05:00Z", for comparing. */
struct timers {
	char **words;
	size_t count;
};

static void list_timer(
    void *argument, const char *item, uint32_t number, int64_t at)
{
	struct timers *timers = argument;
	char text[WF_TIME_TEXT_BYTES];
	struct wf_buffer word;

	(void)number;
	wf_time_text_seconds(at, text);
	wf_buffer_init(&word, TEXT_MAXIMUM);
	wf_buffer_printf(&word, "%s=%s", item, text);
	timers->words = wf_realloc(
	    timers->words, (timers->count + 1) * sizeof(*timers->words));
	timers->words[timers->count++] = wf_buffer_take(&word);
}

/* "1:A=.." or "A=.." */
static bool is_timer(const char *timer, const char *word)
{
	return strcmp(timer, word) == 0 ||
	       (strchr(word, ':') > strchr(word, '=') &&
		   strcmp(strchr(timer, ':') + 1, word) == 0);
}

static enum wf_rc expect_timers(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	struct timers timers = { NULL, 0 };
	struct wf_buffer expected;
	struct wf_buffer found;
	enum wf_rc rc = WF_OK;
	size_t good = 0;

	wf_buffer_init(&expected, TEXT_MAXIMUM);
	wf_buffer_init(&found, TEXT_MAXIMUM);
	wf_case_timers(session->instance, list_timer, &timers);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < timers.count; k++)
			good += is_timer(timers.words[k], words[i]);
	if (good != count || count != timers.count) {
		list_words(words, count, &expected);
		list_words(timers.words, timers.count, &found);
		rc = differ(err,
		    count > 0 ? wf_buffer_text(&expected) : "no timer",
		    wf_buffer_text(&found));
	}
	for (size_t i = 0; i < timers.count; i++)
		wf_free(timers.words[i]);
	wf_free(timers.words);
	wf_buffer_free(&expected);
	wf_buffer_free(&found);
	return rc;
}

static const char *state_of(const struct wf_session *session)
{
	switch (wf_case_status(session->instance)) {
	case WF_CASE_RUNNING:
		return wf_case_is_stuck(session->instance) ? "stuck"
							   : "running";
	case WF_CASE_SUSPENDED:
		return "suspended";
	case WF_CASE_COMPLETED:
		return "completed";
	case WF_CASE_DEADLOCKED:
		return "deadlock";
	case WF_CASE_CANCELLED:
		return "cancelled";
	}
	return "";
}

/* The form of what follows the word. */
enum form { FREE, MARKS, TIMES, VALUES };

#define MANY SIZE_MAX

struct row {
	const char *word;
	size_t least; /* words that follow; these are of any form */
	size_t most;
	enum form form; /* of the others */
	/* NULL: the word is the state of the case. */
	enum wf_rc (*check)(char *const *words, size_t count,
	    const struct wf_session *session, struct wf_error *err);
};

static const struct row rows[] = {
	{ "marking", 0, MANY, MARKS, expect_marking },
	{ "items", 0, MANY, FREE, expect_items },
	{ "people", 0, MANY, FREE, wf_expect_people },
	{ "data", 0, MANY, VALUES, expect_data },
	{ "input", 1, MANY, VALUES, expect_input },
	{ "doc", 1, 2, FREE, expect_doc },
	{ "logged", 0, MANY, FREE, expect_logged },
	{ "output", 1, 1, FREE, expect_output },
	{ "error", 1, MANY, FREE, expect_error },
	{ "choice", 0, MANY, FREE, expect_choice },
	{ "priority", 0, MANY, VALUES, wf_expect_priority },
	{ "due", 0, MANY, TIMES, wf_expect_due },
	{ "alarms", 0, MANY, TIMES, wf_expect_alarms },
	{ "acted", 0, MANY, FREE, wf_expect_acted },
	{ "timers", 0, MANY, TIMES, expect_timers },
	{ "running", 0, 0, FREE, NULL },
	{ "stuck", 0, 0, FREE, NULL },
	{ "suspended", 0, 0, FREE, NULL },
	{ "completed", 0, 0, FREE, NULL },
	{ "deadlock", 0, 0, FREE, NULL },
	{ "cancelled", 0, 0, FREE, NULL },
};

size_t wf_expect_find(const char *word)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].word, word) == 0)
			return i;
	return WF_EXPECT_NOTHING;
}

static bool is_value(const char *word)
{
	const char *id;
	size_t length;

	word = split_net(word, &id, &length);
	return word[0] == '<' || strchr(word, '=') != NULL;
}

bool wf_expect_check_words(
    size_t about, char *const *words, size_t count, char *problem, size_t size)
{
	const struct row *row = &rows[about];

	if (count > row->most) {
		snprintf(problem, size, "nothing can follow \"%.60s\"",
		    row->most == 0 ? row->word : words[row->most - 1]);
		return false;
	}
	if (count < row->least) {
		snprintf(problem, size, "what is expected is missing");
		return false;
	}
	for (size_t i = row->least; i < count; i++) {
		bool good = row->form == FREE ? true
			    : row->form == VALUES
				? is_value(words[i])
				: strchr(words[i], '=') != NULL;

		if (!good) {
			snprintf(problem, size,
			    "\"%.60s\" is not of the form NAME=%s", words[i],
			    row->form == MARKS	 ? "NUMBER"
			    : row->form == TIMES ? "TIME"
						 : "VALUE or <NAME>..");
			return false;
		}
	}
	return true;
}

enum wf_rc wf_expect_holds(size_t about, char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	const struct row *row = &rows[about];

	if (session->instance == NULL)
		return wf_fail(err, WF_CONFLICT,
		    "expected %s, but no case is launched", row->word);
	if (row->check != NULL)
		return row->check(words, count, session, err);
	if (strcmp(row->word, state_of(session)) != 0)
		return wf_fail(err, WF_CONFLICT,
		    "expected the case to be %s, but it is %s", row->word,
		    state_of(session));
	return WF_OK;
}

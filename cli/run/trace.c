/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a run as a trace, for comparison with other engines. */
#include "cli/run/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "kernel/view.h"

#define LINE_MAXIMUM ((size_t)256 << 20)

struct trace {
	struct wf_watcher watcher;
	FILE *out;
	bool show_data;
	struct wf_map *shown; /* id of a net -> struct text */
	struct text *texts;
};

/* The data of a net that was shown last. */
struct text {
	struct text *next;
	char *text;
};

/* A list of texts to sort and join. */
struct words {
	char **words;
	size_t count;
	size_t capacity;
};

static void add_word(struct words *words, char *word)
{
	if (words->count == words->capacity) {
		words->capacity = words->capacity * 2 + 16;
		words->words = wf_realloc(
		    words->words, words->capacity * sizeof(*words->words));
	}
	words->words[words->count++] = word;
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Appends the words, sorted, and frees the list. */
static void join_words(
    struct words *words, const char *separator, struct wf_buffer *text)
{
	if (words->count > 0)
		qsort(words->words, words->count, sizeof(*words->words),
		    compare_words);
	for (size_t i = 0; i < words->count; i++) {
		if (i > 0)
			wf_buffer_puts(text, separator);
		wf_buffer_puts(text, words->words[i]);
		wf_free(words->words[i]);
	}
	wf_free(words->words);
}

static void add_marking(void *argument, const struct wf_net_view *view)
{
	struct words *words = argument;
	const struct wf_net *net = view->net;
	struct wf_buffer word;

	wf_buffer_init(&word, LINE_MAXIMUM);
	for (uint32_t i = 0; i < net->condition_count; i++) {
		if (view->tokens[i] == 0)
			continue;
		wf_buffer_printf(&word, "%s/%s=%u", view->case_id,
		    net->conditions[i].id, view->tokens[i]);
		add_word(words, wf_buffer_take(&word));
	}
	for (uint32_t i = 0; i < net->task_count; i++) {
		if (!wf_net_view_is_busy(view, i))
			continue;
		wf_buffer_printf(
		    &word, "%s/%s=busy", view->case_id, net->tasks[i].id);
		add_word(words, wf_buffer_take(&word));
	}
	wf_buffer_free(&word);
}

void wf_trace_marking(const struct wf_case *instance, struct wf_buffer *text)
{
	struct words words = { 0 };

	wf_case_nets(instance, add_marking, &words);
	join_words(&words, " ", text);
}

/*
 * The marking in the format of the reference engine: without sub-nets that have
 * deadlocked or run empty.
 */
static void add_live_marking(void *argument, const struct wf_net_view *view)
{
	if (!view->stuck)
		add_marking(argument, view);
}

static void live_marking(
    const struct wf_session *session, struct wf_buffer *text)
{
	struct words words = { 0 };

	wf_case_nets(session->instance, add_live_marking, &words);
	join_words(&words, " ", text);
}

static int compare_values(const void *a, const void *b)
{
	const struct wf_value *x = *(struct wf_value *const *)a;
	const struct wf_value *y = *(struct wf_value *const *)b;
	size_t length =
	    x->name_length < y->name_length ? x->name_length : y->name_length;
	int order = memcmp(wf_value_name(x), wf_value_name(y), length);

	return order != 0 ? order : (int)x->name_length - (int)y->name_length;
}

/* The variables of a net, sorted by name. */
static char *net_data(const struct wf_net_view *view)
{
	uint32_t all = view->net->variable_count;
	struct wf_value **values = wf_calloc((size_t)all + 1, sizeof(*values));
	struct wf_buffer text;
	size_t count = 0;

	for (uint32_t i = 0; i < all; i++)
		if (view->variables[i] != NULL)
			values[count++] = view->variables[i];
	qsort(values, count, sizeof(*values), compare_values);
	wf_buffer_init(&text, LINE_MAXIMUM);
	wf_buffer_puts(&text, "");
	for (size_t i = 0; i < count; i++)
		wf_buffer_append(
		    &text, wf_value_text(values[i]), values[i]->length);
	wf_free(values);
	return wf_buffer_take(&text);
}

/* Whether text differs from the text shown last for the net; keeps it. */
static bool is_news(struct trace *trace, const char *net, char *text)
{
	struct text *entry = wf_map_get(trace->shown, net);
	bool news = entry == NULL || strcmp(entry->text, text) != 0;

	if (entry == NULL) {
		entry = wf_calloc(1, sizeof(*entry));
		entry->next = trace->texts;
		trace->texts = entry;
		wf_map_add(trace->shown, net, entry);
	}
	wf_free(entry->text);
	entry->text = text;
	return news;
}

static void show_net(void *argument, const struct wf_net_view *view)
{
	struct trace *trace = argument;
	char *text;

	if (view->stuck)
		return;
	text = net_data(view);
	if (is_news(trace, view->case_id, text))
		fprintf(trace->out, " data %s %s\n", view->case_id, text);
}

static void trace_step(struct wf_watcher *watcher,
    const struct wf_session *session, uint32_t number,
    const struct wf_item *items, size_t count, size_t pick)
{
	struct trace *trace = (struct trace *)watcher;
	struct wf_buffer marking;

	fprintf(trace->out, "%u [", number);
	for (size_t i = 0; i < count; i++)
		fprintf(trace->out, "%s%s:%s", i > 0 ? " " : "",
		    items[i].task->id, wf_item_status_name(items[i].status));
	wf_buffer_init(&marking, LINE_MAXIMUM);
	live_marking(session, &marking);
	fprintf(trace->out, "] pick %zu %s:%s case %s | %s\n", pick,
	    items[pick].task->id, wf_item_status_name(items[pick].status),
	    items[pick].case_id, wf_buffer_text(&marking));
	wf_buffer_free(&marking);
	if (trace->show_data)
		wf_case_nets(session->instance, show_net, trace);
}

static void trace_started(
    struct wf_watcher *watcher, const char *item, const struct wf_buffer *input)
{
	struct trace *trace = (struct trace *)watcher;

	if (trace->show_data)
		fprintf(trace->out, " in %s %s\n", item, wf_buffer_text(input));
}

static void trace_completing(struct wf_watcher *watcher, const char *item,
    const struct wf_buffer *output)
{
	struct trace *trace = (struct trace *)watcher;

	if (trace->show_data)
		fprintf(
		    trace->out, " out %s %s\n", item, wf_buffer_text(output));
}

static void trace_done(
    struct wf_watcher *watcher, const struct wf_session *session)
{
	(void)watcher;
	(void)session;
}

static const char *const outcomes[] = {
	[WF_OUTCOME_COMPLETED] = "COMPLETED",
	[WF_OUTCOME_DEADLOCK] = "DEADLOCK",
	[WF_OUTCOME_STUCK] = "STUCK",
	[WF_OUTCOME_STEP_LIMIT] = "MAXSTEPS",
	[WF_OUTCOME_CANCELLED] = "CANCELLED",
	[WF_OUTCOME_OPEN] = "OPEN",
};

static void trace_ended(struct wf_watcher *watcher,
    const struct wf_session *session, enum wf_outcome outcome, uint32_t steps)
{
	struct trace *trace = (struct trace *)watcher;
	struct wf_buffer marking;

	if (outcome == WF_OUTCOME_COMPLETED && session->saw_deadlock)
		outcome = WF_OUTCOME_DEADLOCK;
	fprintf(trace->out, "OUTCOME %s steps=%u", outcomes[outcome], steps);
	if (outcome == WF_OUTCOME_STUCK || outcome == WF_OUTCOME_OPEN) {
		wf_buffer_init(&marking, LINE_MAXIMUM);
		live_marking(session, &marking);
		fprintf(trace->out, " | %s", wf_buffer_text(&marking));
		wf_buffer_free(&marking);
	}
	fputc('\n', trace->out);
}

static const struct wf_watcher functions = { trace_step, trace_started,
	trace_completing, trace_done, trace_ended };

struct wf_watcher *wf_trace_new(FILE *out, bool show_data)
{
	struct trace *trace = wf_calloc(1, sizeof(*trace));

	trace->watcher = functions;
	trace->out = out;
	trace->show_data = show_data;
	trace->shown = wf_map_new();
	return &trace->watcher;
}

void wf_trace_free(struct wf_watcher **watcher)
{
	struct trace *trace = (struct trace *)*watcher;

	if (trace == NULL)
		return;
	while (trace->texts != NULL) {
		struct text *entry = trace->texts;

		trace->texts = entry->next;
		wf_free(entry->text);
		wf_free(entry);
	}
	wf_map_free(&trace->shown);
	wf_free(trace);
	*watcher = NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Describes a run in words, step by step, as a watcher of cli/run/drive.c. */
#include "cli/run/narration.h"

#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "kernel/view.h"

/* Maximum characters of a variable that are shown. */
#define SHOWN_LENGTH 300U
/* Maximum enabled tasks that are named; others are only counted. */
#define NAMED_TASKS 5U

struct narration {
	struct wf_watcher watcher;
	FILE *out;
	bool split;
	bool begun;	       /* the first step has been taken */
	struct wf_map *values; /* "1.2/x" -> struct shown */
	struct shown *list;
	struct wf_map *started; /* "Net/Task" of each started task */
};

/* The text of a variable that was shown last. */
struct shown {
	struct shown *next;
	char *text;
};

static const char *task_name(const struct wf_task *task)
{
	return task->name != NULL ? task->name : task->id;
}

/*
 * The name of the task, and the id of the net instance unless it is the root.
 */
static void print_task(FILE *out, const struct wf_item *item)
{
	fputs(task_name(item->task), out);
	if (strchr(item->case_id, '.') != NULL)
		fprintf(out, " (%s)", item->case_id);
}

/* "     word name = content", on one line and cut when it is long. */
static void print_value(
    FILE *out, const char *word, const struct wf_value *value)
{
	size_t length;
	const char *content = wf_value_content(value, &length, NULL);
	size_t shown = length < SHOWN_LENGTH ? length : SHOWN_LENGTH;

	while (shown < length && shown > 0 &&
	       ((unsigned char)content[shown] & 0xC0) == 0x80)
		shown--;
	fprintf(out, "     %s%.*s = ", word, (int)value->name_length,
	    wf_value_name(value));
	for (size_t i = 0; i < shown; i++)
		fputc(strchr("\n\r\t", content[i]) != NULL ? ' ' : content[i],
		    out);
	fprintf(out, "%s\n",
	    length == 0	     ? "(empty)"
	    : shown < length ? " ..."
			     : "");
}

/* The children of an item's input or output. */
static void print_values(
    FILE *out, const char *word, const struct wf_buffer *xml)
{
	struct wf_value_list list;

	if (wf_value_list_parse(
		&list, wf_buffer_text(xml), xml->length, NULL) != WF_OK)
		return;
	for (size_t i = 0; i < list.count; i++)
		print_value(out, word, list.values[i]);
	wf_value_list_free(&list);
}

/* Whether the value differs from the one shown last; keeps the value. */
static bool is_news(
    struct narration *narration, const char *key, const struct wf_value *value)
{
	struct shown *shown = wf_map_get(narration->values, key);
	bool news;

	if (shown == NULL) {
		news = !wf_value_is_empty(value);
		shown = wf_calloc(1, sizeof(*shown));
		shown->next = narration->list;
		narration->list = shown;
		wf_map_add(narration->values, key, shown);
	} else {
		news = strcmp(shown->text, wf_value_text(value)) != 0;
	}
	wf_free(shown->text);
	shown->text = wf_strndup(wf_value_text(value), value->length);
	return news;
}

static void show_changes(void *argument, const struct wf_net_view *view)
{
	struct narration *narration = argument;
	bool is_root = strchr(view->case_id, '.') == NULL;
	struct wf_buffer word;

	wf_buffer_init(&word, WF_ITEM_ID_SIZE);
	for (uint32_t i = 0; i < view->net->variable_count; i++) {
		const struct wf_value *value = view->variables[i];

		if (value == NULL)
			continue;
		wf_buffer_reset(&word);
		wf_buffer_printf(&word, "%s/%s", view->case_id,
		    view->net->variables[i].name);
		if (!is_news(narration, wf_buffer_text(&word), value))
			continue;
		wf_buffer_reset(&word);
		wf_buffer_puts(
		    &word, narration->begun ? "now " : "begins with ");
		if (!is_root)
			wf_buffer_printf(&word, "in %s: ", view->case_id);
		print_value(narration->out, wf_buffer_text(&word), value);
	}
	wf_buffer_free(&word);
}

/*
 * Prints the names of the enabled tasks; returns the number of different names.
 */
static size_t print_enabled(
    FILE *out, const struct wf_item *items, size_t count)
{
	const struct wf_task *last = NULL;
	size_t tasks = 0;
	size_t named = 0;

	for (size_t i = 0; i < count; i++) {
		if (items[i].status != WF_ITEM_ENABLED)
			continue;
		tasks += items[i].task != last;
		last = items[i].task;
	}
	last = NULL;
	for (size_t i = 0; i < count && named < NAMED_TASKS; i++) {
		if (items[i].status != WF_ITEM_ENABLED || items[i].task == last)
			continue;
		last = items[i].task;
		if (named > 0)
			fputs(named + 1 == tasks ? " and " : ", ", out);
		fputs(task_name(last), out);
		named++;
	}
	if (named < tasks)
		fprintf(out, " and %zu more", tasks - named);
	return tasks;
}

static const char *deed(
    const struct narration *narration, const struct wf_item *item)
{
	if (item->status == WF_ITEM_EXECUTING)
		return "completes";
	return narration->split ? "starts" : "starts and completes";
}

static void narrate_step(struct wf_watcher *watcher,
    const struct wf_session *session, uint32_t number,
    const struct wf_item *items, size_t count, size_t pick)
{
	struct narration *narration = (struct narration *)watcher;
	const struct wf_item *item = &items[pick];
	FILE *out = narration->out;
	struct wf_buffer key;
	size_t tasks;

	(void)session;
	narration->begun = true;
	fprintf(out, "%u. ", number + 1);
	tasks = print_enabled(out, items, count);
	if (tasks > 0)
		fprintf(out, " %s enabled; ", tasks > 1 ? "are" : "is");
	if (tasks == 1 && item->status == WF_ITEM_ENABLED)
		fputs("it", out);
	else
		print_task(out, item);
	fprintf(out, " %s.\n", deed(narration, item));
	wf_buffer_init(&key, WF_ITEM_ID_SIZE);
	wf_buffer_printf(
	    &key, "%s/%s", item->net->decomposition->id, item->task->id);
	wf_map_add(narration->started, wf_buffer_text(&key), narration);
	wf_buffer_free(&key);
}

static void narrate_started(
    struct wf_watcher *watcher, const char *item, const struct wf_buffer *input)
{
	(void)item;
	print_values(((struct narration *)watcher)->out, "receives ", input);
}

static void narrate_completing(struct wf_watcher *watcher, const char *item,
    const struct wf_buffer *output)
{
	(void)item;
	print_values(((struct narration *)watcher)->out, "returns ", output);
}

static void narrate_done(
    struct wf_watcher *watcher, const struct wf_session *session)
{
	wf_case_nets(session->instance, show_changes, watcher);
}

void wf_narration_launched(FILE *out, const struct wf_session *session)
{
	const struct wf_spec *spec = session->spec;
	const char *title = spec->metadata.title;

	if (title == NULL)
		title = spec->name != NULL ? spec->name : spec->uri;
	fprintf(out, "Case %s of \"%s\" is launched.\n",
	    wf_case_id(session->instance), title);
}

/* Begins a line about a net. */
static void print_net(FILE *out, const struct wf_net_view *view)
{
	bool is_root = strchr(view->case_id, '.') == NULL;

	fprintf(out, "     %s%s%s", is_root ? "" : "in ",
	    is_root ? "" : view->case_id, is_root ? "" : ": ");
}

/* Prints the marking of a net in which no task can start. */
static void describe_net(void *argument, const struct wf_net_view *view)
{
	FILE *out = argument;
	const struct wf_net *net = view->net;
	struct wf_buffer text;

	wf_buffer_init(&text, WF_ITEM_ID_SIZE);
	for (uint32_t i = 0; i < net->condition_count; i++) {
		if (view->tokens[i] == 0)
			continue;
		wf_buffer_reset(&text);
		wf_condition_words(net, &net->conditions[i], &text);
		print_net(out, view);
		fprintf(out, "%u token%s in %s.\n", view->tokens[i],
		    view->tokens[i] > 1 ? "s" : "", wf_buffer_text(&text));
	}
	for (uint32_t i = 0; i < net->task_count; i++)
		if (wf_net_view_is_busy(view, i)) {
			print_net(out, view);
			fprintf(
			    out, "%s is busy.\n", task_name(&net->tasks[i]));
		}
	if (view->stuck) {
		print_net(out, view);
		fprintf(out,
		    "net %s can do nothing more and has not reached its "
		    "end.\n",
		    net->decomposition->id);
	}
	wf_buffer_free(&text);
}

/* The tasks with a marked input, each with the tokens it waits for. */
static void describe_waiting(void *argument, const struct wf_net_view *view)
{
	FILE *out = argument;
	const struct wf_net *net = view->net;
	struct wf_buffer text;

	wf_buffer_init(&text, (size_t)1 << 20);
	for (uint32_t i = 0; i < net->task_count; i++) {
		const struct wf_task *task = &net->tasks[i];
		const char *separator = "";
		uint32_t marked = 0;

		if (wf_net_view_is_busy(view, i))
			continue;
		wf_buffer_reset(&text);
		for (uint32_t k = 0; k < task->preset_count; k++) {
			uint32_t input = task->preset[k];

			if (view->tokens[input] > 0) {
				marked++;
				continue;
			}
			wf_buffer_puts(&text, separator);
			wf_condition_words(net, &net->conditions[input], &text);
			separator = ", ";
		}
		if (marked > 0 && marked < task->preset_count) {
			print_net(out, view);
			fprintf(out, "%s waits for a token in %s.\n",
			    task_name(task), wf_buffer_text(&text));
		}
	}
	wf_buffer_free(&text);
}

static void describe_marking(FILE *out, const struct wf_session *session)
{
	wf_case_nets(session->instance, describe_net, out);
	wf_case_nets(session->instance, describe_waiting, out);
}

/* The outcome in a sentence; after: " after N steps" or "". */
static void print_standing(FILE *out, const struct wf_session *session,
    enum wf_outcome outcome, const char *after)
{
	static const char *const sentences[] = {
		[WF_OUTCOME_COMPLETED] = "The case is completed%s.\n",
		[WF_OUTCOME_DEADLOCK] = "The case is deadlocked%s: tokens are "
					"left, but no task can take them.\n",
		[WF_OUTCOME_STUCK] = "The case is stuck%s: no work item is "
				     "left, but it is not finished.\n",
		[WF_OUTCOME_STEP_LIMIT] = "The case still runs%s; --max-steps "
					  "allows no more.\n",
		[WF_OUTCOME_CANCELLED] = "The case is cancelled%s.\n",
		[WF_OUTCOME_OPEN] = "The case still runs%s.\n",
	};

	fprintf(out, sentences[outcome], after);
	if (outcome == WF_OUTCOME_DEADLOCK || outcome == WF_OUTCOME_STUCK)
		describe_marking(out, session);
}

void wf_narration_standing(
    FILE *out, const struct wf_session *session, enum wf_outcome outcome)
{
	print_standing(out, session, outcome, "");
}

/* The atomic tasks of all nets in use that were never started. */
static void print_never_started(
    const struct narration *narration, const struct wf_spec *spec)
{
	const char *separator = "     Never started: ";
	struct wf_buffer key;

	wf_buffer_init(&key, WF_ITEM_ID_SIZE);
	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_net *net = spec->decompositions[i].net;

		if (net == NULL || !net->is_used)
			continue;
		for (uint32_t k = 0; k < net->task_count; k++) {
			const struct wf_task *task = &net->tasks[k];

			wf_buffer_reset(&key);
			wf_buffer_printf(
			    &key, "%s/%s", net->decomposition->id, task->id);
			if (task->kind != WF_ATOMIC_TASK ||
			    wf_map_get(narration->started,
				wf_buffer_text(&key)) != NULL)
				continue;
			fprintf(
			    narration->out, "%s%s", separator, task_name(task));
			separator = ", ";
		}
	}
	if (strcmp(separator, ", ") == 0)
		fputs(".\n", narration->out);
	wf_buffer_free(&key);
}

static void narrate_ended(struct wf_watcher *watcher,
    const struct wf_session *session, enum wf_outcome outcome, uint32_t steps)
{
	struct narration *narration = (struct narration *)watcher;

	char after[40];

	snprintf(after, sizeof(after), " after %u step%s", steps,
	    steps == 1 ? "" : "s");
	print_standing(narration->out, session, outcome, after);
	if (outcome == WF_OUTCOME_DEADLOCK || outcome == WF_OUTCOME_STUCK)
		print_never_started(narration, session->spec);
}

static const struct wf_watcher functions = { narrate_step, narrate_started,
	narrate_completing, narrate_done, narrate_ended };

struct wf_watcher *wf_narration_new(FILE *out, bool split)
{
	struct narration *narration = wf_calloc(1, sizeof(*narration));

	narration->watcher = functions;
	narration->out = out;
	narration->split = split;
	narration->values = wf_map_new();
	narration->started = wf_map_new();
	return &narration->watcher;
}

void wf_narration_free(struct wf_watcher **watcher)
{
	struct narration *narration = (struct narration *)*watcher;

	if (narration == NULL)
		return;
	while (narration->list != NULL) {
		struct shown *shown = narration->list;

		narration->list = shown->next;
		wf_free(shown->text);
		wf_free(shown);
	}
	wf_map_free(&narration->values);
	wf_map_free(&narration->started);
	wf_free(narration);
	*watcher = NULL;
}

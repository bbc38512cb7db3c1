/* SPDX-License-Identifier: Apache-2.0 */
/* The work items of an export: data, times, timers, suspension. */
#include <stdlib.h>
#include <string.h>

#include "migration/yawl_import_priv.h"

#define TEXT_MAXIMUM ((size_t)256 << 20)

/* --- items ---------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
	return strcmp(
	    ((const struct item *)a)->id, ((const struct item *)b)->id);
}

void wf_export_read_items(struct describing *d)
{
	const struct wf_xml *first =
	    wf_export_children(d->exported->element, "workitems");
	size_t count = 0;

	for (const struct wf_xml *i = first; i != NULL; i = i->next)
		count++;
	d->items = wf_arena_array(d->arena, count, sizeof(*d->items));
	for (const struct wf_xml *i = first; i != NULL; i = i->next) {
		const char *id = wf_export_text(i, "id");
		struct item *item = &d->items[d->item_count++];

		item->element = i;
		item->id = wf_arena_strndup(d->arena, id, strcspn(id, "!"));
		item->status = wf_export_text(i, "status");
	}
	if (count > 0)
		qsort(d->items, count, sizeof(*d->items), by_id);
}

static const struct item *find_item(
    const struct describing *d, const char *case_id, const char *task)
{
	struct item key = { NULL,
		wf_arena_printf(d->arena, "%s:%s", case_id, task), NULL };

	return d->item_count == 0
		   ? NULL
		   : bsearch(&key, d->items, d->item_count, sizeof(key), by_id);
}

static bool is_suspended(const struct item *item)
{
	return strcmp(item->status, "Suspended") == 0;
}

/* Whether it has that status, or had it before it was suspended. */
static bool is_at(const struct item *item, const char *status)
{
	return strcmp(is_suspended(item)
			  ? wf_export_text(item->element, "prevstatus")
			  : item->status,
		   status) == 0;
}

static int64_t time_of(const struct item *item, const char *name)
{
	return item == NULL
		   ? 0
		   : strtoll(wf_export_text(item->element, name), NULL, 10);
}

/* --- data ----------------------------------------------------------------- */

static bool is_input(const struct wf_decomposition *work, const char *name)
{
	for (size_t i = 0; i < work->input_count; i++)
		if (strcmp(work->inputs[i].name, name) == 0)
			return true;
	return false;
}

/* The input parameters in an item's data, without other elements. */
static void put_inputs(struct describing *d, struct wf_buffer *xml,
    const struct item *item, const struct wf_decomposition *work)
{
	const struct wf_xml *data = wf_export_children(item->element, "data");

	wf_buffer_puts(xml, "<data>");
	for (const struct wf_xml *v = data == NULL ? NULL : data->children;
	     v != NULL; v = v->next) {
		if (is_input(work, v->name))
			wf_buffer_append(xml, v->source, v->source_length);
		else
			wf_export_remark(d,
			    "item %.100s: its data has <%.100s>, which is no "
			    "input: left out",
			    item->id, v->name);
	}
	wf_buffer_puts(xml, "</data>");
}

/* --- what is in a net ----------------------------------------------------- */

static void put_instance(struct describing *d, const struct child *child)
{
	const struct wf_task *task = child->task;
	const struct item *item = find_item(d, child->id, task->id);
	struct wf_import_row row = { .kind = WF_IMPORT_INSTANCE,
		.name = task->id,
		.instance = child->number,
		.status = child->status };
	struct wf_buffer data;

	wf_buffer_init(&data, TEXT_MAXIMUM);
	if (task->kind == WF_COMPOSITE_TASK && row.status == WF_ITEM_FIRED)
		row.status = WF_ITEM_EXECUTING;
	if (task->kind == WF_ATOMIC_TASK && row.status != WF_ITEM_COMPLETE) {
		if (item != NULL && is_at(item, "Executing"))
			row.status = WF_ITEM_EXECUTING;
		else if (item != NULL && is_at(item, "Fired"))
			row.status = WF_ITEM_FIRED;
		if (item != NULL)
			put_inputs(d, &data, item, task->decomposition);
		else
			wf_export_remark(d,
			    "item %.100s:%s is missing in the list of items: "
			    "its input is not known",
			    child->id, task->id);
	}
	if (data.length > 0) {
		row.data = data.data;
		row.length = data.length;
	}
	wf_export_put(d, row);
	wf_buffer_free(&data);
}

void wf_export_put_instances(struct describing *d, uint32_t last)
{
	for (size_t i = 0; i < d->child_count; i++)
		put_instance(d, &d->children[i]);
	wf_export_put(d,
	    (struct wf_import_row){ .kind = WF_IMPORT_COUNT, .number = last });
}

static bool has_instance(
    const struct describing *d, const struct wf_task *task, bool ended)
{
	for (size_t i = 0; i < d->child_count; i++)
		if (d->children[i].task == task &&
		    (!ended || d->children[i].status == WF_ITEM_COMPLETE))
			return true;
	return false;
}

/* The output of completed instances, for the joining query of the task. */
static void put_results(
    struct describing *d, const struct wf_task *task, const struct wf_xml *data)
{
	const struct wf_xml *root = data == NULL ? NULL : data->children;

	if (task->multi == NULL || !task->multi->has_output ||
	    !has_instance(d, task, true))
		return;
	if (root == NULL)
		wf_export_remark(d,
		    "task %.100s: the export has no output of its instances "
		    "that have completed: it will be missing when they are "
		    "joined",
		    task->id);
	for (const struct wf_xml *v = root == NULL ? NULL : root->children;
	     v != NULL; v = v->next)
		wf_export_put(
		    d, (struct wf_import_row){ .kind = WF_IMPORT_RESULT,
			   .name = task->id,
			   .number = 1,
			   .data = v->source,
			   .length = v->source_length });
}

/* Older exports contain only the name of the task. */
enum wf_rc wf_export_put_busy_tasks(struct describing *d)
{
	for (const struct wf_xml *at =
		 wf_export_children(d->runner->element, "busytasks");
	     at != NULL; at = at->next) {
		const char *name = at->children == NULL
				       ? at->text
				       : wf_export_text(at, "name");
		const struct wf_task *task =
		    wf_export_task(d->runner->net, name);

		if (task == NULL || !has_instance(d, task, false))
			return wf_fail(d->err, WF_INVALID,
			    "task %.100s of net %.100s is busy, but %s", name,
			    d->runner->id,
			    task == NULL ? "there is no such task"
					 : "no instance is in it");
		put_results(d, task, wf_xml_child(at, "midata"));
	}
	return WF_OK;
}

/* --- items ---------------------------------------------------------------- */

/* The number of a deferred choice: of the first item that is part of it. */
static uint32_t choice_of(struct describing *d, const struct item *item)
{
	const char *id = wf_export_text(item->element, "deferredgroupid");
	const struct item *first;

	if (id[0] == '\0')
		return 0;
	wf_map_add(d->choices, id, (void *)item);
	first = wf_map_get(d->choices, id);
	return (uint32_t)(first - d->items) + 1;
}

static void put_date(struct describing *d, const struct wf_task *task,
    uint32_t instance, enum wf_item_status status, int64_t time)
{
	if (time != 0)
		wf_export_put(
		    d, (struct wf_import_row){ .kind = WF_IMPORT_DATED,
			   .name = task->id,
			   .instance = instance,
			   .status = status,
			   .time = time });
}

/* The timer of a task, or of one of its instances. */
static bool put_timer(struct describing *d, const struct wf_task *task,
    uint32_t instance, const struct item *item)
{
	int64_t time = time_of(item, "timerexpiry");

	if (time <= 0 ||
	    strcmp(wf_export_text(item->element, "timerstarted"), "true") != 0)
		return false;
	if (task->timer == NULL) {
		wf_export_remark(d,
		    "item %.100s has a timer, its task has none: left out",
		    item->id);
		return false;
	}
	if (instance != 0 && task->timer->net_variable == NULL &&
	    task->timer->trigger == WF_TIMER_ON_ENABLED)
		instance = 0;
	wf_export_put(d, (struct wf_import_row){ .kind = WF_IMPORT_TIMER,
			     .name = task->id,
			     .instance = instance,
			     .time = time });
	return true;
}

/* The state of the task's timer in the export, as text; NULL: none. */
static const char *timer_state(
    const struct describing *d, const struct wf_task *task)
{
	for (const struct wf_xml *at =
		 wf_export_children(d->runner->element, "timerstates");
	     at != NULL; at = at->next) {
		const char *name = wf_export_text(at, "taskname");

		if (name[0] == '\0')
			name = wf_export_text(at, "taskName");
		if (strcmp(name, wf_task_name(task)) == 0 ||
		    strcmp(name, task->id) == 0)
			return wf_export_text(at, "state");
	}
	return NULL;
}

static bool timer_runs(const struct describing *d, const struct wf_task *task)
{
	const char *state = timer_state(d, task);

	return state == NULL || strcmp(state, "active") == 0;
}

/* An enabled task, given by its enabled item. */
static enum wf_rc put_offered(
    struct describing *d, const struct item *item, const char *name)
{
	const struct wf_task *task = wf_export_task(d->runner->net, name);

	if (task == NULL)
		return wf_fail(d->err, WF_INVALID,
		    "item %.100s is of no task of net %s", item->id,
		    d->runner->net->decomposition->id);
	wf_export_put(d, (struct wf_import_row){ .kind = WF_IMPORT_OFFERED,
			     .name = task->id,
			     .number = choice_of(d, item) });
	put_date(d, task, 0, WF_ITEM_ENABLED, time_of(item, "enablement"));
	if (is_suspended(item))
		wf_export_put(
		    d, (struct wf_import_row){
			   .kind = WF_IMPORT_SUSPENDED, .name = task->id });
	if (timer_runs(d, task))
		put_timer(d, task, 0, item);
	return WF_OK;
}

static enum wf_rc put_all_offered(struct describing *d)
{
	size_t length = strlen(d->runner->id);
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; i < d->item_count && rc == WF_OK; i++) {
		const struct item *item = &d->items[i];

		if (strncmp(item->id, d->runner->id, length) == 0 &&
		    item->id[length] == ':' && is_at(item, "Enabled"))
			rc = put_offered(d, item, item->id + length + 1);
	}
	return rc;
}

/* Times, timers and suspension of an instance; first: of its task. */
static void put_child_item(
    struct describing *d, const struct child *child, bool first)
{
	const struct wf_task *task = child->task;
	const struct item *parent = find_item(d, d->runner->id, task->id);
	const struct item *item = find_item(d, child->id, task->id);
	bool has_timer = false;

	if (parent == NULL)
		parent = item;
	if (first) {
		put_date(
		    d, task, 0, WF_ITEM_ENABLED, time_of(parent, "enablement"));
		put_date(d, task, 0, WF_ITEM_FIRED, time_of(item, "firing"));
	}
	if (first && parent != item && timer_runs(d, task))
		has_timer = put_timer(d, task, 0, parent);
	if (child->status == WF_ITEM_COMPLETE)
		return;
	put_date(
	    d, task, child->number, WF_ITEM_EXECUTING, time_of(item, "start"));
	if (is_suspended(item))
		wf_export_put(
		    d, (struct wf_import_row){ .kind = WF_IMPORT_SUSPENDED,
			   .name = task->id,
			   .instance = child->number });
	/* A child without a timer of its own has its parent's timer. */
	if (!has_timer && timer_runs(d, task) &&
	    (parent == item ||
		time_of(parent, "timerexpiry") != time_of(item, "timerexpiry")))
		put_timer(d, task, child->number, item);
}

static void put_all_children(struct describing *d)
{
	bool *seen =
	    wf_arena_array(d->arena, d->runner->net->task_count, sizeof(*seen));

	for (size_t i = 0; i < d->child_count; i++) {
		const struct child *child = &d->children[i];
		bool *is_seen = &seen[child->task->number];

		if (child->task->kind != WF_ATOMIC_TASK)
			continue;
		/* The export need not list an ended instance. */
		if (find_item(d, child->id, child->task->id) == NULL)
			continue;
		put_child_item(d, child, !*is_seen);
		*is_seen = true;
	}
}

static void put_timer_states(struct describing *d)
{
	const struct wf_net *net = d->runner->net;

	for (uint32_t t = 0; net->has_timer && t < net->task_count; t++) {
		const struct wf_task *task = &net->tasks[t];
		const char *word =
		    task->timer == NULL || task->kind != WF_ATOMIC_TASK
			? NULL
			: timer_state(d, task);

		for (enum wf_timer_state state = WF_TIMER_DORMANT;
		     word != NULL && state <= WF_TIMER_EXPIRED; state++)
			if (strcmp(word, wf_timer_state_name(state)) == 0)
				wf_export_put(
				    d, (struct wf_import_row){
					   .kind = WF_IMPORT_TIMER_STATE,
					   .name = task->id,
					   .number = state });
	}
}

enum wf_rc wf_export_put_items(struct describing *d)
{
	enum wf_rc rc = put_all_offered(d);

	put_all_children(d);
	put_timer_states(d);
	return rc;
}

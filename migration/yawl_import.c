/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an export to rows.
 *
 * A running net ("runner") has an identifier; its locations are the tokens and
 * busy tasks of the net, its children the instances of busy tasks, located in
 * the inner conditions of a task (mi_active, mi_entered, mi_executing,
 * mi_complete). Work items add data, times and suspension
 * (yawl_import_items.c).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "migration/yawl_import_priv.h"

#define TEXT_MAXIMUM ((size_t)256 << 20)

/* YAWL writes "null" for some missing values. */
const char *wf_export_text(const struct wf_xml *parent, const char *name)
{
	const struct wf_xml *child =
	    parent == NULL ? NULL : wf_xml_child(parent, name);

	return child == NULL || strcmp(child->text, "null") == 0 ? ""
								 : child->text;
}

const struct wf_xml *wf_export_children(
    const struct wf_xml *parent, const char *name)
{
	const struct wf_xml *child =
	    parent == NULL ? NULL : wf_xml_child(parent, name);

	return child == NULL ? NULL : child->children;
}

static const char *identifier_of(const struct wf_xml *runner)
{
	const struct wf_xml *identifier = wf_xml_child(runner, "identifier");
	const char *id =
	    identifier == NULL ? NULL : wf_xml_attribute(identifier, "id");

	return id == NULL ? "" : id;
}

/* --- the list of cases ---------------------------------------------------- */

static const struct wf_xml *root_runner(const struct wf_xml *element)
{
	const struct wf_xml *runner = wf_export_children(element, "runners");

	while (runner != NULL && wf_export_text(runner, "parent")[0] != '\0')
		runner = runner->next;
	return runner;
}

static void read_case(
    const struct wf_xml *element, struct wf_yawl_export *exported)
{
	const struct wf_xml *root = root_runner(element);
	const struct wf_xml *id =
	    root == NULL ? NULL : wf_xml_child(root, "specificationid");

	exported->element = element;
	exported->id = root == NULL ? "" : identifier_of(root);
	exported->observer = wf_export_text(root, "observer");
	exported->identifier = wf_export_text(id, "identifier");
	exported->version = wf_export_text(id, "version");
	exported->uri = wf_export_text(id, "uri");
}

enum wf_rc wf_yawl_export_read(struct wf_arena *arena, const char *xml,
    size_t length, struct wf_yawl_export **cases_out, size_t *count_out,
    struct wf_error *err)
{
	const struct wf_xml *cases;
	struct wf_xml *root;
	size_t count = 0;
	enum wf_rc rc = wf_xml_read(&root, arena, xml, length, err);

	if (rc != WF_OK)
		return rc;
	cases = root;
	if (strcmp(root->name, "response") == 0 && root->children != NULL)
		cases = root->children;
	if (strcmp(cases->name, "cases") != 0)
		return wf_fail(err, WF_INVALID,
		    "no export of cases: expected the element <cases>, not "
		    "<%.100s>",
		    cases->name);
	for (const struct wf_xml *c = cases->children; c != NULL; c = c->next)
		count++;
	*cases_out = wf_arena_array(arena, count, sizeof(**cases_out));
	*count_out = count;
	count = 0;
	for (const struct wf_xml *c = cases->children; c != NULL; c = c->next)
		read_case(c, &(*cases_out)[count++]);
	return WF_OK;
}

/* --- one case ------------------------------------------------------------- */

void wf_export_remark(struct describing *d, const char *format, ...)
{
	char text[1000];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	wf_buffer_printf(d->remarks, "%s\n", text);
}

void wf_export_put(struct describing *d, struct wf_import_row row)
{
	row.net = d->runner->path;
	wf_import_put(d->rows, &row);
}

/* --- runners -------------------------------------------------------------- */

static int by_depth(const void *a, const void *b)
{
	const struct runner *x = a;
	const struct runner *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return strcmp(x->id, y->id);
}

static enum wf_rc read_runners(struct describing *d)
{
	const struct wf_xml *first =
	    wf_export_children(d->exported->element, "runners");
	size_t length = strlen(d->exported->id);
	size_t count = 0;

	if (length == 0)
		return wf_fail(d->err, WF_INVALID,
		    "the export says nothing of its root net");
	for (const struct wf_xml *r = first; r != NULL; r = r->next)
		count++;
	d->runners = wf_arena_array(d->arena, count, sizeof(*d->runners));
	for (const struct wf_xml *r = first; r != NULL; r = r->next) {
		struct runner *runner = &d->runners[d->runner_count++];

		runner->element = r;
		runner->id = identifier_of(r);
		if (strncmp(runner->id, d->exported->id, length) != 0 ||
		    (runner->id[length] != '.' && runner->id[length] != '\0'))
			return wf_fail(d->err, WF_INVALID,
			    "the net %.100s is none of case %.100s", runner->id,
			    d->exported->id);
		runner->path =
		    runner->id + length + (runner->id[length] == '.');
		for (const char *at = runner->path; *at != '\0'; at++)
			runner->depth += *at == '.';
		runner->depth += runner->path[0] != '\0';
	}
	qsort(d->runners, count, sizeof(*d->runners), by_depth);
	return WF_OK;
}

const struct wf_task *wf_export_task(const struct wf_net *net, const char *id)
{
	uint32_t at = wf_net_task_number(net, id, strlen(id));

	return at == UINT32_MAX ? NULL : &net->tasks[at];
}

/* The net of the composite task in the net around it. */
static enum wf_rc find_net(struct describing *d, struct runner *runner)
{
	const char *task_id = wf_export_text(runner->element, "containingtask");
	const struct wf_task *task = NULL;
	const char *end = strrchr(runner->id, '.');
	size_t length = end == NULL ? 0 : (size_t)(end - runner->id);

	runner->net = d->spec->root;
	if (runner->path[0] == '\0')
		return WF_OK;
	for (size_t i = 0; i < d->runner_count; i++)
		if (d->runners[i].net != NULL &&
		    strlen(d->runners[i].id) == length &&
		    strncmp(d->runners[i].id, runner->id, length) == 0)
			task = wf_export_task(d->runners[i].net, task_id);
	if (task == NULL || task->kind != WF_COMPOSITE_TASK)
		return wf_fail(d->err, WF_INVALID,
		    "net %.100s belongs to no composite task: \"%.100s\"",
		    runner->id, task_id);
	runner->net = task->decomposition->net;
	return WF_OK;
}

/* --- tokens and instances ------------------------------------------------- */

/* "mi_active[AtomicTask:T]": the task; else NULL. */
static const char *inner_task(struct describing *d, const char *location)
{
	const char *open = strchr(location, '[');
	const char *colon = open == NULL ? NULL : strchr(open, ':');
	size_t length;

	if (colon == NULL || strncmp(location, "mi_", 3) != 0)
		return NULL;
	length = strlen(colon + 1);
	if (length > 0 && colon[length] == ']')
		length--;
	return wf_arena_strndup(d->arena, colon + 1, length);
}

static bool has_name(const struct wf_net *net, const char *name)
{
	return wf_net_condition_number(net, name, strlen(name)) != UINT32_MAX;
}

/* "InputCondition:i" or "i".  A location in a task is not a token. */
static void put_token(struct describing *d, const char *location)
{
	const struct wf_net *net = d->runner->net;
	const char *name = location;
	const char *colon = strchr(location, ':');

	if (!has_name(net, name) && colon != NULL && has_name(net, colon + 1))
		name = colon + 1;
	if (!has_name(net, name) &&
	    (wf_export_task(net, name) != NULL || inner_task(d, name) != NULL))
		return;
	wf_export_put(
	    d, (struct wf_import_row){
		   .kind = WF_IMPORT_TOKENS, .name = name, .number = 1 });
}

static void put_tokens(struct describing *d)
{
	const struct wf_xml *identifier =
	    wf_xml_child(d->runner->element, "identifier");

	for (const struct wf_xml *at =
		 wf_export_children(identifier, "locations");
	     at != NULL; at = at->next)
		put_token(d, at->text);
}

/* Reads its task and status; false: it is in no task. */
static bool read_child(struct describing *d, const struct wf_xml *element,
    struct child *child, const char **task_out)
{
	const char *last = strrchr(child->id, '.');
	unsigned long number = last == NULL ? 0 : strtoul(last + 1, NULL, 10);

	child->number = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
	child->status = WF_ITEM_FIRED;
	*task_out = NULL;
	for (const struct wf_xml *at = wf_export_children(element, "locations");
	     at != NULL; at = at->next) {
		const char *task = inner_task(d, at->text);

		if (task == NULL)
			continue;
		*task_out = task;
		if (strncmp(at->text, "mi_executing", 12) == 0 &&
		    child->status == WF_ITEM_FIRED)
			child->status = WF_ITEM_EXECUTING;
		if (strncmp(at->text, "mi_complete", 11) == 0)
			child->status = WF_ITEM_COMPLETE;
	}
	return *task_out != NULL;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = ((const struct child *)a)->number;
	uint32_t y = ((const struct child *)b)->number;

	return (x > y) - (x < y);
}

/* The instances, ascending; *last_out: the highest number ever used. */
static enum wf_rc read_children(struct describing *d, uint32_t *last_out)
{
	const struct wf_xml *identifier =
	    wf_xml_child(d->runner->element, "identifier");
	const struct wf_xml *first = wf_export_children(identifier, "children");
	size_t count = 0;

	for (const struct wf_xml *c = first; c != NULL; c = c->next)
		count++;
	d->children = wf_arena_array(d->arena, count, sizeof(*d->children));
	d->child_count = 0;
	*last_out = 0;
	for (const struct wf_xml *c = first; c != NULL; c = c->next) {
		struct child *child = &d->children[d->child_count];
		const char *task;

		child->id = wf_xml_attribute(c, "id");
		if (child->id == NULL)
			return wf_fail(d->err, WF_INVALID,
			    "an identifier in net %.100s has no id",
			    d->runner->id);
		d->child_count += read_child(d, c, child, &task);
		if (child->number > *last_out)
			*last_out = child->number;
		if (task == NULL)
			continue;
		child->task = wf_export_task(d->runner->net, task);
		if (child->task == NULL)
			return wf_fail(d->err, WF_INVALID,
			    "%.100s is in task %.100s, which is not in net %s",
			    child->id, task, d->runner->net->decomposition->id);
	}
	if (d->child_count > 0)
		qsort(d->children, d->child_count, sizeof(*d->children),
		    by_number);
	return WF_OK;
}

/* --- the whole ------------------------------------------------------------ */

/*
 * Whether value belongs to a flag that is not set: the export has an element
 * for the flag in either case.
 */
static bool is_unset_flag(const struct wf_net *net, const struct wf_xml *value)
{
	for (uint32_t i = 0; i < net->variable_count; i++)
		if (strcmp(net->variables[i].name, value->name) == 0)
			return net->variables[i].is_flag &&
			       wf_xml_attribute(
				   value, "__emptyComplexTypeFlag__") == NULL;
	return false;
}

/* The net's variables.  In an older export they may be text. */
static void put_variables(struct describing *d, struct wf_buffer *xml)
{
	const struct wf_xml *data =
	    wf_export_children(d->runner->element, "netdata");

	if (data == NULL) {
		wf_buffer_puts(
		    xml, wf_export_text(d->runner->element, "netdata"));
		return;
	}
	wf_buffer_puts(xml, "<data>");
	for (const struct wf_xml *v = data->children; v != NULL; v = v->next)
		if (!is_unset_flag(d->runner->net, v))
			wf_buffer_append(xml, v->source, v->source_length);
	wf_buffer_puts(xml, "</data>");
}

static void put_net(struct describing *d)
{
	struct wf_import_row row = { .kind = WF_IMPORT_NET,
		.name = wf_export_text(d->runner->element, "containingtask") };
	struct wf_buffer data;

	wf_buffer_init(&data, TEXT_MAXIMUM);
	put_variables(d, &data);
	if (data.length > 0) {
		row.data = data.data;
		row.length = data.length;
	}
	wf_export_put(d, row);
	wf_buffer_free(&data);
}

static enum wf_rc put_runner(struct describing *d)
{
	uint32_t last;
	enum wf_rc rc = read_children(d, &last);

	if (rc != WF_OK)
		return rc;
	put_net(d);
	put_tokens(d);
	wf_export_put_instances(d, last);
	rc = wf_export_put_busy_tasks(d);
	if (rc == WF_OK)
		rc = wf_export_put_items(d);
	return rc;
}

static bool case_is_suspended(const struct describing *d)
{
	for (size_t i = 0; i < d->runner_count; i++)
		if (strncmp(wf_export_text(
				d->runners[i].element, "executionstatus"),
			"Suspend", 7) == 0)
			return true;
	return false;
}

static enum wf_rc describe(struct describing *d)
{
	enum wf_rc rc = read_runners(d);

	if (rc != WF_OK)
		return rc;
	wf_export_read_items(d);
	for (size_t i = 0; i < d->runner_count && rc == WF_OK; i++) {
		d->runner = &d->runners[i];
		rc = find_net(d, &d->runners[i]);
		if (rc == WF_OK)
			rc = put_runner(d);
	}
	if (rc == WF_OK && case_is_suspended(d))
		wf_import_put(d->rows, &(struct wf_import_row){
					   .kind = WF_IMPORT_CASE_SUSPENDED });
	if (rc == WF_OK && d->rows->full)
		rc = wf_fail(d->err, WF_LIMIT, "the case is too large");
	return rc;
}

enum wf_rc wf_yawl_export_describe(const struct wf_yawl_export *exported,
    const struct wf_spec *spec, struct wf_buffer *rows,
    struct wf_buffer *remarks, struct wf_error *err)
{
	struct wf_error own = { .rc = WF_OK };
	struct describing d = { .exported = exported,
		.spec = spec,
		.arena = wf_arena_new(),
		.choices = wf_map_new(),
		.rows = rows,
		.remarks = remarks,
		.err = err == NULL ? &own : err };
	enum wf_rc rc = describe(&d);

	wf_map_free(&d.choices);
	wf_arena_free(&d.arena);
	return rc;
}

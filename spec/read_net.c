/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a net: its tasks and conditions, the implicit conditions between
 * tasks, the numbers of all of them, and the flows.
 *
 * Numbers are positions in the order of the ids (bytewise).  Between two
 * tasks there is at most one flow: a second one replaces the first.
 */
#include "spec/reader.h"

#include <stdlib.h>
#include <string.h>

/* An element that has an id in the file. */
struct element {
	const char *id;
	const struct wf_markup *markup;
	enum wf_condition_kind kind; /* of a condition */
	bool is_task;
	uint32_t number;
};

struct builder {
	struct wf_spec_reader *reader;
	struct wf_net *net;
	const char *label;
	struct element *elements;
	size_t count;
	struct wf_map *by_id;	 /* id -> struct element */
	struct wf_map *implicit; /* flow_key() -> id of its condition */
};

/* A step from a task to a condition, or from a condition to a task. */
struct arc {
	uint32_t from;
	uint32_t to;
};

struct arcs {
	struct arc *items;
	size_t count;
	size_t capacity;
};

static const struct {
	const char *name;
	bool is_task;
	enum wf_condition_kind kind;
} element_kinds[] = {
	{ "inputCondition", false, WF_INPUT_CONDITION },
	{ "outputCondition", false, WF_OUTPUT_CONDITION },
	{ "condition", false, WF_PLACE },
	{ "task", true, WF_PLACE },
};

static void gather_element(
    struct builder *builder, const struct wf_markup *markup, size_t kind)
{
	struct element *element = &builder->elements[builder->count];
	const char *id =
	    wf_spec_token(builder->reader, wf_markup_attribute(markup, "id"));

	/* A missing id has been reported. */
	if (id == NULL || id[0] == '\0')
		return;
	element->id = id;
	element->markup = markup;
	element->is_task = element_kinds[kind].is_task;
	if (element->is_task && strlen(id) > WF_TASK_ID_BYTES)
		WF_SPEC_ERROR(builder->reader, markup->line, builder->label,
		    "the id of a task has %zu bytes: expected at most %u",
		    strlen(id), WF_TASK_ID_BYTES);
	element->kind = element_kinds[kind].kind;
	if (!wf_map_add(builder->by_id, id, element)) {
		WF_SPEC_ERROR(builder->reader, markup->line, builder->label,
		    "two elements have the id %s: expected ids that differ",
		    id);
		return;
	}
	builder->count++;
}

static void gather_elements(
    struct builder *builder, const struct wf_markup *process)
{
	size_t count = 0;

	for (const struct wf_markup *c = wf_markup_child(process, NULL);
	     c != NULL; c = wf_markup_next(c, NULL))
		count++;
	builder->elements = wf_arena_array(
	    builder->reader->scratch, count, sizeof(*builder->elements));
	for (const struct wf_markup *c = wf_markup_child(process, NULL);
	     c != NULL; c = wf_markup_next(c, NULL))
		for (size_t i = 0;
		     i < sizeof(element_kinds) / sizeof(element_kinds[0]); i++)
			if (wf_markup_is(c, element_kinds[i].name))
				gather_element(builder, c, i);
}

static int compare_conditions(const void *left, const void *right)
{
	return strcmp(((const struct wf_condition *)left)->id,
	    ((const struct wf_condition *)right)->id);
}

static int compare_tasks(const void *left, const void *right)
{
	return strcmp(((const struct wf_task *)left)->id,
	    ((const struct wf_task *)right)->id);
}

/* The target of a flow; NULL, with a diagnostic, if it is not allowed. */
static const struct element *flow_target(struct builder *builder,
    const struct element *from, const struct wf_markup *flow, bool report)
{
	struct wf_spec_reader *reader = builder->reader;
	const char *id = wf_spec_token(reader,
	    wf_markup_attribute(wf_markup_child(flow, "nextElementRef"), "id"));
	const struct element *to =
	    id == NULL ? NULL : wf_map_get(builder->by_id, id);
	const char *fault = NULL;

	if (id == NULL)
		return NULL;
	if (to == NULL)
		fault = "leads nowhere: expected the id of a task or condition "
			"of the same net";
	else if (!to->is_task && to->kind == WF_INPUT_CONDITION)
		fault = "leads into the input condition: expected nothing to";
	else if (!to->is_task && !from->is_task)
		fault = "joins two conditions: expected a task between them";
	if (fault != NULL && report)
		WF_SPEC_ERROR(reader, flow->line,
		    wf_spec_label_flow(reader, from->id, id), "%s", fault);
	return fault == NULL ? to : NULL;
}

static const char *flow_key(
    struct builder *builder, const char *from, const char *to)
{
	return wf_arena_printf(builder->reader->scratch, "%s\n%s", from, to);
}

/* The flows a -> b_c and a_b -> c would get one id; the later gets another. */
static char *new_implicit_id(struct builder *builder, struct wf_map *seen,
    const char *from, const char *to)
{
	struct wf_arena *arena = builder->reader->arena;
	char *id = wf_arena_printf(arena, "c{%s_%s}", from, to);

	while (!wf_map_add(seen, id, seen))
		id = wf_arena_printf(arena, "%s'", id);
	wf_map_add(builder->implicit, flow_key(builder, from, to), id);
	return id;
}

/* Adds the implicit conditions after one task. */
static void add_implicit(struct builder *builder, const struct element *from,
    struct wf_map *seen, size_t *capacity)
{
	struct wf_net *net = builder->net;
	static const char name[] = "flowsInto";

	for (const struct wf_markup *flow = wf_markup_child(from->markup, name);
	     flow != NULL; flow = wf_markup_next(flow, name)) {
		const struct element *to =
		    flow_target(builder, from, flow, false);
		struct wf_condition *condition;

		if (to == NULL || !to->is_task ||
		    wf_map_get(builder->implicit,
			flow_key(builder, from->id, to->id)) != NULL)
			continue;
		net->conditions = wf_arena_grow(builder->reader->arena,
		    net->conditions, net->condition_count, capacity,
		    sizeof(*net->conditions));
		condition = &net->conditions[net->condition_count++];
		memset(condition, 0, sizeof(*condition));
		condition->kind = WF_IMPLICIT;
		condition->id =
		    new_implicit_id(builder, seen, from->id, to->id);
		condition->line = flow->line;
	}
}

static void add_condition(
    struct builder *builder, const struct element *element, size_t *capacity)
{
	struct wf_spec_reader *reader = builder->reader;
	struct wf_net *net = builder->net;
	struct wf_condition *condition;

	net->conditions = wf_arena_grow(reader->arena, net->conditions,
	    net->condition_count, capacity, sizeof(*net->conditions));
	condition = &net->conditions[net->condition_count++];
	memset(condition, 0, sizeof(*condition));
	condition->kind = element->kind;
	condition->id = element->id;
	condition->line = element->markup->line;
	condition->name = wf_spec_child_text(reader, element->markup, "name");
	condition->documentation =
	    wf_spec_child_text(reader, element->markup, "documentation");
}

static void number_conditions(struct builder *builder)
{
	struct wf_net *net = builder->net;
	struct wf_map *seen = wf_map_new();
	size_t capacity = 0;

	for (size_t i = 0; i < builder->count; i++)
		if (!builder->elements[i].is_task)
			add_condition(
			    builder, &builder->elements[i], &capacity);
	for (size_t i = 0; i < builder->count; i++)
		if (builder->elements[i].is_task)
			add_implicit(
			    builder, &builder->elements[i], seen, &capacity);
	wf_map_free(&seen);
	if (net->condition_count > 0)
		qsort(net->conditions, net->condition_count,
		    sizeof(*net->conditions), compare_conditions);
	for (uint32_t i = 0; i < net->condition_count; i++) {
		struct wf_condition *condition = &net->conditions[i];
		struct element *element =
		    wf_map_get(builder->by_id, condition->id);

		condition->number = i;
		wf_map_add(net->condition_numbers, condition->id,
		    (void *)(uintptr_t)(i + 1));
		if (element != NULL)
			element->number = i;
		if (condition->kind == WF_INPUT_CONDITION)
			net->input_condition = i;
		if (condition->kind == WF_OUTPUT_CONDITION)
			net->output_condition = i;
	}
}

static void number_tasks(struct builder *builder)
{
	struct wf_net *net = builder->net;

	for (size_t i = 0; i < builder->count; i++)
		net->task_count += builder->elements[i].is_task;
	net->tasks = wf_arena_array(
	    builder->reader->arena, net->task_count, sizeof(*net->tasks));
	net->task_count = 0;
	for (size_t i = 0; i < builder->count; i++)
		if (builder->elements[i].is_task)
			net->tasks[net->task_count++].id =
			    builder->elements[i].id;
	qsort(net->tasks, net->task_count, sizeof(*net->tasks), compare_tasks);
	for (uint32_t i = 0; i < net->task_count; i++) {
		struct element *element =
		    wf_map_get(builder->by_id, net->tasks[i].id);

		net->tasks[i].number = i;
		net->tasks[i].net = net;
		element->number = i;
		net->tasks[i].line = element->markup->line;
		wf_map_add(net->task_numbers, net->tasks[i].id,
		    (void *)(uintptr_t)(i + 1));
	}
}

/* --- Flows --- */

static void add_arc(
    struct builder *builder, struct arcs *arcs, uint32_t from, uint32_t to)
{
	arcs->items = wf_arena_grow(builder->reader->scratch, arcs->items,
	    arcs->count, &arcs->capacity, sizeof(*arcs->items));
	arcs->items[arcs->count].from = from;
	arcs->items[arcs->count++].to = to;
}

static struct wf_predicate *read_predicate(
    struct wf_spec_reader *reader, const struct wf_markup *flow)
{
	const char *text = wf_spec_child_text(reader, flow, "predicate");
	struct wf_predicate *predicate;

	if (text == NULL)
		return NULL;
	predicate = wf_arena_alloc(reader->arena, sizeof(*predicate));
	predicate->text = text;
	return predicate;
}

static uint32_t implicit_number(
    struct builder *builder, const char *from, const char *to)
{
	const char *id =
	    wf_map_get(builder->implicit, flow_key(builder, from, to));

	return wf_net_condition_number(builder->net, id, strlen(id));
}

static void read_flow(struct builder *builder, const struct element *from,
    const struct element *to, const struct wf_markup *markup,
    struct wf_flow *flow)
{
	struct wf_spec_reader *reader = builder->reader;
	const struct wf_markup *predicate =
	    wf_markup_child(markup, "predicate");
	const char *ordering = wf_markup_attribute(predicate, "ordering");

	flow->target = to->id;
	flow->line = markup->line;
	flow->predicate = read_predicate(reader, markup);
	flow->has_ordering = ordering != NULL;
	flow->ordering = wf_spec_integer(ordering, 0);
	flow->is_default = wf_markup_child(markup, "isDefaultFlow") != NULL;
	flow->documentation =
	    wf_spec_child_text(reader, markup, "documentation");
	if (!from->is_task)
		flow->condition = from->number;
	else if (!to->is_task)
		flow->condition = to->number;
	else
		flow->condition = implicit_number(builder, from->id, to->id);
}

/* The flows of one element; a second one to the same target replaces it. */
static struct wf_flow *read_flows(
    struct builder *builder, const struct element *from, uint32_t *count_out)
{
	struct wf_spec_reader *reader = builder->reader;
	struct wf_map *seen = wf_map_new();
	struct wf_flow *flows = NULL;
	static const char name[] = "flowsInto";
	size_t capacity = 0;
	uint32_t count = 0;

	for (const struct wf_markup *c = wf_markup_child(from->markup, name);
	     c != NULL; c = wf_markup_next(c, name)) {
		const struct element *to = flow_target(builder, from, c, true);
		uintptr_t at;

		if (to == NULL)
			continue;
		flows = wf_arena_grow(
		    reader->arena, flows, count, &capacity, sizeof(*flows));
		at = (uintptr_t)wf_map_get(seen, to->id);
		if (at == 0) {
			at = ++count;
			wf_map_add(seen, to->id, (void *)at);
		} else {
			WF_SPEC_WARN(reader, c->line,
			    wf_spec_label_flow(reader, from->id, to->id),
			    "is there twice: the last one counts");
		}
		memset(&flows[at - 1], 0, sizeof(*flows));
		read_flow(builder, from, to, c, &flows[at - 1]);
	}
	wf_map_free(&seen);
	*count_out = count;
	return flows;
}

/* Compares the order in which a split evaluates two flows. */
static int compare_flows(
    enum wf_control split, const struct wf_flow *a, const struct wf_flow *b)
{
	if (split == WF_AND)
		return 0;
	if (a->is_default != b->is_default)
		return a->is_default ? 1 : -1;
	if (split == WF_XOR && a->ordering != b->ordering)
		return a->ordering < b->ordering ? -1 : 1;
	return 0;
}

/* A merge sort: stable, and quick for any number of flows. */
static void sort_flows(enum wf_control split, struct wf_flow *flows,
    struct wf_flow *spare, uint32_t count)
{
	uint32_t half = count / 2;
	uint32_t i = 0;
	uint32_t j = half;

	if (count < 2)
		return;
	sort_flows(split, flows, spare, half);
	sort_flows(split, flows + half, spare, count - half);
	for (uint32_t k = 0; k < count; k++) {
		bool left =
		    j == count || (i < half && compare_flows(split, &flows[i],
						   &flows[j]) <= 0);

		spare[k] = left ? flows[i++] : flows[j++];
	}
	memcpy(flows, spare, count * sizeof(*flows));
}

static enum wf_control read_control(
    const struct wf_markup *task, const char *name)
{
	const char *code =
	    wf_markup_attribute(wf_markup_child(task, name), "code");

	if (code != NULL && strcmp(code, "xor") == 0)
		return WF_XOR;
	return code != NULL && strcmp(code, "or") == 0 ? WF_OR : WF_AND;
}

static void note_flow(struct builder *builder, const struct element *from,
    const struct wf_flow *flow)
{
	wf_map_add(builder->reader->flow_conditions,
	    flow_key(builder, from->id, flow->target),
	    (void *)(uintptr_t)(flow->condition + 1));
}

static void link_task(struct builder *builder, const struct element *element,
    struct arcs *out, struct arcs *in)
{
	struct wf_spec_reader *reader = builder->reader;
	struct wf_task *task = &builder->net->tasks[element->number];
	struct wf_flow *spare;

	task->join = read_control(element->markup, "join");
	task->split = read_control(element->markup, "split");
	task->flows = read_flows(builder, element, &task->flow_count);
	spare =
	    wf_arena_array(reader->scratch, task->flow_count, sizeof(*spare));
	sort_flows(task->split, task->flows, spare, task->flow_count);
	for (uint32_t i = 0; i < task->flow_count; i++) {
		const struct wf_flow *flow = &task->flows[i];
		const struct element *to =
		    wf_map_get(builder->by_id, flow->target);

		note_flow(builder, element, flow);
		add_arc(builder, out, task->number, flow->condition);
		if (to->is_task)
			add_arc(builder, in, flow->condition, to->number);
	}
}

static void link_condition(struct builder *builder,
    const struct element *element, struct arcs *in, size_t *capacity)
{
	struct wf_net *net = builder->net;
	uint32_t count;
	struct wf_flow *flows = read_flows(builder, element, &count);

	for (uint32_t i = 0; i < count; i++) {
		const struct element *to =
		    wf_map_get(builder->by_id, flows[i].target);

		if (flows[i].predicate != NULL || flows[i].is_default)
			WF_SPEC_WARN(builder->reader, flows[i].line,
			    wf_spec_label_flow(
				builder->reader, element->id, flows[i].target),
			    "leaves a condition: its predicate or default has "
			    "no meaning");
		net->condition_flows = wf_arena_grow(builder->reader->arena,
		    net->condition_flows, net->condition_flow_count, capacity,
		    sizeof(*net->condition_flows));
		net->condition_flows[net->condition_flow_count++] = flows[i];
		note_flow(builder, element, &flows[i]);
		add_arc(builder, in, element->number, to->number);
	}
}

/* Flows of a condition are contiguous, in the order of condition numbers. */
static int compare_condition_flows(const void *left, const void *right)
{
	const struct wf_flow *a = left;
	const struct wf_flow *b = right;

	if (a->condition != b->condition)
		return a->condition < b->condition ? -1 : 1;
	return strcmp(a->target, b->target);
}

/* --- Presets and postsets --- */

static int compare_arcs(const void *left, const void *right)
{
	const struct arc *a = left;
	const struct arc *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/*
 * Sorts arcs by source and removes duplicates; turned: swaps source and target.
 */
static void sort_arcs(struct arcs *arcs, bool turned)
{
	size_t count = 0;

	for (size_t i = 0; turned && i < arcs->count; i++) {
		uint32_t from = arcs->items[i].from;

		arcs->items[i].from = arcs->items[i].to;
		arcs->items[i].to = from;
	}
	if (arcs->count > 0)
		qsort(arcs->items, arcs->count, sizeof(*arcs->items),
		    compare_arcs);
	for (size_t i = 0; i < arcs->count; i++)
		if (count == 0 ||
		    compare_arcs(&arcs->items[i], &arcs->items[count - 1]) != 0)
			arcs->items[count++] = arcs->items[i];
	arcs->count = count;
}

/* The targets of one source in sorted arcs; advances *at past them. */
static const uint32_t *targets_of(const struct arcs *arcs, size_t *at,
    uint32_t *targets, uint32_t from, uint32_t *count_out)
{
	size_t start = *at;

	while (*at < arcs->count && arcs->items[*at].from == from)
		++*at;
	*count_out = (uint32_t)(*at - start);
	return targets + start;
}

static uint32_t *all_targets(struct builder *builder, const struct arcs *arcs)
{
	uint32_t *targets = wf_arena_array(
	    builder->reader->arena, arcs->count, sizeof(*targets));

	for (size_t i = 0; i < arcs->count; i++)
		targets[i] = arcs->items[i].to;
	return targets;
}

static void fill_sets(
    struct builder *builder, struct arcs *out, struct arcs *in)
{
	struct wf_net *net = builder->net;
	uint32_t *targets;
	size_t at = 0;

#define FILL(items, members, set)                                              \
	targets = all_targets(builder, members);                               \
	at = 0;                                                                \
	for (uint32_t i = 0; i < net->items##_count; i++)                      \
	net->items##s[i].set = targets_of(                                     \
	    members, &at, targets, i, &net->items##s[i].set##_count)
	sort_arcs(out, false);
	FILL(task, out, postset);
	sort_arcs(out, true);
	FILL(condition, out, preset);
	sort_arcs(in, false);
	FILL(condition, in, postset);
	sort_arcs(in, true);
	FILL(task, in, preset);
#undef FILL
}

static void require_ends(struct builder *builder)
{
	bool has_input = false;
	bool has_output = false;
	struct wf_net *net = builder->net;

	for (uint32_t i = 0; i < net->condition_count; i++) {
		has_input |= net->conditions[i].kind == WF_INPUT_CONDITION;
		has_output |= net->conditions[i].kind == WF_OUTPUT_CONDITION;
	}
	if (!has_input || !has_output)
		WF_SPEC_ERROR(builder->reader, net->decomposition->line,
		    builder->label, "has no %s condition: expected one",
		    has_input ? "output" : "input");
}

void wf_spec_read_net(struct wf_spec_reader *reader, struct wf_net *net,
    const struct wf_markup *decomposition)
{
	struct builder builder = {
		.reader = reader,
		.net = net,
		.label = wf_spec_label_net(reader, net),
		.by_id = wf_map_new(),
		.implicit = wf_map_new(),
	};
	struct arcs out = { 0 };
	struct arcs in = { 0 };
	size_t capacity = 0;

	net->derived = wf_arena_array(
	    reader->arena, WF_DERIVATIONS, sizeof(*net->derived));
	net->task_numbers = wf_spec_own_map(reader, wf_map_new());
	net->condition_numbers = wf_spec_own_map(reader, wf_map_new());
	reader->flow_conditions = wf_map_new();
	gather_elements(
	    &builder, wf_markup_child(decomposition, "processControlElements"));
	number_tasks(&builder);
	number_conditions(&builder);
	require_ends(&builder);
	for (size_t i = 0; i < builder.count; i++) {
		const struct element *element = &builder.elements[i];

		if (element->is_task)
			link_task(&builder, element, &out, &in);
		else
			link_condition(&builder, element, &in, &capacity);
	}
	if (net->condition_flow_count > 0)
		qsort(net->condition_flows, net->condition_flow_count,
		    sizeof(*net->condition_flows), compare_condition_flows);
	fill_sets(&builder, &out, &in);
	for (size_t i = 0; i < builder.count; i++)
		if (builder.elements[i].is_task)
			wf_spec_read_task(reader, net,
			    &net->tasks[builder.elements[i].number],
			    builder.elements[i].markup);
	wf_map_free(&builder.by_id);
	wf_map_free(&builder.implicit);
	wf_map_free(&reader->flow_conditions);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading what stands in a task beside its flows: what it decomposes to, what
 * it cancels, its mappings, multiple instances, timer and resources.
 *
 * Queries are only noted here; spec/compile_queries.c compiles them and finds
 * the numbers of the variables they are for.
 */
#include "spec/reader.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left;
	uint32_t b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* A set of numbers; sorted, without duplicates, when it is complete. */
struct numbers {
	uint32_t *items;
	size_t count;
	size_t capacity;
};

static void add_number(
    struct wf_spec_reader *reader, struct numbers *numbers, uint32_t number)
{
	numbers->items = wf_arena_grow(reader->arena, numbers->items,
	    numbers->count, &numbers->capacity, sizeof(*numbers->items));
	numbers->items[numbers->count++] = number;
}

static const uint32_t *sorted_numbers(
    struct numbers *numbers, uint32_t *count_out)
{
	uint32_t count = 0;

	if (numbers->count > 0)
		qsort(numbers->items, numbers->count, sizeof(*numbers->items),
		    compare_numbers);
	for (size_t i = 0; i < numbers->count; i++)
		if (count == 0 ||
		    numbers->items[i] != numbers->items[count - 1])
			numbers->items[count++] = numbers->items[i];
	*count_out = count;
	return numbers->items;
}

/* --- What it decomposes to --- */

static void read_decomposition(struct wf_spec_reader *reader,
    struct wf_task *task, const struct wf_markup *markup)
{
	const struct wf_markup *child = wf_markup_child(markup, "decomposesTo");
	const char *id =
	    wf_spec_token(reader, wf_markup_attribute(child, "id"));

	if (id == NULL)
		return;
	task->decomposition = wf_spec_decomposition(reader->spec, id);
	if (task->decomposition == NULL) {
		WF_SPEC_ERROR(reader, child->line,
		    wf_spec_label_task(reader, task),
		    "decomposes to %s, which is not there: expected the id of "
		    "a decomposition of this specification",
		    id);
		return;
	}
	task->kind = task->decomposition->net == NULL ? WF_ATOMIC_TASK
						      : WF_COMPOSITE_TASK;
}

/* --- What it cancels --- */

static void read_cancelled_element(struct wf_spec_reader *reader,
    struct wf_net *net, struct wf_task *task, const struct wf_markup *markup,
    struct numbers *tasks, struct numbers *conditions)
{
	const char *id =
	    wf_spec_token(reader, wf_markup_attribute(markup, "id"));
	size_t length = id == NULL ? 0 : strlen(id);
	uint32_t number;

	if (id == NULL)
		return;
	task->removes_tokens[task->removes_tokens_count++] = id;
	number = wf_net_task_number(net, id, length);
	if (number != UINT32_MAX) {
		add_number(reader, tasks, number);
		return;
	}
	number = wf_net_condition_number(net, id, length);
	if (number != UINT32_MAX)
		add_number(reader, conditions, number);
	else
		WF_SPEC_ERROR(reader, markup->line,
		    wf_spec_label_task(reader, task),
		    "removes tokens from %s, which is not in its net: expected "
		    "a task or condition of the same net",
		    id);
}

static void read_cancelled_flow(struct wf_spec_reader *reader,
    struct wf_task *task, const struct wf_markup *markup,
    struct numbers *conditions)
{
	const char *from = wf_spec_token(reader,
	    wf_markup_attribute(wf_markup_child(markup, "flowSource"), "id"));
	const char *to = wf_spec_token(
	    reader, wf_markup_attribute(
			wf_markup_child(markup, "flowDestination"), "id"));
	const char *key;
	uint32_t number;

	if (from == NULL || to == NULL)
		return;
	key = wf_arena_printf(reader->scratch, "%s\n%s", from, to);
	task->removes_flows[task->removes_flows_count][0] = from;
	task->removes_flows[task->removes_flows_count++][1] = to;
	number = wf_spec_number(reader->flow_conditions, key, strlen(key));
	if (number != UINT32_MAX)
		add_number(reader, conditions, number);
	else
		WF_SPEC_FAULT(reader, markup->line,
		    wf_spec_label_task(reader, task),
		    "removes tokens from a flow %s -> %s, which is not in its "
		    "net",
		    from, to);
}

static size_t count_children(const struct wf_markup *parent, const char *name)
{
	size_t count = 0;

	for (const struct wf_markup *c = wf_markup_child(parent, name);
	     c != NULL; c = wf_markup_next(c, name))
		count++;
	return count;
}

static void read_cancellation(struct wf_spec_reader *reader, struct wf_net *net,
    struct wf_task *task, const struct wf_markup *markup)
{
	static const char element[] = "removesTokens";
	static const char flow[] = "removesTokensFromFlow";
	struct numbers tasks = { 0 };
	struct numbers conditions = { 0 };

	task->removes_tokens = wf_arena_array(reader->arena,
	    count_children(markup, element), sizeof(*task->removes_tokens));
	task->removes_flows = wf_arena_array(reader->arena,
	    count_children(markup, flow), sizeof(*task->removes_flows));
	for (const struct wf_markup *c = wf_markup_child(markup, element);
	     c != NULL; c = wf_markup_next(c, element))
		read_cancelled_element(
		    reader, net, task, c, &tasks, &conditions);
	for (const struct wf_markup *c = wf_markup_child(markup, flow);
	     c != NULL; c = wf_markup_next(c, flow))
		read_cancelled_flow(reader, task, c, &conditions);
	task->cancelled_tasks =
	    sorted_numbers(&tasks, &task->cancelled_task_count);
	task->cancelled_conditions =
	    sorted_numbers(&conditions, &task->cancelled_condition_count);
}

/* --- Mappings --- */

static void read_expression(struct wf_spec_reader *reader,
    const struct wf_markup *parent, const char *name,
    struct wf_expression *expression)
{
	const struct wf_markup *markup = wf_markup_child(parent, name);

	expression->text = wf_spec_attribute(reader, markup, "query");
	expression->line = markup == NULL ? parent->line : markup->line;
}

static struct wf_mapping *read_mappings(struct wf_spec_reader *reader,
    const struct wf_markup *task, const char *name, uint32_t *count_out)
{
	const struct wf_markup *set = wf_markup_child(task, name);
	struct wf_mapping *mappings = wf_arena_array(
	    reader->arena, count_children(set, "mapping"), sizeof(*mappings));
	uint32_t count = 0;

	for (const struct wf_markup *c = wf_markup_child(set, "mapping");
	     c != NULL; c = wf_markup_next(c, "mapping")) {
		struct wf_mapping *mapping = &mappings[count];

		read_expression(reader, c, "expression", &mapping->expression);
		mapping->target = wf_spec_child_token(reader, c, "mapsTo");
		mapping->variable = UINT32_MAX;
		/* A mapping that lacks one of the two has been reported. */
		if (mapping->expression.text != NULL && mapping->target != NULL)
			count++;
	}
	*count_out = count;
	return mappings;
}

/* --- Multiple instances --- */

/* Digits only, an optional sign in front. */
static bool is_number(const char *text)
{
	if (*text == '-' || *text == '+')
		text++;
	return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static void read_bound(struct wf_spec_reader *reader,
    const struct wf_task *task, const struct wf_markup *markup,
    const char *name, struct wf_bound *bound)
{
	const struct wf_markup *child = wf_markup_child(markup, name);
	long long number;

	bound->number = 1;
	bound->text = wf_spec_child_token(reader, markup, name);
	if (bound->text == NULL)
		return;
	if (strcmp(bound->text, "infinite") == 0 ||
	    strcmp(bound->text, "infinity") == 0) {
		bound->number = UINT32_MAX;
		return;
	}
	if (!is_number(bound->text)) {
		bound->query.text = bound->text;
		bound->query.line = child->line;
		return;
	}
	number = strtoll(bound->text, NULL, 10);
	if (number < 1)
		WF_SPEC_ERROR(reader, child->line,
		    wf_spec_label_task(reader, task),
		    "%s of its instances is %s: expected at least 1", name,
		    bound->text);
	else
		bound->number =
		    number >= INT32_MAX ? UINT32_MAX : (uint32_t)number;
}

static void read_multiple_output(struct wf_spec_reader *reader,
    const struct wf_markup *output, struct wf_multi_instance *multi)
{
	if (output == NULL)
		return;
	multi->has_output = true;
	read_expression(
	    reader, output, "formalOutputExpression", &multi->formal_output);
	read_expression(
	    reader, output, "outputJoiningExpression", &multi->joiner);
	multi->result_name =
	    wf_spec_child_token(reader, output, "resultAppliedToLocalVariable");
}

static void read_multiple(struct wf_spec_reader *reader, struct wf_task *task,
    const struct wf_markup *markup)
{
	const struct wf_markup *input = wf_markup_child(markup, "miDataInput");
	const char *mode = wf_markup_attribute(
	    wf_markup_child(markup, "creationMode"), "code");
	struct wf_multi_instance *multi;

	if (wf_markup_child(markup, "minimum") == NULL &&
	    wf_markup_child(markup, "maximum") == NULL)
		return;
	multi = wf_arena_alloc(reader->arena, sizeof(*multi));
	task->multi = multi;
	read_bound(reader, task, markup, "minimum", &multi->minimum);
	read_bound(reader, task, markup, "maximum", &multi->maximum);
	read_bound(reader, task, markup, "threshold", &multi->threshold);
	multi->is_dynamic = mode != NULL && strcmp(mode, "dynamic") == 0;
	multi->formal_input = UINT32_MAX;
	multi->result = UINT32_MAX;
	if (input != NULL) {
		multi->has_input = true;
		read_expression(reader, input, "expression", &multi->input);
		read_expression(
		    reader, input, "splittingExpression", &multi->splitter);
		multi->input_name =
		    wf_spec_child_token(reader, input, "formalInputParam");
	}
	read_multiple_output(
	    reader, wf_markup_child(markup, "miDataOutput"), multi);
}

/* --- Timer --- */

static void read_timer(struct wf_spec_reader *reader, struct wf_task *task,
    const struct wf_markup *markup)
{
	const struct wf_markup *child = wf_markup_child(markup, "timer");
	const struct wf_markup *parameters =
	    wf_markup_child(child, "durationparams");
	const char *trigger = wf_spec_child_token(reader, child, "trigger");
	const char *work_days = wf_spec_child_token(reader, child, "workdays");
	struct wf_timer *timer;

	if (child == NULL)
		return;
	timer = wf_arena_alloc(reader->arena, sizeof(*timer));
	task->timer = timer;
	timer->line = child->line;
	timer->has_trigger = trigger != NULL;
	timer->trigger = trigger != NULL && strcmp(trigger, "OnExecuting") == 0
			     ? WF_TIMER_ON_EXECUTING
			     : WF_TIMER_ON_ENABLED;
	timer->net_variable = wf_spec_child_token(reader, child, "netparam");
	timer->expiry = wf_spec_child_token(reader, child, "expiry");
	timer->duration = wf_spec_child_token(reader, child, "duration");
	timer->ticks = wf_spec_child_token(reader, parameters, "ticks");
	timer->interval = wf_spec_child_token(reader, parameters, "interval");
	timer->work_days = work_days != NULL &&
			   strcmp(work_days, "false") != 0 &&
			   strcmp(work_days, "0") != 0;
}

void wf_spec_read_task(struct wf_spec_reader *reader, struct wf_net *net,
    struct wf_task *task, const struct wf_markup *markup)
{
	static const char *const except[] = { "id", NULL };

	task->name = wf_spec_child_text(reader, markup, "name");
	task->documentation =
	    wf_spec_child_text(reader, markup, "documentation");
	read_decomposition(reader, task, markup);
	read_cancellation(reader, net, task, markup);
	task->starting = read_mappings(
	    reader, markup, "startingMappings", &task->starting_count);
	task->completed = read_mappings(
	    reader, markup, "completedMappings", &task->completed_count);
	task->enablement = read_mappings(
	    reader, markup, "enablementMappings", &task->enablement_count);
	read_multiple(reader, task, markup);
	read_timer(reader, task, markup);
	task->custom_form = wf_spec_child_text(reader, markup, "customForm");
	task->resourcing = wf_markup_copy(
	    reader->arena, wf_markup_child(markup, "resourcing"));
	task->default_configuration = wf_markup_copy(
	    reader->arena, wf_markup_child(markup, "defaultConfiguration"));
	task->configuration = wf_markup_copy(
	    reader->arena, wf_markup_child(markup, "configuration"));
	task->attributes =
	    wf_spec_attributes(reader, markup, except, &task->attribute_count);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data into and out of tasks: mappings, splitters and joiners of multiple
 * instances, and the predicates of splits.
 *
 * Queries see the data of a net as a document: the root element of the net
 * with its variables as children, in the order of their declaration.  Nothing
 * here changes a case; results belong to the step.
 */
#include "kernel/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct wf_document wf_net_document(const struct net_instance *n)
{
	struct wf_document document;

	document.root = n->net->root_name;
	document.values = n->variables;
	document.count = n->net->variable_count;
	return document;
}

static bool validates(const struct step *s)
{
	return s->c->spec->file->version >= WF_BETA_3;
}

/* A query that did not compile at load fails when it is evaluated. */
static enum wf_rc check_compiled(
    struct step *s, const struct wf_query *query, const char *failure)
{
	if (query != NULL)
		return WF_OK;
	return wf_fail(s->err, WF_DATA, "it does not compile: %s",
	    failure == NULL ? "" : failure);
}

void wf_explain_code(struct step *s)
{
	if (s->err == NULL || s->err->code[0] == '\0')
		return;
	wf_error_prefix(s->err, "err:%s", s->err->code);
	s->err->code[0] = '\0';
}

static void explain(struct step *s, const struct wf_task *task,
    const char *what, const char *name, const char *text)
{
	wf_explain_code(s);
	wf_error_prefix(s->err, "task %s, %s%s%s, query '%.120s'", task->id,
	    what, name[0] == '\0' ? "" : " ", name, text);
}

static enum wf_rc evaluate_element(struct step *s, const struct wf_task *task,
    const struct wf_expression *expression, const char *what, const char *name,
    const struct wf_document *document, struct wf_value **value_out)
{
	enum wf_rc rc;

	*value_out = NULL;
	rc = check_compiled(s, expression->query, expression->failure);
	if (rc == WF_OK)
		rc = wf_query_element(
		    expression->query, document, &s->how, value_out, s->err);
	if (rc == WF_OK && *value_out == NULL)
		rc = wf_fail(s->err, WF_DATA,
		    "the result is empty, expected "
		    "one element");
	if (rc == WF_OK && (*value_out)->length > s->c->limits->value_bytes) {
		rc = wf_fail(s->err, WF_LIMIT,
		    "the result is larger than %u bytes",
		    s->c->limits->value_bytes);
		wf_value_unref(value_out);
	}
	if (rc != WF_OK)
		explain(s, task, what, name, expression->text);
	else
		wf_step_own(s, *value_out);
	return rc;
}

/* A large result equal to an existing value shares it, and is not stored. */
static struct wf_value *share(struct wf_value *value,
    const struct net_instance *n, const struct values *output)
{
	if (value->length <= WF_VALUE_INLINE_BYTES)
		return value;
	for (uint32_t i = 0; i < n->net->variable_count; i++) {
		if (n->variables[i] != NULL &&
		    wf_value_equal(n->variables[i], value))
			return n->variables[i];
	}
	for (size_t i = 0; output != NULL && i < output->count; i++) {
		if (output->values[i] != NULL &&
		    wf_value_equal(output->values[i], value))
			return output->values[i];
	}
	return value;
}

static enum wf_rc check_name(
    struct step *s, const struct wf_value *value, const char *name)
{
	if (!validates(s) || wf_value_is_named(value, name))
		return WF_OK;
	return wf_fail(s->err, WF_DATA,
	    "the result is the element <%.*s>, expected <%s>",
	    (int)value->name_length, wf_value_name(value), name);
}

/* A flag is passed on only if the query reads a flag that is set. */
static bool flag_is_set(
    const struct net_instance *n, const struct wf_query *query)
{
	bool reads_flag = false;

	for (uint32_t i = 0; i < n->net->variable_count; i++) {
		if (!n->net->variables[i].is_flag ||
		    !wf_query_reads(query, n->net->variables[i].name))
			continue;
		reads_flag = true;
		if (n->variables[i] != NULL)
			return true;
	}
	return !reads_flag;
}

static enum wf_rc evaluate_input(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct wf_mapping *mapping,
    struct wf_value **value_out)
{
	const struct wf_decomposition *decomposition = task->decomposition;
	const struct wf_variable *parameter =
	    &decomposition->inputs[mapping->variable];
	struct wf_document document = wf_net_document(n);
	struct wf_value *value;
	enum wf_rc rc;

	*value_out = NULL;
	if (mapping->expression.query != NULL &&
	    wf_type_is_flag(parameter->type) &&
	    !flag_is_set(n, mapping->expression.query))
		return WF_OK;
	rc = evaluate_element(s, task, &mapping->expression, "input parameter",
	    parameter->name, &document, &value);
	if (rc != WF_OK)
		return rc;
	if (!parameter->mandatory && task->kind == WF_ATOMIC_TASK &&
	    wf_value_is_empty(value))
		return WF_OK;
	rc = check_name(s, value, parameter->name);
	if (rc == WF_OK && validates(s) &&
	    !decomposition->skips_start_validation)
		rc = wf_type_validate(
		    parameter->type, value, &s->query_steps, s->err);
	if (rc != WF_OK)
		explain(s, task, "input parameter", parameter->name,
		    mapping->expression.text);
	*value_out = share(value, n, NULL);
	return rc;
}

enum wf_rc wf_evaluate_inputs(struct step *s, const struct net_instance *n,
    const struct wf_task *task, struct wf_value *formal,
    struct values *inputs_out)
{
	const struct wf_decomposition *decomposition = task->decomposition;
	enum wf_rc rc = WF_OK;

	inputs_out->count = 0;
	inputs_out->values = NULL;
	if (decomposition == NULL || decomposition->input_count == 0)
		return WF_OK;
	inputs_out->count = decomposition->input_count;
	inputs_out->values =
	    wf_step_alloc(s, inputs_out->count * sizeof(*inputs_out->values));
	/* Old versions use the splitter only for the number of instances. */
	if (formal != NULL && task->multi->formal_input != UINT32_MAX)
		inputs_out->values[task->multi->formal_input] = formal;
	for (uint32_t i = 0; i < task->starting_count && rc == WF_OK; i++) {
		const struct wf_mapping *mapping = &task->starting[i];

		if (mapping->variable == UINT32_MAX ||
		    (formal != NULL &&
			mapping->variable == task->multi->formal_input))
			continue;
		wf_assert(mapping->variable < inputs_out->count);
		rc = evaluate_input(s, n, task, mapping,
		    &inputs_out->values[mapping->variable]);
	}
	return rc;
}

static enum wf_rc evaluate_shown(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct wf_mapping *mapping,
    struct wf_value **value_out)
{
	const struct wf_variable *parameter =
	    &task->decomposition->enablements[mapping->variable];
	struct wf_document document = wf_net_document(n);
	enum wf_rc rc = evaluate_element(s, task, &mapping->expression,
	    "enablement parameter", parameter->name, &document, value_out);

	if (rc != WF_OK)
		return rc;
	rc = check_name(s, *value_out, parameter->name);
	if (rc == WF_OK && validates(s))
		rc = wf_type_validate(
		    parameter->type, *value_out, &s->query_steps, s->err);
	if (rc != WF_OK)
		explain(s, task, "enablement parameter", parameter->name,
		    mapping->expression.text);
	*value_out = share(*value_out, n, NULL);
	return rc;
}

enum wf_rc wf_evaluate_shown(struct step *s, const struct net_instance *n,
    const struct wf_task *task, struct wf_binding **shown_out,
    uint32_t *count_out)
{
	struct wf_binding *shown =
	    wf_step_alloc(s, task->enablement_count * sizeof(*shown));
	enum wf_rc rc = WF_OK;

	*shown_out = shown;
	*count_out = 0;
	for (uint32_t i = 0; i < task->enablement_count && rc == WF_OK; i++) {
		const struct wf_mapping *mapping = &task->enablement[i];
		struct wf_binding *one = &shown[*count_out];

		if (task->decomposition == NULL ||
		    mapping->variable == UINT32_MAX)
			continue;
		wf_assert(
		    mapping->variable < task->decomposition->enablement_count);
		one->variable = mapping->variable;
		rc = evaluate_shown(s, n, task, mapping, &one->value);
		++*count_out;
	}
	return rc;
}

/* NaN when the text is not a number. */
static double number_of(const char *text)
{
	char *end;
	double number = strtod(text, &end);

	end += strspn(end, " \t\r\n");
	return *end != '\0' || strpbrk(text, "xX") != NULL ? NAN : number;
}

enum wf_rc wf_evaluate_bound(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct wf_bound *bound,
    uint32_t *number_out)
{
	struct wf_document document = wf_net_document(n);
	struct wf_buffer text;
	double number;
	enum wf_rc rc;

	*number_out = bound->number;
	if (bound->query.text == NULL)
		return WF_OK;
	wf_buffer_init(&text, 1000);
	rc = check_compiled(s, bound->query.query, bound->query.failure);
	if (rc == WF_OK)
		rc = wf_query_string(
		    bound->query.query, &document, &s->how, &text, s->err);
	number = number_of(wf_buffer_text(&text));
	if (rc == WF_OK && !(number >= 1 && number <= UINT32_MAX))
		rc = wf_fail(s->err, WF_DATA,
		    "the result is '%s', expected a number of at least 1",
		    wf_buffer_text(&text));
	if (rc == WF_OK)
		*number_out = (uint32_t)number;
	else
		explain(s, task, "bound of multiple instances", "",
		    bound->query.text);
	wf_buffer_free(&text);
	return rc;
}

/* Checks the number of instances, whether a splitter made them or not. */
static enum wf_rc check_instances(struct step *s, const struct wf_task *task,
    size_t count, uint32_t minimum, uint32_t maximum)
{
	const struct wf_multi_instance *multi = task->multi;
	bool few = count < minimum;

	if (count > s->c->limits->instances)
		return wf_fail(s->err, WF_LIMIT,
		    "task %s: more than %u instances", task->id,
		    s->c->limits->instances);
	if (!multi->has_input || (!few && count <= maximum))
		return WF_OK;
	wf_fail(s->err, WF_DATA,
	    "the split gives %zu instance%s, %s than the %s of %u", count,
	    count == 1 ? "" : "s", few ? "less" : "more",
	    few ? "minimum" : "maximum", few ? minimum : maximum);
	explain(s, task, "splitter", "", multi->splitter.text);
	return WF_DATA;
}

/* The elements that the splitter returns; the step owns them. */
static enum wf_rc split(struct step *s, const struct net_instance *n,
    const struct wf_task *task, struct values *formals_out)
{
	const struct wf_multi_instance *multi = task->multi;
	struct wf_document document = wf_net_document(n);
	struct wf_value_list list = { NULL, NULL, 0 };
	struct wf_value *element;
	enum wf_rc rc;

	rc = evaluate_element(s, task, &multi->input,
	    "data of multiple instances", "", &document, &element);
	if (rc != WF_OK)
		return rc;
	document.root = NULL;
	document.values = &element;
	document.count = 1;
	rc = check_compiled(s, multi->splitter.query, multi->splitter.failure);
	if (rc == WF_OK)
		rc = wf_query_elements(multi->splitter.query, &document,
		    &s->how, s->c->limits->instances, &list, s->err);
	if (rc != WF_OK) {
		explain(s, task, "splitter", "", multi->splitter.text);
		return rc;
	}
	formals_out->count = list.count;
	formals_out->values =
	    wf_step_alloc(s, (list.count + 1) * sizeof(*list.values));
	for (size_t i = 0; i < list.count; i++)
		formals_out->values[i] =
		    wf_step_own(s, wf_value_ref(list.values[i]));
	wf_value_list_free(&list);
	return WF_OK;
}

enum wf_rc wf_evaluate_instances(struct step *s, const struct net_instance *n,
    const struct wf_task *task, struct values *formals_out)
{
	uint32_t minimum;
	uint32_t maximum;
	enum wf_rc rc;

	rc = wf_evaluate_bound(s, n, task, &task->multi->minimum, &minimum);
	if (rc == WF_OK)
		rc = wf_evaluate_bound(
		    s, n, task, &task->multi->maximum, &maximum);
	if (rc != WF_OK)
		return rc;
	formals_out->values = NULL;
	formals_out->count = minimum;
	if (task->multi->has_input)
		rc = split(s, n, task, formals_out);
	if (rc != WF_OK)
		return rc;
	return check_instances(s, task, formals_out->count, minimum, maximum);
}

/* A flag is set only if the output has a flag that its query reads. */
static bool output_has_flag(const struct wf_task *task,
    const struct values *output, const struct wf_query *query)
{
	const struct wf_decomposition *decomposition = task->decomposition;
	bool reads_flag = false;

	for (size_t i = 0; i < decomposition->output_count; i++) {
		if (!wf_type_is_flag(decomposition->outputs[i].type) ||
		    !wf_query_reads(query, decomposition->outputs[i].name))
			continue;
		reads_flag = true;
		if (i < output->count && output->values[i] != NULL)
			return true;
	}
	return !reads_flag;
}

static enum wf_rc evaluate_result(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct wf_mapping *mapping,
    const struct wf_document *document, struct wf_value **value_out)
{
	const struct wf_net_variable *variable =
	    &n->net->variables[mapping->variable];
	struct wf_value *value;
	enum wf_rc rc = evaluate_element(s, task, &mapping->expression,
	    "output to variable", variable->name, document, &value);

	if (rc != WF_OK)
		return rc;
	rc = check_name(s, value, variable->name);
	if (rc == WF_OK && s->c->spec->file->version >= WF_BETA_4 &&
	    !wf_value_is_empty(value))
		rc = wf_type_validate(
		    variable->type, value, &s->query_steps, s->err);
	if (rc != WF_OK)
		explain(s, task, "output to variable", variable->name,
		    mapping->expression.text);
	*value_out = value;
	return rc;
}

enum wf_rc wf_evaluate_outputs(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct values *output,
    struct wf_binding **results_out, uint32_t *count_out)
{
	struct wf_document document = { NULL, output->values, output->count };
	uint32_t room = task->completed_count + 1;
	struct wf_binding *results;
	uint32_t count = 0;
	enum wf_rc rc = WF_OK;

	*count_out = 0;
	if (task->decomposition == NULL ||
	    (task->completed_count == 0 && task->multi == NULL))
		return WF_OK;
	document.root = task->decomposition->root_name;
	results = wf_step_alloc(s, room * sizeof(*results));
	for (uint32_t i = 0; i < task->completed_count && rc == WF_OK; i++) {
		const struct wf_mapping *mapping = &task->completed[i];
		struct wf_value *value;

		wf_assert(mapping->variable < n->net->variable_count);
		if (n->net->variables[mapping->variable].is_flag &&
		    mapping->expression.query != NULL &&
		    !output_has_flag(task, output, mapping->expression.query))
			continue;
		rc = evaluate_result(s, n, task, mapping, &document, &value);
		if (rc != WF_OK)
			break;
		results[count].variable = mapping->variable;
		results[count++].value = share(value, n, output);
	}
	if (rc == WF_OK && task->multi != NULL && task->multi->has_output) {
		rc = evaluate_element(s, task, &task->multi->formal_output,
		    "collected output", "", &document, &results[count].value);
		results[count].value =
		    rc != WF_OK ? NULL : results[count].value;
		results[count++].variable = WF_COLLECTED;
	}
	wf_assert(count <= room);
	*results_out = results;
	*count_out = count;
	return rc;
}

enum wf_rc wf_evaluate_join(struct step *s, const struct wf_task *task,
    const struct activity *activity, struct wf_value *last,
    struct wf_value **value_out)
{
	const struct wf_multi_instance *multi = task->multi;
	const struct wf_net_variable *variable;
	struct wf_value **collected =
	    wf_step_alloc(s, (activity->result_count + 1) * sizeof(*collected));
	struct wf_document document = { task->decomposition->root_name,
		collected, 0 };
	const struct wf_net *net = task->net;
	enum wf_rc rc;

	for (uint32_t i = 0; i < activity->result_count; i++) {
		if (activity->results[i].variable == WF_COLLECTED)
			collected[document.count++] =
			    activity->results[i].value;
	}
	if (last != NULL)
		collected[document.count++] = last;
	variable = &net->variables[multi->result];
	rc = evaluate_element(s, task, &multi->joiner, "joiner to variable",
	    variable->name, &document, value_out);
	if (rc != WF_OK)
		return rc;
	rc = check_name(s, *value_out, variable->name);
	if (rc == WF_OK && s->c->spec->file->version >= WF_BETA_4 &&
	    !wf_value_is_empty(*value_out))
		rc = wf_type_validate(
		    variable->type, *value_out, &s->query_steps, s->err);
	if (rc != WF_OK)
		explain(s, task, "joiner to variable", variable->name,
		    multi->joiner.text);
	return rc;
}

static enum wf_rc evaluate_timer(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct wf_flow *flow, bool *holds_out)
{
	const struct wf_predicate *predicate = flow->predicate;
	enum wf_timer_state state;

	if (predicate->timed == NULL || n->timers == NULL)
		return wf_fail(s->err, WF_DATA,
		    "task %s, flow to %s: no task with a timer is called "
		    "\"%s\" in net %s",
		    task->id, flow->target, predicate->timer_task,
		    n->net->decomposition->id);
	state = (enum wf_timer_state)n->timers[predicate->timed->number];
	*holds_out =
	    (state == predicate->timer_state) != predicate->timer_negated;
	return WF_OK;
}

static void emit_price(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const char *text)
{
	struct wf_event event = { .kind = WF_EVENT_COST_PRICED };

	event.net = n->serial;
	event.task = task->number;
	event.text = text;
	event.text_length = strlen(text);
	wf_emit(s, &event);
}

/* The amounts become variables of the query. */
static enum wf_rc evaluate_costs(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct wf_predicate *predicate)
{
	const char **amounts =
	    wf_step_alloc(s, predicate->cost_count * sizeof(*amounts));

	s->how.variables = amounts;
	for (size_t i = 0; i < predicate->cost_count; i++) {
		const struct wf_cost *cost = &predicate->costs[i];
		bool is_known;
		enum wf_rc rc =
		    wf_price_cost(s, n, task, cost, &amounts[i], &is_known);

		if (rc != WF_OK)
			return rc;
		emit_price(s, n, task,
		    wf_arena_printf(s->out->arena, "%s = %s%s", cost->text,
			amounts[i], is_known ? "" : " (there are no people)"));
	}
	return WF_OK;
}

static enum wf_rc evaluate_predicate(struct step *s,
    const struct net_instance *n, const struct wf_task *task,
    const struct wf_flow *flow, bool *holds_out)
{
	const struct wf_predicate *predicate = flow->predicate;
	struct wf_document document = wf_net_document(n);
	enum wf_rc rc;

	*holds_out = false;
	if (predicate == NULL)
		return WF_OK;
	if (predicate->kind == WF_PREDICATE_TIMER)
		return evaluate_timer(s, n, task, flow, holds_out);
	rc = check_compiled(s, predicate->query, predicate->failure);
	if (rc == WF_OK && predicate->cost_count > 0)
		rc = evaluate_costs(s, n, task, predicate);
	if (rc == WF_OK)
		rc = wf_query_boolean(
		    predicate->query, &document, &s->how, holds_out, s->err);
	if (rc != WF_OK)
		explain(s, task, "flow to", flow->target, predicate->text);
	return rc;
}

static void add_condition(
    uint32_t *conditions, uint32_t *count, uint32_t condition)
{
	for (uint32_t i = 0; i < *count; i++) {
		if (conditions[i] == condition)
			return;
	}
	conditions[(*count)++] = condition;
}

/* The flows that the command chooses (wf_choice). */
static enum wf_rc choose(struct step *s, const struct wf_task *task,
    const struct wf_choice *choice, uint32_t *conditions, uint32_t *count)
{
	for (size_t i = 0; i < choice->target_count; i++) {
		uint32_t before = *count;

		for (uint32_t f = 0; f < task->flow_count; f++)
			if (strcmp(task->flows[f].target, choice->targets[i]) ==
			    0)
				add_condition(conditions, count,
				    task->flows[f].condition);
		if (*count == before)
			return wf_fail(s->err, WF_INVALID,
			    "task %s has no flow to %s, or it is chosen twice",
			    task->id, choice->targets[i]);
	}
	if (*count == 0 || (task->split == WF_XOR && *count > 1))
		return wf_fail(s->err, WF_INVALID,
		    "task %s: %u flows are chosen, expected %s", task->id,
		    (unsigned)*count,
		    task->split == WF_XOR ? "one" : "at least one");
	return WF_OK;
}

static const struct wf_choice *find_choice(
    const struct step *s, const struct wf_task *task)
{
	for (size_t i = 0; i < s->command->choice_count; i++)
		if (strcmp(s->command->choices[i].task, task->id) == 0)
			return &s->command->choices[i];
	return NULL;
}

enum wf_rc wf_evaluate_split(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const uint32_t **conditions_out,
    uint32_t *count_out)
{
	const struct wf_choice *choice;
	uint32_t *conditions;
	uint32_t count = 0;

	if (task->split == WF_AND || task->flow_count == 1) {
		*conditions_out = task->postset;
		*count_out = task->postset_count;
		return WF_OK;
	}
	conditions = wf_step_alloc(s, task->flow_count * sizeof(*conditions));
	if (s->command->choice_count > 0 &&
	    (choice = find_choice(s, task)) != NULL) {
		*conditions_out = conditions;
		*count_out = 0;
		return choose(s, task, choice, conditions, count_out);
	}
	for (uint32_t i = 0; i < task->flow_count; i++) {
		const struct wf_flow *flow = &task->flows[i];
		bool holds;
		enum wf_rc rc;

		/* The default flow is the last and ignores its predicate. */
		if (flow->is_default && count == 0) {
			add_condition(conditions, &count, flow->condition);
			break;
		}
		rc = evaluate_predicate(s, n, task, flow, &holds);
		if (rc != WF_OK)
			return rc;
		if (!holds)
			continue;
		add_condition(conditions, &count, flow->condition);
		if (task->split == WF_XOR)
			break;
	}
	wf_assert(count <= task->flow_count);
	*conditions_out = conditions;
	*count_out = count;
	return WF_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling queries, and finding the variables they are for.
 *
 * A mapping that does not compile refuses the specification; a predicate, a
 * splitter, a joiner or a bound that does not is a warning here and a failure
 * of the step that needs it.
 */
#include "spec/reader.h"

#include <stdlib.h>
#include <string.h>

/* The context of a query, to check the names in it. */
struct names {
	struct wf_spec_reader *reader;
	const char *label;
	const char *what; /* "mapping to x" */
	int line;
	const char *root;	    /* the root element */
	const struct wf_map *known; /* the names of its children */
	const char *of;		    /* "a variable of net N" */
	bool is_mapping;
};

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* --- Names in paths --- */

static void check_path(
    void *argument, const char *root, const char *child, int line, int column)
{
	const struct names *names = argument;
	struct wf_spec_reader *reader = names->reader;
	bool severe = names->is_mapping && !reader->is_beta;

	if (strcmp(root, names->root) == 0) {
		if (wf_spec_number(names->known, child, strlen(child)) !=
		    UINT32_MAX)
			return;
		wf_diagnostics_add(reader->diagnostics,
		    severe ? WF_ERROR : WF_WARNING, names->line, names->label,
		    "%s names a variable that is not there: /%s/%s at line %d, "
		    "column %d of the query: expected %s",
		    names->what, root, child, line, column, names->of);
		return;
	}
	WF_SPEC_WARN(reader, names->line, names->label,
	    "%s names /%s/%s at line %d, column %d of the query, where only "
	    "/%s can be: it is always empty",
	    names->what, root, child, line, column, names->root);
}

static void check_names(
    struct names *names, const struct wf_expression *expression)
{
	names->line = expression->line;
	if (expression->query != NULL && names->root != NULL)
		wf_query_paths(expression->query, check_path, names);
}

static struct names names_of_net(struct wf_spec_reader *reader,
    const struct wf_net *net, const char *label, const char *what)
{
	struct names names = {
		.reader = reader,
		.label = label,
		.what = what,
		.root = net->root_name,
		.known = net->variable_numbers,
		.of = wf_arena_printf(reader->scratch, "a variable of net %s",
		    net->decomposition->id),
		.is_mapping = true,
	};

	return names;
}

/* Up to Beta 3 a specification does not declare the output of a task. */
static struct names names_of_output(struct wf_spec_reader *reader,
    const struct wf_task *task, const char *label, const char *what)
{
	const struct wf_decomposition *d = task->decomposition;
	bool known = d != NULL && reader->version > WF_BETA_3;
	struct names names = {
		.reader = reader,
		.label = label,
		.what = what,
		.root = known ? d->root_name : NULL,
		.known = known ? d->output_numbers : NULL,
		.of = known ? wf_arena_printf(reader->scratch,
				  "an output parameter of %s", d->id)
			    : "",
		.is_mapping = true,
	};

	return names;
}

/* --- Compiling --- */

static void compile_expression(struct wf_spec_reader *reader, const char *label,
    const char *what, enum wf_severity severity,
    struct wf_expression *expression)
{
	if (expression->text == NULL)
		return;
	expression->query =
	    wf_spec_compile(reader, expression->text, &expression->failure);
	if (expression->query != NULL)
		return;
	/* External gateways are not supported in any place. */
	if (begins(expression->text, "#external:"))
		severity = WF_ERROR;
	wf_diagnostics_add(reader->diagnostics, severity, expression->line,
	    label, "%s: %s%s", what, expression->failure,
	    severity == WF_WARNING ? " (the step that needs it will fail)"
				   : "");
}

/* --- Predicates --- */

static void compile_predicate(struct wf_spec_reader *reader,
    const struct wf_net *net, const struct wf_task *task, struct wf_flow *flow)
{
	struct wf_predicate *predicate = flow->predicate;
	const char *label = wf_spec_label_flow(reader, task->id, flow->target);
	struct wf_expression expression = { .line = flow->line };
	struct names names = names_of_net(reader, net, label, "its predicate");

	if (wf_spec_compile_timer_predicate(reader, label, flow))
		return;
	names.is_mapping = false;
	if (wf_spec_compile_costs(reader, label, flow, &expression.text)) {
		expression.query = predicate->query;
		check_names(&names, &expression);
		return;
	}
	expression.text = predicate->text;
	compile_expression(
	    reader, label, "its predicate", WF_WARNING, &expression);
	predicate->query = expression.query;
	predicate->failure = expression.failure;
	check_names(&names, &expression);
}

/* --- Mappings --- */

static const char *mapping_name(struct wf_spec_reader *reader, const char *kind,
    const struct wf_mapping *mapping)
{
	return wf_arena_printf(
	    reader->scratch, "%s mapping to %s", kind, mapping->target);
}

static int compare_mappings(const void *left, const void *right)
{
	uint32_t a = ((const struct wf_mapping *)left)->variable;
	uint32_t b = ((const struct wf_mapping *)right)->variable;

	return a < b ? -1 : a > b;
}

static void compile_starting(struct wf_spec_reader *reader,
    const struct wf_net *net, struct wf_task *task, const char *label)
{
	for (uint32_t i = 0; i < task->starting_count; i++) {
		struct wf_mapping *mapping = &task->starting[i];
		const char *what = mapping_name(reader, "starting", mapping);
		struct names names = names_of_net(reader, net, label, what);

		compile_expression(
		    reader, label, what, WF_ERROR, &mapping->expression);
		check_names(&names, &mapping->expression);
		if (task->decomposition != NULL)
			mapping->variable =
			    wf_spec_number(task->decomposition->input_numbers,
				mapping->target, strlen(mapping->target));
	}
	if (task->starting_count > 0)
		qsort(task->starting, task->starting_count,
		    sizeof(*task->starting), compare_mappings);
}

static void compile_completed(struct wf_spec_reader *reader,
    const struct wf_net *net, struct wf_task *task, const char *label)
{
	for (uint32_t i = 0; i < task->completed_count; i++) {
		struct wf_mapping *mapping = &task->completed[i];
		const char *what = mapping_name(reader, "completed", mapping);
		struct names names = names_of_output(reader, task, label, what);

		compile_expression(
		    reader, label, what, WF_ERROR, &mapping->expression);
		check_names(&names, &mapping->expression);
		mapping->variable = wf_spec_number(net->variable_numbers,
		    mapping->target, strlen(mapping->target));
	}
}

static void compile_enablement(struct wf_spec_reader *reader,
    const struct wf_net *net, struct wf_task *task, const char *label)
{
	const struct wf_decomposition *d = task->decomposition;

	for (uint32_t i = 0; i < task->enablement_count; i++) {
		struct wf_mapping *mapping = &task->enablement[i];
		const char *what = mapping_name(reader, "enablement", mapping);
		struct names names = names_of_net(reader, net, label, what);

		names.is_mapping = false;
		compile_expression(
		    reader, label, what, WF_ERROR, &mapping->expression);
		check_names(&names, &mapping->expression);
		if (d != NULL)
			mapping->variable =
			    wf_spec_number(d->enablement_numbers,
				mapping->target, strlen(mapping->target));
	}
}

/* --- Multiple instances --- */

static void compile_bound(struct wf_spec_reader *reader,
    const struct wf_net *net, const char *label, const char *what,
    struct wf_bound *bound)
{
	struct names names = names_of_net(reader, net, label, what);

	names.is_mapping = false;
	compile_expression(reader, label, what, WF_WARNING, &bound->query);
	check_names(&names, &bound->query);
}

static void compile_multiple(struct wf_spec_reader *reader,
    const struct wf_net *net, struct wf_task *task, const char *label)
{
	struct wf_multi_instance *multi = task->multi;
	struct names input = names_of_net(
	    reader, net, label, "the query for its multi-instance input");
	struct names output = names_of_output(
	    reader, task, label, "the query for the output of each instance");

	compile_bound(reader, net, label, "minimum", &multi->minimum);
	compile_bound(reader, net, label, "maximum", &multi->maximum);
	compile_bound(reader, net, label, "threshold", &multi->threshold);
	compile_expression(reader, label, input.what, WF_ERROR, &multi->input);
	check_names(&input, &multi->input);
	compile_expression(
	    reader, label, "the splitting query", WF_WARNING, &multi->splitter);
	compile_expression(
	    reader, label, output.what, WF_ERROR, &multi->formal_output);
	check_names(&output, &multi->formal_output);
	compile_expression(
	    reader, label, "the joining query", WF_WARNING, &multi->joiner);
	if (multi->input_name != NULL && task->decomposition != NULL)
		multi->formal_input =
		    wf_spec_number(task->decomposition->input_numbers,
			multi->input_name, strlen(multi->input_name));
	if (multi->result_name != NULL)
		multi->result = wf_spec_number(net->variable_numbers,
		    multi->result_name, strlen(multi->result_name));
}

static void compile_net(struct wf_spec_reader *reader, struct wf_net *net)
{
	reader->timer_tasks = wf_map_new();
	wf_spec_compile_timers(reader, net);
	for (uint32_t i = 0; i < net->task_count; i++) {
		struct wf_task *task = &net->tasks[i];
		const char *label = wf_spec_label_task(reader, task);

		for (uint32_t j = 0; j < task->flow_count; j++)
			if (task->flows[j].predicate != NULL)
				compile_predicate(
				    reader, net, task, &task->flows[j]);
		compile_starting(reader, net, task, label);
		compile_completed(reader, net, task, label);
		compile_enablement(reader, net, task, label);
		if (task->multi != NULL)
			compile_multiple(reader, net, task, label);
		task->moves_data =
		    task->starting_count + task->completed_count > 0 ||
		    task->multi != NULL;
		net->acts_on_enabling = net->acts_on_enabling ||
					task->enablement_count > 0 ||
					task->timer != NULL;
	}
	wf_map_free(&reader->timer_tasks);
}

void wf_spec_compile_queries(struct wf_spec_reader *reader)
{
	struct wf_spec *spec = reader->spec;

	for (uint32_t i = 0; i < spec->decomposition_count; i++)
		if (spec->decompositions[i].net != NULL)
			compile_net(reader, spec->decompositions[i].net);
	wf_map_free(&reader->task_names);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes nets of the short notation as a YAWL 4.0 specification: elements in
 * the order of the schema, with all defaults.
 */
#include <ctype.h>
#include <string.h>

#include "cli/scenario/notation.h"

struct writer {
	const struct wf_notation *notation;
	const struct wf_notation_net *net;
	struct wf_buffer *out;
};

static const char *const control_codes[] = {
	[WF_AND] = "and", [WF_XOR] = "xor", [WF_OR] = "or"
};

static void put(struct writer *writer, const char *text)
{
	wf_buffer_puts(writer->out, text);
}

static void put_escaped(struct writer *writer, const char *text)
{
	wf_buffer_escape(writer->out, text, strlen(text), true);
}

/* <name>text</name> */
static void put_element(
    struct writer *writer, const char *name, const char *text)
{
	wf_buffer_printf(writer->out, "<%s>", name);
	put_escaped(writer, text);
	wf_buffer_printf(writer->out, "</%s>", name);
}

/* <name attribute="value"/> */
static void put_reference(struct writer *writer, const char *name,
    const char *attribute, const char *value)
{
	wf_buffer_printf(writer->out, "<%s %s=\"", name, attribute);
	put_escaped(writer, value);
	put(writer, "\"/>");
}

static const struct wf_notation_net *find_net(
    const struct writer *writer, const char *name)
{
	for (size_t i = 0; i < writer->notation->net_count; i++)
		if (strcmp(writer->notation->nets[i].name, name) == 0)
			return &writer->notation->nets[i];
	return NULL;
}

static bool has_atomic_task(const struct wf_notation_net *net, const char *id)
{
	for (size_t i = 0; i < net->element_count; i++) {
		const struct wf_notation_element *element = &net->elements[i];

		if (element->kind == WF_NOTATION_TASK && !element->is_empty &&
		    element->subnet == NULL && strcmp(element->id, id) == 0)
			return true;
	}
	return false;
}

/* A task's decomposition has the task's id, or NET_TASK where that is taken. */
static const char *decomposition_id(
    const struct writer *writer, const struct wf_notation_element *task)
{
	const struct wf_notation *notation = writer->notation;

	if (task->subnet != NULL)
		return task->subnet;
	if (find_net(writer, task->id) == NULL) {
		const struct wf_notation_net *net = notation->nets;

		while (net != writer->net && !has_atomic_task(net, task->id))
			net++;
		if (net == writer->net)
			return task->id;
	}
	return wf_arena_printf(
	    notation->arena, "%s_%s", writer->net->name, task->id);
}

/* Built-in types have small letters, those of the schema capital ones. */
static void put_variable(struct writer *writer, const char *kind, size_t index,
    const char *name, const char *type, bool optional)
{
	wf_buffer_printf(writer->out, "<%s%s><index>%zu</index>", kind,
	    optional ? " optional=\"true\"" : "", index);
	put_element(writer, "name", name);
	put_element(writer, "type", type);
	if (islower((unsigned char)type[0]))
		put_element(
		    writer, "namespace", "http://www.w3.org/2001/XMLSchema");
}

static void put_initial(struct writer *writer, const char *initial)
{
	if (initial != NULL)
		put_element(writer, "initialValue", initial);
}

static void put_net_variables(struct writer *writer)
{
	const struct wf_notation_net *net = writer->net;

	for (size_t i = 0; i < net->variable_count; i++) {
		const struct wf_notation_variable *variable =
		    &net->variables[i];

		if (!variable->is_input)
			continue;
		put_variable(writer, "inputParam", i, variable->name,
		    variable->type, variable->is_optional);
		put_initial(writer, variable->initial);
		put(writer, variable->is_mandatory ? "<mandatory/>" : "");
		put(writer, "</inputParam>\n");
	}
	for (size_t i = 0; i < net->variable_count; i++) {
		const struct wf_notation_variable *variable =
		    &net->variables[i];

		if (!variable->is_output)
			continue;
		put_variable(writer, "outputParam", i, variable->name,
		    variable->type, false);
		put(writer, "</outputParam>\n");
	}
	for (size_t i = 0; i < net->variable_count; i++) {
		const struct wf_notation_variable *variable =
		    &net->variables[i];

		if (variable->is_input)
			continue;
		put_variable(writer, "localVariable", i, variable->name,
		    variable->type, false);
		put_initial(writer, variable->initial);
		put(writer, "</localVariable>\n");
	}
}

/* Whether one of the element's flows is marked as the default. */
static bool has_default(const struct wf_notation_element *element)
{
	for (size_t i = 0; i < element->flow_count; i++)
		if (element->flows[i].is_default)
			return true;
	return false;
}

static void put_flow(
    struct writer *writer, const struct wf_notation_element *element, size_t i)
{
	const struct wf_notation_flow *flow = &element->flows[i];
	bool chooses = element->has_split && element->split != WF_AND;
	bool last = i + 1 == element->flow_count;
	bool is_default = flow->is_default || (last && !has_default(element));
	const char *predicate = flow->predicate;

	put(writer, "<flowsInto>");
	put_reference(writer, "nextElementRef", "id", flow->target);
	if (chooses && element->split == WF_OR && predicate == NULL)
		predicate = is_default ? "false()" : "true()";
	if (chooses && element->split == WF_XOR && !is_default) {
		wf_buffer_printf(
		    writer->out, "<predicate ordering=\"%zu\">", i);
		put_escaped(writer, predicate != NULL ? predicate : "true()");
		put(writer, "</predicate>");
	} else if (predicate != NULL) {
		put_element(writer, "predicate", predicate);
	}
	put(writer, chooses && is_default ? "<isDefaultFlow/>" : "");
	put(writer, "</flowsInto>\n");
}

static bool is_element_of(const struct wf_notation_net *net, const char *id)
{
	for (size_t i = 0; i < net->element_count; i++)
		if (strcmp(net->elements[i].id, id) == 0)
			return true;
	return false;
}

/* The A and B of c{A_B}, where both are elements of the net. */
static bool split_flow(const struct writer *writer, const char *id,
    const char **from_out, const char **to_out)
{
	size_t length = strlen(id);
	struct wf_arena *arena = writer->notation->arena;

	if (strncmp(id, "c{", 2) != 0 || id[length - 1] != '}')
		return false;
	for (const char *at = strchr(id, '_'); at != NULL;
	     at = strchr(at + 1, '_')) {
		*from_out =
		    wf_arena_strndup(arena, id + 2, (size_t)(at - id - 2));
		*to_out = wf_arena_strndup(
		    arena, at + 1, (size_t)(id + length - 1 - (at + 1)));
		if (is_element_of(writer->net, *from_out) &&
		    is_element_of(writer->net, *to_out))
			return true;
	}
	return false;
}

static void put_cancels(
    struct writer *writer, const struct wf_notation_element *task)
{
	const char *from;
	const char *to;

	for (size_t i = 0; i < task->cancel_count; i++)
		if (!split_flow(writer, task->cancels[i], &from, &to))
			put_reference(
			    writer, "removesTokens", "id", task->cancels[i]);
	for (size_t i = 0; i < task->cancel_count; i++) {
		if (!split_flow(writer, task->cancels[i], &from, &to))
			continue;
		put(writer, "<removesTokensFromFlow>");
		put_reference(writer, "flowSource", "id", from);
		put_reference(writer, "flowDestination", "id", to);
		put(writer, "</removesTokensFromFlow>\n");
	}
}

/* <P>{/NET/V/node()}</P>, <P>{QUERY}</P>, or the query itself. */
static const char *mapping_query(const struct writer *writer,
    const struct wf_notation_element *task,
    const struct wf_notation_mapping *mapping)
{
	struct wf_arena *arena = writer->notation->arena;
	const char *root = mapping->use == WF_NOTATION_OUT
			       ? decomposition_id(writer, task)
			       : writer->net->name;

	if (mapping->query == NULL)
		return wf_arena_printf(arena, "<%s>{/%s/%s/node()}</%s>",
		    mapping->target, root, mapping->source, mapping->target);
	if (mapping->query[0] == '<')
		return mapping->query;
	return wf_arena_printf(arena, "<%s>{%s}</%s>", mapping->target,
	    mapping->query, mapping->target);
}

static void put_mappings(struct writer *writer,
    const struct wf_notation_element *task, enum wf_notation_use use,
    const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < task->mapping_count; i++) {
		const struct wf_notation_mapping *mapping = &task->mappings[i];

		if (mapping->use != use)
			continue;
		if (count++ == 0)
			wf_buffer_printf(writer->out, "<%s>", name);
		put(writer, "<mapping>");
		put_reference(writer, "expression", "query",
		    mapping_query(writer, task, mapping));
		put_element(writer, "mapsTo", mapping->target);
		put(writer, "</mapping>");
	}
	if (count > 0)
		wf_buffer_printf(writer->out, "</%s>\n", name);
}

static void put_multiple_input(
    struct writer *writer, const struct wf_notation_multiple *multiple)
{
	struct wf_arena *arena = writer->notation->arena;
	const char *count =
	    multiple->create != NULL ? multiple->create : multiple->minimum;
	const char *from = multiple->from;
	const char *split = multiple->split;

	if (split == NULL) {
		from = wf_arena_printf(arena, "<all>{%s}</all>", count);
		split = wf_arena_printf(arena,
		    "for $i in 1 to /all return <%s>{$i}</%s>", multiple->into,
		    multiple->into);
	}
	put(writer, "<miDataInput>");
	put_reference(
	    writer, "expression", "query", from != NULL ? from : "<all/>");
	put_reference(writer, "splittingExpression", "query", split);
	put_element(writer, "formalInputParam", multiple->into);
	put(writer, "</miDataInput>\n");
}

static void put_multiple(
    struct writer *writer, const struct wf_notation_multiple *multiple)
{
	put_element(writer, "minimum", multiple->minimum);
	put_element(writer, "maximum", multiple->maximum);
	put_element(writer, "threshold",
	    multiple->threshold != NULL ? multiple->threshold
					: multiple->maximum);
	put_reference(writer, "creationMode", "code",
	    multiple->is_dynamic ? "dynamic" : "static");
	put_multiple_input(writer, multiple);
	if (multiple->collect == NULL)
		return;
	put(writer, "<miDataOutput>");
	put_reference(
	    writer, "formalOutputExpression", "query", multiple->collect);
	put_reference(writer, "outputJoiningExpression", "query",
	    multiple->join != NULL ? multiple->join : "");
	put_element(writer, "resultAppliedToLocalVariable",
	    multiple->result != NULL ? multiple->result : "");
	put(writer, "</miDataOutput>\n");
}

/* "5 MIN" */
static void put_ticks(struct writer *writer, const char *time)
{
	size_t length = strcspn(time, " ");

	wf_buffer_printf(writer->out,
	    "<durationparams><ticks>%.*s</ticks><interval>%s</interval>"
	    "</durationparams>",
	    (int)length, time, time + length + 1);
}

static void put_timer(
    struct writer *writer, const struct wf_notation_timer *timer)
{
	put(writer, "<timer>");
	if (timer->variable != NULL) {
		put_element(writer, "netparam", timer->variable);
	} else {
		put_element(writer, "trigger",
		    timer->on_executing ? "OnExecuting" : "OnEnabled");
		if (strchr(timer->time, ' ') != NULL)
			put_ticks(writer, timer->time);
		else
			put_element(writer,
			    timer->time[0] == 'P' ? "duration" : "expiry",
			    timer->time);
	}
	if (timer->work_days)
		put_element(writer, "workdays", "true");
	put(writer, "</timer>\n");
}

static void put_around(
    struct writer *writer, const char *element, const char *xml)
{
	if (xml[0] != '\0')
		wf_buffer_printf(
		    writer->out, "<%s>%s</%s>", element, xml, element);
}

static void put_rule(struct writer *writer, const struct wf_notation_rule *rule)
{
	bool offers = rule->set[0] != '\0' || rule->familiar != NULL;

	wf_buffer_printf(writer->out, "<resourcing><offer initiator=\"%s\">",
	    offers ? "system" : "user");
	if (offers) {
		wf_buffer_printf(writer->out,
		    "<distributionSet><initialSet>%s</initialSet>", rule->set);
		put_around(writer, "filters", rule->filters);
		put_around(writer, "constraints", rule->constraints);
		put(writer, "</distributionSet>");
	}
	if (rule->familiar != NULL) {
		put(writer, "<familiarParticipant taskID=\"");
		put_escaped(writer, rule->familiar);
		put(writer, "\"/>");
	}
	wf_buffer_printf(writer->out, "</offer><allocate initiator=\"%s\">",
	    rule->allocator != NULL ? "system" : "user");
	if (rule->allocator != NULL)
		wf_buffer_printf(writer->out,
		    "<allocator><name>%s</name></allocator>", rule->allocator);
	wf_buffer_printf(writer->out, "</allocate><start initiator=\"%s\"/>",
	    rule->starts ? "system" : "user");
	put_around(writer, "secondary", rule->needs);
	put_around(writer, "privileges", rule->privileges);
	put(writer, "</resourcing>\n");
}

static void put_task(
    struct writer *writer, const struct wf_notation_element *task)
{
	put(writer, "<task id=\"");
	put_escaped(writer, task->id);
	put(writer, task->multiple != NULL
			? "\" xsi:type=\"MultipleInstanceExternalTaskFactsType"
			: "");
	put(writer, "\">\n");
	if (task->documentation != NULL)
		put_element(writer, "documentation", task->documentation);
	for (size_t i = 0; i < task->flow_count; i++)
		put_flow(writer, task, i);
	put_reference(writer, "join", "code",
	    control_codes[task->has_join ? task->join : WF_XOR]);
	put_reference(writer, "split", "code",
	    control_codes[task->has_split ? task->split : WF_AND]);
	put(writer, "\n");
	put_cancels(writer, task);
	put_mappings(writer, task, WF_NOTATION_IN, "startingMappings");
	put_mappings(writer, task, WF_NOTATION_OUT, "completedMappings");
	put_mappings(writer, task, WF_NOTATION_SHOW, "enablementMappings");
	if (task->timer != NULL)
		put_timer(writer, task->timer);
	if (task->rule != NULL)
		put_rule(writer, task->rule);
	if (!task->is_empty)
		put_reference(writer, "decomposesTo", "id",
		    decomposition_id(writer, task));
	if (task->multiple != NULL)
		put_multiple(writer, task->multiple);
	put(writer, "</task>\n");
}

static void put_condition(struct writer *writer, const char *name,
    const struct wf_notation_element *condition)
{
	wf_buffer_printf(writer->out, "<%s id=\"", name);
	put_escaped(writer, condition->id);
	put(writer, "\">");
	for (size_t i = 0; i < condition->flow_count; i++)
		put_flow(writer, condition, i);
	wf_buffer_printf(writer->out, "</%s>\n", name);
}

/* The element i or o; one without flows when the net does not mention it. */
static const struct wf_notation_element *end_of_net(
    const struct writer *writer, const char *id)
{
	static const struct wf_notation_element input = { .id = "i" };
	static const struct wf_notation_element output = { .id = "o" };

	for (size_t i = 0; i < writer->net->element_count; i++)
		if (strcmp(writer->net->elements[i].id, id) == 0)
			return &writer->net->elements[i];
	return id[0] == 'i' ? &input : &output;
}

static bool is_end(const struct wf_notation_element *element)
{
	return strcmp(element->id, "i") == 0 || strcmp(element->id, "o") == 0;
}

static void put_net(struct writer *writer)
{
	const struct wf_notation_net *net = writer->net;

	put(writer, "<decomposition id=\"");
	put_escaped(writer, net->name);
	put(writer, net == writer->notation->nets ? "\" isRootNet=\"true" : "");
	put(writer, "\" xsi:type=\"NetFactsType\">\n");
	put_net_variables(writer);
	put(writer, "<processControlElements>\n");
	put_condition(writer, "inputCondition", end_of_net(writer, "i"));
	for (size_t i = 0; i < net->element_count; i++) {
		const struct wf_notation_element *element = &net->elements[i];

		if (element->kind == WF_NOTATION_TASK)
			put_task(writer, element);
		else if (!is_end(element))
			put_condition(writer, "condition", element);
	}
	put_condition(writer, "outputCondition", end_of_net(writer, "o"));
	put(writer, "</processControlElements>\n</decomposition>\n");
}

static void put_parameters(struct writer *writer,
    const struct wf_notation_element *task, enum wf_notation_use use,
    const char *kind)
{
	for (size_t i = 0; i < task->parameter_count; i++) {
		const struct wf_notation_parameter *parameter =
		    &task->parameters[i];

		if (parameter->use != use)
			continue;
		put_variable(
		    writer, kind, i, parameter->name, parameter->type, false);
		if (parameter->fallback != NULL)
			put_element(
			    writer, "defaultValue", parameter->fallback);
		wf_buffer_printf(writer->out, "</%s>\n", kind);
	}
}

static void put_gateways(struct writer *writer)
{
	for (size_t i = 0; i < writer->net->element_count; i++) {
		const struct wf_notation_element *task =
		    &writer->net->elements[i];

		if (task->kind != WF_NOTATION_TASK || task->is_empty ||
		    task->subnet != NULL)
			continue;
		put(writer, "<decomposition id=\"");
		put_escaped(writer, decomposition_id(writer, task));
		put(writer, "\" xsi:type=\"WebServiceGatewayFactsType\"");
		if (task->timing != NULL) {
			put(writer, " xmlns:p=\"urn:weft:people\"");
			put(writer, task->timing);
		}
		put(writer, ">\n");
		put_parameters(writer, task, WF_NOTATION_IN, "inputParam");
		put_parameters(writer, task, WF_NOTATION_OUT, "outputParam");
		put_parameters(
		    writer, task, WF_NOTATION_SHOW, "enablementParam");
		put_element(writer, "externalInteraction",
		    task->is_automated ? "automated" : "manual");
		put(writer, "</decomposition>\n");
	}
}

void wf_notation_write(const struct wf_notation *notation, const char *title,
    struct wf_buffer *text)
{
	struct writer writer = { notation, NULL, text };

	put(&writer,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<specificationSet version=\"4.0\" "
	    "xmlns=\"http://www.yawlfoundation.org/yawlschema\" "
	    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n"
	    "<specification uri=\"scenario\"><metaData>");
	put_element(&writer, "title", title);
	put(&writer, "<creator>weft</creator><version>0.1</version>"
		     "<identifier>UID_scenario</identifier></metaData>\n");
	put(&writer,
	    notation->schema != NULL
		? notation->schema
		: "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"/>");
	put(&writer, "\n");
	for (size_t i = 0; i < notation->net_count; i++) {
		writer.net = &notation->nets[i];
		put_net(&writer);
	}
	for (size_t i = 0; i < notation->net_count; i++) {
		writer.net = &notation->nets[i];
		put_gateways(&writer);
	}
	put(&writer, "</specification></specificationSet>\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random specifications.  A net is a chain of tasks with more flows thrown
 * in: forward, backward, some through a condition of their own or through
 * one that is shared.
 */
#include "tests/unit/random_net.h"

#include <stdbool.h>
#include <string.h>

const struct wf_limits wf_random_limits = {
	.instances = 12,
	.tokens = 20,
	.depth = 5,
	.firings = 200,
	.value_bytes = 100000,
	.query_steps = 1000000,
	.query_bytes = 10000000,
	.state_bytes = 10000000,
	.event_bytes = 10000000,
};

#define TASKS_MAXIMUM 12U
#define FLOWS_MAXIMUM 8U
#define END TASKS_MAXIMUM /* the output condition, as a target */

#define NAMESPACE "<namespace>http://www.w3.org/2001/XMLSchema</namespace>"

struct task {
	unsigned targets[FLOWS_MAXIMUM]; /* task, or END */
	bool by_condition[FLOWS_MAXIMUM];
	unsigned flow_count;
	bool shares; /* its flows go through one condition: a choice */
};

struct net {
	const char *name;
	struct task tasks[TASKS_MAXIMUM];
	unsigned count;
	bool is_root;
};

struct writer {
	struct wf_random *random;
	struct wf_buffer *out;
	bool is_timed;
	bool needs_subnet;
};

static bool one_in(struct writer *writer, uint32_t n)
{
	return wf_random_below(writer->random, n) == 0;
}

static unsigned pick(struct writer *writer, uint32_t n)
{
	return wf_random_below(writer->random, n);
}

static void add_flow(struct writer *writer, struct task *task, unsigned target)
{
	for (unsigned i = 0; i < task->flow_count; i++)
		if (task->targets[i] == target)
			return;
	if (task->flow_count == FLOWS_MAXIMUM)
		return;
	task->by_condition[task->flow_count] =
	    target != END && one_in(writer, 4);
	task->targets[task->flow_count++] = target;
}

/* Each task leads to a later one or the end, and comes from an earlier one. */
static void make_flows(struct writer *writer, struct net *net)
{
	for (unsigned i = 0; i < net->count; i++)
		add_flow(writer, &net->tasks[i],
		    i + 1 == net->count
			? END
			: i + 1 + pick(writer, net->count - i - 1));
	for (unsigned i = 1; i < net->count; i++)
		add_flow(writer, &net->tasks[pick(writer, i)], i);
	for (unsigned i = pick(writer, net->count); i > 0; i--)
		add_flow(writer, &net->tasks[pick(writer, net->count)],
		    one_in(writer, 8) ? END : pick(writer, net->count));
	for (unsigned i = 0; i < net->count; i++)
		net->tasks[i].shares = net->tasks[i].flow_count > 1 &&
				       net->tasks[i].targets[0] != END &&
				       one_in(writer, 8);
}

/* "T3", "o", or the condition between. */
static void put_target(
    struct writer *writer, const struct net *net, unsigned from, unsigned flow)
{
	const struct task *task = &net->tasks[from];

	if (task->targets[flow] == END)
		wf_buffer_puts(writer->out, "o");
	else if (task->by_condition[flow])
		wf_buffer_printf(
		    writer->out, "p%u_%u", from, task->targets[flow]);
	else
		wf_buffer_printf(writer->out, "T%u", task->targets[flow]);
}

static void put_predicate(struct writer *writer, const struct net *net)
{
	switch (pick(writer, 4)) {
	case 0:
		wf_buffer_puts(writer->out, "false()");
		break;
	case 1:
		wf_buffer_printf(writer->out, "/%s/n mod %u = 0", net->name,
		    2 + pick(writer, 3));
		break;
	default:
		wf_buffer_puts(writer->out, "true()");
		break;
	}
}

static void put_flow(struct writer *writer, const struct net *net,
    unsigned from, unsigned flow, const char *split)
{
	bool last = flow + 1 == net->tasks[from].flow_count;
	struct wf_buffer *out = writer->out;

	wf_buffer_puts(out, "<flowsInto><nextElementRef id=\"");
	put_target(writer, net, from, flow);
	wf_buffer_puts(out, "\"/>");
	if (strcmp(split, "xor") == 0 && !last) {
		wf_buffer_printf(out, "<predicate ordering=\"%u\">", flow);
		put_predicate(writer, net);
		wf_buffer_puts(out, "</predicate>");
	} else if (strcmp(split, "or") == 0) {
		wf_buffer_puts(out, "<predicate>");
		put_predicate(writer, net);
		wf_buffer_puts(out, "</predicate>");
	}
	if (last && strcmp(split, "and") != 0)
		wf_buffer_puts(out, "<isDefaultFlow/>");
	wf_buffer_puts(out, "</flowsInto>\n");
}

static void put_flows(struct writer *writer, const struct net *net,
    unsigned from, const char *split)
{
	const struct task *task = &net->tasks[from];

	if (task->shares) {
		wf_buffer_printf(writer->out,
		    "<flowsInto><nextElementRef id=\"s%u\"/>%s</flowsInto>\n",
		    from,
		    strcmp(split, "xor") == 0 ? "<isDefaultFlow/>"
		    : strcmp(split, "or") == 0
			? "<predicate>true()</predicate><isDefaultFlow/>"
			: "");
		return;
	}
	for (unsigned i = 0; i < task->flow_count; i++)
		put_flow(writer, net, from, i, split);
}

static void put_cancellation(struct writer *writer, const struct net *net)
{
	struct wf_buffer *out = writer->out;
	unsigned victim = pick(writer, net->count);

	wf_buffer_printf(out, "<removesTokens id=\"T%u\"/>", victim);
	for (unsigned i = 0; i < net->count; i++)
		for (unsigned k = 0; k < net->tasks[i].flow_count; k++) {
			const struct task *task = &net->tasks[i];

			if (task->targets[k] != victim || task->shares)
				continue;
			if (task->by_condition[k])
				wf_buffer_printf(out,
				    "<removesTokens id=\"p%u_%u\"/>", i,
				    victim);
		}
	for (unsigned i = 0; i < net->count; i++)
		for (unsigned k = 0; k < net->tasks[i].flow_count; k++) {
			const struct task *task = &net->tasks[i];

			if (task->targets[k] == victim && !task->shares &&
			    !task->by_condition[k])
				wf_buffer_printf(out,
				    "<removesTokensFromFlow>"
				    "<flowSource id=\"T%u\"/>"
				    "<flowDestination id=\"T%u\"/>"
				    "</removesTokensFromFlow>",
				    i, victim);
		}
	wf_buffer_puts(out, "\n");
}

/* The kind of a task: see the rows of put_body(). */
enum body { PLAIN, DATA, EMPTY, COMPOSITE, MULTIPLE, BODIES };

static void put_mappings(
    struct writer *writer, const struct net *net, const char *decomposition)
{
	wf_buffer_printf(writer->out,
	    "<startingMappings><mapping><expression "
	    "query=\"&lt;n&gt;{/%s/n + 1}&lt;/n&gt;\"/><mapsTo>n</mapsTo>"
	    "</mapping><mapping><expression "
	    "query=\"&lt;s&gt;{/%s/s/text()}&lt;/s&gt;\"/><mapsTo>s</mapsTo>"
	    "</mapping></startingMappings><completedMappings><mapping>"
	    "<expression query=\"&lt;n&gt;{/%s/n/text()}&lt;/n&gt;\"/>"
	    "<mapsTo>n</mapsTo></mapping><mapping><expression "
	    "query=\"&lt;s&gt;{/%s/s/text()}&lt;/s&gt;\"/><mapsTo>s</mapsTo>"
	    "</mapping></completedMappings>\n",
	    net->name, net->name, decomposition, decomposition);
}

static void put_instances(struct writer *writer)
{
	unsigned count = 2 + pick(writer, 3);

	wf_buffer_printf(writer->out,
	    "<minimum>1</minimum><maximum>%u</maximum>"
	    "<threshold>%u</threshold><creationMode code=\"%s\"/>"
	    "<miDataInput><expression query=\"&lt;all/&gt;\"/>"
	    "<splittingExpression query=\"for $i in 1 to %u return "
	    "&lt;n&gt;{$i}&lt;/n&gt;\"/>"
	    "<formalInputParam>n</formalInputParam></miDataInput>",
	    count + pick(writer, 3) + (writer->is_timed ? 3 : 0),
	    1 + pick(writer, count),
	    writer->is_timed || one_in(writer, 2) ? "dynamic" : "static",
	    count);
	if (one_in(writer, 2))
		wf_buffer_puts(writer->out,
		    "<miDataOutput><formalOutputExpression "
		    "query=\"&lt;n&gt;{/M/n/text()}&lt;/n&gt;\"/>"
		    "<outputJoiningExpression "
		    "query=\"&lt;n&gt;{sum(/M/n)}&lt;/n&gt;\"/>"
		    "<resultAppliedToLocalVariable>n"
		    "</resultAppliedToLocalVariable></miDataOutput>");
}

/* Some timers expire at once, some hardly ever. */
static void put_timer(struct writer *writer)
{
	static const unsigned milliseconds[] = { 200, 1000, 5000, 20000,
		100000 };
	const unsigned count = sizeof(milliseconds) / sizeof(milliseconds[0]);
	unsigned duration = milliseconds[pick(writer, count)];

	wf_buffer_printf(writer->out,
	    "<timer><trigger>%s</trigger><duration>PT%u.%03uS</duration>"
	    "</timer>",
	    one_in(writer, 2) ? "OnEnabled" : "OnExecuting", duration / 1000,
	    duration % 1000);
}

/* Mappings come before the timer, everything else after it. */
static void put_start_of_body(
    struct writer *writer, const struct net *net, enum body body)
{
	if (body == DATA)
		put_mappings(writer, net, "D");
	if (body == COMPOSITE)
		put_mappings(writer, net, "Sub");
	if (writer->is_timed && body != EMPTY && body != COMPOSITE &&
	    !one_in(writer, 3))
		put_timer(writer);
}

static void put_body(
    struct writer *writer, const struct net *net, enum body body)
{
	struct wf_buffer *out = writer->out;

	put_start_of_body(writer, net, body);
	switch (body) {
	case DATA:
		wf_buffer_puts(out, "<decomposesTo id=\"D\"/>");
		break;
	case COMPOSITE:
		wf_buffer_puts(out, "<decomposesTo id=\"Sub\"/>");
		writer->needs_subnet = true;
		break;
	case MULTIPLE:
		wf_buffer_puts(out, "<decomposesTo id=\"M\"/>");
		put_instances(writer);
		break;
	case PLAIN:
		wf_buffer_puts(out, "<decomposesTo id=\"W\"/>");
		break;
	case EMPTY:
	case BODIES:
		break;
	}
}

/* Each net with timers has a task that allows further instances. */
static enum body choose_body(
    struct writer *writer, const struct net *net, unsigned number)
{
	enum body body = one_in(writer, writer->is_timed ? 2 : 3)
			     ? (enum body)pick(writer, BODIES)
			     : PLAIN;

	if (writer->is_timed && number == 1)
		return MULTIPLE;
	return body == COMPOSITE && !net->is_root ? DATA : body;
}

static void put_task(
    struct writer *writer, const struct net *net, unsigned number)
{
	static const char *const splits[] = { "and", "and", "xor", "or" };
	static const char *const joins[] = { "and", "and", "or", "xor", "xor",
		"xor", "xor", "xor" };
	struct wf_buffer *out = writer->out;
	const char *split = splits[pick(writer, 4)];
	enum body body = choose_body(writer, net, number);

	wf_buffer_printf(out, "<task id=\"T%u\"%s>", number,
	    body == MULTIPLE
		? " xsi:type=\"MultipleInstanceExternalTaskFactsType\""
		: "");
	put_flows(writer, net, number, split);
	wf_buffer_printf(out, "<join code=\"%s\"/><split code=\"%s\"/>",
	    joins[pick(writer, 8)], split);
	if (one_in(writer, 4))
		put_cancellation(writer, net);
	put_body(writer, net, body);
	wf_buffer_puts(out, "</task>\n");
}

static void put_conditions(
    struct writer *writer, const struct net *net, unsigned from)
{
	const struct task *task = &net->tasks[from];
	struct wf_buffer *out = writer->out;

	if (task->shares)
		wf_buffer_printf(out, "<condition id=\"s%u\">", from);
	for (unsigned i = 0; i < task->flow_count; i++) {
		unsigned target = task->targets[i];

		if (task->shares) {
			if (target != END)
				wf_buffer_printf(out,
				    "<flowsInto><nextElementRef id=\"T%u\"/>"
				    "</flowsInto>",
				    target);
		} else if (task->by_condition[i]) {
			wf_buffer_printf(out,
			    "<condition id=\"p%u_%u\"><flowsInto>"
			    "<nextElementRef id=\"T%u\"/></flowsInto>"
			    "</condition>\n",
			    from, target, target);
		}
	}
	if (task->shares)
		wf_buffer_puts(out, "</condition>\n");
}

static void put_variable(struct wf_buffer *out, const char *element, int index,
    const char *name, const char *type, const char *initial)
{
	wf_buffer_printf(out,
	    "<%s><index>%d</index><name>%s</name><type>%s</type>" NAMESPACE,
	    element, index, name, type);
	if (initial != NULL)
		wf_buffer_printf(
		    out, "<initialValue>%s</initialValue>", initial);
	wf_buffer_printf(out, "</%s>", element);
}

static void put_variables(struct wf_buffer *out, const char *input)
{
	put_variable(out, input, 0, "n", "integer", "1");
	put_variable(out, input, 1, "s", "string", "begin");
}

static void put_net(struct writer *writer, const char *name, bool is_root,
    unsigned minimum, unsigned range)
{
	struct wf_buffer *out = writer->out;
	struct net net = { .name = name, .is_root = is_root };

	net.count = minimum + pick(writer, range);
	make_flows(writer, &net);
	wf_buffer_printf(out,
	    "<decomposition id=\"%s\"%s xsi:type=\"NetFactsType\">", name,
	    is_root ? " isRootNet=\"true\"" : "");
	if (!is_root) {
		put_variables(out, "inputParam");
		put_variable(out, "outputParam", 0, "n", "integer", NULL);
		put_variable(out, "outputParam", 1, "s", "string", NULL);
	} else {
		put_variables(out, "localVariable");
	}
	wf_buffer_puts(out,
	    "<processControlElements>\n<inputCondition id=\"i\"><flowsInto>"
	    "<nextElementRef id=\"T0\"/></flowsInto></inputCondition>\n");
	for (unsigned i = 0; i < net.count; i++) {
		put_task(writer, &net, i);
		put_conditions(writer, &net, i);
	}
	wf_buffer_puts(out, "<outputCondition id=\"o\"/>"
			    "</processControlElements></decomposition>\n");
}

/* The effect of a timer on an item depends on whether people work on it. */
static void end_gateway(const struct writer *writer, const char *interaction)
{
	if (writer->is_timed)
		wf_buffer_printf(writer->out,
		    "<externalInteraction>%s</externalInteraction>",
		    interaction);
	wf_buffer_puts(writer->out, "</decomposition>\n");
}

static void put_gateways(const struct writer *writer)
{
	struct wf_buffer *out = writer->out;
	static const char opening[] =
	    "<decomposition id=\"%s\" "
	    "xsi:type=\"WebServiceGatewayFactsType\">";

	wf_buffer_printf(out, opening, "W");
	end_gateway(writer, "manual");
	wf_buffer_printf(out, opening, "D");
	put_variable(out, "inputParam", 0, "n", "integer", NULL);
	put_variable(out, "inputParam", 1, "s", "string", NULL);
	put_variable(out, "outputParam", 0, "n", "integer", NULL);
	put_variable(out, "outputParam", 1, "s", "string", NULL);
	end_gateway(writer, "manual");
	wf_buffer_printf(out, opening, "M");
	put_variable(out, "inputParam", 0, "n", "integer", NULL);
	put_variable(out, "outputParam", 0, "n", "integer", NULL);
	end_gateway(writer, "automated");
}

static void write_net(
    struct wf_random *random, bool is_timed, struct wf_buffer *text)
{
	struct writer writer = {
		.random = random, .out = text, .is_timed = is_timed
	};

	wf_buffer_puts(text,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<specificationSet version=\"4.0\" "
	    "xmlns=\"http://www.yawlfoundation.org/yawlschema\" "
	    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n"
	    "<specification uri=\"random\"><metaData><title>random</title>"
	    "<creator>weft</creator><version>0.1</version>"
	    "<identifier>UID_random</identifier></metaData>\n"
	    "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"/>\n");
	put_net(&writer, "Net", true, 4, TASKS_MAXIMUM - 3);
	if (writer.needs_subnet)
		put_net(&writer, "Sub", false, 1, 4);
	put_gateways(&writer);
	wf_buffer_puts(text, "</specification></specificationSet>\n");
}

void wf_random_net(struct wf_random *random, struct wf_buffer *text)
{
	write_net(random, false, text);
}

void wf_random_timed_net(struct wf_random *random, struct wf_buffer *text)
{
	write_net(random, true, text);
}

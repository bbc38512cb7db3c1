/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nets that the kernel is measured with.  Each kind has a function that
 * writes its root net and one that lists its work items; the ids of the items
 * are known beforehand, so that finding them costs nothing.
 */
#include "bench/bench_net.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define STRING_TYPE                                                            \
	"<type>string</type>"                                                  \
	"<namespace>http://www.w3.org/2001/XMLSchema</namespace>"
#define INTEGER_TYPE                                                           \
	"<type>integer</type>"                                                 \
	"<namespace>http://www.w3.org/2001/XMLSchema</namespace>"
#define CONTROLS "<join code=\"xor\"/><split code=\"and\"/>"

static void write_condition(
    struct wf_buffer *out, const char *kind, const char *id, const char *next)
{
	wf_buffer_printf(out,
	    "<%s id=\"%s\"><flowsInto><nextElementRef id=\"%s\"/></flowsInto>"
	    "</%s>\n",
	    kind, id, next, kind);
}

/* T1 to TN; middle: what stands between the controls and the decomposition. */
static void write_sequence(struct wf_buffer *out, uint32_t size,
    const char *middle, const char *decomposition)
{
	write_condition(out, "inputCondition", "i", "T1");
	for (uint32_t i = 1; i <= size; i++) {
		wf_buffer_printf(out,
		    "<task id=\"T%u\"><flowsInto><nextElementRef id=\"", i);
		if (i < size)
			wf_buffer_printf(out, "T%u", i + 1);
		else
			wf_buffer_puts(out, "o");
		wf_buffer_printf(out,
		    "\"/></flowsInto>" CONTROLS
		    "%s<decomposesTo id=\"%s\"/></task>\n",
		    middle, decomposition);
	}
}

static void write_seq(struct wf_buffer *out, uint32_t size)
{
	write_sequence(out, size, "", "W");
}

static void write_composite(struct wf_buffer *out, uint32_t size)
{
	write_sequence(out, size, "", "Sub");
}

static void write_data(struct wf_buffer *out, uint32_t size)
{
	write_sequence(out, size,
	    "<startingMappings><mapping><expression "
	    "query=\"&lt;s&gt;{/Net/s/text()}&lt;/s&gt;\"/><mapsTo>s</mapsTo>"
	    "</mapping></startingMappings><completedMappings><mapping>"
	    "<expression query=\"&lt;s&gt;{/W/s/text()}&lt;/s&gt;\"/>"
	    "<mapsTo>s</mapsTo></mapping></completedMappings>",
	    "W");
}

/* A split, as many tasks beside each other, a join. */
static void write_block(
    struct wf_buffer *out, uint32_t size, const char *control, bool choice)
{
	write_condition(out, "inputCondition", "i", "A");
	wf_buffer_puts(out, "<task id=\"A\">");
	for (uint32_t i = 1; i <= size; i++)
		wf_buffer_printf(out,
		    "<flowsInto><nextElementRef id=\"B%u\"/>%s%s</flowsInto>",
		    i, choice ? "<predicate>true()</predicate>" : "",
		    choice && i == size ? "<isDefaultFlow/>" : "");
	wf_buffer_printf(out,
	    "<join code=\"xor\"/><split code=\"%s\"/>"
	    "<decomposesTo id=\"W\"/></task>\n",
	    control);
	for (uint32_t i = 1; i <= size; i++)
		wf_buffer_printf(out,
		    "<task id=\"B%u\"><flowsInto><nextElementRef id=\"D\"/>"
		    "</flowsInto>" CONTROLS "<decomposesTo id=\"W\"/></task>\n",
		    i);
	wf_buffer_printf(out,
	    "<task id=\"D\"><flowsInto><nextElementRef id=\"o\"/></flowsInto>"
	    "<join code=\"%s\"/><split code=\"and\"/>"
	    "<decomposesTo id=\"W\"/></task>\n",
	    control);
}

static void write_and(struct wf_buffer *out, uint32_t size)
{
	write_block(out, size, "and", false);
}

static void write_or(struct wf_buffer *out, uint32_t size)
{
	write_block(out, size, "or", true);
}

static void write_mi(struct wf_buffer *out, uint32_t size)
{
	write_condition(out, "inputCondition", "i", "M");
	wf_buffer_printf(out,
	    "<task id=\"M\" xsi:type=\"MultipleInstanceExternalTaskFactsType\">"
	    "<flowsInto><nextElementRef id=\"o\"/></flowsInto>" CONTROLS
	    "<decomposesTo id=\"W\"/>"
	    "<minimum>%u</minimum><maximum>%u</maximum>"
	    "<threshold>%u</threshold><creationMode code=\"static\"/>"
	    "<miDataInput><expression query=\"&lt;all/&gt;\"/>"
	    "<splittingExpression query=\"for $i in 1 to %u return "
	    "&lt;n&gt;{$i}&lt;/n&gt;\"/>"
	    "<formalInputParam>n</formalInputParam></miDataInput></task>\n",
	    size, size, size, size);
}

static void add_item(struct wf_bench_work *work, const char *data,
    const char *format, uint32_t number)
{
	struct wf_command *command = &work->commands[work->count++];

	command->kind = WF_COMMAND_FINISH;
	command->item = wf_arena_printf(
	    work->arena, "%s%s%u", WF_BENCH_CASE, format, number);
	command->data = data;
	command->length = data != NULL ? strlen(data) : 0;
}

static void work_seq(struct wf_bench_work *work, uint32_t size)
{
	for (uint32_t i = 1; i <= size; i++)
		add_item(work, NULL, ":T", i);
}

static void work_data(struct wf_bench_work *work, uint32_t size)
{
	for (uint32_t i = 1; i <= size; i++)
		add_item(work,
		    wf_arena_printf(
			work->arena, "<W><s>written by task %u</s></W>", i),
		    ":T", i);
}

static void add_named(struct wf_bench_work *work, const char *item)
{
	work->commands[work->count++] = (struct wf_command){
		.kind = WF_COMMAND_FINISH,
		.item = item,
	};
}

static void work_block(struct wf_bench_work *work, uint32_t size)
{
	add_named(work, WF_BENCH_CASE ":A");
	for (uint32_t i = 1; i <= size; i++)
		add_item(work, NULL, ":B", i);
	add_named(work, WF_BENCH_CASE ":D");
}

static void work_composite(struct wf_bench_work *work, uint32_t size)
{
	for (uint32_t i = 1; i <= size; i++)
		add_named(work,
		    wf_arena_printf(work->arena, WF_BENCH_CASE ".%u:In", i));
}

static void work_mi(struct wf_bench_work *work, uint32_t size)
{
	add_named(work, WF_BENCH_CASE ":M");
	for (uint32_t i = 2; i <= size; i++)
		add_named(work,
		    wf_arena_printf(work->arena, WF_BENCH_CASE ".%u:M", i));
}

struct kind {
	const char *name;
	uint32_t maximum;
	void (*write)(struct wf_buffer *out, uint32_t size);
	void (*work)(struct wf_bench_work *work, uint32_t size);
};

static const struct kind kinds[WF_BENCH_KINDS] = {
	[WF_BENCH_SEQ] = { "seq", 50000, write_seq, work_seq },
	[WF_BENCH_AND] = { "and", 20000, write_and, work_block },
	[WF_BENCH_OR] = { "or", 1000, write_or, work_block },
	[WF_BENCH_COMPOSITE] = { "composite", 50000, write_composite,
	    work_composite },
	[WF_BENCH_MI] = { "mi", 10000, write_mi, work_mi },
	[WF_BENCH_DATA] = { "data", 20000, write_data, work_data },
};

enum wf_bench_kind wf_bench_kind(const char *name)
{
	unsigned kind = 0;

	while (kind < WF_BENCH_KINDS && strcmp(kinds[kind].name, name) != 0)
		kind++;
	return (enum wf_bench_kind)kind;
}

uint32_t wf_bench_maximum(enum wf_bench_kind kind)
{
	return kinds[kind].maximum;
}

static void write_parameter(
    struct wf_buffer *out, const char *element, const char *name)
{
	wf_buffer_printf(out, "<%s><index>0</index><name>%s</name>%s</%s>",
	    element, name, name[0] == 's' ? STRING_TYPE : INTEGER_TYPE,
	    element);
}

/* The decomposition W of the atomic tasks. */
static void write_gateway(struct wf_buffer *out, enum wf_bench_kind kind)
{
	wf_buffer_puts(out, "<decomposition id=\"W\" "
			    "xsi:type=\"WebServiceGatewayFactsType\">");
	if (kind == WF_BENCH_DATA) {
		write_parameter(out, "inputParam", "s");
		write_parameter(out, "outputParam", "s");
	} else if (kind == WF_BENCH_MI) {
		write_parameter(out, "inputParam", "n");
	}
	wf_buffer_puts(out, "</decomposition>\n");
}

static void write_subnet(struct wf_buffer *out)
{
	wf_buffer_puts(out, "<decomposition id=\"Sub\" "
			    "xsi:type=\"NetFactsType\">"
			    "<processControlElements>\n");
	write_condition(out, "inputCondition", "i", "In");
	wf_buffer_puts(out,
	    "<task id=\"In\"><flowsInto><nextElementRef "
	    "id=\"o\"/></flowsInto>" CONTROLS
	    "<decomposesTo id=\"W\"/></task>\n"
	    "<outputCondition id=\"o\"/></processControlElements>"
	    "</decomposition>\n");
}

/* Each net has a name of its own, so that one store can have several. */
static void write_head(struct wf_buffer *text, const char *name)
{
	wf_buffer_printf(text,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<specificationSet version=\"4.0\" "
	    "xmlns=\"http://www.yawlfoundation.org/yawlschema\" "
	    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n"
	    "<specification uri=\"%s\"><metaData><title>%s</title>"
	    "<creator>weft</creator><version>0.1</version>"
	    "<identifier>UID_%s</identifier></metaData>\n"
	    "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"/>\n"
	    "<decomposition id=\"Net\" isRootNet=\"true\" "
	    "xsi:type=\"NetFactsType\">\n",
	    name, name, name);
}

void wf_bench_write(enum wf_bench_kind kind, uint32_t size, bool ballast,
    struct wf_buffer *text)
{
	char name[48];

	snprintf(name, sizeof(name), "bench-%s-%u%s", kinds[kind].name, size,
	    ballast ? "-ballast" : "");
	write_head(text, name);
	if (ballast)
		write_parameter(text, "inputParam", WF_BENCH_BALLAST);
	if (kind == WF_BENCH_DATA)
		wf_buffer_puts(text, "<localVariable><index>0</index>"
				     "<name>s</name>" STRING_TYPE
				     "<initialValue>begin</initialValue>"
				     "</localVariable>\n");
	wf_buffer_puts(text, "<processControlElements>\n");
	kinds[kind].write(text, size);
	wf_buffer_puts(text, "<outputCondition id=\"o\"/>"
			     "</processControlElements></decomposition>\n");
	if (kind == WF_BENCH_COMPOSITE)
		write_subnet(text);
	write_gateway(text, kind);
	wf_buffer_puts(text, "</specification></specificationSet>\n");
}

void wf_bench_work_init(
    struct wf_bench_work *work, enum wf_bench_kind kind, uint32_t size)
{
	work->arena = wf_arena_new();
	work->count = 0;
	work->commands = wf_arena_array(
	    work->arena, (size_t)size + 2, sizeof(*work->commands));
	kinds[kind].work(work, size);
}

void wf_bench_work_free(struct wf_bench_work *work)
{
	wf_arena_free(&work->arena);
}

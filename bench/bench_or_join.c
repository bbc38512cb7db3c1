/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft bench orjoin: what deciding an OR-join costs, and how that grows.
 *
 * The nets are an OR-split, branches of tasks, and the OR-join that is asked
 * about.  Half of the branches have arrived.  Asked is once with a token that
 * is still on its way (the join waits), and once without (it is enabled);
 * nothing is remembered from one decision to the next.
 */
#include "bench/bench_or_join.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "base/memory.h"
#include "base/panic.h"
#include "bench/bench.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "kernel/or_join/or_join.h"

/* What grows with --size, and what else the branches have. */
struct family {
	const char *name;
	bool grows_wide; /* else the branches grow longer */
	bool loops;	 /* the end of a branch may go back to its beginning */
	bool cancels;	 /* the end of a branch cancels the next one's start */
};

static const struct family families[] = {
	{ "width", true, false, false },
	{ "chain", false, false, false },
	{ "loop", false, true, false },
	{ "cancel", true, false, true },
	{ "cancel-loop", true, true, true },
};

#define FAMILY_COUNT (sizeof(families) / sizeof(families[0]))

struct bench {
	const struct family *family;
	uint32_t size;
	uint32_t width;
	uint32_t length;
	uint32_t decisions;
	struct wf_spec_file *file;
	const struct wf_net *net;
	struct wf_or_join *join;
	uint32_t *tokens;
	uint64_t *busy;
};

static void write_flow(struct wf_buffer *out, const char *predicate,
    const char *end, uint32_t branch, uint32_t task)
{
	wf_buffer_puts(out, "<flowsInto><nextElementRef id=\"");
	if (branch == 0)
		wf_buffer_puts(out, "D");
	else
		wf_buffer_printf(out, "B%u.%u", branch, task);
	wf_buffer_printf(out, "\"/>%s%s</flowsInto>", predicate, end);
}

static void write_task(
    const struct bench *bench, struct wf_buffer *out, uint32_t b, uint32_t t)
{
	bool last = t == bench->length;
	bool loops = last && bench->family->loops;

	wf_buffer_printf(out, "<task id=\"B%u.%u\">", b, t);
	if (loops)
		write_flow(out, "<predicate ordering=\"1\">false()</predicate>",
		    "", b, 1);
	write_flow(out, "", loops ? "<isDefaultFlow/>" : "", last ? 0 : b,
	    last ? 0 : t + 1);
	wf_buffer_printf(out, "<join code=\"xor\"/><split code=\"%s\"/>",
	    loops ? "xor" : "and");
	if (last && bench->family->cancels)
		wf_buffer_printf(out,
		    "<removesTokensFromFlow><flowSource id=\"A\"/>"
		    "<flowDestination id=\"B%u.1\"/></removesTokensFromFlow>",
		    b % bench->width + 1);
	wf_buffer_puts(out, "<decomposesTo id=\"W\"/></task>\n");
}

static void write_net(const struct bench *bench, struct wf_buffer *out)
{
	wf_buffer_puts(out,
	    "<specificationSet version=\"4.0\" "
	    "xmlns=\"http://www.yawlfoundation.org/yawlschema\" "
	    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n"
	    "<specification uri=\"bench\"><metaData><title>bench</title>"
	    "<creator>weft</creator><version>0.1</version>"
	    "<identifier>UID_bench</identifier></metaData>\n"
	    "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"/>\n"
	    "<decomposition id=\"Net\" isRootNet=\"true\" "
	    "xsi:type=\"NetFactsType\"><processControlElements>\n"
	    "<inputCondition id=\"i\"><flowsInto><nextElementRef id=\"A\"/>"
	    "</flowsInto></inputCondition>\n<task id=\"A\">");
	for (uint32_t b = 1; b <= bench->width; b++)
		write_flow(out, "<predicate>true()</predicate>",
		    b == bench->width ? "<isDefaultFlow/>" : "", b, 1);
	wf_buffer_puts(out, "<join code=\"xor\"/><split code=\"or\"/>"
			    "<decomposesTo id=\"W\"/></task>\n");
	for (uint32_t b = 1; b <= bench->width; b++)
		for (uint32_t t = 1; t <= bench->length; t++)
			write_task(bench, out, b, t);
	wf_buffer_puts(out,
	    "<task id=\"D\"><flowsInto><nextElementRef id=\"o\"/></flowsInto>"
	    "<join code=\"or\"/><split code=\"and\"/><decomposesTo id=\"W\"/>"
	    "</task>\n<outputCondition id=\"o\"/></processControlElements>"
	    "</decomposition>\n<decomposition id=\"W\" "
	    "xsi:type=\"WebServiceGatewayFactsType\"/>"
	    "</specification></specificationSet>\n");
}

static int load(struct bench *bench)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("bench");
	struct wf_buffer text;
	enum wf_rc rc;

	wf_buffer_init(&text, WF_SPEC_BYTES);
	write_net(bench, &text);
	rc = wf_spec_read(
	    &bench->file, wf_buffer_text(&text), text.length, diagnostics);
	if (rc == WF_OK)
		bench->net = bench->file->specs[0]->root;
	else
		wf_diagnostics_print(diagnostics, stderr);
	wf_buffer_free(&text);
	wf_diagnostics_free(&diagnostics);
	return rc == WF_OK ? WF_EXIT_DONE : WF_EXIT_REFUSED;
}

static void mark(struct bench *bench, const char *from, const char *to)
{
	char id[64];
	uint32_t number;

	snprintf(id, sizeof(id), "c{%s_%s}", from, to);
	number = wf_net_condition_number(bench->net, id, strlen(id));
	wf_assert(number != UINT32_MAX);
	bench->tokens[number] = 1;
}

/* Half of the branches have arrived; perhaps one more is on its way. */
static void set_marking(struct bench *bench, bool on_its_way)
{
	char task[32];

	memset(bench->tokens, 0,
	    bench->net->condition_count * sizeof(*bench->tokens));
	for (uint32_t b = 1; b <= (bench->width + 1) / 2; b++) {
		snprintf(task, sizeof(task), "B%u.%u", b, bench->length);
		mark(bench, task, "D");
	}
	snprintf(task, sizeof(task), "B%u.1", bench->width);
	if (on_its_way)
		mark(bench, "A", task);
}

static double decide(struct bench *bench, bool on_its_way)
{
	static const char *const verdicts[] = { "enabled", "waits",
		"undecided" };
	enum wf_or_verdict verdict = WF_OR_UNDECIDED;
	struct wf_or_reason reason;
	double seconds;
	double start;

	set_marking(bench, on_its_way);
	start = wf_bench_now();
	for (uint32_t i = 0; i < bench->decisions; i++)
		verdict = wf_or_join_decide(bench->join, bench->tokens,
		    bench->busy, NULL, NULL, &reason);
	seconds = wf_bench_now() - start;
	printf("%s by %s: %.0f ns a decision\n", verdicts[verdict],
	    wf_or_stage_name(reason.stage), seconds * 1e9 / bench->decisions);
	return seconds;
}

static void measure(struct bench *bench)
{
	uint32_t join = wf_net_task_number(bench->net, "D", 1);
	double start = wf_bench_now();
	double seconds;

	bench->tokens =
	    wf_calloc(bench->net->condition_count, sizeof(*bench->tokens));
	bench->busy = wf_calloc(
	    wf_bitset_words(bench->net->task_count), sizeof(*bench->busy));
	bench->join = wf_or_join_compile(bench->net, join);
	printf("%s: %u branches of %u tasks, compiled in %.0f us\n",
	    bench->family->name, bench->width, bench->length,
	    (wf_bench_now() - start) * 1e6);
	seconds = decide(bench, true) + decide(bench, false);
	printf("items %u seconds %.6f\n", 2 * bench->decisions, seconds);
	wf_or_join_free(&bench->join);
	wf_free(bench->tokens);
	wf_free(bench->busy);
}

static int take_option(
    void *context, const struct wf_cli_row *option, const char *value)
{
	struct bench *bench = context;

	switch (option->option) {
	case WF_OPTION_BENCH_FAMILY:
		for (size_t i = 0; i < FAMILY_COUNT; i++)
			if (strcmp(families[i].name, value) == 0)
				bench->family = &families[i];
		if (strcmp(bench->family->name, value) == 0)
			return 0;
		return wf_cli_usage(
		    "bench", "there is no family \"%s\"", value);
	case WF_OPTION_BENCH_SIZE:
		return wf_bench_take_count(value, 1000, &bench->size);
	case WF_OPTION_BENCH_DECISIONS:
		return wf_bench_take_count(
		    value, 1000000000, &bench->decisions);
	default:
		return 0;
	}
}

int wf_bench_or_join(int argc, char **argv)
{
	struct bench bench = {
		.family = &families[0], .size = 8, .decisions = 10000
	};
	int code = wf_bench_options(argc, argv, take_option, &bench);

	if (code != 0)
		return code;
	bench.width = bench.family->grows_wide ? bench.size : 4;
	bench.length = bench.family->grows_wide ? 2 : bench.size;
	code = load(&bench);
	if (code == WF_EXIT_DONE)
		measure(&bench);
	wf_spec_file_free(&bench.file);
	return code;
}

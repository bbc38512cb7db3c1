/* SPDX-License-Identifier: Apache-2.0 */
/* The report for people: a verdict per net, and what was found. */
#include <stdio.h>
#include <string.h>

#include "cli/check/check.h"

#define TEXT_MAXIMUM ((size_t)1 << 20)

static void print_lines(const char *text, const char *indent)
{
	while (*text != '\0') {
		size_t length = strcspn(text, "\n");

		printf("%s%.*s\n", indent, (int)length, text);
		text += length + (text[length] == '\n');
	}
}

static void print_witness(const struct wf_report *report,
    const struct wf_net_report *net, const struct wf_finding *f)
{
	bool is_root = net->net == report->spec->root;
	struct wf_buffer text;

	if (f->witness == NULL)
		return;
	wf_buffer_init(&text, TEXT_MAXIMUM);
	if (f->kind == WF_FINDING_DEADLOCK || f->kind == WF_FINDING_LEFTOVER) {
		wf_witness_left(net->net, f->witness, &text);
		printf("    what is left: %s\n", wf_buffer_text(&text));
		wf_buffer_reset(&text);
	}
	wf_check_script(report, f->witness, is_root, &text);
	printf(is_root ? "    it comes to that by:\n"
		       : "    it comes to that in the sub-net by:\n");
	print_lines(
	    text.length == 0 ? "# nothing" : wf_buffer_text(&text), "      ");
	if (f->round != NULL) {
		wf_buffer_reset(&text);
		wf_check_script(report, f->round, false, &text);
		printf("    and then again and again:\n");
		print_lines(wf_buffer_text(&text), "      ");
	}
	wf_buffer_free(&text);
}

static void print_finding(const struct wf_report *report,
    const struct wf_net_report *net, const struct wf_finding *f)
{
	struct wf_buffer text;

	wf_buffer_init(&text, TEXT_MAXIMUM);
	wf_finding_sentence(net->net, f, &text);
	printf("  - %s\n", wf_buffer_text(&text));
	wf_buffer_free(&text);
	print_witness(report, net, f);
}

static const char *name_answer(enum wf_soundness answer)
{
	static const char *const names[] = { "yes", "no", "not decided" };

	return names[answer];
}

static void print_questions(const struct wf_net_report *net)
{
	printf("  completion is always possible: %s; it is always proper: %s; "
	       "every task can be done: %s\n",
	    name_answer(net->completion), name_answer(net->proper),
	    name_answer(net->no_dead_tasks));
	printf("  weakly sound: %s; relaxed sound: %s\n",
	    name_answer(net->weakly_sound), name_answer(net->relaxed_sound));
}

static void print_net(
    const struct wf_report *report, const struct wf_net_report *net)
{
	const char *verdict = net->sound == WF_YES  ? "sound"
			      : net->sound == WF_NO ? "not sound"
						    : "not decided";
	struct wf_buffer limit;

	printf("Net %s: %s\n", net->net->decomposition->id, verdict);
	if (net->sound != WF_YES)
		print_questions(net);
	if (wf_net_report_is_open(net)) {
		wf_buffer_init(&limit, TEXT_MAXIMUM);
		wf_check_limit(net, &limit);
		printf("  what is not decided: %s, after %u states\n",
		    wf_buffer_text(&limit), net->state_count);
		wf_buffer_free(&limit);
	}
	for (uint32_t i = 0; i < net->finding_count; i++)
		print_finding(report, net, &net->findings[i]);
}

void wf_check_print_text(const struct wf_check *check)
{
	static const char *const verdicts[] = { "is sound.",
		"is valid, but not sound:",
		"is valid; whether it is sound is not decided:" };

	if (!check->valid)
		return;
	printf("%s %s\n", check->path, verdicts[check->sound]);
	for (uint32_t i = 0; i < check->report_count; i++) {
		const struct wf_report *report = check->reports[i];

		for (uint32_t j = 0; j < report->net_count; j++)
			if (report->nets[j].sound != WF_YES ||
			    report->nets[j].finding_count > 0)
				print_net(report, &report->nets[j]);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The report for tools: one JSON object. */
#include <stdio.h>
#include <string.h>

#include "base/bitset.h"
#include "cli/check/check.h"
#include "cli/json.h"

#define TEXT_MAXIMUM ((size_t)1 << 24)

struct printer {
	const struct wf_check *check;
	const struct wf_report *report;
	const struct wf_net_report *net;
};

/* --- Strings --- */

/* A character that was cut off at the end of a message is replaced. */
static void print_string_n(const char *text, size_t length)
{
	const unsigned char *at = (const unsigned char *)text;
	const unsigned char *end = at + length;

	putchar('"');
	while (at < end && *at != '\0') {
		size_t size = wf_json_character(at);

		if (size == 0)
			fputs("\\ufffd", stdout);
		else if (*at == '"' || *at == '\\')
			printf("\\%c", *at);
		else if (*at < 0x20 || *at == 0x7f)
			printf("\\u%04x", *at);
		else
			fwrite(at, 1, size, stdout);
		at += size == 0 ? 1 : size;
	}
	putchar('"');
}

static void print_string(const char *text)
{
	print_string_n(text, strlen(text));
}

static void print_member(const char *name, const char *text)
{
	printf(", \"%s\": ", name);
	print_string(text);
}

/* --- Diagnostics --- */

static void print_diagnostics(const struct wf_check *check)
{
	size_t count = wf_diagnostics_count(check->diagnostics);

	fputs("  \"diagnostics\": [", stdout);
	for (size_t i = 0; i < count; i++) {
		const struct wf_diagnostic *d =
		    wf_diagnostics_at(check->diagnostics, i);

		fputs(
		    i == 0 ? "\n    {\"severity\": " : ",\n    {\"severity\": ",
		    stdout);
		print_string(d->severity == WF_ERROR ? "error" : "warning");
		print_member("file", check->path);
		printf(", \"line\": %d", d->line);
		print_member("element", d->element);
		print_member("message", d->message);
		putchar('}');
	}
	fputs(count == 0 ? "],\n" : "\n  ],\n", stdout);
}

/* --- Findings --- */

static const char *name_answer(enum wf_answer answer)
{
	static const char *const names[] = { "true", "false", "null" };

	return names[answer];
}

static void print_script(
    const struct printer *p, const struct wf_witness *w, bool is_launch)
{
	struct wf_buffer text;
	const char *at;

	wf_buffer_init(&text, TEXT_MAXIMUM);
	wf_check_script(p->report, w, is_launch, &text);
	putchar('[');
	for (at = wf_buffer_text(&text); *at != '\0';) {
		size_t length = strcspn(at, "\n");

		if (at != wf_buffer_text(&text))
			fputs(", ", stdout);
		print_string_n(at, length);
		at += length + (at[length] == '\n');
	}
	putchar(']');
	wf_buffer_free(&text);
}

static void print_marking(const struct printer *p, const struct wf_witness *w)
{
	const struct wf_net *net = p->net->net;
	const char *between = "";

	fputs(", \"marking\": {", stdout);
	for (uint32_t i = 0; i < net->condition_count; i++) {
		if (w->tokens[i] == 0)
			continue;
		fputs(between, stdout);
		print_string(net->conditions[i].id);
		printf(": %u", w->tokens[i]);
		between = ", ";
	}
	fputs("}, \"busy\": [", stdout);
	between = "";
	WF_BITSET_EACH (i, w->busy, wf_bitset_words(net->task_count)) {
		fputs(between, stdout);
		print_string(net->tasks[i].id);
		between = ", ";
	}
	putchar(']');
}

static int find_line(const struct wf_net *net, const struct wf_finding *f)
{
	if (f->task != NULL)
		return f->task->line;
	if (f->condition != NULL)
		return f->condition->line;
	return f->task_count > 0 ? f->tasks[0]->line : net->decomposition->line;
}

static void print_finding(const struct printer *p, const struct wf_finding *f)
{
	bool is_root = p->net->net == p->report->spec->root;
	struct wf_buffer text;

	wf_buffer_init(&text, TEXT_MAXIMUM);
	wf_check_sentence(p->net->net, f, &text);
	fputs("        {\"kind\": ", stdout);
	print_string(wf_finding_word(f->kind));
	print_member("severity", "warning");
	printf(", \"line\": %d", find_line(p->net->net, f));
	print_member("message", wf_buffer_text(&text));
	if (f->task != NULL)
		print_member("task", f->task->id);
	if (f->condition != NULL)
		print_member("condition", f->condition->id);
	if (f->task_count > 0)
		fputs(", \"tasks\": [", stdout);
	for (uint32_t i = 0; i < f->task_count; i++) {
		fputs(i == 0 ? "" : ", ", stdout);
		print_string(f->tasks[i]->id);
	}
	if (f->task_count > 0)
		putchar(']');
	if (f->state_count > 0)
		printf(", \"states\": %u", f->state_count);
	if (f->witness != NULL) {
		print_marking(p, f->witness);
		fputs(", \"script\": ", stdout);
		print_script(p, f->witness, is_root);
	}
	if (f->round != NULL) {
		fputs(", \"round\": ", stdout);
		print_script(p, f->round, false);
	}
	putchar('}');
	wf_buffer_free(&text);
}

static void print_net(const struct printer *p)
{
	const struct wf_net_report *r = p->net;
	struct wf_buffer limit;

	fputs("    {\"specification\": ", stdout);
	print_string(p->report->spec->uri);
	print_member("net", r->net->decomposition->id);
	printf(", \"root\": %s, \"sound\": %s, \"option_to_complete\": %s,\n",
	    r->net == p->report->spec->root ? "true" : "false",
	    name_answer(r->sound), name_answer(r->completion));
	printf("      \"proper_completion\": %s, \"no_dead_tasks\": %s, "
	       "\"weakly_sound\": %s, \"relaxed_sound\": %s,\n",
	    name_answer(r->proper), name_answer(r->no_dead_tasks),
	    name_answer(r->weakly_sound), name_answer(r->relaxed_sound));
	printf("      \"states\": %u, \"limit\": ", r->state_count);
	wf_buffer_init(&limit, TEXT_MAXIMUM);
	if (wf_check_is_open(r))
		wf_check_limit(r, &limit);
	if (limit.length > 0)
		print_string(wf_buffer_text(&limit));
	else
		fputs("null", stdout);
	wf_buffer_free(&limit);
	fputs(", \"findings\": [", stdout);
	for (uint32_t i = 0; i < r->finding_count; i++) {
		fputs(i == 0 ? "\n" : ",\n", stdout);
		print_finding(p, &r->findings[i]);
	}
	fputs(r->finding_count == 0 ? "]}" : "\n      ]}", stdout);
}

void wf_check_print_json(const struct wf_check *check)
{
	static const char *const verdicts[] = { "sound", "not sound",
		"not decided" };
	struct printer p = { .check = check };
	const char *between = "\n";

	fputs("{ \"file\": ", stdout);
	print_string(check->path);
	fputs(",\n  \"verdict\": ", stdout);
	print_string(check->valid ? verdicts[check->sound] : "invalid");
	fputs(",\n", stdout);
	print_diagnostics(check);
	fputs("  \"nets\": [", stdout);
	for (uint32_t i = 0; i < check->report_count; i++) {
		p.report = check->reports[i];
		for (uint32_t j = 0; j < p.report->net_count; j++) {
			p.net = &p.report->nets[j];
			fputs(between, stdout);
			print_net(&p);
			between = ",\n";
		}
	}
	fputs(check->report_count == 0 ? "]\n}\n" : "\n  ]\n}\n", stdout);
}

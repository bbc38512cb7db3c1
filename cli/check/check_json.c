/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for tools: one JSON object, with a line for each diagnostic and
 * each finding.  jansson makes the values, the line breaks are made here.
 */
#include <stdio.h>
#include <string.h>

#include "base/bitset.h"
#include "cli/check/check.h"
#include "cli/json_text.h"

#define TEXT_MAXIMUM ((size_t)1 << 24)

struct printer {
	const struct wf_check *check;
	const struct wf_report *report;
	const struct wf_net_report *net;
};

static void put_text(json_t *object, const char *name, const char *text)
{
	json_object_set_new(object, name, wf_json_text(text));
}

static void put_number(json_t *object, const char *name, json_int_t number)
{
	json_object_set_new(object, name, json_integer(number));
}

static void put_answer(
    json_t *object, const char *name, enum wf_soundness answer)
{
	json_object_set_new(object, name,
	    answer == WF_OPEN ? json_null() : json_boolean(answer == WF_YES));
}

/* --- Diagnostics --- */

static void print_diagnostics(const struct wf_check *check)
{
	size_t count = wf_diagnostics_count(check->diagnostics);

	fputs("  \"diagnostics\": [", stdout);
	for (size_t i = 0; i < count; i++) {
		const struct wf_diagnostic *d =
		    wf_diagnostics_at(check->diagnostics, i);
		json_t *json = json_object();

		put_text(json, "severity",
		    d->severity == WF_ERROR ? "error" : "warning");
		put_text(json, "file", check->path);
		put_number(json, "line", d->line);
		put_text(json, "element", d->element);
		put_text(json, "message", d->message);
		fputs(i == 0 ? "\n    " : ",\n    ", stdout);
		wf_json_print(json, 0);
	}
	fputs(count == 0 ? "],\n" : "\n  ],\n", stdout);
}

/* --- Findings --- */

/* The lines of the script. */
static json_t *make_script(
    const struct printer *p, const struct wf_witness *w, bool is_launch)
{
	json_t *lines = json_array();
	struct wf_buffer text;

	wf_buffer_init(&text, TEXT_MAXIMUM);
	wf_check_script(p->report, w, is_launch, &text);
	for (const char *at = wf_buffer_text(&text); *at != '\0';) {
		size_t length = strcspn(at, "\n");

		json_array_append_new(lines, wf_json_text_n(at, length));
		at += length + (at[length] == '\n');
	}
	wf_buffer_free(&text);
	return lines;
}

static void put_marking(
    json_t *json, const struct printer *p, const struct wf_witness *w)
{
	const struct wf_net *net = p->net->net;
	json_t *marking = json_object();
	json_t *busy = json_array();

	for (uint32_t i = 0; i < net->condition_count; i++)
		if (w->tokens[i] > 0)
			put_number(
			    marking, net->conditions[i].id, w->tokens[i]);
	WF_BITSET_EACH (i, w->busy, wf_bitset_words(net->task_count))
		json_array_append_new(busy, wf_json_text(net->tasks[i].id));
	json_object_set_new(json, "marking", marking);
	json_object_set_new(json, "busy", busy);
}

static int find_line(const struct wf_net *net, const struct wf_finding *f)
{
	if (f->task != NULL)
		return f->task->line;
	if (f->condition != NULL)
		return f->condition->line;
	return f->task_count > 0 ? f->tasks[0]->line : net->decomposition->line;
}

/* What is at fault. */
static void put_elements(json_t *json, const struct wf_finding *f)
{
	json_t *tasks;

	if (f->task != NULL)
		put_text(json, "task", f->task->id);
	if (f->condition != NULL)
		put_text(json, "condition", f->condition->id);
	if (f->task_count == 0)
		return;
	tasks = json_array();
	for (uint32_t i = 0; i < f->task_count; i++)
		json_array_append_new(tasks, wf_json_text(f->tasks[i]->id));
	json_object_set_new(json, "tasks", tasks);
}

static json_t *make_finding(const struct printer *p, const struct wf_finding *f)
{
	bool is_root = p->net->net == p->report->spec->root;
	json_t *json = json_object();
	struct wf_buffer text;

	wf_buffer_init(&text, TEXT_MAXIMUM);
	wf_finding_sentence(p->net->net, f, &text);
	put_text(json, "kind", wf_finding_word(f->kind));
	put_text(json, "severity", "warning");
	put_number(json, "line", find_line(p->net->net, f));
	put_text(json, "message", wf_buffer_text(&text));
	put_elements(json, f);
	if (f->state_count > 0)
		put_number(json, "states", f->state_count);
	if (f->witness != NULL) {
		put_marking(json, p, f->witness);
		json_object_set_new(
		    json, "script", make_script(p, f->witness, is_root));
	}
	if (f->round != NULL)
		json_object_set_new(
		    json, "round", make_script(p, f->round, false));
	wf_buffer_free(&text);
	return json;
}

/* --- Nets --- */

/* A net has three lines of members, and its findings. */
static json_t *make_head(const struct printer *p)
{
	const struct wf_net_report *r = p->net;
	json_t *json = json_object();

	put_text(json, "specification", p->report->spec->uri);
	put_text(json, "net", r->net->decomposition->id);
	json_object_set_new(
	    json, "root", json_boolean(r->net == p->report->spec->root));
	put_answer(json, "sound", r->sound);
	put_answer(json, "option_to_complete", r->completion);
	return json;
}

static json_t *make_answers(const struct wf_net_report *r)
{
	json_t *json = json_object();

	put_answer(json, "proper_completion", r->proper);
	put_answer(json, "no_dead_tasks", r->no_dead_tasks);
	put_answer(json, "weakly_sound", r->weakly_sound);
	put_answer(json, "relaxed_sound", r->relaxed_sound);
	return json;
}

static json_t *make_states(const struct wf_net_report *r)
{
	json_t *json = json_object();
	struct wf_buffer limit;

	put_number(json, "states", r->state_count);
	wf_buffer_init(&limit, TEXT_MAXIMUM);
	if (wf_net_report_is_open(r))
		wf_check_limit(r, &limit);
	json_object_set_new(json, "limit",
	    limit.length > 0 ? wf_json_text(wf_buffer_text(&limit))
			     : json_null());
	wf_buffer_free(&limit);
	return json;
}

static void print_net(const struct printer *p)
{
	const struct wf_net_report *r = p->net;

	fputs("    {", stdout);
	wf_json_print(make_head(p), JSON_EMBED);
	fputs(",\n      ", stdout);
	wf_json_print(make_answers(r), JSON_EMBED);
	fputs(",\n      ", stdout);
	wf_json_print(make_states(r), JSON_EMBED);
	fputs(", \"findings\": [", stdout);
	for (uint32_t i = 0; i < r->finding_count; i++) {
		fputs(i == 0 ? "\n        " : ",\n        ", stdout);
		wf_json_print(make_finding(p, &r->findings[i]), 0);
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
	wf_json_print(wf_json_text(check->path), 0);
	printf(",\n  \"verdict\": \"%s\",\n",
	    check->valid ? verdicts[check->sound] : "invalid");
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Soundness: small nets with known answers; and random nets, for which the
 * analysis must agree with the plain one without reductions, and every witness
 * must lead to its finding.
 *
 * A net is written as "A ^ i > & p q; B & p q > ^ r o ! s A": task A takes from
 * i and puts to p and q, B takes from both and puts to r or o, and cancels s
 * and A. ^ & | are XOR, AND, OR. Conditions i and o are the input and the
 * output condition.
 *
 * WEFT_SEED seeds the random nets, of which there are 400, or 50,000 with
 * WEFT_SOAK=1.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "base/buffer.h"
#include "base/random.h"
#include "tests/unit/seed.h"
#include "verify/completion.h"

#define ELEMENTS 32

struct net {
	struct wf_net net;
	struct wf_condition conditions[ELEMENTS];
	struct wf_task tasks[ELEMENTS];
	char ids[2 * ELEMENTS][8];
	uint32_t id_count;
	uint32_t lists[8 * ELEMENTS][ELEMENTS];
	uint32_t list_count;
};

/* --- From text to nets --- */

static const char *keep_id(struct net *n, const char *word)
{
	char *id = n->ids[n->id_count++];

	snprintf(id, sizeof(n->ids[0]), "%s", word);
	return id;
}

static uint32_t find_condition(struct net *n, const char *word)
{
	struct wf_condition *c;

	for (uint32_t i = 0; i < n->net.condition_count; i++)
		if (strcmp(n->conditions[i].id, word) == 0)
			return i;
	c = &n->conditions[n->net.condition_count];
	c->id = keep_id(n, word);
	c->number = n->net.condition_count++;
	c->preset = n->lists[n->list_count++];
	c->postset = n->lists[n->list_count++];
	return c->number;
}

/* The list, to be written to. */
static uint32_t *own_list(struct net *n, const uint32_t *list)
{
	return n->lists[(list - n->lists[0]) / ELEMENTS];
}

static enum wf_control read_control(const char *word)
{
	return *word == '&' ? WF_AND : *word == '^' ? WF_XOR : WF_OR;
}

static void add_arc(
    struct net *n, struct wf_task *task, const char *word, bool in)
{
	uint32_t number = find_condition(n, word);
	struct wf_condition *c = &n->conditions[number];

	if (in) {
		own_list(n, task->preset)[task->preset_count++] = number;
		own_list(n, c->postset)[c->postset_count++] = task->number;
	} else {
		own_list(n, task->postset)[task->postset_count++] = number;
		own_list(n, c->preset)[c->preset_count++] = task->number;
	}
}

static void add_cancelled(struct net *n, struct wf_task *task, const char *word)
{
	for (uint32_t i = 0; i < n->net.task_count; i++)
		if (strcmp(n->tasks[i].id, word) == 0) {
			own_list(n, task->cancelled_tasks)
			    [task->cancelled_task_count++] = i;
			return;
		}
	own_list(
	    n, task->cancelled_conditions)[task->cancelled_condition_count++] =
	    find_condition(n, word);
}

/* part: 0 the inputs, 1 the outputs, 2 the cancellation set. */
static void read_task(struct net *n, struct wf_task *task, char *text)
{
	char *rest = NULL;
	char *word = strtok_r(text, " ", &rest);
	int part = 0;

	task->join = read_control(strtok_r(NULL, " ", &rest));
	while ((word = strtok_r(NULL, " ", &rest)) != NULL) {
		if (*word == '>') {
			task->split = read_control(strtok_r(NULL, " ", &rest));
			part = 1;
		} else if (*word == '!') {
			part = 2;
		} else if (part == 2) {
			add_cancelled(n, task, word);
		} else {
			add_arc(n, task, word, part == 0);
		}
	}
}

static void start_task(struct net *n, const char *text)
{
	struct wf_task *task = &n->tasks[n->net.task_count];
	char id[8];

	if (sscanf(text, "%7s", id) != 1)
		abort();
	task->id = keep_id(n, id);
	task->kind = WF_ATOMIC_TASK;
	task->net = &n->net;
	task->number = n->net.task_count++;
	task->preset = n->lists[n->list_count++];
	task->postset = n->lists[n->list_count++];
	task->cancelled_tasks = n->lists[n->list_count++];
	task->cancelled_conditions = n->lists[n->list_count++];
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void sort_list(struct net *n, const uint32_t *list, uint32_t count)
{
	qsort(own_list(n, list), count, sizeof(*list), by_number);
}

static void sort_lists(struct net *n)
{
	for (uint32_t i = 0; i < n->net.task_count; i++) {
		struct wf_task *task = &n->tasks[i];

		sort_list(n, task->preset, task->preset_count);
		sort_list(n, task->postset, task->postset_count);
		sort_list(n, task->cancelled_conditions,
		    task->cancelled_condition_count);
		sort_list(n, task->cancelled_tasks, task->cancelled_task_count);
	}
}

static struct net *make_net(const char *text)
{
	struct net *n = wf_calloc(1, sizeof(*n));
	char *copies[2] = { wf_strdup(text), wf_strdup(text) };
	char *rest = NULL;
	char *at;

	n->net.conditions = n->conditions;
	n->net.tasks = n->tasks;
	n->net.input_condition = find_condition(n, "i");
	n->net.output_condition = find_condition(n, "o");
	/* All tasks exist before a cancellation set names one. */
	for (at = strtok_r(copies[0], ";", &rest); at != NULL;
	     at = strtok_r(NULL, ";", &rest))
		start_task(n, at);
	at = strtok_r(copies[1], ";", &rest);
	for (uint32_t i = 0; i < n->net.task_count; i++) {
		read_task(n, &n->tasks[i], at);
		at = strtok_r(NULL, ";", &rest);
	}
	sort_lists(n);
	wf_free(copies[0]);
	wf_free(copies[1]);
	return n;
}

/* --- Description of reports --- */

static const char *name_answer(enum wf_soundness answer)
{
	return answer == WF_YES ? "yes" : answer == WF_NO ? "no" : "open";
}

static bool is_advice(enum wf_finding_kind kind)
{
	return kind >= WF_FINDING_REDUCIBLE;
}

/*
 * "yes yes yes / yes yes: dead-task A": completion, proper, no dead tasks,
 * weakly and relaxed sound, and the findings with their subjects. plain:
 * without findings that can be described in more than one way.
 */
static void describe(
    const struct wf_net_report *r, bool plain, struct wf_buffer *b)
{
	wf_buffer_printf(b, "%s %s %s / %s %s", name_answer(r->completion),
	    name_answer(r->proper), name_answer(r->no_dead_tasks),
	    name_answer(r->weakly_sound), name_answer(r->relaxed_sound));
	for (uint32_t i = 0; i < r->finding_count; i++) {
		const struct wf_finding *f = &r->findings[i];

		if (plain && f->kind != WF_FINDING_DEAD_TASK &&
		    f->kind != WF_FINDING_USELESS_TASKS && !is_advice(f->kind))
			continue;
		wf_buffer_printf(b, ", %s", wf_finding_word(f->kind));
		if (f->task != NULL)
			wf_buffer_printf(b, " %s", f->task->id);
		if (f->condition != NULL && f->kind != WF_FINDING_DEAD_TASK)
			wf_buffer_printf(b, " %s", f->condition->id);
		for (uint32_t j = 0; j < f->task_count; j++)
			wf_buffer_printf(b, " %s", f->tasks[j]->id);
	}
}

/* --- Witnesses --- */

struct marking {
	uint32_t tokens[ELEMENTS];
	uint64_t busy;
};

/* All markings that a step may lead to: an XOR-join takes from one input. */
struct markings {
	struct marking *list;
	uint32_t count;
};

static void add_marking(struct markings *all, const struct marking *m)
{
	all->list =
	    wf_realloc(all->list, (all->count + 1) * sizeof(*all->list));
	all->list[all->count++] = *m;
}

static int by_content(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct marking));
}

static bool end_task(const struct wf_witness_step *step, struct marking *m)
{
	const struct wf_task *task = step->task;

	if ((m->busy >> task->number & 1) == 0)
		return false;
	m->busy &= ~(UINT64_C(1) << task->number);
	for (uint32_t i = 0; i < task->cancelled_condition_count; i++)
		m->tokens[task->cancelled_conditions[i]] = 0;
	for (uint32_t i = 0; i < task->cancelled_task_count; i++)
		m->busy &= ~(UINT64_C(1) << task->cancelled_tasks[i]);
	if (task->split == WF_AND || task->postset_count < 2)
		for (uint32_t i = 0; i < task->postset_count; i++)
			m->tokens[task->postset[i]]++;
	else if (step->chosen_count == 0 ||
		 (task->split == WF_XOR && step->chosen_count > 1))
		return false;
	for (uint32_t i = 0; i < step->chosen_count; i++)
		m->tokens[step->chosen[i]]++;
	return true;
}

static bool start_task_from(const struct wf_witness_step *step,
    struct marking *m, uint32_t first, uint32_t count)
{
	const struct wf_task *task = step->task;
	uint32_t taken = 0;

	for (uint32_t i = first; i < first + count; i++) {
		uint32_t *tokens = &m->tokens[task->preset[i]];

		if (*tokens == 0 && task->join != WF_OR)
			return false;
		taken += *tokens > 0;
		*tokens -= *tokens > 0;
	}
	if (taken == 0 || (m->busy >> task->number & 1) != 0)
		return false;
	m->busy |= UINT64_C(1) << task->number;
	return step->kind == WF_MOVE_START || end_task(step, m);
}

static void take_step(const struct wf_witness_step *step,
    const struct marking *before, struct markings *after)
{
	const struct wf_task *task = step->task;
	uint32_t taken = task->join == WF_XOR ? 1 : task->preset_count;
	struct marking m = *before;

	if (step->kind == WF_MOVE_END) {
		if (end_task(step, &m))
			add_marking(after, &m);
		return;
	}
	for (uint32_t i = 0; i + taken <= task->preset_count; i++) {
		m = *before;
		if (start_task_from(step, &m, i, taken))
			add_marking(after, &m);
	}
}

static bool is_end(const struct wf_net *net, const struct wf_witness *witness,
    const struct marking *m)
{
	for (uint32_t i = 0; i < net->condition_count; i++)
		if (m->tokens[i] != witness->tokens[i])
			return false;
	return m->busy == witness->busy[0];
}

static void apply(
    struct marking *m, const struct wf_witness_change *changes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bit = UINT64_C(1) << (changes[i].number % 64);

		if (!changes[i].is_task)
			m->tokens[changes[i].number] = changes[i].tokens;
		else if (changes[i].tokens > 0)
			m->busy |= bit;
		else
			m->busy &= ~bit;
	}
}

/* Whether the step may lead from a marking to the one that it says. */
static bool follows(const struct wf_net *net,
    const struct wf_witness_step *step, struct marking *m)
{
	struct markings next = { NULL, 0 };
	struct marking before = *m;
	bool found = false;

	if (before.tokens[net->output_condition] == 0)
		take_step(step, &before, &next);
	apply(m, step->changes, step->change_count);
	for (uint32_t i = 0; i < next.count && !found; i++)
		found = by_content(&next.list[i], m) == 0;
	wf_free(next.list);
	return found;
}

/* From the marking now, which becomes that of the end. */
static bool replays(const struct wf_net *net, const struct wf_witness *witness,
    struct marking *now)
{
	struct marking begin;

	memset(&begin, 0, sizeof(begin));
	apply(&begin, witness->begin, witness->begin_count);
	if (by_content(&begin, now) != 0)
		return false;
	for (uint32_t i = 0; i < witness->count; i++)
		if (!follows(net, &witness->steps[i], now))
			return false;
	return is_end(net, witness, now);
}

static bool replays_all(const struct wf_net *net, const struct wf_finding *f)
{
	struct marking now;

	memset(&now, 0, sizeof(now));
	now.tokens[net->input_condition] = 1;
	return (f->witness == NULL || replays(net, f->witness, &now)) &&
	       (f->round == NULL || replays(net, f->round, &now));
}

/* --- Nets with known answers --- */

struct row {
	const char *what;
	const char *net;
	const char *description;
};

static const struct row rows[] = {
	{ "a sequence", "A ^ i > & p; B ^ p > & o", "yes yes yes / yes yes" },
	{ "a parallel block", "A ^ i > & p q; B & p q > & o",
	    "yes yes yes / yes yes" },
	{ "a choice", "A ^ i > ^ p q; B ^ p q > & o", "yes yes yes / yes yes" },
	{ "a loop", "A ^ i > & p; B ^ p > ^ p o", "yes yes yes / yes yes" },
	{ "a choice before an AND-join", "A ^ i > ^ p q; B & p q > & o",
	    "no yes no / no no, deadlock, dead-task B" },
	{ "parallel branches before an XOR-join",
	    "A ^ i > & p q; B ^ p q > & o", "no no yes / no no, leftover" },
	{ "an OR-split before an AND-join", "A ^ i > | p q; B & p q > & o",
	    "no yes yes / yes yes, deadlock" },
	{ "an OR-split before an OR-join", "A ^ i > | p q; B | p q > & o",
	    "yes yes yes / yes yes" },
	{ "an AND-split before an OR-join", "A ^ i > & p q; B | p q > & o",
	    "yes yes yes / yes yes, or-join-is-and B" },
	{ "an XOR-split before an OR-join", "A ^ i > ^ p q; B | p q > & o",
	    "yes yes yes / yes yes, or-join-is-xor B" },
	{ "a loop without a way out",
	    "A ^ i > ^ p q; B ^ p > & r; C ^ r > & p; D ^ q > & o",
	    "no yes yes / yes no, livelock B C, useless-tasks B C" },
	{ "a producer without end",
	    "A ^ i > & g; G ^ g > & g a; H ^ g > & h; B & a h > & o",
	    "no no yes / no open, unbounded a" },
	{ "a cancellation that clears everything",
	    "A ^ i > & p q; B ^ p > & r; C ^ q > & s; D & r s > & o;"
	    "E ^ p > & o ! q s C",
	    "yes yes yes / yes yes" },
	{ "a cancellation that forgets a task",
	    "A ^ i > & p q; B ^ p > & r; C ^ q > & s; D & r s > & o;"
	    "E ^ p > & o ! q s",
	    "no no yes / no yes, leftover" },
	{ "a cancellation with nothing to cancel",
	    "A ^ i > & p; B ^ p > & q; C ^ q > & o ! p A",
	    "yes yes yes / yes yes, reducible-cancellation C p,"
	    " reducible-cancellation C A" },
	{ "a cancellation that takes everything",
	    "A ^ i > & p q; B ^ p > & r ! q C; C ^ q > & s; D & r s > & o",
	    "no yes yes / yes yes, deadlock" },
	{ "producers without end that are cancelled",
	    "A ^ i > & g; G ^ g > & g a; B ^ a > & g; K ^ g > & o ! a g B G",
	    "open yes yes / yes yes, unbounded a" },
	{ "OR-joins that wait for each other",
	    "S ^ i > & a b; J | a d > & c; K | b c > ^ d e; E ^ e > & o",
	    "no yes no / no no, deadlock, dead-task J, dead-task K,"
	    " dead-task E, vicious-circle J K" },
};

static void check_row(const struct row *row)
{
	struct net *n = make_net(row->net);
	struct wf_report *report = wf_verify_net(&n->net, &wf_verify_default);
	struct wf_buffer description;

	wf_buffer_init(&description, 4096);
	describe(&report->nets[0], false, &description);
	if (strcmp(wf_buffer_text(&description), row->description) != 0) {
		printf("%s:\n\texpected %s\n\ttold     %s\n", row->what,
		    row->description, wf_buffer_text(&description));
		CU_FAIL("a net is judged otherwise");
	}
	wf_buffer_free(&description);
	wf_report_free(&report);
	wf_free(n);
}

static void test_rows(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
}

/* --- Large nets with too many states for a search ------------------------- */

/* width branches of length tasks between S and J. */
static void put_block(struct wf_buffer *b, char split, char join, int width,
    int length, const char *cancels)
{
	wf_buffer_printf(b, "S ^ i > %c", split);
	for (int i = 0; i < width; i++)
		wf_buffer_printf(b, " p%d.0", i);
	for (int i = 0; i < width; i++)
		for (int j = 0; j < length; j++)
			wf_buffer_printf(b, "; T%d.%d ^ p%d.%d > & p%d.%d", i,
			    j, i, j, i, j + 1);
	wf_buffer_printf(b, "; J %c", join);
	for (int i = 0; i < width; i++)
		wf_buffer_printf(b, " p%d.%d", i, length);
	wf_buffer_printf(b, " > & o%s", cancels);
}

static void check_block(
    char split, char join, int width, int length, enum wf_soundness sound)
{
	struct wf_report *report;
	struct wf_buffer text;
	struct net *n;

	wf_buffer_init(&text, 1 << 16);
	put_block(&text, split, join, width, length, "");
	n = make_net(wf_buffer_text(&text));
	report = wf_verify_net(&n->net, &wf_verify_default);
	CU_ASSERT_EQUAL(report->sound, sound);
	CU_ASSERT(report->nets[0].state_count < 1000 || sound == WF_NO);
	wf_report_free(&report);
	wf_free(n);
	wf_buffer_free(&text);
}

static void test_large(void)
{
	check_block('&', '&', 9, 2, WF_YES);
	check_block('|', '|', 14, 1, WF_YES);
	check_block('|', '|', 26, 0, WF_YES);
	check_block('|', '&', 14, 1, WF_NO);
	check_block('|', '&', 26, 0, WF_NO);
	check_block('&', '^', 9, 2, WF_NO);
}

/* Nets that are not searched are undecided, or decided in time. */
static void test_limits(void)
{
	struct net *n = make_net("A ^ i > & p q r; B ^ p > & s; C ^ q > & t;"
				 "D ^ r > & u; E & s t u > & o ! p q r s t u");
	struct wf_verify_options options = wf_verify_default;
	struct wf_report *report;

	for (options.states = 0; options.states < 5; options.states++) {
		report = wf_verify_net(&n->net, &options);
		CU_ASSERT_NOT_EQUAL(report->sound, WF_NO);
		CU_ASSERT_EQUAL(report->sound == WF_OPEN,
		    report->nets[0].stop == WF_STOP_STATES);
		wf_report_free(&report);
	}
	options = wf_verify_default;
	options.bytes = 1000;
	report = wf_verify_net(&n->net, &options);
	CU_ASSERT_EQUAL(report->sound, WF_OPEN);
	CU_ASSERT_EQUAL(report->nets[0].stop, WF_STOP_MEMORY);
	wf_report_free(&report);
	wf_free(n);
}

/* --- Random nets --- */

#define CONTROLS "^&|"

static char pick_control(struct wf_random *random, bool or_too)
{
	return CONTROLS[wf_random_below(random, or_too ? 3 : 2)];
}

/* Tasks in a row, with more conditions between any two, and cancellations. */
static void make_random(struct wf_random *random, struct wf_buffer *b)
{
	uint32_t tasks = 3 + wf_random_below(random, 4);
	uint32_t more = wf_random_below(random, 5);
	bool ors = wf_random_below(random, 2) == 0;
	bool cancels = wf_random_below(random, 2) == 0;
	uint32_t from[8];
	uint32_t to[8];

	for (uint32_t i = 0; i < more; i++) {
		from[i] = wf_random_below(random, tasks);
		to[i] = wf_random_below(random, tasks);
	}
	for (uint32_t t = 0; t < tasks; t++) {
		bool cancels_here = cancels && wf_random_below(random, 3) == 0;

		wf_buffer_printf(b, "%sT%u %c", t == 0 ? "" : "; ", t,
		    pick_control(random, ors));
		wf_buffer_printf(b, t == 0 ? " i" : " c%u", t);
		for (uint32_t i = 0; i < more; i++)
			if (to[i] == t)
				wf_buffer_printf(b, " d%u", i);
		wf_buffer_printf(b, " > %c", pick_control(random, ors));
		wf_buffer_printf(b, t + 1 == tasks ? " o" : " c%u", t + 1);
		for (uint32_t i = 0; i < more; i++)
			if (from[i] == t)
				wf_buffer_printf(b, " d%u", i);
		if (!cancels_here)
			continue;
		wf_buffer_printf(b, " ! T%u", wf_random_below(random, tasks));
		if (more > 0)
			wf_buffer_printf(
			    b, " d%u", wf_random_below(random, more));
		if (wf_random_below(random, 2) == 0)
			wf_buffer_printf(
			    b, " c%u", 1 + wf_random_below(random, tasks - 1));
	}
}

static void check_witnesses(
    const struct wf_net *net, const struct wf_net_report *r, const char *text)
{
	for (uint32_t i = 0; i < r->finding_count; i++) {
		const struct wf_finding *f = &r->findings[i];

		if (replays_all(net, f))
			continue;
		printf("%s:\n\t%s\n", wf_finding_word(f->kind), text);
		CU_FAIL("a witness cannot be followed");
	}
}

static bool agrees(enum wf_soundness hasty, enum wf_soundness full)
{
	return hasty == WF_OPEN || full == WF_OPEN || hasty == full;
}

/* A verdict from a search of few states is still true. */
static void check_hasty(const struct wf_net *net,
    const struct wf_net_report *full, const char *text)
{
	struct wf_verify_options hasty = wf_verify_default;

	for (hasty.states = 2; hasty.states < 40; hasty.states *= 3) {
		struct wf_report *report = wf_verify_net(net, &hasty);
		const struct wf_net_report *r = &report->nets[0];

		if (!agrees(r->completion, full->completion) ||
		    !agrees(r->proper, full->proper) ||
		    !agrees(r->no_dead_tasks, full->no_dead_tasks) ||
		    !agrees(r->weakly_sound, full->weakly_sound) ||
		    !agrees(r->relaxed_sound, full->relaxed_sound)) {
			printf("%u states: %s\n", hasty.states, text);
			CU_FAIL("few states give another result");
		}
		wf_report_free(&report);
	}
}

/* --- Completion from a marking --- */

static struct wf_completion *ask(
    const struct wf_net *net, const uint32_t *tokens, const uint64_t *busy)
{
	struct wf_completion_question question = { net, tokens, busy };

	return wf_completion_new(&question);
}

static void check_completion(const struct wf_net *net, const uint32_t *tokens,
    const uint64_t *busy, enum wf_soundness possible,
    enum wf_soundness endangered, const char *text)
{
	struct wf_completion *c = ask(net, tokens, busy);

	if (c->possible != possible || c->endangered != endangered) {
		printf("%s:\n\tcompletion %s, not %s; endangered %s, not %s\n",
		    text, name_answer(c->possible), name_answer(possible),
		    name_answer(c->endangered), name_answer(endangered));
		CU_FAIL("completion from a marking is another");
	}
	CU_ASSERT((c->ending != NULL) == (c->possible == WF_YES));
	CU_ASSERT(c->failing != NULL || c->endangered != WF_YES);
	wf_completion_free(&c);
}

/* What the whole graph says about the launch, and about where it sticks. */
static void check_completions(const struct wf_net *net,
    const struct wf_net_report *full, const char *text)
{
	uint32_t tokens[ELEMENTS] = { 0 };
	uint64_t busy = 0;
	bool fails = false;

	for (uint32_t i = 0; i < full->finding_count; i++) {
		const struct wf_finding *f = &full->findings[i];

		if (f->kind > WF_FINDING_LIVELOCK)
			continue;
		fails = true;
		if (f->witness != NULL)
			check_completion(net, f->witness->tokens,
			    f->witness->busy, WF_NO, WF_YES, text);
	}
	tokens[net->input_condition] = 1;
	check_completion(net, tokens, &busy,
	    full->ending != NULL ? WF_YES : WF_NO, fails ? WF_YES : WF_NO,
	    text);
}

static const struct completion_row {
	const char *net;
	const char *marking; /* conditions and busy tasks */
	enum wf_soundness possible;
	enum wf_soundness endangered;
	const char *failing; /* the witness in words */
} completion_rows[] = {
	{ "A ^ i > & p; B & p > & o", "p", WF_YES, WF_NO, NULL },
	{ "A ^ i > & p; B & p > & o", "B", WF_YES, WF_NO, NULL },
	{ "A ^ i > & p q; B & p q > & o", "p", WF_NO, WF_YES,
	    "then condition p has 1 token" },
	{ "A ^ i > & p q; B & p q > & o", "p q", WF_YES, WF_NO, NULL },
	{ "A ^ i > ^ p q; B ^ p > & o; C & q r > & o", "A", WF_YES, WF_YES,
	    "A ends to q; then condition q has 1 token" },
	{ "A ^ i > & p; B ^ p > ^ q r; C ^ q > & p; D ^ r > & q", "p", WF_NO,
	    WF_YES, "then condition p has 1 token" },
	/* Left over is over, too. */
	{ "A ^ i > & p q; B ^ p > & o; C ^ q > & q", "p q", WF_YES, WF_NO,
	    NULL },
	{ "A ^ i > & p q; B | p q > & o", "q", WF_YES, WF_NO, NULL },
	{ "A ^ i > & p; B & p > & o ! A q", "o", WF_YES, WF_NO, NULL },
};

static void test_completion(void)
{
	for (size_t i = 0;
	     i < sizeof(completion_rows) / sizeof(completion_rows[0]); i++) {
		const struct completion_row *row = &completion_rows[i];
		struct net *n = make_net(row->net);
		char *copy = wf_strdup(row->marking);
		uint32_t tokens[ELEMENTS] = { 0 };
		uint64_t busy = 0;
		struct wf_completion *c;
		char *rest = NULL;

		for (char *word = strtok_r(copy, " ", &rest); word != NULL;
		     word = strtok_r(NULL, " ", &rest)) {
			bool is_task = false;

			for (uint32_t t = 0; t < n->net.task_count; t++)
				if (strcmp(n->tasks[t].id, word) == 0) {
					busy |= UINT64_C(1) << t;
					is_task = true;
				}
			if (!is_task)
				tokens[find_condition(n, word)]++;
		}
		check_completion(&n->net, tokens, &busy, row->possible,
		    row->endangered, row->net);
		c = ask(&n->net, tokens, &busy);
		if (row->failing != NULL) {
			struct wf_buffer words;

			CU_ASSERT_FATAL(c->failing != NULL);
			wf_buffer_init(&words, 4096);
			wf_witness_sentence(&n->net, c->failing, &words);
			CU_ASSERT_STRING_EQUAL(
			    wf_buffer_text(&words), row->failing);
			wf_buffer_free(&words);
		}
		wf_completion_free(&c);
		wf_free(copy);
		wf_free(n);
	}
}

/* Whether both are decided, so that there is something to compare. */
static bool compare(const char *text)
{
	struct wf_verify_options literal = wf_verify_default;
	struct net *n = make_net(text);
	struct wf_report *a = wf_verify_net(&n->net, &wf_verify_default);
	struct wf_report *b;
	struct wf_buffer description[2];
	bool decided;

	literal.literal = true;
	literal.states = 20000;
	b = wf_verify_net(&n->net, &literal);
	wf_buffer_init(&description[0], 4096);
	wf_buffer_init(&description[1], 4096);
	describe(&a->nets[0], true, &description[0]);
	describe(&b->nets[0], true, &description[1]);
	decided = b->nets[0].stop == WF_STOP_NOT &&
		  b->nets[0].undecided == NULL && a->sound != WF_OPEN;
	if (decided && strcmp(wf_buffer_text(&description[0]),
			   wf_buffer_text(&description[1])) != 0) {
		printf("%s:\n\treduced %s\n\tplain   %s\n", text,
		    wf_buffer_text(&description[0]),
		    wf_buffer_text(&description[1]));
		CU_FAIL("the reduced analysis differs");
	}
	check_witnesses(&n->net, &a->nets[0], text);
	if (decided) {
		check_hasty(&n->net, &b->nets[0], text);
		check_completions(&n->net, &b->nets[0], text);
	}
	wf_buffer_free(&description[0]);
	wf_buffer_free(&description[1]);
	wf_report_free(&a);
	wf_report_free(&b);
	wf_free(n);
	return decided;
}

static void test_random(void)
{
	const char *seed = getenv("WEFT_SEED");
	uint32_t count = test_dear_rounds(400);
	uint32_t decided = 0;
	struct wf_random random;
	struct wf_buffer text;

	random.state = seed == NULL ? 1 : strtoull(seed, NULL, 10);
	wf_buffer_init(&text, 4096);
	for (uint32_t i = 0; i < count; i++) {
		wf_buffer_reset(&text);
		make_random(&random, &text);
		decided += compare(wf_buffer_text(&text));
	}
	CU_ASSERT(decided > count / 2);
	wf_buffer_free(&text);
}

/*
 * A witness in which many tasks might have taken from one condition or another.
 */
static void test_long_witness(void)
{
	compare("T0 | i > | c1 d1; T1 | c1 d2 > & c2 d0;"
		"T2 ^ c2 d0 d1 > | o d2");
}

CU_TestInfo wf_tests_verify[] = {
	{ "nets with known answers", test_rows },
	{ "large nets", test_large },
	{ "limits", test_limits },
	{ "completion from a marking", test_completion },
	{ "a long witness", test_long_witness },
	{ "random nets, reduced and plain", test_random },
	CU_TEST_INFO_NULL,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives verdicts and findings from graphs of markings.
 *
 * First a reduced graph is explored.  If it is complete and no case can run
 * for ever in it, it answers all questions.  If it is too large, a depth-first
 * search may find an error; if it finds none, a graph with more reduction is
 * explored up to the limit.  If the net is known not to be sound, the whole
 * graph may give more and shorter findings.  Open questions are asked as
 * coverability (fallback.h).
 */
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

#include "base/bitset.h"
#include "kernel/or_join/or_join.h"
#include "verify/circles.h"
#include "verify/facts.h"
#include "verify/fallback.h"
#include "verify/witness.h"

/* The limit of states of the graphs before and after the large one. */
#define FIRST_STATES 100000U
#define DEEP_STATES 50000U
#define WHOLE_STATES 200000U
#define STATES_AFTER_VIOLATION 20000U

/* The graphs, in the order of exploration. */
enum { FIRST, DEEP, LARGE, WHOLE, GRAPHS };

const struct wf_verify_options wf_verify_default = {
	.states = 1000000, .bytes = (size_t)512 << 20, .work = 2000000000
};

struct analysis {
	const struct wf_verify_options *options;
	struct wf_arena *arena;
	struct wf_net_report *report;
	const struct wf_net *net;
	struct wf_model *model;
	struct wf_space *spaces[GRAPHS]; /* NULL: not explored */
	struct wf_facts *facts[GRAPHS];
	struct wf_facts *best;	/* of the graph that shows the error */
	struct wf_facts *known; /* positive facts of all graphs */
	bool exact;		/* no graph can show more */
	bool exact_marking;	/* not even of what is cancelled */
};

static enum wf_soundness both(enum wf_soundness a, enum wf_soundness b)
{
	if (a == WF_NO || b == WF_NO)
		return WF_NO;
	return a == WF_YES && b == WF_YES ? WF_YES : WF_OPEN;
}

static enum wf_soundness negate(enum wf_soundness a)
{
	return a == WF_OPEN ? WF_OPEN : a == WF_YES ? WF_NO : WF_YES;
}

/* --- Graphs --- */

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static struct wf_facts *explore(
    struct analysis *a, int at, const struct wf_space_options *options)
{
	a->spaces[at] = wf_space_explore(a->model, options);
	a->facts[at] = wf_facts_new(a->spaces[at]);
	a->report->state_count += a->spaces[at]->state_count;
	return a->facts[at];
}

static bool is_all_good(const struct wf_facts *facts)
{
	return facts->complete &&
	       facts->good_count == facts->space->state_count;
}

/* Whether no state lets a case continue for ever. */
static bool is_ending(const struct wf_facts *facts)
{
	const uint8_t ends = WF_STATE_GOOD | WF_STATE_ENDS;

	for (uint32_t i = 0; i < facts->space->state_count; i++)
		if ((facts->flags[i] & ends) == 0)
			return false;
	return facts->complete;
}

static bool is_violated(const struct wf_facts *facts)
{
	return facts->space->violation != WF_NO_STATE ||
	       facts->space->stop == WF_STOP_UNBOUNDED ||
	       (facts->complete && !is_all_good(facts));
}

static struct wf_facts *explore_first(struct analysis *a)
{
	bool literal = a->options->literal;
	struct wf_space_options o = { .reduction =
					  literal ? WF_NOT_EAGER : WF_EAGER,
		.states = least(
		    a->options->states, literal ? UINT32_MAX : FIRST_STATES),
		.bytes = a->options->bytes / 4,
		.or_join_work = a->options->work,
		.states_after_violation =
		    literal ? UINT32_MAX : STATES_AFTER_VIOLATION,
		.every_choice = literal };

	return explore(a, FIRST, &o);
}

static struct wf_facts *explore_deep(struct analysis *a)
{
	struct wf_space_options o = { .reduction = WF_EAGER_WITHIN,
		.order = WF_DEPTH_FIRST,
		.states = least(a->options->states, DEEP_STATES),
		.bytes = a->options->bytes / 8,
		.or_join_work = a->options->work / 4,
		.states_after_violation = 0,
		.few_choices = true };

	return explore(a, DEEP, &o);
}

static struct wf_facts *explore_large(struct analysis *a)
{
	struct wf_space_options o = { .reduction = WF_EAGER_WITHIN,
		.states = a->options->states,
		.bytes = a->options->bytes / 2,
		.or_join_work = a->options->work,
		.states_after_violation = STATES_AFTER_VIOLATION };

	return explore(a, LARGE, &o);
}

static struct wf_facts *explore_whole(struct analysis *a)
{
	struct wf_space_options o = { .states = least(
					  a->options->states, WHOLE_STATES),
		.bytes = a->options->bytes / 8,
		.or_join_work = a->options->work / 4,
		.states_after_violation = UINT32_MAX,
		.every_choice = true };

	return explore(a, WHOLE, &o);
}

static void make_graphs(struct analysis *a)
{
	struct wf_facts *facts = explore_first(a);

	a->best = facts;
	a->exact = is_ending(facts) || (facts->complete && a->options->literal);
	a->exact_marking = a->exact;
	if (is_all_good(facts) || a->options->literal)
		return;
	if (!facts->complete && !is_violated(facts)) {
		facts = explore_deep(a);
		if (!is_violated(facts))
			facts = explore_large(a);
		if (is_violated(facts) || facts->complete)
			a->best = facts;
		a->exact = is_ending(facts);
	}
	if (!is_violated(facts) || facts->space->stop == WF_STOP_UNBOUNDED)
		return;
	/* The whole space yields more findings and shorter witnesses. */
	facts = explore_whole(a);
	if (facts->complete) {
		a->best = facts;
		a->exact = true;
		a->exact_marking = true;
	}
}

static void join_facts(struct analysis *a)
{
	a->known = a->best;
	for (int i = 0; i < GRAPHS; i++)
		if (a->facts[i] != NULL && a->facts[i] != a->known)
			wf_facts_add(a->known, a->facts[i]);
}

static bool has_state(const struct analysis *a, uint8_t flags)
{
	for (uint32_t i = 0; i < a->best->space->state_count; i++)
		if ((a->best->flags[i] & flags) != 0)
			return true;
	return false;
}

static bool is_completed_seen(const struct analysis *a)
{
	for (int i = 0; i < GRAPHS; i++)
		if (a->spaces[i] != NULL &&
		    a->spaces[i]->completed != WF_NO_STATE)
			return true;
	return false;
}

/* --- Findings --- */

static struct wf_finding *add_finding(
    struct analysis *a, enum wf_finding_kind kind)
{
	struct wf_net_report *r = a->report;
	struct wf_finding *f;

	r->findings = wf_arena_grow(a->arena, r->findings, r->finding_count,
	    &r->finding_capacity, sizeof(*r->findings));
	f = &r->findings[r->finding_count++];
	*f = (struct wf_finding){ .kind = kind };
	return f;
}

static uint32_t count_states(
    const struct wf_facts *facts, uint8_t wanted, uint8_t unwanted)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < facts->space->state_count; i++)
		count += (wanted == 0 || (facts->flags[i] & wanted) != 0) &&
			 (facts->flags[i] & unwanted) == 0;
	return count;
}

static struct wf_finding *find_states(struct analysis *a,
    enum wf_finding_kind kind, uint8_t wanted, uint8_t unwanted)
{
	uint32_t count = count_states(a->best, wanted, unwanted);
	struct wf_finding *f;

	if (count == 0)
		return NULL;
	f = add_finding(a, kind);
	f->state_count = count;
	f->witness = wf_witness_find(a->arena, a->best, 0, wanted, unwanted);
	return f;
}

/* The tasks that repeat for ever in states from which no end is reachable. */
static void list_round(struct analysis *a, struct wf_finding *f)
{
	const struct wf_space *s = a->best->space;
	const uint8_t ends = WF_STATE_GOOD | WF_STATE_ENDS;
	uint64_t *set =
	    wf_calloc(wf_bitset_words(a->net->task_count) + 1, sizeof(*set));

	for (uint32_t i = 0; i < s->state_count; i++) {
		if ((a->best->flags[i] & ends) != 0 ||
		    !wf_space_is_expanded(s, i))
			continue;
		for (size_t j = 0; j < s->edge_counts[i]; j++)
			wf_bitset_add(set,
			    a->model
				->moves[s->edges[s->edge_starts[i] + j].move]
				.task);
	}
	f->tasks =
	    wf_arena_array(a->arena, a->net->task_count + 1, sizeof(*f->tasks));
	WF_BITSET_EACH (i, set, wf_bitset_words(a->net->task_count))
		f->tasks[f->task_count++] = &a->net->tasks[i];
	wf_free(set);
}

static void find_endings(struct analysis *a)
{
	struct wf_finding *f;

	if (a->best->space->undecided == UINT32_MAX) {
		find_states(a, WF_FINDING_DEADLOCK, WF_STATE_DEAD, 0);
		find_states(a, WF_FINDING_EMPTY, WF_STATE_EMPTY, 0);
	}
	if (a->best->complete) {
		f = find_states(
		    a, WF_FINDING_LIVELOCK, 0, WF_STATE_GOOD | WF_STATE_ENDS);
		if (f != NULL)
			list_round(a, f);
	}
	find_states(a, WF_FINDING_LEFTOVER, WF_STATE_LEFTOVER, 0);
}

static void find_growth(struct analysis *a)
{
	for (int i = 0; i < GRAPHS; i++) {
		const struct wf_space *s = a->spaces[i];
		struct wf_finding *f;

		if (s == NULL || s->growth.ancestor == WF_NO_STATE ||
		    a->best->complete)
			continue;
		f = add_finding(a, s->growth.proven ? WF_FINDING_UNBOUNDED
						    : WF_FINDING_GROWING);
		if (s->growth.place < a->net->condition_count)
			f->condition = &a->net->conditions[s->growth.place];
		f->witness =
		    wf_witness_found(a->arena, s, 0, s->growth.ancestor);
		f->round = wf_witness_found(
		    a->arena, s, s->growth.ancestor, s->growth.state);
		return;
	}
}

static void find_reducible(struct analysis *a, const struct wf_task *task)
{
	uint32_t conditions = task->cancelled_condition_count;
	uint32_t count = conditions + task->cancelled_task_count;

	for (uint32_t i = 0; i < count && a->exact_marking; i++) {
		struct wf_finding *f;

		if (wf_bitset_has(a->known->cancelled[task->number], i))
			continue;
		f = add_finding(a, WF_FINDING_REDUCIBLE);
		f->task = task;
		if (i < conditions) {
			f->condition =
			    &a->net->conditions[task->cancelled_conditions[i]];
			continue;
		}
		f->tasks = wf_arena_array(a->arena, 1, sizeof(*f->tasks));
		f->tasks[f->task_count++] =
		    &a->net->tasks[task->cancelled_tasks[i - conditions]];
	}
}

static void find_convertible(struct analysis *a, const struct wf_task *task)
{
	uint32_t fewest = a->known->fewest[task->number];
	uint32_t most = a->known->most[task->number];
	struct wf_finding *f;

	if (!a->exact || most == 0 || (most > 1 && fewest < task->preset_count))
		return;
	f = add_finding(a, most == 1 ? WF_FINDING_CONVERTIBLE_XOR
				     : WF_FINDING_CONVERTIBLE_AND);
	f->task = task;
}

static void find_circles(struct analysis *a)
{
	uint32_t count;
	uint32_t *circles = wf_circles_find(a->arena, a->net, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct wf_finding *f =
		    add_finding(a, WF_FINDING_VICIOUS_CIRCLE);

		f->tasks = wf_arena_array(
		    a->arena, a->net->task_count, sizeof(*f->tasks));
		for (uint32_t j = 0; j < a->net->task_count; j++)
			if (circles[j] == i)
				f->tasks[f->task_count++] = &a->net->tasks[j];
	}
}

/* --- Answers --- */

static enum wf_soundness answer_completion(const struct analysis *a)
{
	const struct wf_space *s = a->best->space;

	if (is_all_good(a->best))
		return WF_YES;
	if (a->best->complete || s->stop == WF_STOP_UNBOUNDED ||
	    has_state(a, WF_STATE_LEFTOVER))
		return WF_NO;
	if (s->undecided == UINT32_MAX &&
	    has_state(a, WF_STATE_DEAD | WF_STATE_EMPTY))
		return WF_NO;
	return WF_OPEN;
}

static enum wf_soundness answer_proper(
    const struct analysis *a, struct wf_fallback *fallback)
{
	if (has_state(a, WF_STATE_LEFTOVER))
		return WF_NO;
	if (a->exact)
		return WF_YES;
	return negate(wf_fallback_leftover(fallback));
}

static enum wf_soundness answer_task(
    const struct analysis *a, struct wf_fallback *fallback, uint32_t task)
{
	if (wf_bitset_has(a->known->done, task))
		return WF_YES;
	return a->exact ? WF_NO : wf_fallback_task(fallback, task);
}

/* Whether the net can complete properly at all. */
static enum wf_soundness answer_end(
    const struct analysis *a, struct wf_fallback *fallback)
{
	enum wf_soundness end;

	if (is_completed_seen(a))
		return WF_YES;
	if (a->best->complete)
		return WF_NO;
	end = wf_fallback_end(fallback);
	return end == WF_YES ? a->report->proper == WF_YES ? WF_YES : WF_OPEN
			     : end;
}

static enum wf_soundness answer_relaxed(const struct analysis *a)
{
	bool all = true;

	for (uint32_t i = 0; i < a->net->task_count; i++)
		all &= wf_bitset_has(a->known->useful, i);
	return all ? WF_YES : a->best->complete ? WF_NO : WF_OPEN;
}

/* The reason in a simple case: an input that never has a token. */
static void add_dead_task(struct analysis *a, const struct wf_task *task)
{
	struct wf_finding *f = add_finding(a, WF_FINDING_DEAD_TASK);
	uint32_t never = 0;

	f->task = task;
	for (uint32_t i = 0; i < task->preset_count && a->exact; i++) {
		if (wf_bitset_has(a->known->marked, task->preset[i]))
			continue;
		if (never++ == 0)
			f->condition = &a->net->conditions[task->preset[i]];
	}
	if (task->join != WF_AND && never < task->preset_count)
		f->condition = NULL;
}

static void answer_tasks(struct analysis *a, struct wf_fallback *fallback)
{
	a->report->no_dead_tasks = WF_YES;
	for (uint32_t i = 0; i < a->net->task_count; i++) {
		enum wf_soundness can = answer_task(a, fallback, i);

		a->report->no_dead_tasks = both(a->report->no_dead_tasks, can);
		if (can == WF_NO)
			add_dead_task(a, &a->net->tasks[i]);
	}
}

static void find_useless(struct analysis *a)
{
	struct wf_finding *f = NULL;

	if (!a->best->complete || !is_completed_seen(a))
		return;
	for (uint32_t i = 0; i < a->net->task_count; i++) {
		if (!wf_bitset_has(a->known->done, i) ||
		    wf_bitset_has(a->known->useful, i))
			continue;
		if (f == NULL) {
			f = add_finding(a, WF_FINDING_USELESS_TASKS);
			f->tasks = wf_arena_array(
			    a->arena, a->net->task_count, sizeof(*f->tasks));
		}
		f->tasks[f->task_count++] = &a->net->tasks[i];
	}
}

static void answer(struct analysis *a)
{
	struct wf_net_report *r = a->report;
	struct wf_fallback *fallback =
	    wf_fallback_new(a->model, a->options->work / 10, NULL);

	r->completion = answer_completion(a);
	find_endings(a);
	find_growth(a);
	r->proper = answer_proper(a, fallback);
	/*
	 * Tokens that remain at the end keep the case from proper completion.
	 */
	if (r->proper == WF_NO)
		r->completion = WF_NO;
	answer_tasks(a, fallback);
	r->sound = both(both(r->completion, r->proper), r->no_dead_tasks);
	r->weakly_sound = r->sound == WF_YES
			      ? WF_YES
			      : both(both(r->proper, r->no_dead_tasks),
				    answer_end(a, fallback));
	r->relaxed_sound =
	    r->no_dead_tasks == WF_NO ? WF_NO : answer_relaxed(a);
	find_useless(a);
	wf_fallback_free(&fallback);
}

static void find_advice(struct analysis *a)
{
	find_circles(a);
	for (uint32_t i = 0; i < a->net->task_count; i++) {
		const struct wf_task *task = &a->net->tasks[i];

		find_reducible(a, task);
		if (task->join == WF_OR && task->preset_count > 1)
			find_convertible(a, task);
	}
}

static void describe_effort(struct analysis *a)
{
	struct wf_net_report *r = a->report;

	r->reduced = !a->options->literal && a->best->space != a->spaces[WHOLE];
	if (a->exact)
		r->state_count = a->best->space->state_count;
	for (int i = 0; i < GRAPHS; i++) {
		const struct wf_space *s = a->spaces[i];

		if (s == NULL || a->exact)
			continue;
		if (r->stop == WF_STOP_NOT)
			r->stop = s->stop;
		if (s->undecided != UINT32_MAX)
			r->undecided = &a->net->tasks[s->undecided];
	}
}

/* For larger nets, even one step for each question takes too long. */
#define CONDITIONS_MAXIMUM 15000U

static void leave_open(struct wf_net_report *report)
{
	report->completion = WF_OPEN;
	report->proper = WF_OPEN;
	report->no_dead_tasks = WF_OPEN;
	report->weakly_sound = WF_OPEN;
	report->relaxed_sound = WF_OPEN;
	report->sound = WF_OPEN;
	report->stop = WF_STOP_WORK;
}

static void analyse_net(struct wf_net_report *report, struct wf_arena *arena,
    const struct wf_net *net, const struct wf_verify_options *options)
{
	struct analysis a = {
		.options = options, .arena = arena, .report = report, .net = net
	};

	report->net = net;
	if (net->condition_count > CONDITIONS_MAXIMUM ||
	    !wf_or_joins_fit(net)) {
		leave_open(report);
		return;
	}
	a.model = wf_model_new(net, !options->literal);
	make_graphs(&a);
	join_facts(&a);
	answer(&a);
	find_advice(&a);
	describe_effort(&a);
	report->ending =
	    wf_witness_find(arena, a.best, 0, WF_STATE_COMPLETED, 0);
	if (report->ending == NULL)
		report->ending =
		    wf_witness_find(arena, a.best, 0, WF_STATE_LEFTOVER, 0);
	for (int i = 0; i < GRAPHS; i++) {
		wf_facts_free(&a.facts[i]);
		wf_space_free(&a.spaces[i]);
	}
	wf_model_free(&a.model);
}

/* --- Specifications --- */

static struct wf_report *new_report(const struct wf_spec *spec, uint32_t nets)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_report *report = wf_arena_alloc(arena, sizeof(*report));

	report->arena = arena;
	report->spec = spec;
	report->nets = wf_arena_array(arena, nets + 1, sizeof(*report->nets));
	report->sound = WF_YES;
	return report;
}

static void add_net(struct wf_report *report, const struct wf_net *net,
    const struct wf_verify_options *options)
{
	struct wf_net_report *r = &report->nets[report->net_count++];

	analyse_net(r, report->arena, net, options);
	report->sound = both(report->sound, r->sound);
}

struct wf_report *wf_verify_net(
    const struct wf_net *net, const struct wf_verify_options *options)
{
	struct wf_report *report = new_report(net->spec, 1);

	add_net(report, net, options);
	return report;
}

struct wf_report *wf_verify(
    const struct wf_spec *spec, const struct wf_verify_options *options)
{
	struct wf_report *report = new_report(spec, spec->decomposition_count);

	add_net(report, spec->root, options);
	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_net *net = spec->decompositions[i].net;

		if (net != NULL && net != spec->root && net->is_used)
			add_net(report, net, options);
	}
	return report;
}

void wf_report_free(struct wf_report **report)
{
	if (*report != NULL) {
		struct wf_arena *arena = (*report)->arena;

		wf_arena_free(&arena);
	}
	*report = NULL;
}

/* --- Words --- */

const char *wf_finding_word(enum wf_finding_kind kind)
{
	static const char *const words[] = {
#define WF_FINDING(name, word, meaning) word,
#include "verify/findings.def"
#undef WF_FINDING
	};

	return words[kind];
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OR-joins: small nets with known answers, and random nets compared with
 * oracles for the meaning of an OR-join.
 *
 * WEFT_SEED seeds the random nets, of which there are 300, or 100,000 with
 * WEFT_SOAK=1.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "base/memory.h"
#include "kernel/or_join/or_join_priv.h"
#include "tests/unit/or_join_model.h"
#include "tests/unit/seed.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static enum wf_or_verdict decide(const struct model *m)
{
	struct wf_or_join *join = wf_or_join_compile(&m->net, m->join);
	enum wf_or_verdict verdict =
	    wf_or_join_decide(join, m->tokens, m->busy, NULL, NULL, NULL);

	wf_or_join_free(&join);
	return verdict;
}

/* --- Nets with known answers --- */

struct case_row {
	const char *join;
	const char *marking;
	enum wf_or_verdict verdict;
};

static void check_cases(
    struct model *m, const struct case_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct wf_or_join *join;
		struct wf_or_witness witness;
		bool found;

		model_mark(m, rows[i].join, rows[i].marking);
		if (decide(m) != rows[i].verdict) {
			printf("%s with %s\n", rows[i].join, rows[i].marking);
			CU_FAIL("an OR-join is decided otherwise");
		}
		join = wf_or_join_compile(&m->net, m->join);
		found = wf_or_join_witness(
		    join, m->tokens, m->busy, NULL, &witness);
		CU_ASSERT(!found || rows[i].verdict == WF_OR_WAIT);
		CU_ASSERT(!found || model_replays(m, &witness));
		wf_or_witness_free(&witness);
		wf_or_join_free(&join);
	}
}

/* A loop that may mark either input of f; the join a on its way. */
static void long_loops(void)
{
	static const struct task_row tasks[] = {
		{ "a", WF_OR, WF_AND, "cA", "a_d", NULL },
		{ "b", WF_AND, WF_AND, "cB", "b_w", NULL },
		{ "c", WF_AND, WF_XOR, "cC", "c_q o", NULL },
		{ "d", WF_AND, WF_AND, "a_d w_d", "d_f", NULL },
		{ "f", WF_OR, WF_AND, "d_f q_f", "o", NULL },
		{ "q", WF_AND, WF_AND, "c_q", "cA cB cC q_f", NULL },
		{ "top", WF_AND, WF_AND, "i", "c_q", NULL },
		{ "w", WF_AND, WF_AND, "b_w", "w_d", NULL },
	};
	static const struct case_row rows[] = {
		{ "f", "d_f d_f cC", WF_OR_WAIT },
		{ "f", "d_f cA", WF_OR_ENABLED },
		{ "f", "cC", WF_OR_WAIT },
		{ "f", "i d_f", WF_OR_WAIT },
		{ "f", "d_f b_w", WF_OR_ENABLED },
		{ "f", "d d_f", WF_OR_ENABLED },
		{ "f", "cA cB q_f", WF_OR_WAIT },
		{ "f", "cA cB cC q_f", WF_OR_WAIT },
		{ "f", "d_f q_f cA", WF_OR_ENABLED },
	};
	struct model m;

	model_make(
	    &m, "a_d b_w cA cB cC c_q d_f i o q_f w_d", tasks, COUNT(tasks));
	check_cases(&m, rows, COUNT(rows));
}

/* Two joins wait for each other. */
static void vicious_circle(void)
{
	static const struct task_row tasks[] = {
		{ "J1", WF_OR, WF_XOR, "a1 b2", "b1 o1", NULL },
		{ "J2", WF_OR, WF_XOR, "a2 b1", "b2 o2", NULL },
	};
	static const struct case_row rows[] = {
		{ "J1", "a1 a2", WF_OR_WAIT },
		{ "J2", "a1 a2", WF_OR_WAIT },
		{ "J1", "a1", WF_OR_ENABLED },
		{ "J2", "a1", WF_OR_WAIT },
	};
	struct model m;

	model_make(&m, "a1 a2 b1 b2 o1 o2", tasks, COUNT(tasks));
	check_cases(&m, rows, COUNT(rows));
}

/* The join's own output leads back to its input: that does not count. */
static void own_loop(void)
{
	static const struct task_row tasks[] = {
		{ "J", WF_OR, WF_AND, "a r", "x", NULL },
		{ "T", WF_AND, WF_XOR, "x", "o r", NULL },
	};
	static const struct case_row rows[] = {
		{ "J", "a", WF_OR_ENABLED },
		{ "J", "a x", WF_OR_WAIT },
		{ "J", "a T", WF_OR_WAIT },
		{ "J", "a r", WF_OR_ENABLED },
	};
	struct model m;

	model_make(&m, "a o r x", tasks, COUNT(tasks));
	check_cases(&m, rows, COUNT(rows));
}

static void other_joins_are_xor(void)
{
	static const struct task_row tasks[] = {
		{ "J", WF_OR, WF_AND, "x y", "o", NULL },
		{ "K", WF_OR, WF_AND, "p q", "y", NULL },
	};
	static const struct case_row rows[] = {
		{ "J", "p x", WF_OR_WAIT },
		{ "J", "x", WF_OR_ENABLED },
		{ "K", "p x", WF_OR_ENABLED },
	};
	struct model m;

	model_make(&m, "o p q x y", tasks, COUNT(tasks));
	check_cases(&m, rows, COUNT(rows));
}

/* Cancellation comes before the outputs; and it may remove tokens. */
static void cancellation(void)
{
	static const struct task_row tasks[] = {
		{ "J", WF_OR, WF_AND, "x y", "o", NULL },
		{ "K", WF_AND, WF_AND, "k", "y", "x" },
		{ "L", WF_AND, WF_AND, "l", "y", NULL },
		{ "T", WF_AND, WF_AND, "t", "y", "y" },
	};
	static const struct case_row rows[] = {
		{ "J", "x k", WF_OR_ENABLED },
		{ "J", "x x k", WF_OR_ENABLED },
		{ "J", "x l", WF_OR_WAIT },
		{ "J", "x t", WF_OR_WAIT },
		{ "J", "x K", WF_OR_ENABLED },
		{ "J", "x K L", WF_OR_WAIT },
		{ "J", "y t", WF_OR_ENABLED },
	};
	struct model m;

	model_make(&m, "k l o t x y", tasks, COUNT(tasks));
	check_cases(&m, rows, COUNT(rows));
}

/* The only token of an input is needed there; a second one is not. */
static void counts(void)
{
	static const struct task_row tasks[] = {
		{ "A", WF_AND, WF_AND, "a b", "y", NULL },
		{ "B", WF_AND, WF_AND, "h", "b", NULL },
		{ "G", WF_AND, WF_AND, "g", "a g", NULL },
		{ "J", WF_OR, WF_AND, "x y", "o", NULL },
		{ "U", WF_AND, WF_AND, "c x", "y", NULL },
	};
	static const struct case_row rows[] = {
		{ "J", "x c", WF_OR_ENABLED },
		{ "J", "x x c", WF_OR_WAIT },
		{ "J", "x a", WF_OR_ENABLED },
		{ "J", "x a b", WF_OR_WAIT },
		{ "J", "x g", WF_OR_ENABLED },
		{ "J", "x g h", WF_OR_WAIT },
	};
	struct model m;

	model_make(&m, "a b c g h o x y", tasks, COUNT(tasks));
	check_cases(&m, rows, COUNT(rows));
}

static void cone(void)
{
	static const struct task_row tasks[] = {
		{ "A", WF_AND, WF_AND, "a", "y", NULL },
		{ "J", WF_OR, WF_AND, "x y", "z", NULL },
		{ "Z", WF_AND, WF_AND, "z", "o", "a" },
	};
	struct model m;
	struct wf_or_join *join;

	model_make(&m, "a o x y z", tasks, COUNT(tasks));
	join = wf_or_join_compile(&m.net, 1);
	/* a, x, y; and A: not z and o, nor Z, as no flow leads from there. */
	CU_ASSERT_EQUAL(wf_or_join_cone_conditions(join)[0], 1 | 4 | 8);
	CU_ASSERT_EQUAL(wf_or_join_cone_tasks(join)[0], 1);
	wf_or_join_free(&join);
}

/* --- Many inputs --- */

#define WIDTH 130U

/* Conditions b, then x; each input x gets what b has, or its partner. */
struct wide {
	struct wf_net net;
	struct wf_task tasks[2 * WIDTH + 1];
	struct wf_condition conditions[2 * WIDTH + 1];
	uint32_t numbers[2 * WIDTH];
	uint32_t tokens[2 * WIDTH + 1];
};

static uint32_t partner(uint32_t input)
{
	return (input + WIDTH / 2) % WIDTH;
}

static void add_wide_task(struct wide *w, enum wf_control join,
    const uint32_t *from, uint32_t count, const uint32_t *to)
{
	struct wf_task *task = &w->tasks[w->net.task_count];

	task->number = w->net.task_count++;
	task->net = &w->net;
	task->join = join;
	task->split = WF_AND;
	task->preset = from;
	task->preset_count = count;
	task->postset = to;
	task->postset_count = 1;
}

static void make_wide(struct wide *w)
{
	static const uint32_t end = 2 * WIDTH;

	w->net.tasks = w->tasks;
	w->net.conditions = w->conditions;
	w->net.condition_count = end + 1;
	for (uint32_t i = 0; i < end; i++)
		w->numbers[i] = i;
	for (uint32_t i = 0; i < WIDTH; i++) {
		const uint32_t *x = &w->numbers[WIDTH];

		add_wide_task(w, WF_AND, &w->numbers[i], 1, &x[i]);
		add_wide_task(w, WF_AND, &x[i], 1, &x[partner(i)]);
	}
	add_wide_task(w, WF_OR, &w->numbers[WIDTH], WIDTH, &end);
}

static enum wf_or_verdict wide_verdict(const struct wide *w)
{
	const uint32_t *b = w->tokens;
	const uint32_t *x = w->tokens + WIDTH;

	for (uint32_t i = 0; i < WIDTH; i++)
		if (x[i] == 0 &&
		    (b[i] > 0 || b[partner(i)] > 0 || x[partner(i)] > 1))
			return WF_OR_WAIT;
	return WF_OR_ENABLED;
}

static void many_inputs(void)
{
	struct wide *w = wf_calloc(1, sizeof(*w));
	struct wf_random random = { 4 };
	struct wf_or_join *join;
	uint64_t busy[(2 * WIDTH + 64) / 64] = { 0 };
	uint32_t waits = 0;

	make_wide(w);
	join = wf_or_join_compile(&w->net, 2 * WIDTH);
	for (int i = 0; i < 60; i++) {
		enum wf_or_verdict wanted;

		memset(w->tokens, 0, sizeof(w->tokens));
		for (uint32_t k = 0; k < WIDTH; k++)
			w->tokens[WIDTH + k] =
			    1 + (wf_random_below(&random, 100) == 0);
		for (uint32_t k = wf_random_below(&random, 3); k < 3; k++)
			w->tokens[wf_random_below(&random, WIDTH)] = 1;
		for (uint32_t k = 0; k < 20; k++)
			w->tokens[WIDTH + wf_random_below(&random, WIDTH)] = 0;
		wanted = wide_verdict(w);
		waits += wanted == WF_OR_WAIT;
		CU_ASSERT_EQUAL(
		    wf_or_join_decide(join, w->tokens, busy, NULL, NULL, NULL),
		    wanted);
	}
	CU_ASSERT(waits > 6 && waits < 54);
	wf_or_join_free(&join);
	wf_free(w);
}

/* --- Random nets --- */

struct rounds {
	struct wf_random random;
	unsigned long long seed;
	uint32_t count;
	uint32_t waits;
	uint32_t unknown;
	uint32_t searched;
	uint32_t failures;
};

static void print_list(const struct model *m, const char *before,
    const uint32_t *numbers, uint32_t count)
{
	printf("%s", before);
	for (uint32_t i = 0; i < count; i++)
		printf(" %s", m->conditions[numbers[i]].id);
}

static void print_model(const struct model *m)
{
	static const char *const controls[] = { "and", "xor", "or" };

	for (uint32_t i = 0; i < m->net.task_count; i++) {
		const struct wf_task *t = &m->tasks[i];

		printf(
		    "  %s %s-%s", t->id, controls[t->join], controls[t->split]);
		print_list(m, ":", t->preset, t->preset_count);
		print_list(m, " ->", t->postset, t->postset_count);
		print_list(m, " cancels", t->cancelled_conditions,
		    t->cancelled_condition_count);
		for (uint32_t k = 0; k < t->cancelled_task_count; k++)
			printf(" %s", m->tasks[t->cancelled_tasks[k]].id);
		printf("\n");
	}
	printf("  %s with", m->tasks[m->join].id);
	for (uint32_t i = 0; i < m->net.condition_count; i++)
		for (uint32_t k = 0; k < m->tokens[i]; k++)
			printf(" %s", m->conditions[i].id);
	WF_BITSET_EACH (i, m->busy, 1)
		printf(" %s", m->tasks[i].id);
	printf("\n");
}

static void check(
    struct rounds *r, const struct model *m, bool good, const char *what)
{
	if (good || r->failures++ > 3)
		return;
	printf("%s (seed %llu)\n", what, r->seed);
	print_model(m);
	CU_FAIL("an OR-join of a random net");
}

static enum wf_or_verdict decide_within(const struct wf_or_join *join,
    const struct model *m, uint32_t forward, uint32_t entries)
{
	const struct wf_or_budget budget = { forward, entries, 1000000,
		1000000000 };

	return wf_or_join_decide(join, m->tokens, m->busy, NULL, &budget, NULL);
}

/* Every method of deciding gives the same answer, or none. */
static void check_ways(
    struct rounds *r, const struct model *m, enum wf_or_verdict expected)
{
	for (unsigned without = 0; without <= WF_REDUCE_ALL; without++) {
		struct wf_or_join *join = wf_or_join_compile_with(
		    &m->net, m->join, WF_REDUCE_ALL & ~without);
		enum wf_or_verdict v;

		v = decide_within(join, m, 1000, 2000);
		check(r, m, v == expected, "with other reductions");
		v = decide_within(join, m, 0, 100000);
		check(r, m, v == expected, "by a basis");
		v = decide_within(join, m, 3000, 0);
		check(r, m, v == expected || v == WF_OR_UNDECIDED,
		    "by forward search");
		v = decide_within(join, m, 1, 3);
		check(r, m, v == expected || v == WF_OR_UNDECIDED,
		    "with a small budget");
		wf_or_join_free(&join);
	}
}

static void check_memory(struct rounds *r, const struct model *m,
    const struct wf_or_join *join, struct wf_or_memory *memory)
{
	static const struct wf_or_budget small = { 2, 4, 4, 1000 };
	enum wf_or_verdict first =
	    wf_or_join_decide(join, m->tokens, m->busy, NULL, &small, NULL);

	for (int i = 0; i < 3; i++) {
		struct wf_or_join *fresh = wf_or_join_compile(&m->net, m->join);
		enum wf_or_verdict v = wf_or_join_decide(i == 2 ? fresh : join,
		    m->tokens, m->busy, memory, &small, NULL);

		check(r, m, v == first, "with and without memory");
		wf_or_join_decide(join, m->tokens, m->busy, memory, NULL, NULL);
		wf_or_join_free(&fresh);
	}
}

static void check_witness(struct rounds *r, const struct model *m,
    const struct wf_or_join *join, enum wf_or_verdict verdict)
{
	struct wf_or_witness witness;
	bool found =
	    wf_or_join_witness(join, m->tokens, m->busy, NULL, &witness);

	check(r, m, found == (verdict == WF_OR_WAIT), "a witness is missing");
	check(r, m, !found || model_replays(m, &witness),
	    "a witness does not replay");
	wf_or_witness_free(&witness);
}

/* More tokens elsewhere never end waiting. */
static void check_monotony(struct rounds *r, struct model *m,
    const struct wf_or_join *join, enum wf_or_verdict verdict)
{
	uint32_t c = wf_random_below(&r->random, m->net.condition_count);
	const struct wf_task *task = &m->tasks[m->join];
	enum wf_or_verdict v;

	for (uint32_t i = 0; i < task->preset_count; i++)
		if (task->preset[i] == c && m->tokens[c] == 0)
			return;
	m->tokens[c]++;
	v = wf_or_join_decide(join, m->tokens, m->busy, NULL, NULL, NULL);
	check(r, m, verdict != WF_OR_WAIT || v == WF_OR_WAIT,
	    "a token more ended waiting");
	if (!wf_bitset_has(wf_or_join_cone_conditions(join), c))
		check(r, m, v == verdict, "a token outside the cone");
	m->tokens[c]--;
}

/* Once enabled it stays so, as long as its inputs keep their tokens. */
static void check_stability(struct rounds *r, struct model *m,
    const struct wf_or_join *join, enum wf_or_verdict verdict)
{
	const struct wf_task *task = &m->tasks[m->join];
	uint32_t tokens[CONDITIONS];
	uint64_t busy = m->busy[0];

	if (verdict != WF_OR_ENABLED)
		return;
	memcpy(tokens, m->tokens, sizeof(tokens));
	for (int i = 0; i < 8 && model_step(m, &r->random); i++) {
		bool kept = true;
		bool more = false;

		for (uint32_t k = 0; k < task->preset_count; k++) {
			uint32_t c = task->preset[k];

			kept = kept && (tokens[c] == 0 || m->tokens[c] != 0);
			more = more || (tokens[c] == 0 && m->tokens[c] != 0);
		}
		check(r, m, !kept || !more, "an input more was marked");
		if (!kept)
			break;
		check(r, m,
		    wf_or_join_decide(join, m->tokens, m->busy, NULL, NULL,
			NULL) == WF_OR_ENABLED,
		    "enabled, and then not");
	}
	memcpy(m->tokens, tokens, sizeof(tokens));
	m->busy[0] = busy;
}

/* Without cancellation more can be covered; an OR-split is like an AND. */
static void check_variants(
    struct rounds *r, const struct model *m, enum wf_or_verdict verdict)
{
	struct model *other = wf_malloc(sizeof(*other));

	for (int variant = 0; variant < 2; variant++) {
		enum wf_or_verdict v;

		memcpy(other, m, sizeof(*other));
		other->net.tasks = other->tasks;
		other->net.conditions = other->conditions;
		for (uint32_t i = 0; i < m->net.task_count; i++) {
			struct wf_task *t = &other->tasks[i];

			if (variant == 0) {
				t->cancelled_condition_count = 0;
				t->cancelled_task_count = 0;
			} else if (t->split == WF_OR) {
				t->split = WF_AND;
			}
		}
		v = decide(other);
		if (variant == 0)
			check(r, m, v != WF_OR_ENABLED || v == verdict,
			    "enabled only with cancellation off");
		else
			check(r, m, v == verdict, "with AND-splits for OR");
	}
	wf_free(other);
}

/* Alone with one token on each of some inputs, it does not wait. */
static void check_progress(
    struct rounds *r, struct model *m, const struct wf_or_join *join)
{
	const struct wf_task *task = &m->tasks[m->join];
	uint32_t alone = task->preset[0];

	for (uint32_t i = 0; i < m->net.task_count; i++)
		for (uint32_t k = 0; k < m->tasks[i].preset_count; k++)
			if (i != m->join && m->tasks[i].preset[k] == alone)
				return;
	memset(m->tokens, 0, sizeof(m->tokens));
	m->busy[0] = 0;
	m->tokens[alone] = 1;
	check(r, m,
	    wf_or_join_decide(join, m->tokens, m->busy, NULL, NULL, NULL) ==
		WF_OR_ENABLED,
	    "waits for nothing");
}

static void check_marking(struct rounds *r, struct model *m,
    const struct wf_or_join *join, struct wf_or_memory *memory, bool thorough)
{
	enum truth truth = model_forward(m, 3000);
	struct wf_or_reason reason;
	enum wf_or_verdict verdict =
	    wf_or_join_decide(join, m->tokens, m->busy, NULL, NULL, &reason);
	enum truth back = TRUTH_UNKNOWN;

	if (truth == TRUTH_UNKNOWN || thorough)
		back = model_backward(m, 400);
	if (truth == TRUTH_UNKNOWN)
		truth = back;
	check(r, m,
	    truth == TRUTH_UNKNOWN || back == TRUTH_UNKNOWN || truth == back,
	    "the oracles differ");
	r->unknown += truth == TRUTH_UNKNOWN;
	r->waits += verdict == WF_OR_WAIT;
	r->searched += reason.stage >= WF_OR_BASIS;
	check(r, m, verdict != WF_OR_UNDECIDED, "undecided");
	check(r, m,
	    truth == TRUTH_UNKNOWN ||
		verdict == (truth == TRUTH_WAIT ? WF_OR_WAIT : WF_OR_ENABLED),
	    wf_or_stage_name(reason.stage));
	check_witness(r, m, join, verdict);
	check_memory(r, m, join, memory);
	check_monotony(r, m, join, verdict);
	check_stability(r, m, join, verdict);
	if (!thorough)
		return;
	check_ways(r, m, verdict);
	check_variants(r, m, verdict);
}

/* Whether deciding takes more than the inspection of a few sets. */
static bool is_hard(const struct model *m, const struct wf_or_join *join)
{
	struct wf_or_reason reason;

	wf_or_join_decide(join, m->tokens, m->busy, NULL, NULL, &reason);
	return reason.stage >= WF_OR_E2;
}

/*
 * A third of the nets has each of the three in any case. The first marking is
 * random, the others are hard ones, if some are found.
 */
static void check_net(
    struct rounds *r, uint32_t number, struct wf_or_memory *memory)
{
	struct model *m = wf_calloc(1, sizeof(*m));
	unsigned flavour = 1U << number % 3 | wf_random_below(&r->random, 8);
	struct wf_or_join *join;
	uint32_t markings = 0;
	bool asked = model_random(m, &r->random, flavour);

	join = wf_or_join_compile(&m->net, m->join);
	for (int tries = 0; markings < 3 && tries < 60; tries++) {
		if (asked && (markings == 0 || is_hard(m, join))) {
			check_marking(
			    r, m, join, memory, number % 4 == markings);
			markings++;
		}
		asked = model_remark(m, &r->random);
	}
	check_progress(r, m, join);
	r->count += markings;
	wf_or_join_free(&join);
	wf_free(m);
}

static void random_nets(void)
{
	const char *seed = getenv("WEFT_SEED");
	uint32_t nets = test_dear_rounds(300);
	struct wf_or_memory *memory = wf_or_memory_new(1 << 14);
	struct rounds r = { .count = 0 };

	r.seed = seed == NULL ? 1 : strtoull(seed, NULL, 10);
	r.random.state = r.seed;
	for (uint32_t i = 0; i < nets && r.failures < 4; i++)
		check_net(&r, i, memory);
	wf_or_memory_free(&memory);
	printf("or_join: seed %llu: %u markings of %u nets, %u wait, "
	       "%u searched for, %u beyond the oracles\n",
	    r.seed, r.count, nets, r.waits, r.searched, r.unknown);
	CU_ASSERT(r.unknown < r.count / 20);
}

CU_TestInfo wf_tests_or_join[] = {
	{ "long loops", long_loops },
	{ "a vicious circle of two OR-joins", vicious_circle },
	{ "a loop through the join itself", own_loop },
	{ "other OR-joins fire like XOR-joins", other_joins_are_xor },
	{ "cancellation before outputs", cancellation },
	{ "numbers of tokens", counts },
	{ "the cone", cone },
	{ "more inputs than a word has bits", many_inputs },
	{ "random nets, by brute force", random_nets },
	CU_TEST_INFO_NULL,
};

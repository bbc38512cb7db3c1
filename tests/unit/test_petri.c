/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nets with weights and reset arcs: forward search, backward search and search
 * in the reduced net must agree; and the readers of net files.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "base/random.h"
#include "petri/cover.h"
#include "petri/forward.h"
#include "petri/invariant.h"
#include "petri/problem.h"
#include "petri/reduce.h"
#include "tests/unit/seed.h"

/* --- Files --- */

static enum wf_cover cover_of(struct wf_problem *problem, uint32_t *length_out)
{
	struct wf_cover_result result;

	wf_cover_decide(problem->net, problem->initial, problem->targets,
	    problem->target_count, 100000000, &result);
	*length_out = result.firings.count;
	wf_firings_free(&result.firings);
	wf_problem_free(problem);
	return result.verdict;
}

struct file_row {
	const char *text;
	enum wf_rc rc;
	enum wf_cover verdict;
	uint32_t length; /* of the firing sequence */
};

static void mist_files(void)
{
	static const struct file_row rows[] = {
		{ "vars p q rules p >= 1 -> p' = p-1, q' = q+2; "
		  "init p = 2, q = 0 target q >= 3",
		    WF_OK, WF_COVERABLE, 2 },
		{ "vars p q rules p >= 1 -> p' = p-1, q' = q+2; "
		  "init p = 2, q = 0 target q >= 5",
		    WF_OK, WF_NOT_COVERABLE, 0 },
		/* Any number of tokens, a comment, a hint at the end. */
		{ "vars p q # two\nrules p >= 1 -> p' = p-1, q' = q+2;\n"
		  "init p >= 1, q = 0 target q >= 5 invariants p = 1",
		    WF_OK, WF_COVERABLE, 3 },
		/* Setting is resetting; a guard need not consume. */
		{ "vars p q rules p >= 2 -> q' = 1; q >= 1 -> p' = p+1; "
		  "init p = 2, q = 7 target q >= 8",
		    WF_OK, WF_NOT_COVERABLE, 0 },
		/* One of two targets. */
		{ "vars p q rules p >= 1 -> p' = p-1, q' = q+1; "
		  "init p = 1, q = 0 target p >= 2 q >= 1",
		    WF_OK, WF_COVERABLE, 1 },
		{ "vars p rules init p = 0 target p >= 0", WF_OK, WF_COVERABLE,
		    0 },
		{ "vars p rules p >= 1 -> p' = p+1 init p = 0 target p >= 0",
		    WF_INVALID, 0, 0 },
		{ "vars p q rules p >= 1 -> p' = q; init p = 0, q = 0 "
		  "target p >= 1",
		    WF_UNSUPPORTED, 0, 0 },
		{ "vars p rules p = 0 -> p' = p+1; init p = 0 target p >= 1",
		    WF_UNSUPPORTED, 0, 0 },
		{ "vars p p rules init p = 0 target p >= 1", WF_INVALID, 0, 0 },
		{ "vars p q rules init p = 0 target p >= 1", WF_INVALID, 0, 0 },
		{ "vars p rules init p = 0 target x >= 1", WF_INVALID, 0, 0 },
		{ "vars p rules init p = 9999999999 target p >= 1", WF_INVALID,
		    0, 0 },
		{ "vars p rules init p = 0", WF_INVALID, 0, 0 },
		{ "", WF_INVALID, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wf_error err = { .rc = WF_OK };
		struct wf_problem problem;
		uint32_t length;
		enum wf_rc rc = wf_problem_read_mist(
		    &problem, rows[i].text, strlen(rows[i].text), &err);

		CU_ASSERT_EQUAL(rc, rows[i].rc);
		if (rc != WF_OK) {
			CU_ASSERT(err.place.line > 0);
			continue;
		}
		CU_ASSERT_EQUAL(cover_of(&problem, &length), rows[i].verdict);
		CU_ASSERT_EQUAL(length, rows[i].length);
	}
}

#define PNML(arcs, target)                                                     \
	"<?xml version='1.0'?><pnml xmlns='http://www.pnml.org/version-2009/"  \
	"grammar/pnml'><net id='n' type='http://www.pnml.org/version-2009/"    \
	"grammar/ptnet'><page id='g'><place id='p'><name><text>a &lt; b"       \
	"</text></name><initialMarking><text> 2 </text></initialMarking>"      \
	"</place><page id='h'><place id='q'/><referencePlace id='r' ref='p'/>" \
	"</page><transition id='t'/>" arcs "</page><finalmarkings><marking>"   \
	"<place idref='q'><text>" target "</text></place></marking>"           \
	"</finalmarkings></net></pnml>"
#define ARC(from, to, rest)                                                    \
	"<arc id='" from to "' source='" from "' target='" to "'>" rest "</"   \
	"arc>"

static void pnml_files(void)
{
	static const struct file_row rows[] = {
		{ PNML(ARC("p", "t", "") ARC("t", "q", ""), "2"), WF_OK,
		    WF_COVERABLE, 2 },
		{ PNML(ARC("p", "t", "") ARC("t", "q", ""), "3"), WF_OK,
		    WF_NOT_COVERABLE, 0 },
		/* A reference, and a weight. */
		{ PNML(ARC("r", "t", "") ARC("t", "q",
			   "<inscription><text>2</text></inscription>"),
		      "4"),
		    WF_OK, WF_COVERABLE, 2 },
		/* Reset arcs: of the input, so that it fires once. */
		{ PNML(ARC("p", "t", "") ARC("r", "t",
			   "<toolspecific tool='x' version='1'><reset/>"
			   "</toolspecific>") ARC("t", "q", ""),
		      "2"),
		    WF_OK, WF_NOT_COVERABLE, 0 },
		{ PNML(ARC("p", "t", "") ARC(
			   "r", "t", "<arctype><text>reset</text></arctype>")
			   ARC("t", "q", ""),
		      "1"),
		    WF_OK, WF_COVERABLE, 1 },
		{ PNML(ARC("p", "t", "<type value='inhibitor'/>"), "1"),
		    WF_UNSUPPORTED, 0, 0 },
		{ PNML(ARC("p", "q", ""), "1"), WF_INVALID, 0, 0 },
		{ PNML(ARC("p", "x", ""), "1"), WF_INVALID, 0, 0 },
		{ PNML("<place id='p'/>", "1"), WF_INVALID, 0, 0 },
		{ PNML("", "-1"), WF_INVALID, 0, 0 },
		{ PNML("<arc>", "1"), WF_INVALID, 0, 0 },
		{ "<!DOCTYPE pnml><pnml><net id='n'/></pnml>", WF_INVALID, 0,
		    0 },
		{ "<pnml><net id='n'/></pnml>", WF_INVALID, 0, 0 },
		{ "<pnml/>", WF_INVALID, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wf_error err = { .rc = WF_OK };
		struct wf_problem problem;
		uint32_t length;
		enum wf_rc rc = wf_problem_read_pnml(
		    &problem, rows[i].text, strlen(rows[i].text), &err);

		CU_ASSERT_EQUAL(rc, rows[i].rc);
		if (rc != WF_OK)
			continue;
		CU_ASSERT_EQUAL(cover_of(&problem, &length), rows[i].verdict);
		CU_ASSERT_EQUAL(length, rows[i].length);
	}
}

/* --- Random nets --- */

#define PLACES 8
#define KEPT 2

struct question {
	struct wf_petri *net;
	uint32_t from[PLACES];
	struct wf_arc target[KEPT];
};

static uint32_t some_arcs(
    struct wf_random *random, struct wf_arc *arcs, uint32_t most)
{
	uint32_t count = wf_random_below(random, most + 1);

	for (uint32_t i = 0; i < count; i++)
		arcs[i] = (struct wf_arc){ wf_random_below(random, PLACES),
			1 + (wf_random_below(random, 4) == 0) };
	return count;
}

static void make_question(struct question *q, struct wf_random *random)
{
	q->net = wf_petri_new(PLACES);
	for (uint32_t i = 3 + wf_random_below(random, 10); i > 0; i--) {
		struct wf_arc inputs[3];
		struct wf_arc outputs[3];
		uint32_t reset = wf_random_below(random, PLACES);
		struct wf_transition_parts parts = { .inputs = inputs,
			.outputs = outputs,
			.resets = &reset,
			.label = i };

		inputs[0] =
		    (struct wf_arc){ wf_random_below(random, PLACES), 1 };
		parts.input_count = 1;
		if (wf_random_below(random, 2) == 0)
			parts.input_count += some_arcs(random, inputs + 1, 2);
		parts.output_count = some_arcs(random, outputs, 3);
		parts.reset_count = wf_random_below(random, 4) == 0;
		wf_petri_add(q->net, &parts);
	}
	for (uint32_t i = 0; i < PLACES; i++)
		q->from[i] = wf_random_below(random, 3) == 0
				 ? 1 + wf_random_below(random, 2)
				 : 0;
	for (uint32_t i = 0; i < KEPT; i++)
		q->target[i] =
		    (struct wf_arc){ i, 1 + wf_random_below(random, 2) };
}

/* Whether the sequence can be fired and ends with the target covered. */
static bool leads_there(const struct question *q, const struct wf_firings *f)
{
	uint32_t tokens[PLACES];

	memcpy(tokens, q->from, sizeof(tokens));
	for (uint32_t i = 0; i < f->count; i++) {
		const struct wf_transition *t =
		    &q->net->transitions[f->transitions[i]];

		if (!wf_transition_enabled(t, tokens))
			return false;
		wf_transition_fire(t, tokens);
	}
	return wf_arcs_below(q->target, KEPT, tokens);
}

static enum wf_cover ahead(const struct question *q, const struct wf_petri *net,
    const uint32_t *from, struct wf_firings *firings_out)
{
	static const struct wf_forward_limits limits = { 3000, 10000000 };
	const struct wf_target target = { q->target, KEPT };
	struct wf_forward result;

	wf_cover_forward(net, from, &target, 1, &limits, &result);
	*firings_out = result.firings;
	return result.verdict;
}

static enum wf_cover back(const struct question *q, bool pruned)
{
	static const struct wf_backward_limits limits = { 3000, 3000,
		10000000 };
	const struct wf_target target = { q->target, KEPT };
	enum wf_cover verdict = WF_COVER_UNKNOWN;
	struct wf_pruning pruning;
	struct wf_basis *basis;
	struct wf_firings firings = { NULL, 0 };
	uint32_t number;

	wf_pruning_init(&pruning, q->net, q->from);
	basis = wf_basis_compute(
	    q->net, &target, 1, &limits, pruned ? &pruning.from : NULL);
	number = basis->met;
	if (basis->complete)
		number = wf_basis_below(basis, q->from);
	if (number != WF_NONE) {
		verdict = WF_COVERABLE;
		wf_basis_firings(basis, number, &firings);
		CU_ASSERT(leads_there(q, &firings));
		wf_firings_free(&firings);
	} else if (basis->complete) {
		verdict = WF_NOT_COVERABLE;
	}
	wf_basis_free(&basis);
	wf_pruning_free(&pruning);
	return verdict;
}

static enum wf_cover reduced(const struct question *q, unsigned steps)
{
	uint64_t kept = (1U << KEPT) - 1;
	struct wf_reduction *r = wf_reduce(q->net, &kept, steps);
	uint32_t from[PLACES];
	struct wf_firings firings;
	struct wf_firings whole;
	enum wf_cover verdict;

	CU_ASSERT(r->net->place_count <= PLACES);
	wf_reduction_project(r, q->from, from);
	verdict = ahead(q, r->net, from, &firings);
	if (verdict == WF_COVERABLE) {
		CU_ASSERT(wf_reduction_expand(r, q->from, &firings, 2, &whole));
		CU_ASSERT(leads_there(q, &whole));
		wf_firings_free(&whole);
	}
	wf_firings_free(&firings);
	wf_reduction_free(&r);
	return verdict;
}

static bool agree(enum wf_cover a, enum wf_cover b)
{
	return a == b || a == WF_COVER_UNKNOWN || b == WF_COVER_UNKNOWN;
}

static void random_nets(void)
{
	const char *seed = getenv("WEFT_SEED");
	struct wf_random random = { seed == NULL ? 1
						 : strtoull(seed, NULL, 10) };
	uint32_t decided = 0;
	uint32_t count = test_dear_rounds(300);
	bool good = true;

	for (uint32_t i = 0; i < count && good; i++) {
		struct wf_firings firings;
		struct question q;
		enum wf_cover verdict;

		make_question(&q, &random);
		verdict = ahead(&q, q.net, q.from, &firings);
		good = verdict != WF_COVERABLE || leads_there(&q, &firings);
		wf_firings_free(&firings);
		if (verdict == WF_COVER_UNKNOWN)
			verdict = back(&q, false);
		good = good && agree(verdict, back(&q, false)) &&
		       agree(verdict, back(&q, true));
		for (unsigned steps = 0; steps <= WF_REDUCE_ALL; steps++)
			good = good && agree(verdict, reduced(&q, steps));
		decided += verdict != WF_COVER_UNKNOWN;
		if (!good)
			printf("petri: net %u of seed %s\n", i,
			    seed == NULL ? "1" : seed);
		wf_petri_free(&q.net);
	}
	CU_ASSERT(good);
	CU_ASSERT(!good || decided > count * 9 / 10);
}

/* A chain of any length becomes one place. */
static void chains_vanish(void)
{
	enum { LENGTH = 5000 };
	struct wf_petri *net = wf_petri_new(LENGTH);
	uint64_t *kept = wf_calloc(wf_bitset_words(LENGTH), sizeof(*kept));
	struct wf_reduction *r;

	for (uint32_t i = 0; i + 1 < LENGTH; i++) {
		uint32_t from = i * 7 % LENGTH;
		struct wf_arc in = { from, 1 };
		struct wf_arc out = { (from + 1) % LENGTH, 1 };
		struct wf_transition_parts parts = { .inputs = &in,
			.input_count = 1,
			.outputs = &out,
			.output_count = 1 };

		if (from + 1 < LENGTH)
			wf_petri_add(net, &parts);
	}
	wf_bitset_add(kept, LENGTH - 1);
	r = wf_reduce(net, kept, WF_REDUCE_ALL);
	CU_ASSERT_EQUAL(r->net->place_count, 1);
	CU_ASSERT_EQUAL(r->net->transition_count, 0);
	wf_reduction_free(&r);
	wf_petri_free(&net);
	wf_free(kept);
}

CU_TestInfo wf_tests_petri[] = {
	{ "files of mist's format", mist_files },
	{ "files of PNML", pnml_files },
	{ "random nets, by every means", random_nets },
	{ "chains are reduced away", chains_vanish },
	CU_TEST_INFO_NULL,
};

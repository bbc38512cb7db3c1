/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a net file: PNML when they begin with "<", else mist's format.
 * Accepted nets are searched within small limits; forward search, backward
 * search and the reduced net must not contradict each other.
 */
#include <stdint.h>
#include <string.h>

#include "base/bitset.h"
#include "base/panic.h"
#include "petri/forward.h"
#include "petri/invariant.h"
#include "petri/problem.h"
#include "petri/reduce.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct wf_forward_limits ahead_limits = { 50, 200000 };
static const struct wf_backward_limits back_limits = { 300, 300, 200000 };

static enum wf_cover ask_ahead(
    const struct wf_problem *p, const struct wf_petri *net, uint32_t *from)
{
	struct wf_forward result;

	wf_cover_forward(
	    net, from, p->targets, p->target_count, &ahead_limits, &result);
	wf_firings_free(&result.firings);
	return result.verdict;
}

static enum wf_cover ask_back(const struct wf_problem *p)
{
	enum wf_cover verdict = WF_COVER_UNKNOWN;
	struct wf_pruning pruning;
	struct wf_basis *basis;

	wf_pruning_init(&pruning, p->net, p->initial);
	basis = wf_basis_compute(
	    p->net, p->targets, p->target_count, &back_limits, &pruning.from);
	if (basis->met != WF_NONE)
		verdict = WF_COVERABLE;
	else if (basis->complete)
		verdict = WF_NOT_COVERABLE;
	wf_basis_free(&basis);
	wf_pruning_free(&pruning);
	return verdict;
}

static void check_agreement(enum wf_cover a, enum wf_cover b)
{
	wf_assert(a == b || a == WF_COVER_UNKNOWN || b == WF_COVER_UNKNOWN);
}

/* All places are kept, so that targets stay valid. */
static void ask(const struct wf_problem *p)
{
	uint32_t places = p->net->place_count;
	uint64_t *kept = wf_calloc(wf_bitset_words(places) + 1, sizeof(*kept));
	uint32_t *from = wf_calloc(places + 1, sizeof(*from));
	struct wf_reduction *reduction;
	enum wf_cover verdict = ask_ahead(p, p->net, p->initial);

	check_agreement(verdict, ask_back(p));
	for (uint32_t i = 0; i < places; i++)
		wf_bitset_add(kept, i);
	reduction = wf_reduce(p->net, kept, WF_REDUCE_ALL);
	wf_reduction_project(reduction, p->initial, from);
	check_agreement(verdict, ask_ahead(p, reduction->net, from));
	wf_reduction_free(&reduction);
	wf_free(kept);
	wf_free(from);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct wf_error err = { .rc = WF_OK };
	struct wf_problem problem;
	enum wf_rc rc;

	if (size > 0 && text[0] == '<')
		rc = wf_problem_read_pnml(&problem, text, size, &err);
	else
		rc = wf_problem_read_mist(&problem, text, size, &err);
	if (rc != WF_OK)
		return 0;
	ask(&problem);
	wf_problem_free(&problem);
	return 0;
}

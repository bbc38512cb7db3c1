/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each turn has eight times the budget of the turn before, and starts again.
 * Backward search comes first because it decides more.
 */
#include "petri/cover.h"

#include "petri/forward.h"
#include "petri/invariant.h"

#define FIRST_TURN 4000000U

static void search_forward(const struct wf_petri *net, const uint32_t *from,
    const struct wf_target *targets, uint32_t target_count, uint64_t work,
    struct wf_cover_result *result)
{
	struct wf_forward_limits limits = { UINT32_MAX, work };
	struct wf_forward forward;

	wf_cover_forward(net, from, targets, target_count, &limits, &forward);
	result->verdict = forward.verdict;
	result->ahead = true;
	result->firings = forward.firings;
}

static void search_backward(const struct wf_petri *net,
    const struct wf_pruning *pruning, const struct wf_target *targets,
    uint32_t target_count, uint64_t work, struct wf_cover_result *result)
{
	struct wf_backward_limits limits = { UINT32_MAX, UINT32_MAX, work };
	struct wf_basis *basis = wf_basis_compute(
	    net, targets, target_count, &limits, &pruning->from);

	result->ahead = false;
	if (basis->complete)
		result->verdict = WF_NOT_COVERABLE;
	if (basis->met != WF_NONE) {
		result->verdict = WF_COVERABLE;
		wf_basis_firings(basis, basis->met, &result->firings);
	}
	wf_basis_free(&basis);
}

void wf_cover_decide(const struct wf_petri *net, const uint32_t *from,
    const struct wf_target *targets, uint32_t target_count, uint64_t work,
    struct wf_cover_result *result_out)
{
	struct wf_pruning pruning;

	*result_out = (struct wf_cover_result){ .verdict = WF_COVER_UNKNOWN };
	wf_pruning_init(&pruning, net, from);
	for (uint64_t turn = FIRST_TURN;
	     result_out->verdict == WF_COVER_UNKNOWN && turn <= work;
	     turn *= 8) {
		search_backward(
		    net, &pruning, targets, target_count, turn, result_out);
		if (result_out->verdict == WF_COVER_UNKNOWN)
			search_forward(net, from, targets, target_count,
			    turn / 2, result_out);
	}
	wf_pruning_free(&pruning);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages that search, in this order: a stored basis, forward search,
 * computing the basis, backward search from this marking only.
 *
 * The minimal markings that make the join wait (the basis) depend on which
 * inputs are marked, not on the rest of the marking.  A basis is computed
 * once per set of marked inputs, the first time that forward search does not
 * decide, and published to all threads.  A basis that exceeded its budget is
 * recorded too, so that later decisions are the same as if it had been
 * computed again.
 */
#include <string.h>

#include "base/bitset.h"
#include "base/panic.h"
#include "kernel/or_join/or_join_priv.h"
#include "petri/forward.h"
#include "petri/invariant.h"
#include "petri/relax.h"

/* Stored bases per join. */
#define BASES_MAXIMUM 64U
/* Reduced markings of up to this many places need no allocation. */
#define FEW_PLACES 256U

/* --- The question --- */

static void add_image(const struct wf_reduction *r, uint32_t place,
    uint32_t count, uint32_t *reduced)
{
	for (uint32_t i = r->image_starts[place];
	     i < r->image_starts[place + 1]; i++) {
		uint64_t more = (uint64_t)r->images[i].weight * count;
		uint32_t *at = &reduced[r->images[i].place];

		*at = wf_tokens_add(
		    *at, more >= WF_MANY_FROM ? WF_MANY : (uint32_t)more);
	}
}

void wf_or_join_project(const struct wf_or_join *join, const uint32_t *tokens,
    const uint64_t *busy, uint32_t *reduced_out)
{
	const struct wf_reduction *r = join->reduction;

	memset(reduced_out, 0, r->net->place_count * sizeof(*reduced_out));
	WF_BITSET_EACH (i, join->cone_conditions, join->condition_words)
		if (tokens[i] != 0)
			add_image(r, (uint32_t)i, tokens[i], reduced_out);
	WF_BITSET_EACH (i, join->cone_tasks, join->task_words)
		if (wf_bitset_has(busy, i))
			add_image(r, join->net->condition_count + (uint32_t)i,
			    1, reduced_out);
}

void wf_or_question_init(struct question *q, const struct wf_or_join *join,
    const uint64_t *marked, const uint32_t *tokens)
{
	size_t words = wf_bitset_words(join->input_count);
	uint32_t count = (uint32_t)wf_bitset_count(marked, words);
	struct wf_arc *arcs;

	wf_assert(count > 0 && count < join->input_count);
	*q = (struct question){ .tokens = tokens, .marked = marked };
	q->targets =
	    wf_calloc(join->input_count - count + 1, sizeof(*q->targets));
	q->arcs =
	    wf_calloc((size_t)(join->input_count - count) * (count + 1) + 1,
		sizeof(*q->arcs));
	arcs = q->arcs;
	for (uint32_t i = 0; i < join->input_count; i++) {
		if (wf_bitset_has(marked, i))
			continue;
		q->targets[q->target_count++] =
		    (struct wf_target){ arcs, count + 1 };
		for (uint32_t k = 0; k < join->input_count; k++)
			if (k == i || wf_bitset_has(marked, k))
				*arcs++ = (struct wf_arc){ k, 1 };
	}
	wf_assert(q->target_count == join->input_count - count);
	wf_assert(arcs == q->arcs + (size_t)q->target_count * (count + 1));
}

void wf_or_question_free(struct question *q)
{
	wf_free(q->targets);
	wf_free(q->arcs);
}

/* --- Bases --- */

static struct wf_backward_limits limits_of(const struct wf_or_budget *budget)
{
	return (struct wf_backward_limits){ budget->entries, budget->backward,
		budget->work };
}

/* Whether computing the basis within budget b would end as kept says. */
static bool answers_for(
    const struct kept_basis *kept, const struct wf_or_budget *b)
{
	const struct wf_basis *basis = kept->basis;
	const struct wf_or_budget *tried = &kept->tried;

	if (basis->complete)
		return basis->needs.entries <= b->entries &&
		       basis->needs.expansions <= b->backward &&
		       basis->needs.work <= b->work;
	return b->entries <= tried->entries && b->backward <= tried->backward &&
	       b->work <= tried->work;
}

/* A basis valid for this budget: complete, or known to exceed it. */
static const struct kept_basis *find_basis(const struct wf_or_join *join,
    const uint64_t *marked, const struct wf_or_budget *budget)
{
	size_t size = wf_bitset_words(join->input_count) * sizeof(*marked);

	for (const struct kept_basis *kept =
		 atomic_load_explicit(&join->bases, memory_order_acquire);
	     kept != NULL; kept = kept->next)
		if (memcmp(kept->marked, marked, size) == 0 &&
		    answers_for(kept, budget))
			return kept;
	return NULL;
}

static void free_kept(struct kept_basis *kept)
{
	wf_basis_free(&kept->basis);
	wf_free(kept);
}

/* Takes ownership of kept; false: there are enough, and the caller keeps it. */
static bool publish(const struct wf_or_join *join, struct kept_basis *kept)
{
	/* Bases change no verdict, so the join counts as unchanged. */
	struct wf_or_join *shared = (struct wf_or_join *)join;

	if (atomic_fetch_add(&shared->basis_count, 1) >= BASES_MAXIMUM) {
		atomic_fetch_sub(&shared->basis_count, 1);
		return false;
	}
	kept->next = atomic_load_explicit(&shared->bases, memory_order_acquire);
	while (!atomic_compare_exchange_weak_explicit(&shared->bases,
	    &kept->next, kept, memory_order_release, memory_order_acquire))
		;
	return true;
}

void wf_or_join_free_bases(struct wf_or_join *join)
{
	struct kept_basis *kept = atomic_load(&join->bases);

	while (kept != NULL) {
		struct kept_basis *next = kept->next;

		free_kept(kept);
		kept = next;
	}
}

static struct kept_basis *make_basis(const struct wf_or_join *join,
    const struct question *q, const struct wf_or_budget *budget)
{
	size_t size = wf_bitset_words(join->input_count) * sizeof(*q->marked);
	struct wf_backward_limits limits = limits_of(budget);
	struct kept_basis *kept = wf_calloc(1, sizeof(*kept) + size);

	memcpy(kept->marked, q->marked, size);
	kept->tried = *budget;
	kept->basis = wf_basis_compute(
	    join->reduction->net, q->targets, q->target_count, &limits, NULL);
	if (!kept->basis->complete)
		wf_basis_forget(kept->basis);
	return kept;
}

struct wf_basis *wf_or_join_search_backward(const struct wf_or_join *join,
    const struct question *q, const struct wf_or_budget *budget)
{
	struct wf_backward_limits limits = limits_of(budget);
	struct wf_pruning pruning;
	struct wf_basis *basis;

	wf_pruning_init(&pruning, join->reduction->net, q->tokens);
	basis = wf_basis_compute(join->reduction->net, q->targets,
	    q->target_count, &limits, &pruning.from);
	wf_pruning_free(&pruning);
	return basis;
}

/* --- Deciding --- */

static enum wf_or_verdict verdict_of(enum wf_cover cover)
{
	return cover == WF_COVERABLE	   ? WF_OR_WAIT
	       : cover == WF_NOT_COVERABLE ? WF_OR_ENABLED
					   : WF_OR_UNDECIDED;
}

static enum wf_or_verdict ask_basis(
    const struct wf_basis *basis, const uint32_t *tokens)
{
	wf_assert(basis->complete);
	return wf_basis_below(basis, tokens) == WF_NONE ? WF_OR_ENABLED
							: WF_OR_WAIT;
}

static enum wf_or_verdict search_forward(const struct wf_or_join *join,
    const struct question *q, const struct wf_or_budget *budget,
    struct wf_or_reason *reason)
{
	struct wf_forward_limits limits = { budget->forward, budget->work };
	struct wf_forward result;

	wf_cover_forward(join->reduction->net, q->tokens, q->targets,
	    q->target_count, &limits, &result);
	wf_firings_free(&result.firings);
	reason->stage = WF_OR_SEARCH;
	reason->expansions += result.expansions;
	reason->work += result.work;
	return verdict_of(result.verdict);
}

static enum wf_or_verdict use_new_basis(const struct wf_or_join *join,
    const struct question *q, const struct wf_or_budget *budget,
    struct wf_or_reason *reason)
{
	struct kept_basis *kept = make_basis(join, q, budget);
	enum wf_or_verdict verdict = WF_OR_UNDECIDED;

	reason->expansions += kept->basis->expansions;
	reason->work += kept->basis->work;
	if (kept->basis->complete) {
		reason->stage = WF_OR_BASIS;
		verdict = ask_basis(kept->basis, q->tokens);
	}
	if (!publish(join, kept))
		free_kept(kept);
	return verdict;
}

static enum wf_or_verdict search_backward(const struct wf_or_join *join,
    const struct question *q, const struct wf_or_budget *budget,
    struct wf_or_reason *reason)
{
	struct wf_basis *basis = wf_or_join_search_backward(join, q, budget);
	enum wf_or_verdict verdict = WF_OR_UNDECIDED;

	if (basis->met != WF_NONE)
		verdict = WF_OR_WAIT;
	else if (basis->complete)
		verdict = WF_OR_ENABLED;
	reason->stage =
	    verdict == WF_OR_UNDECIDED ? WF_OR_OVER_BUDGET : WF_OR_SEARCH;
	reason->expansions += basis->expansions;
	reason->work += basis->work;
	wf_basis_free(&basis);
	return verdict;
}

static enum wf_or_verdict search(const struct wf_or_join *join,
    const uint64_t *marked, const uint32_t *tokens,
    const struct kept_basis *kept, const struct wf_or_budget *budget,
    struct wf_or_reason *reason)
{
	enum wf_or_verdict verdict;
	struct question q;

	wf_or_question_init(&q, join, marked, tokens);
	verdict = search_forward(join, &q, budget, reason);
	if (verdict == WF_OR_UNDECIDED && kept == NULL)
		verdict = use_new_basis(join, &q, budget, reason);
	if (verdict == WF_OR_UNDECIDED)
		verdict = search_backward(join, &q, budget, reason);
	wf_or_question_free(&q);
	return verdict;
}

static enum wf_or_verdict recall_or_search(const struct wf_or_join *join,
    const uint64_t *marked, const uint32_t *tokens,
    const struct kept_basis *kept, struct wf_or_memory *memory,
    const struct wf_or_budget *budget, struct wf_or_reason *reason)
{
	enum wf_or_verdict verdict;

	if (memory != NULL &&
	    wf_or_memory_find(memory, join, budget, tokens, &verdict)) {
		reason->stage = verdict == WF_OR_UNDECIDED ? WF_OR_OVER_BUDGET
							   : WF_OR_SEARCH;
		return verdict;
	}
	if (wf_or_memory_is_spent(memory)) {
		reason->stage = WF_OR_OVER_BUDGET;
		return WF_OR_UNDECIDED;
	}
	verdict = search(join, marked, tokens, kept, budget, reason);
	if (memory != NULL)
		wf_or_memory_keep(memory, join, budget, tokens, verdict);
	return verdict;
}

enum wf_or_verdict wf_or_join_search(const struct wf_or_join *join,
    const uint32_t *tokens, const uint64_t *busy, struct wf_or_memory *memory,
    const struct wf_or_budget *budget, struct wf_or_reason *reason)
{
	uint32_t places = join->reduction->net->place_count;
	uint32_t few[FEW_PLACES];
	uint64_t few_marked[FEW_PLACES / 64] = { 0 };
	uint32_t *reduced = few;
	uint64_t *marked = few_marked;
	const struct kept_basis *kept;
	enum wf_or_verdict verdict;

	wf_assert(join->input_count <= places); /* so few_marked has room */
	if (places > FEW_PLACES) {
		reduced = wf_calloc(places, sizeof(*reduced));
		marked = wf_calloc(
		    wf_bitset_words(join->input_count), sizeof(*marked));
	}
	wf_or_join_project(join, tokens, busy, reduced);
	for (uint32_t i = 0; i < join->input_count; i++)
		if (reduced[i] != 0)
			wf_bitset_add(marked, i);
	kept = find_basis(join, marked, budget);
	if (kept != NULL && kept->basis->complete) {
		reason->stage = WF_OR_BASIS;
		verdict = ask_basis(kept->basis, reduced);
	} else {
		verdict = recall_or_search(
		    join, marked, reduced, kept, memory, budget, reason);
	}
	wf_assert((verdict == WF_OR_UNDECIDED) ==
		  (reason->stage == WF_OR_OVER_BUDGET));
	if (places > FEW_PLACES) {
		wf_free(reduced);
		wf_free(marked);
	}
	return verdict;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache of decided markings: a table of fixed size, two-way associative.
 * A marking can be in either of two slots, chosen by its hash; the slot that
 * was used less recently is replaced.  A slot holds the whole marking and it
 * is compared, so equal hashes never give a wrong verdict.
 */
#include <string.h>

#include "base/panic.h"
#include "kernel/or_join/or_join_priv.h"

/* Markings with tokens on more places are not stored. */
#define ARCS_MAXIMUM 24U

struct key {
	uint64_t serial; /* of the join; 0: the slot is free */
	struct wf_or_budget budget;
	uint32_t count;
	struct wf_arc arcs[ARCS_MAXIMUM];
};

struct slot {
	uint64_t used; /* value of wf_or_memory.now at its last use */
	enum wf_or_verdict verdict;
	struct key key;
};

struct wf_or_memory {
	uint64_t now;
	uint64_t stages[WF_OR_STAGES];
	uint64_t work;	       /* of the searches since it was set to 0 */
	uint64_t work_maximum; /* when it is reached, nothing is searched */
	uint32_t slot_count;   /* even */
	struct slot slots[];
};

struct wf_or_memory *wf_or_memory_new(size_t bytes)
{
	size_t count = bytes / sizeof(struct slot) / 2 * 2;
	struct wf_or_memory *memory;

	if (count < 2)
		count = 2;
	if (count > UINT32_MAX / 2)
		count = UINT32_MAX / 2 - 1;
	memory = wf_calloc(1, sizeof(*memory) + count * sizeof(struct slot));
	memory->slot_count = (uint32_t)count;
	memory->work_maximum = UINT64_MAX;
	return memory;
}

const uint64_t *wf_or_memory_stages(const struct wf_or_memory *memory)
{
	return memory->stages;
}

void wf_or_memory_count(
    struct wf_or_memory *memory, const struct wf_or_reason *reason)
{
	if (memory == NULL)
		return;
	memory->stages[reason->stage]++;
	memory->work += reason->work;
}

void wf_or_memory_bound(struct wf_or_memory *memory, uint64_t work)
{
	memory->work = 0;
	memory->work_maximum = work;
}

uint64_t wf_or_memory_work(const struct wf_or_memory *memory)
{
	return memory->work;
}

bool wf_or_memory_is_spent(const struct wf_or_memory *memory)
{
	return memory != NULL && memory->work >= memory->work_maximum;
}

void wf_or_memory_free(struct wf_or_memory **memory)
{
	wf_free(*memory);
	*memory = NULL;
}

/* The first of the marking's two slots; NULL: it has too many tokens. */
static struct slot *make_key(struct wf_or_memory *memory, struct key *key,
    const struct wf_or_join *join, const struct wf_or_budget *budget,
    const uint32_t *tokens)
{
	struct wf_bag bag;

	wf_assert(join->serial != 0); /* a free slot has 0 */
	wf_assert(memory->slot_count >= 2 && memory->slot_count % 2 == 0);
	key->serial = join->serial;
	key->budget = *budget;
	key->count = 0;
	for (uint32_t i = 0; i < join->reduction->net->place_count; i++) {
		if (tokens[i] == 0)
			continue;
		if (key->count == ARCS_MAXIMUM)
			return NULL;
		key->arcs[key->count++] = (struct wf_arc){ i, tokens[i] };
	}
	bag = wf_bag_of(key->arcs, key->count);
	bag.hash ^=
	    (uint32_t)(join->serial * UINT64_C(0x9E3779B97F4A7C15) >> 32);
	return &memory->slots[bag.hash % (memory->slot_count / 2) * 2];
}

static bool same_key(const struct key *a, const struct key *b)
{
	return a->serial == b->serial && a->count == b->count &&
	       a->budget.forward == b->budget.forward &&
	       a->budget.entries == b->budget.entries &&
	       a->budget.backward == b->budget.backward &&
	       a->budget.work == b->budget.work &&
	       memcmp(a->arcs, b->arcs, a->count * sizeof(*a->arcs)) == 0;
}

bool wf_or_memory_find(struct wf_or_memory *memory,
    const struct wf_or_join *join, const struct wf_or_budget *budget,
    const uint32_t *tokens, enum wf_or_verdict *verdict_out)
{
	struct key key;
	struct slot *slot = make_key(memory, &key, join, budget, tokens);

	for (int i = 0; slot != NULL && i < 2; i++, slot++) {
		if (!same_key(&slot->key, &key))
			continue;
		slot->used = ++memory->now;
		*verdict_out = slot->verdict;
		return true;
	}
	return false;
}

void wf_or_memory_keep(struct wf_or_memory *memory,
    const struct wf_or_join *join, const struct wf_or_budget *budget,
    const uint32_t *tokens, enum wf_or_verdict verdict)
{
	struct key key;
	struct slot *slot = make_key(memory, &key, join, budget, tokens);

	if (slot == NULL)
		return;
	if (slot[1].used < slot[0].used)
		slot++;
	slot->used = ++memory->now;
	slot->verdict = verdict;
	slot->key.serial = key.serial;
	slot->key.budget = key.budget;
	slot->key.count = key.count;
	memcpy(slot->key.arcs, key.arcs, key.count * sizeof(*key.arcs));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Owners are few; a member exists while somebody has joined it. */
#include "http/budget.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/panic.h"

struct wf_member {
	size_t held[WF_BUDGET_KINDS];
	unsigned joined; /* calls of join without their leave */
	char owner[];
};

struct wf_budget {
	struct wf_budget_limit limits[WF_BUDGET_KINDS];
	pthread_mutex_t lock; /* of what follows, and of all members */
	size_t used[WF_BUDGET_KINDS];
	size_t most;		/* of all kinds, since wf_budget_fall() */
	struct wf_map *members; /* by owner */
};

struct wf_budget *wf_budget_new(
    const struct wf_budget_limit limits[WF_BUDGET_KINDS])
{
	struct wf_budget *budget = wf_calloc(1, sizeof(*budget));

	memcpy(budget->limits, limits, sizeof(budget->limits));
	pthread_mutex_init(&budget->lock, NULL);
	budget->members = wf_map_new();
	return budget;
}

void wf_budget_free(struct wf_budget **budget)
{
	struct wf_budget *old = *budget;

	*budget = NULL;
	if (old == NULL)
		return;
	wf_assert(wf_map_count(old->members) == 0);
	wf_map_free(&old->members);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

size_t wf_budget_used(struct wf_budget *budget, enum wf_budget_kind kind)
{
	size_t used;

	pthread_mutex_lock(&budget->lock);
	used = budget->used[kind];
	pthread_mutex_unlock(&budget->lock);
	return used;
}

/* The lock is held. */
static size_t sum(const struct wf_budget *budget)
{
	size_t bytes = 0;

	for (size_t i = 0; i < WF_BUDGET_KINDS; i++)
		bytes += budget->used[i];
	return bytes;
}

size_t wf_budget_fall(struct wf_budget *budget)
{
	size_t fall;

	pthread_mutex_lock(&budget->lock);
	wf_assert(budget->most >= sum(budget));
	fall = budget->most - sum(budget);
	budget->most -= fall;
	pthread_mutex_unlock(&budget->lock);
	return fall;
}

/* --- members -------------------------------------------------------------- */

static struct wf_member *add_member(struct wf_budget *budget, const char *owner)
{
	size_t size = strlen(owner) + 1;
	struct wf_member *member = wf_calloc(1, sizeof(*member) + size);

	memcpy(member->owner, owner, size);
	(void)wf_map_add(budget->members, owner, member);
	return member;
}

struct wf_member *wf_budget_join(struct wf_budget *budget, const char *owner)
{
	struct wf_member *member;

	pthread_mutex_lock(&budget->lock);
	member = wf_map_get(budget->members, owner);
	if (member == NULL)
		member = add_member(budget, owner);
	member->joined++;
	pthread_mutex_unlock(&budget->lock);
	return member;
}

void wf_budget_leave(struct wf_budget *budget, struct wf_member **member)
{
	struct wf_member *old = *member;

	*member = NULL;
	if (old == NULL)
		return;
	pthread_mutex_lock(&budget->lock);
	wf_assert(old->joined > 0);
	if (--old->joined == 0) {
		for (size_t i = 0; i < WF_BUDGET_KINDS; i++)
			wf_assert(old->held[i] == 0);
		(void)wf_map_remove(budget->members, old->owner);
		wf_free(old);
	}
	pthread_mutex_unlock(&budget->lock);
}

/* --- bytes ---------------------------------------------------------------- */

bool wf_member_take(struct wf_budget *budget, struct wf_member *member,
    enum wf_budget_kind kind, size_t bytes)
{
	const struct wf_budget_limit *limit = &budget->limits[kind];
	bool has_room;

	pthread_mutex_lock(&budget->lock);
	wf_assert(member->joined > 0);
	wf_assert(member->held[kind] <= budget->used[kind]);
	has_room = bytes <= limit->bytes - budget->used[kind] &&
		   (member->held[kind] == 0 ||
		       bytes + member->held[kind] <= limit->share);
	if (has_room) {
		budget->used[kind] += bytes;
		member->held[kind] += bytes;
		if (budget->most < sum(budget))
			budget->most = sum(budget);
	}
	pthread_mutex_unlock(&budget->lock);
	return has_room;
}

void wf_member_give_back(struct wf_budget *budget, struct wf_member *member,
    enum wf_budget_kind kind, size_t bytes)
{
	pthread_mutex_lock(&budget->lock);
	wf_assert(member->held[kind] >= bytes && budget->used[kind] >= bytes);
	budget->used[kind] -= bytes;
	member->held[kind] -= bytes;
	pthread_mutex_unlock(&budget->lock);
}

void wf_member_pass(struct wf_budget *budget, struct wf_member *from,
    struct wf_member *to, enum wf_budget_kind kind, size_t bytes)
{
	pthread_mutex_lock(&budget->lock);
	wf_assert(from->held[kind] >= bytes);
	from->held[kind] -= bytes;
	to->held[kind] += bytes;
	pthread_mutex_unlock(&budget->lock);
}

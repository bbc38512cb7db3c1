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
	bool is_stranger;
	char owner[];
};

struct wf_budget {
	struct wf_budget_limit limits[WF_BUDGET_KINDS];
	pthread_mutex_t lock; /* of what follows, and of all members */
	size_t used[WF_BUDGET_KINDS];
	size_t strangers[WF_BUDGET_KINDS]; /* of used */
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

static struct wf_member *add_member(
    struct wf_budget *budget, const char *owner, bool is_stranger)
{
	size_t size = strlen(owner) + 1;
	struct wf_member *member = wf_calloc(1, sizeof(*member) + size);

	memcpy(member->owner, owner, size);
	member->is_stranger = is_stranger;
	(void)wf_map_add(budget->members, owner, member);
	return member;
}

struct wf_member *wf_budget_join(
    struct wf_budget *budget, const char *owner, bool is_stranger)
{
	struct wf_member *member;

	pthread_mutex_lock(&budget->lock);
	member = wf_map_get(budget->members, owner);
	if (member == NULL)
		member = add_member(budget, owner, is_stranger);
	wf_assert(member->is_stranger == is_stranger);
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

/* The lock is held, here and in the next two. */
static bool has_room(const struct wf_budget *budget,
    const struct wf_member *member, enum wf_budget_kind kind, size_t bytes)
{
	const struct wf_budget_limit *limit = &budget->limits[kind];
	size_t held = member->held[kind];

	wf_assert(member->joined > 0 && held <= budget->used[kind]);
	return bytes <= limit->bytes - budget->used[kind] &&
	       (held == 0 || bytes + held <= limit->share) &&
	       (!member->is_stranger ||
		   bytes + budget->strangers[kind] <= limit->strangers);
}

static void hold(struct wf_budget *budget, struct wf_member *member,
    enum wf_budget_kind kind, size_t bytes)
{
	budget->used[kind] += bytes;
	member->held[kind] += bytes;
	if (member->is_stranger)
		budget->strangers[kind] += bytes;
}

static void let_go(struct wf_budget *budget, struct wf_member *member,
    enum wf_budget_kind kind, size_t bytes)
{
	wf_assert(member->held[kind] >= bytes && budget->used[kind] >= bytes);
	budget->used[kind] -= bytes;
	member->held[kind] -= bytes;
	if (member->is_stranger)
		budget->strangers[kind] -= bytes;
}

bool wf_member_take(struct wf_budget *budget, struct wf_member *member,
    enum wf_budget_kind kind, size_t bytes)
{
	bool taken;

	pthread_mutex_lock(&budget->lock);
	taken = has_room(budget, member, kind, bytes);
	if (taken) {
		hold(budget, member, kind, bytes);
		if (budget->most < sum(budget))
			budget->most = sum(budget);
	}
	pthread_mutex_unlock(&budget->lock);
	return taken;
}

void wf_member_give_back(struct wf_budget *budget, struct wf_member *member,
    enum wf_budget_kind kind, size_t bytes)
{
	pthread_mutex_lock(&budget->lock);
	let_go(budget, member, kind, bytes);
	pthread_mutex_unlock(&budget->lock);
}

void wf_member_pass(struct wf_budget *budget, struct wf_member *from,
    struct wf_member *to, enum wf_budget_kind kind, size_t bytes)
{
	pthread_mutex_lock(&budget->lock);
	let_go(budget, from, kind, bytes);
	hold(budget, to, kind, bytes);
	pthread_mutex_unlock(&budget->lock);
}

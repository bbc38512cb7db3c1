/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Budgets of memory that clients make a server hold: bodies of requests, and
 * answers until they are sent.
 *
 * An owner (an account, or the address of a client that has named none) may
 * use a share of each budget, so that one of them cannot use up what all need.
 * Addresses are easy to get: all owners that are strangers have a share, too.
 *
 *   wf_budget_join() ──► member ──wf_member_take()──► holds bytes
 *                          ▲                              │
 *                          └────wf_member_give_back()─────┘
 */
#ifndef WF_HTTP_BUDGET_H
#define WF_HTTP_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

enum wf_budget_kind { WF_BUDGET_BODIES, WF_BUDGET_ANSWERS, WF_BUDGET_KINDS };

struct wf_budget_limit {
	size_t bytes;
	size_t share;	  /* of an owner, in bytes */
	size_t strangers; /* of all strangers, in bytes */
};

struct wf_budget; /* opaque; safe for all threads */
struct wf_member; /* what an owner holds; opaque */

struct wf_budget *wf_budget_new(
    const struct wf_budget_limit limits[WF_BUDGET_KINDS]);
/* Nothing is held, and all members have left. */
void wf_budget_free(struct wf_budget **budget);
/* Bytes held by all owners. */
size_t wf_budget_used(struct wf_budget *budget, enum wf_budget_kind kind);
/* How far they have fallen below the most since the last call, of all kinds. */
size_t wf_budget_fall(struct wf_budget *budget);

/*
 * The member of that owner, who is always a stranger or never; each call is
 * followed by wf_budget_leave().
 */
struct wf_member *wf_budget_join(
    struct wf_budget *budget, const char *owner, bool is_stranger);
void wf_budget_leave(struct wf_budget *budget, struct wf_member **member);

/*
 * False: the budget, the owner's share of it, or that of the strangers has no
 * room for so much.  An owner that holds nothing needs no share of its own.
 */
bool wf_member_take(struct wf_budget *budget, struct wf_member *member,
    enum wf_budget_kind kind, size_t bytes);
void wf_member_give_back(struct wf_budget *budget, struct wf_member *member,
    enum wf_budget_kind kind, size_t bytes);
/* Another owner holds the bytes from now on, also beyond its share. */
void wf_member_pass(struct wf_budget *budget, struct wf_member *from,
    struct wf_member *to, enum wf_budget_kind kind, size_t bytes);

#endif

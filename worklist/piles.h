/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that are piled to a participant: each new item of the task, in all
 * cases of its version of the specification, is started for the participant.
 *
 *   free ──wf_pile_put()──► piled ──wf_pile_remove()──► free
 *                                 └── wf_pile_take_back()
 */
#ifndef WF_WORKLIST_PILES_H
#define WF_WORKLIST_PILES_H

#include "base/memory.h"
#include "persistence/store.h"

struct wf_piles; /* opaque; safe for all threads */
struct wf_task;

struct wf_pile {
	const char *specification; /* its identifier */
	const char *version;
	const char *task;
	const char *participant;
};

struct wf_pile_list {
	struct wf_pile *rows;
	size_t count;
};

struct wf_piles *wf_piles_new(void);
void wf_piles_free(struct wf_piles **piles);
/* Reads what has changed since the last time. */
enum wf_rc wf_piles_refresh(struct wf_piles *piles, struct wf_store *store,
    struct wf_error *err) WF_MUSTCHECK;
/* How many records were read from the store so far. */
uint64_t wf_piles_reads(struct wf_piles *piles);

/* To whom the task is piled, in the arena; NULL: to nobody. */
const char *wf_piles_find(
    struct wf_piles *piles, const struct wf_task *task, struct wf_arena *arena);
/* Those of a participant (NULL: all), in the arena. */
struct wf_pile_list wf_piles_of(
    struct wf_piles *piles, const char *participant, struct wf_arena *arena);

/*
 * *added_out: if the task was not piled before, the number by which it can be
 * taken back; else 0.  Also a task that was piled before is written again, so
 * that who has piled it first does not take it back.  WF_CONFLICT: it is piled
 * to another participant.
 */
enum wf_rc wf_pile_put(struct wf_piles *piles, struct wf_store *store,
    const struct wf_pile *pile, uint64_t *added_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Removes what wf_pile_put() has added, unless it was put again since. */
enum wf_rc wf_pile_take_back(struct wf_piles *piles, struct wf_store *store,
    const struct wf_pile *pile, uint64_t added,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * WF_NOT_FOUND: the task is not piled; WF_CONFLICT: it is piled to another
 * participant than the one that is given (NULL: to anybody).
 */
enum wf_rc wf_pile_remove(struct wf_piles *piles, struct wf_store *store,
    const struct wf_pile *pile, struct wf_error *err) WF_MUSTCHECK;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audiences that items are offered to, and who is in them.
 *
 * An audience is a record of the store, named like the queue of its items, so
 * an item that is offered to ten thousand people costs its row, and the record
 * only once.  Each node reads the records by change and keeps them in memory.
 *
 *   noted in a step ──keep──► record ──refresh──► in memory, on all nodes
 *                               └── for a day no item ──► removed
 *
 * A node writes an audience again that it has not written for half a day, so
 * that none is removed while a step refers to it.
 */
#ifndef WF_WORKLIST_AUDIENCES_H
#define WF_WORKLIST_AUDIENCES_H

#include "people/audience.h"
#include "persistence/store.h"

struct wf_audiences; /* opaque; safe for all threads */

/* Nothing is read yet. */
struct wf_audiences *wf_audiences_new(void);
void wf_audiences_free(struct wf_audiences **audiences);
/* Reads what has changed since the last time; damaged records are left out. */
enum wf_rc wf_audiences_refresh(struct wf_audiences *audiences,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/* Those that were left out since this was asked last, some at least. */
struct wf_texts wf_audiences_damaged(
    struct wf_audiences *audiences, struct wf_arena *arena);

/* An audience that a step has offered an item to. */
struct wf_audience_note {
	const char *queue;
	struct wf_audience audience;
	struct wf_texts members; /* of its set */
};
/* Whether the audience need not be noted: it is kept, and not for long yet. */
bool wf_audiences_have(
    struct wf_audiences *audiences, const char *queue, int64_t now);
/*
 * Keeps the audiences, in the store and in memory.  now: ms since 1970.
 */
enum wf_rc wf_audiences_keep(struct wf_audiences *audiences,
    struct wf_store *store, const struct wf_audience_note *notes, size_t count,
    int64_t now, struct wf_error *err) WF_MUSTCHECK;

/* Whether the participant is in the set; false: or there is none. */
bool wf_audiences_have_member(
    struct wf_audiences *audiences, const char *set, const char *participant);
/* Who asks wf_audiences_have_member(), as rules need it. */
struct wf_set_keeper wf_audiences_keeper(struct wf_audiences *audiences);
/*
 * Some members of the set, at most limit ids in the arena; returns how many it
 * has, 0: it is not known here.
 */
size_t wf_audiences_set_members(struct wf_audiences *audiences, const char *set,
    size_t limit, struct wf_arena *arena, struct wf_texts *ids_out);
/* Whether the participant sees that queue; false: or it is not known here. */
bool wf_audiences_see(struct wf_audiences *audiences,
    const struct wf_organisation *organisation, const char *queue,
    const char *participant);
/* Whether the queue is known here; one that another node has made is so after
 * the next reading. */
bool wf_audiences_know(struct wf_audiences *audiences, const char *queue);
/*
 * The queues that the participant sees: what the participant has, and the
 * audiences that the participant is in.  In the arena.
 */
struct wf_texts wf_audiences_queues(struct wf_audiences *audiences,
    const struct wf_organisation *organisation, const char *participant,
    struct wf_arena *arena);

/*
 * The queues of items that are offered to live roles which so few participants
 * have now that an item may leave out all of them; at most limit, in the arena.
 */
struct wf_texts wf_audiences_of_few(struct wf_audiences *audiences,
    const struct wf_organisation *organisation, size_t limit,
    struct wf_arena *arena);

/*
 * The ids of the participants of that set who see the queue, some of whom an
 * item in it may leave out; texts are those of the organisation, the rest is in
 * the arena.
 */
struct wf_texts wf_audiences_members(struct wf_audiences *audiences,
    const struct wf_organisation *organisation, const char *queue,
    const uint64_t *set, struct wf_arena *arena);

/*
 * How many participants see the queue; of one that is not known here, 0.  The
 * members of a set are counted also if they are gone since.
 */
size_t wf_audiences_count(struct wf_audiences *audiences,
    const struct wf_organisation *organisation, const char *queue);

/*
 * The participants who are left of the audience of a queue, in the arena; of
 * the queue of what a participant had who was removed, nobody.  False: more
 * than an audience can except, or the audience follows its roles.
 */
bool wf_audiences_are_left(struct wf_audiences *audiences,
    const struct wf_organisation *organisation, const char *queue,
    struct wf_arena *arena, struct wf_texts *left_out);

/*
 * Removes some audiences that were not written for a day and have no item.
 */
enum wf_rc wf_audiences_clean(struct wf_audiences *audiences,
    struct wf_store *store, int64_t now, struct wf_error *err) WF_MUSTCHECK;

#endif

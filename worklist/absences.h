/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When participants and things are not available: entries with a beginning, an
 * end, and how much of the time they take.  Whose entries of a moment take all
 * of it is absent then, and is offered nothing new.  An entry may also be a
 * reservation for an activity of a case.
 *
 *   wf_absence_put() ──► record ──refresh──► in memory, on all nodes
 *                          └── wf_absence_remove() ──► gone
 */
#ifndef WF_WORKLIST_ABSENCES_H
#define WF_WORKLIST_ABSENCES_H

#include "people/organisation/organisation.h"
#include "persistence/store.h"

struct wf_absences; /* opaque; safe for all threads */

/* Resources of which an entry can be, beside an id. */
#define WF_ABSENCE_ALL "ALL_RESOURCES"
#define WF_ABSENCE_PEOPLE "ALL_HUMAN_RESOURCES"
#define WF_ABSENCE_THINGS "ALL_NONHUMAN_RESOURCES"

/* An entry has a text of at most so many bytes. */
#define WF_ABSENCE_TEXT_BYTES 1024U

struct wf_absence {
	uint64_t id; /* 0: a new one */
	/* Of its record, as it was read; 0: whatever it is by now. */
	uint64_t change;
	const char *resource;
	int64_t from; /* milliseconds since 1970; from < to */
	int64_t to;
	unsigned workload; /* percent, 1 to 100 */
	const char *agent; /* who made it */
	const char *comment;
	const char *status; /* NULL: WF_ABSENCE_STATUS */
	/* Of a reservation: what for; NULL or "": it is none. */
	const char *case_id;
	const char *activity;
	const char *phase; /* "POU", "SOU" or "EOU" */
};

#define WF_ABSENCE_STATUS "unavailable"

static inline bool wf_absence_is_reserved(const struct wf_absence *absence)
{
	return absence->case_id != NULL && absence->case_id[0] != '\0';
}

/* An entry that comes, is replaced or goes. */
struct wf_absence_change {
	struct wf_absence entry;
	bool is_removed;
};

struct wf_absence_list {
	struct wf_absence *rows;
	size_t count;
};

struct wf_absences *wf_absences_new(void);
void wf_absences_free(struct wf_absences **absences);
/* Reads what has changed since the last time. */
enum wf_rc wf_absences_refresh(struct wf_absences *absences,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/* How many records were read from the store so far. */
uint64_t wf_absences_reads(struct wf_absences *absences);

/* Those of the resource that overlap the time, in the arena, by their ids. */
struct wf_absence_list wf_absences_of(struct wf_absences *absences,
    const char *resource, int64_t from, int64_t to, struct wf_arena *arena);
/* False: there is none with that id. */
bool wf_absence_find(struct wf_absences *absences, uint64_t id,
    struct wf_arena *arena, struct wf_absence *absence_out);
/*
 * Who is absent at that time, in the arena; NULL: nobody.
 */
const uint64_t *wf_absences_at(struct wf_absences *absences,
    const struct wf_organisation *organisation, int64_t now,
    struct wf_arena *arena);

/* Whether the entries of that thing take all of its time at that moment. */
bool wf_absences_thing(
    struct wf_absences *absences, const char *thing, int64_t now);

/*
 * Adds or replaces an entry and sets its id.  actor: the account that does so.
 * WF_INVALID: it has no duration, no workload, or too long a text.
 * WF_CONFLICT: entries of the resource would take more than all of its time, or
 * the entry was changed since it was read.
 */
enum wf_rc wf_absence_put(struct wf_absences *absences, struct wf_store *store,
    struct wf_absence *absence, const char *actor,
    struct wf_error *err) WF_MUSTCHECK;
/* Changes an entry, whose texts must last until the edit is done. */
typedef void (*wf_absence_edit_f)(void *context, struct wf_absence *absence);
/*
 * Changes the entry as it is by then: if somebody else was first, edit is
 * called again with what that one wrote.  WF_NOT_FOUND; others as of
 * wf_absence_put().
 */
enum wf_rc wf_absence_edit(struct wf_absences *absences, struct wf_store *store,
    uint64_t id, wf_absence_edit_f edit, void *context, const char *actor,
    struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND. */
enum wf_rc wf_absence_remove(struct wf_absences *absences,
    struct wf_store *store, uint64_t id, const char *actor,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Makes all of the changes or none, and sets the ids of new entries.  No two
 * are of one entry.  Listeners of other accounts than the actor's hear of what
 * changes its status (worklist/listeners.h).  Errors as of wf_absence_put();
 * WF_NOT_FOUND: one that is to be removed is not there.
 */
enum wf_rc wf_absences_change(struct wf_absences *absences,
    struct wf_store *store, struct wf_absence_change *changes, size_t count,
    const char *actor, struct wf_error *err) WF_MUSTCHECK;
/* Whether the last of them could be made after the others; writes nothing. */
enum wf_rc wf_absences_check(struct wf_absences *absences,
    const struct wf_absence_change *changes, size_t count,
    struct wf_error *err) WF_MUSTCHECK;
/* Those of a case and activity, in the arena, by ids. */
struct wf_absence_list wf_absences_reserved(struct wf_absences *absences,
    const char *case_id, const char *activity, struct wf_arena *arena);

#endif

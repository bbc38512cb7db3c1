/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deputies: who acts in the place of whom, from when to when, for which
 * processes.  A deputy sees the items of the person and does them with the
 * privileges of the person.  It ends by the clock alone.
 *
 *   wf_deputy_put() ──► record ──refresh──► in memory, on all nodes
 *                         └── wf_deputy_remove() ──► gone
 *
 * It is not passed on: a deputy of a deputy does not act for the first.  So
 * circles do no harm: two may act for each other.
 */
#ifndef WF_WORKLIST_DEPUTIES_H
#define WF_WORKLIST_DEPUTIES_H

#include "people/organisation/record.h"
#include "persistence/store.h"

struct wf_deputies; /* opaque; safe for all threads */

/* Entries of one person that have not ended, and persons for whom one acts at a
 * time, at most. */
#define WF_DEPUTIES 20U
/* Processes of an entry, at most. */
#define WF_DEPUTY_PROCESSES 100U
#define WF_DEPUTY_TEXT_BYTES 1024U

struct wf_deputy {
	uint64_t id; /* 0: a new one */
	/* Of its record, as it was read; 0: whatever it is by now. */
	uint64_t change;
	const char *person;
	const char *deputy;
	int64_t from; /* milliseconds since 1970; from < to */
	int64_t to;
	struct wf_texts processes; /* identifiers or URIs; none: all */
	const char *agent;	   /* the account that made it */
	const char *comment;
};

struct wf_deputy_list {
	struct wf_deputy *rows;
	size_t count;
};

struct wf_deputies *wf_deputies_new(void);
void wf_deputies_free(struct wf_deputies **deputies);
/* Reads what has changed since the last time. */
enum wf_rc wf_deputies_refresh(struct wf_deputies *deputies,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/* How many records were read from the store so far. */
uint64_t wf_deputies_reads(struct wf_deputies *deputies);

/* The entries of a person that have not ended at that time, in the arena. */
struct wf_deputy_list wf_deputies_of(struct wf_deputies *deputies,
    const char *person, int64_t now, struct wf_arena *arena);
/* All by which somebody acts at that time, in the arena. */
struct wf_deputy_list wf_deputies_at(
    struct wf_deputies *deputies, int64_t now, struct wf_arena *arena);
/*
 * By which entries the participant acts for others at that time (later: or will
 * act), in the arena; by an index.
 */
struct wf_deputy_list wf_deputies_by(struct wf_deputies *deputies,
    const char *deputy, int64_t now, bool later, struct wf_arena *arena);
/* False: there is none with that id. */
bool wf_deputy_find(struct wf_deputies *deputies, uint64_t id,
    struct wf_arena *arena, struct wf_deputy *deputy_out);
/* Whether an entry is for the process; either name may be NULL. */
bool wf_deputy_is_for(
    const struct wf_deputy *deputy, const char *identifier, const char *uri);

/*
 * Adds an entry and sets its id; entries of the person that ended before now
 * are removed.  WF_INVALID: it has no duration, has ended, is for oneself, or a
 * text or list is too long.  WF_LIMIT: there are WF_DEPUTIES already.
 * WF_CONFLICT: the entry was changed since it was read.
 */
enum wf_rc wf_deputy_put(struct wf_deputies *deputies, struct wf_store *store,
    struct wf_deputy *deputy, int64_t now, struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND. */
enum wf_rc wf_deputy_remove(struct wf_deputies *deputies,
    struct wf_store *store, uint64_t id, struct wf_error *err) WF_MUSTCHECK;

#endif

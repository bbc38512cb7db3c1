/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that follows the history, of one server of those on a store.
 *
 *   WAITING ──take──► LEADING ──round──► more: at once
 *      ▲                 │  ▲              │ else: at the next news
 *      └── another leads ┘  └──────────────┘
 *
 * How far it is stands in a record of the store, with the server that has it:
 * for 90 s, or lease_ms, since that server wrote it; another takes over when
 * that has passed, or at once when the first one stops, or when the store has
 * one server at a time, or when that is a time that no clock of a server has:
 * clocks differ by WF_CLOCKS_MS at most.  A server that starts goes on from the
 * record, so what was done since it was written is done again.
 */
#ifndef WF_WORK_FOLLOWER_H
#define WF_WORK_FOLLOWER_H

#include <jansson.h>
#include <stdatomic.h>

#include "runtime/engine.h"

/* Rows of the history that are read at once. */
#define WF_FOLLOWER_PAGE_ROWS 100U

struct wf_follower; /* opaque */

/* What one does; all but the name is called by its thread. */
struct wf_following {
	const char *kind; /* of the record */
	const char *name;
	/*
	 * Reads the record, whose members "owner" and "until" are the
	 * follower's; NULL: there is none yet.  False: it cannot be taken now.
	 */
	bool (*read)(
	    void *context, struct wf_store *store, const json_t *record);
	/* Adds its members to the record. */
	void (*write)(void *context, json_t *record);
	/* How long another server waits for one that was killed; 0: 90 s. */
	int64_t lease_ms;
	/* Does what there is to do; true: there is more. */
	bool (*round)(void *context, struct wf_store *store);
	void *context;
};

/* The engine and what following points to must outlive it. */
struct wf_follower *wf_follower_new(
    struct wf_engine *engine, const struct wf_following *following);
enum wf_rc wf_follower_start(
    struct wf_follower *follower, struct wf_error *err) WF_MUSTCHECK;
/* The history may have new steps. */
void wf_follower_wake(struct wf_follower *follower);
/* Ends the thread, if there is one, before the engine is closed. */
void wf_follower_stop(struct wf_follower *follower);
/* It must have stopped. */
void wf_follower_free(struct wf_follower **follower);
/* Becomes true when the thread is to end; whatever waits should check it. */
const atomic_bool *wf_follower_stopping(const struct wf_follower *follower);

/* --- for its thread ------------------------------------------------------- */

/* Takes the record if it can, and does what there is to do; true: more. */
bool wf_follower_round(struct wf_follower *follower);
/*
 * Writes the record when it is time, or at once: every second after
 * wf_follower_note(), else every 20 s.  False: another server has taken it, or
 * the store cannot be written.
 */
bool wf_follower_save(
    struct wf_follower *follower, struct wf_store *store, bool at_once);
/* Something was done that is not to be done again. */
void wf_follower_note(struct wf_follower *follower);
/*
 * Has nothing to do: gives the record up, which any server takes again as soon
 * as its following->read() can, and is not woken by news meanwhile.
 */
void wf_follower_rest(struct wf_follower *follower, struct wf_store *store);
/* False: another server has taken the record. */
bool wf_follower_leads(const struct wf_follower *follower);
/* Until that time has passed, or (for_news) something is new, or it stops. */
void wf_follower_pause(struct wf_follower *follower, int64_t ms, bool for_news);
/*
 * The rows behind the cursor.  What was retired cannot be read any more: then
 * there is none, and list_out->next is the end.
 */
enum wf_rc wf_follower_page(struct wf_store *store,
    const struct wf_cursor *cursor, struct wf_arena *arena,
    struct wf_history_list *list_out) WF_MUSTCHECK;
/* The place behind a row. */
struct wf_cursor wf_follower_behind(
    const struct wf_history_row *row, uint64_t retirements);
/* A place in the record; false, and zeros: it has none. */
void wf_follower_put_cursor(
    json_t *object, const char *member, const struct wf_cursor *cursor);
bool wf_follower_read_cursor(
    const json_t *object, const char *member, struct wf_cursor *cursor_out);

#endif

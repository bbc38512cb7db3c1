/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which variables cases are found by: an index is a record that names a
 * variable of the root net, or an element in it, of all versions of one
 * specification or of every specification of a namespace.
 *
 *   wf_index_add() ──► FILLING ──all earlier cases have their terms──► READY
 *                         │                                              │
 *                         └──────wf_index_remove()──► REMOVING ◄─────────┘
 *                                                        │
 *                                  all terms are empty ──┴──► no record
 *
 * Steps write terms from the moment that their engine knows the index.  A
 * server goes through the earlier cases by number (server/index_fill.c); the
 * record says how far it has come.  One record stands for the words of cases
 * from before there was table "term".
 */
#ifndef WF_PERSISTENCE_INDEXES_H
#define WF_PERSISTENCE_INDEXES_H

#include "persistence/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Indexes that a case may have terms of, and all of a namespace. */
#define WF_CASE_INDEXES 8U
#define WF_NAMESPACE_INDEXES 100U

enum wf_index_state { WF_INDEX_FILLING, WF_INDEX_READY, WF_INDEX_REMOVING };

struct wf_index {
	uint32_t namespace_id;
	const char *specification; /* its URI; "*": any */
	const char *variable;	   /* "order/customer" */
	enum wf_term_type type;
	enum wf_index_state state;
	int64_t since;	 /* when it came into the state; ms since 1970 */
	uint64_t filled; /* the cases up to this number are done */
};

struct wf_index_list {
	struct wf_index *rows; /* by namespace, variable, specification */
	size_t count;
};

struct wf_indexes; /* opaque; safe for all threads */

struct wf_indexes *wf_indexes_new(void);
void wf_indexes_free(struct wf_indexes **indexes);
/* Reads what has changed since the last time. */
enum wf_rc wf_indexes_refresh(struct wf_indexes *indexes,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/* Another number after each change; 0: there are none. */
uint64_t wf_indexes_version(struct wf_indexes *indexes);

/* Those of a namespace (0: of all), without that of words. */
struct wf_index_list wf_indexes_of(
    struct wf_indexes *indexes, uint32_t namespace_id, struct wf_arena *arena);
/* That of words; false: it has not been made yet. */
bool wf_indexes_words(struct wf_indexes *indexes, struct wf_arena *arena,
    struct wf_index *index_out);
bool wf_index_is_words(const struct wf_index *index);
/* Whether it is of the specification with that URI. */
bool wf_index_is_of(const struct wf_index *index, const char *uri);

/* "filling" */
const char *wf_index_state_name(enum wf_index_state state);

/*
 * Adds an index in the state FILLING.  WF_CONFLICT: the variable is indexed or
 * being removed already, for this specification, or for any; WF_LIMIT: there
 * are too many.
 */
enum wf_rc wf_index_add(struct wf_indexes *indexes, struct wf_store *store,
    const struct wf_index *index, struct wf_error *err) WF_MUSTCHECK;
/* Makes it REMOVING.  WF_NOT_FOUND. */
enum wf_rc wf_index_remove(struct wf_indexes *indexes, struct wf_store *store,
    const struct wf_index *index, int64_t now,
    struct wf_error *err) WF_MUSTCHECK;

/* --- filling -------------------------------------------------------------- */

/*
 * Writes how far the index has come, unless somebody has changed its state.
 * done: FILLING becomes READY, and REMOVING is removed.
 */
enum wf_rc wf_index_note(struct wf_indexes *indexes, struct wf_store *store,
    const struct wf_index *index, uint64_t filled, bool done, int64_t now,
    struct wf_error *err) WF_MUSTCHECK;
/* Adds that of words, if it is missing; ready: there are no cases yet. */
enum wf_rc wf_index_add_words(struct wf_indexes *indexes,
    struct wf_store *store, bool ready, int64_t now,
    struct wf_error *err) WF_MUSTCHECK;

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a kind in memory, read and written by change.
 *
 *   wf_record_cache_refresh() ──► changed and removed records ──► entries
 *             ▲                                                     │
 *             │                  wf_record_cache_find(), choose() ◄─┤
 *             │ again, after                                        ▼
 *             └─ WF_CONFLICT ◄── written with what was read ◄── decided
 *                                                (wf_record_cache_edit())
 *
 * A refresh costs what has changed since the last one, not what the kind has;
 * only a reader that is more than WF_RECORD_CHANGES_KEPT changes behind reads
 * all.  So each server keeps its kinds and refreshes them once a second.
 */
#ifndef WF_PERSISTENCE_RECORD_CACHE_H
#define WF_PERSISTENCE_RECORD_CACHE_H

#include "persistence/store.h"

struct wf_record_cache; /* opaque; safe for all threads */

/* Texts by which the entries of a kind are found, at most. */
#define WF_RECORD_KEYS 2U

/* How records of a kind become entries, which are structs. */
struct wf_record_kind {
	const char *kind;
	size_t size; /* of an entry */
	/*
	 * Fills the entry, which is zeroed; what it points to is in the arena.
	 * False: the record is damaged, and so left out.
	 */
	bool (*read)(const struct wf_record_row *row, void *entry,
	    struct wf_arena *arena);
	/* Copies an entry with what it points to. */
	void (*copy)(const void *from, void *to, struct wf_arena *arena);
	/* Places of members that are const char *; "": not found by it. */
	size_t keys[WF_RECORD_KEYS];
	unsigned key_count;
};

/* Empty until it is refreshed; the kind outlives it. */
struct wf_record_cache *wf_record_cache_new(const struct wf_record_kind *kind);
void wf_record_cache_free(struct wf_record_cache **cache);
/*
 * Reads what has changed since the last time.  Threads that ask while another
 * one reads wait for it, and then one of them reads for all: what a call gives
 * is of a reading that has begun after it.
 */
enum wf_rc wf_record_cache_refresh(struct wf_record_cache *cache,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/* For tests: how many threads wait until another one has read. */
unsigned wf_record_cache_waiting(struct wf_record_cache *cache);
/* Another number after each refresh that has read something; never 0 then. */
uint64_t wf_record_cache_version(struct wf_record_cache *cache);
/* How many records were read from the store so far. */
uint64_t wf_record_cache_reads(struct wf_record_cache *cache);

/* --- asking; no store is read --------------------------------------------- */

/* A copy in the arena; false: there is none. */
bool wf_record_cache_find(struct wf_record_cache *cache, uint32_t namespace_id,
    const char *name, struct wf_arena *arena, void *entry_out);

/* Which entries. */
struct wf_record_choice {
	unsigned key;	  /* its number, in wf_record_kind */
	const char *text; /* that it has; NULL: all entries */
	/*
	 * Whether the entry is one of them, or NULL: it is.  It is called once
	 * for an entry, and may call nothing of the cache.
	 */
	bool (*fits)(void *context, const void *entry);
	void *context;
};

/*
 * Copies of *count_out entries in the arena, one behind another, by namespace,
 * then name (bytewise).
 */
void *wf_record_cache_choose(struct wf_record_cache *cache,
    const struct wf_record_choice *choice, struct wf_arena *arena,
    size_t *count_out);
/* How many they are. */
size_t wf_record_cache_count(
    struct wf_record_cache *cache, const struct wf_record_choice *choice);

/* --- changing ------------------------------------------------------------- */

/* The change of a record, also of a damaged one; WF_RECORD_NEW: none. */
uint64_t wf_record_cache_change(
    struct wf_record_cache *cache, uint32_t namespace_id, const char *name);

/* What is to be written. */
struct wf_record_edit {
	struct wf_record_row *rows; /* with wf_record_cache_change() */
	size_t count;		    /* 0: nothing */
	/*
	 * It depends on other records of its kind too: it is written only if no
	 * other edit that does so was first.  What is not so may only make
	 * room.
	 */
	bool alone;
	/* Becomes the change by which it was written; or NULL. */
	uint64_t *change_out;
};

/*
 * The head of a kind is a record of it without an entry, which edits that are
 * alone write too.  Whoever writes something else that they depend on writes
 * this row with it: edits that are under way then are decided again.
 */
struct wf_record_row wf_record_head(const char *kind);

/*
 * Decides from what the cache has, in the arena, which lives until the rows are
 * written or it is called again.  A failure ends the edit.
 */
typedef enum wf_rc (*wf_record_decide_f)(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit_out, struct wf_error *err);

/*
 * Refreshes the cache, decides and writes; if somebody else was first, it does
 * so again.  Afterwards the cache has the changes, unless it cannot be
 * refreshed: what is written is WF_OK.  WF_UNAVAILABLE: others were first each
 * time.
 */
enum wf_rc wf_record_cache_edit(struct wf_record_cache *cache,
    struct wf_store *store, wf_record_decide_f decide, void *context,
    struct wf_error *err) WF_MUSTCHECK;

#endif

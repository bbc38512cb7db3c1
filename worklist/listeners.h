/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who listens to what people do, and to the calendar: addresses that are
 * posted to.  A listener is a record of the store.
 *
 *   history ─────────────────────────────────► listeners of work
 *   entry of the calendar ──► news, a record ──► listener of the calendar
 *        (one change of the store)              └── posted: removed
 *
 * Listeners of work follow the history.  Of the calendar there is none, so what
 * each listener is to hear is written with the entry.
 */
#ifndef WF_WORKLIST_LISTENERS_H
#define WF_WORKLIST_LISTENERS_H

#include "persistence/store.h"
#include "worklist/absences.h"

/* As many as there may be, of both kinds. */
#define WF_LISTENERS 32U
/* News that wait, of all listeners, who share this; further ones are lost. */
#define WF_STATUS_NEWS 1000U

enum wf_listener_kind { WF_LISTENER_OF_WORK, WF_LISTENER_OF_CALENDAR };

struct wf_listener {
	enum wf_listener_kind kind;
	const char *name; /* of the record */
	const char *uri;
	const char *account;   /* that has added it */
	struct wf_cursor from; /* the end of the history then */
};

struct wf_listener_list {
	struct wf_listener *rows;
	size_t count;
};

/* Who listens, and what waits for them, in memory. */
struct wf_listeners; /* opaque; safe for all threads */

struct wf_listeners *wf_listeners_new(void);
void wf_listeners_free(struct wf_listeners **listeners);
/* Reads what has changed since the last time. */
enum wf_rc wf_listeners_refresh(struct wf_listeners *listeners,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/*
 * Another number when who listens, or what waits, has changed; never 0 once it
 * was read.
 */
uint64_t wf_listeners_version(struct wf_listeners *listeners);
/* How many records were read from the store so far. */
uint64_t wf_listeners_reads(struct wf_listeners *listeners);
/* All of them, at most WF_LISTENERS, in the arena. */
struct wf_listener_list wf_listeners_all(
    struct wf_listeners *listeners, struct wf_arena *arena);

/*
 * Adds one, which may be there already.  WF_INVALID: no URL of http or https;
 * WF_LIMIT: there are too many.
 */
enum wf_rc wf_listener_add(struct wf_store *store, enum wf_listener_kind kind,
    const char *uri, const char *account, struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND. */
enum wf_rc wf_listener_remove(struct wf_store *store,
    enum wf_listener_kind kind, const char *uri,
    struct wf_error *err) WF_MUSTCHECK;

/* --- news of the calendar ------------------------------------------------- */

/* The status is "nil" where there is no entry. */
struct wf_status_change {
	const struct wf_absence *entry;
	const char *before;
	const char *after;
};

/* Rows to be written with the entry: room for one for each listener. */
struct wf_status_news_list {
	struct wf_record_row *rows;
	size_t count;
	bool is_read; /* what follows */
	struct wf_listener_list listeners;
	size_t waiting_count; /* of all listeners */
	size_t share;	      /* of each listener */
};

/*
 * Adds a row for each listener of the calendar but those of the actor's
 * account.
 */
enum wf_rc wf_status_news_make(struct wf_listeners *listeners,
    struct wf_store *store, const struct wf_status_change *change,
    const char *actor, struct wf_status_news_list *news, struct wf_arena *arena,
    struct wf_error *err) WF_MUSTCHECK;

/* One that waits. */
struct wf_status_news {
	const char *name;     /* of the record; in the order of time */
	const char *listener; /* the name of its record */
	uint64_t entry;
	const char *resource;
	const char *case_id; /* "": no reservation */
	const char *activity;
	const char *before;
	const char *after;
	int64_t at; /* by the clock of the node, ms since 1970 */
};

/*
 * What waits for a listener, by the name of its record (NULL: for all), as it
 * was refreshed last: *count_out of them, oldest first, in the arena.
 */
struct wf_status_news *wf_status_news_of(struct wf_listeners *listeners,
    const char *listener, struct wf_arena *arena, size_t *count_out);
enum wf_rc wf_status_news_remove(struct wf_store *store, const char *name,
    struct wf_error *err) WF_MUSTCHECK;

#endif

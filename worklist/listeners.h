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
	bool whole;	 /* false: nothing has changed, and nothing is read */
	uint64_t change; /* the next "after" */
};

/* All of them, if one has changed after that change; in the arena. */
enum wf_rc wf_listeners_read(struct wf_store *store, uint64_t after,
    struct wf_arena *arena, struct wf_listener_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;
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
	struct wf_record_list waiting;
	size_t share; /* of each listener */
};

/*
 * Adds a row for each listener of the calendar but those of the actor's
 * account.
 */
enum wf_rc wf_status_news_make(struct wf_store *store,
    const struct wf_status_change *change, const char *actor,
    struct wf_status_news_list *news, struct wf_arena *arena,
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

/* All that wait, oldest first; *count_out of them, in the arena. */
enum wf_rc wf_status_news_read(struct wf_store *store, struct wf_arena *arena,
    struct wf_status_news **rows_out, size_t *count_out,
    struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_status_news_remove(struct wf_store *store, const char *name,
    struct wf_error *err) WF_MUSTCHECK;

#endif

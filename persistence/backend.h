/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an implementation of the store contract fills in: private to
 * persistence/.
 *
 * Its handle begins with struct wf_store.  The functions are those of
 * persistence/store.h, called with a handle that was checked; begin and
 * commit are called in turn, abort only inside a batch.  Before each
 * statement comes wf_statement().
 */
#ifndef WF_PERSISTENCE_BACKEND_H
#define WF_PERSISTENCE_BACKEND_H

#include "persistence/store.h"

struct wf_store_ops {
	void (*close)(struct wf_store *store); /* frees the handle */
	void (*abort)(struct wf_store *store);
	enum wf_rc (*reserve)(struct wf_store *store, enum wf_counter counter,
	    uint64_t count, uint64_t *first_out, struct wf_error *err);
	enum wf_rc (*reserve_above)(struct wf_store *store,
	    enum wf_counter counter, uint64_t least, struct wf_error *err);
	enum wf_rc (*begin)(struct wf_store *store, struct wf_batch *batch,
	    struct wf_arena *arena, struct wf_error *err);
	enum wf_rc (*commit)(struct wf_store *store,
	    const struct wf_writes *writes, uint64_t *culprit_out,
	    struct wf_error *err);
	enum wf_rc (*value)(struct wf_store *store, uint64_t number,
	    uint32_t value, struct wf_arena *arena, struct wf_bytes *text_out,
	    struct wf_error *err);
	enum wf_rc (*forget_answers)(struct wf_store *store, int64_t before,
	    size_t limit, size_t *count_out, struct wf_error *err);
	enum wf_rc (*find)(struct wf_store *store, uint32_t namespace_id,
	    const char *const *names, size_t count, uint64_t *numbers_out,
	    struct wf_error *err);
	enum wf_rc (*stored_case)(struct wf_store *store, uint64_t number,
	    bool state, struct wf_arena *arena, struct wf_stored_case *case_out,
	    struct wf_error *err);
	enum wf_rc (*cases)(struct wf_store *store,
	    const struct wf_case_filter *filter, struct wf_arena *arena,
	    struct wf_case_list *list_out, struct wf_error *err);
	enum wf_rc (*items)(struct wf_store *store,
	    const struct wf_item_filter *filter, struct wf_arena *arena,
	    struct wf_item_list *list_out, struct wf_error *err);
	enum wf_rc (*claim_items)(struct wf_store *store,
	    const struct wf_item_filter *filter, const char *owner, int64_t now,
	    int64_t until, struct wf_arena *arena,
	    struct wf_item_list *list_out, struct wf_error *err);
	enum wf_rc (*heartbeat)(struct wf_store *store, uint64_t number,
	    const char *id, const char *owner, uint64_t fence, int64_t until,
	    struct wf_error *err);
	enum wf_rc (*release)(struct wf_store *store, uint64_t number,
	    const char *id, const char *owner, uint64_t fence,
	    int64_t not_before, struct wf_error *err);
	enum wf_rc (*expired_items)(struct wf_store *store, int64_t now,
	    size_t limit, struct wf_arena *arena, struct wf_item_list *list_out,
	    struct wf_error *err);
	enum wf_rc (*claim_due)(struct wf_store *store, int64_t now,
	    int64_t until, size_t limit, struct wf_arena *arena,
	    struct wf_due_list *list_out, struct wf_error *err);
	enum wf_rc (*next_due)(
	    struct wf_store *store, int64_t *at_out, struct wf_error *err);
	enum wf_rc (*due_of)(struct wf_store *store, uint64_t number,
	    const char *after, size_t limit, struct wf_arena *arena,
	    struct wf_due_list *list_out, struct wf_error *err);
	enum wf_rc (*claim_messages)(struct wf_store *store,
	    const char *destination, int64_t now, int64_t until, size_t limit,
	    struct wf_arena *arena, struct wf_message_list *list_out,
	    struct wf_error *err);
	enum wf_rc (*acknowledge)(struct wf_store *store,
	    const struct wf_message_key *keys, size_t count,
	    struct wf_error *err);
	enum wf_rc (*postpone)(struct wf_store *store,
	    const struct wf_message_key *keys, size_t count, int64_t at,
	    bool tried, struct wf_error *err);
	enum wf_rc (*redirect)(struct wf_store *store,
	    const struct wf_message_key *keys, size_t count,
	    const char *destination, struct wf_error *err);
	enum wf_rc (*history)(struct wf_store *store,
	    const struct wf_history_filter *filter, struct wf_arena *arena,
	    struct wf_history_list *list_out, struct wf_error *err);
	enum wf_rc (*history_end)(struct wf_store *store,
	    struct wf_cursor *cursor_out, struct wf_error *err);
	enum wf_rc (*case_history)(struct wf_store *store, uint64_t number,
	    uint64_t after, size_t limit, struct wf_arena *arena,
	    struct wf_history_list *list_out, struct wf_error *err);
	enum wf_rc (*retire)(struct wf_store *store, int64_t before,
	    size_t limit, size_t *count_out, struct wf_error *err);
	enum wf_rc (*incidents)(struct wf_store *store,
	    const struct wf_incident_filter *filter, struct wf_arena *arena,
	    struct wf_incident_list *list_out, struct wf_error *err);
	enum wf_rc (*incident)(struct wf_store *store, uint64_t id,
	    struct wf_arena *arena, struct wf_incident_row *row_out,
	    struct wf_error *err);
	enum wf_rc (*change)(
	    struct wf_store *store, uint64_t *change_out, struct wf_error *err);
	enum wf_rc (*put_specification)(struct wf_store *store,
	    const struct wf_specification_row *row, struct wf_error *err);
	enum wf_rc (*specification)(struct wf_store *store,
	    uint32_t namespace_id, uint64_t key, struct wf_arena *arena,
	    struct wf_specification_row *row_out, struct wf_error *err);
	enum wf_rc (*remove_specification)(struct wf_store *store,
	    uint32_t namespace_id, uint64_t key, struct wf_error *err);
	enum wf_rc (*specifications)(struct wf_store *store,
	    const struct wf_specification_filter *filter,
	    struct wf_arena *arena, struct wf_specification_list *list_out,
	    struct wf_error *err);
	enum wf_rc (*put_record)(struct wf_store *store,
	    const struct wf_record_row *row, struct wf_error *err);
	enum wf_rc (*record)(struct wf_store *store, uint32_t namespace_id,
	    const char *kind, const char *name, struct wf_arena *arena,
	    struct wf_record_row *row_out, struct wf_error *err);
	enum wf_rc (*records)(struct wf_store *store, const char *kind,
	    struct wf_arena *arena, struct wf_record_list *list_out,
	    struct wf_error *err);
	enum wf_rc (*notify)(struct wf_store *store, struct wf_error *err);
	enum wf_rc (*wait)(struct wf_store *store, int milliseconds,
	    bool *told_out, struct wf_error *err);
	enum wf_rc (*backlog)(struct wf_store *store,
	    struct wf_store_backlog *backlog_out, struct wf_error *err);
	enum wf_rc (*facts)(struct wf_store *store,
	    struct wf_store_facts *facts_out, struct wf_error *err);
	/* NULL: there is no file to copy. */
	enum wf_rc (*backup)(
	    struct wf_store *store, const char *path, struct wf_error *err);
	enum wf_rc (*verify)(struct wf_store *store, wf_notify_f tell,
	    void *context, struct wf_error *err);
	enum wf_rc (*exports)(struct wf_store *store, uint64_t after,
	    size_t limit, struct wf_arena *arena,
	    struct wf_case_export_list *list_out, struct wf_error *err);
};

#define WF_STORE_MAGIC 0x53746f72U

struct wf_store {
	uint32_t magic;
	const struct wf_store_ops *ops;
	char *url; /* to show */
	char identity[33];
	uint32_t version; /* of the tables */
	uint32_t version_found;
	bool shared;
	bool in_batch;
	uint64_t statements;
	uint64_t fail_after;
	enum wf_fault fault;
	bool lost;	 /* the answer to this statement is to be lost */
	uint64_t faults; /* that there were */
};

/* Fills the head of a handle; url is copied. */
void wf_store_init(struct wf_store *store, const struct wf_store_ops *ops,
    const char *url, bool shared);

/*
 * Counts a statement, and fails in its place when a test wants that.
 */
enum wf_rc wf_statement(
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/*
 * After the statement, whose result is rc: that, or when its answer is to be
 * lost WF_LOST for one that wrote for good, WF_IO for another.
 */
enum wf_rc wf_statement_end(struct wf_store *store, bool wrote, enum wf_rc rc,
    struct wf_error *err) WF_MUSTCHECK;

/* --- refusals, in the same words on all stores --- */

/* WF_CONFLICT about a case, which is the culprit: "case 7: what". */
enum wf_rc wf_conflict(struct wf_error *err, uint64_t *culprit_out,
    uint64_t number, const char *what);

/* WF_NOT_FOUND: "there is no WHAT NUMBER". */
enum wf_rc wf_missing(struct wf_error *err, const char *what, uint64_t number);
/* The same for a large value of a case. */
enum wf_rc wf_fail_value(struct wf_error *err, uint64_t number, uint32_t value);
enum wf_rc wf_fail_item(struct wf_error *err, const char *id);
/* For wf_store_heartbeat() and wf_store_release(). */
enum wf_rc wf_fail_lease(struct wf_error *err, const char *id);

/* Whether a comes before b in the stream of history. */
bool wf_is_before(const struct wf_cursor *a, const struct wf_cursor *b);
/*
 * WF_GONE for a cursor before rows that were retired since it was handed out.
 * retired: of the last row that is no longer held.
 */
enum wf_rc wf_check_cursor(const struct wf_cursor *cursor,
    const struct wf_cursor *retired, struct wf_error *err);
/* Another source has that key. */
enum wf_rc wf_fail_specification(struct wf_error *err, uint64_t key);
enum wf_rc wf_fail_in_use(struct wf_error *err, uint64_t key);
enum wf_rc wf_fail_record(
    struct wf_error *err, const char *kind, const char *name);

/* wf_store_case_exports() by other calls, a handful for each case. */
enum wf_rc wf_collect_case_exports(struct wf_store *store, uint64_t after,
    size_t limit, struct wf_arena *arena, struct wf_case_export_list *list_out,
    struct wf_error *err);

/* By number and sequence, as positions are given; for wf_free(). */
const struct wf_history_row **wf_history_sorted(
    const struct wf_history_row *rows, size_t count);

/* Thirty-two random digits for a new store. */
enum wf_rc wf_make_identity(
    char identity_out[33], struct wf_error *err) WF_MUSTCHECK;

/* "case", "incident", "message": as counters are called in tables. */
const char *wf_counter_name(enum wf_counter counter);

/* Rows of history that are read at once hold about so many bytes. */
#define WF_HISTORY_BYTES ((size_t)4 << 20)

/* What opens each kind of store; rest: the URL behind its scheme. */
enum wf_rc wf_memory_open(struct wf_store **store_out, const char *url,
    const char *rest, unsigned flags, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_postgresql_open(struct wf_store **store_out, const char *url,
    const char *rest, unsigned flags, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_sqlite_open(struct wf_store **store_out, const char *url,
    const char *rest, unsigned flags, struct wf_error *err) WF_MUSTCHECK;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A new store of each kind for the tests of stores, and small batches to fill
 * it with.
 */
#ifndef WF_TESTS_STORE_FIXTURE_H
#define WF_TESTS_STORE_FIXTURE_H

#include <libpq-fe.h>

#include "persistence/store.h"

/* A store with two handles, and a third that keeps it alive. */
struct store_fixture {
	char folder[64];
	char schema[32];
	char url[192];
	bool is_own;		 /* no other test uses the schema */
	struct wf_store *keeper; /* memory is gone with its last handle */
	struct wf_store *store;
	struct wf_store *other;
	struct wf_arena *arena;
	struct wf_error err;
};

/* Makes an empty store, with url; removes it. */
struct store_kind {
	const char *name;
	void (*make)(struct store_fixture *f);
	void (*unmake)(struct store_fixture *f);
};

extern const struct store_kind store_kinds[];
/* Without PostgreSQL, which is the last, where it is not available. */
size_t store_kind_count(void);
/*
 * For suites of what is above a store: with sanitizers without PostgreSQL, but
 * in soak.  The suites of stores run on it in any case.
 */
size_t store_kind_sample(void);

/* Opens a store, which must exist. */
struct wf_store *store_open(const char *url, unsigned flags);
/*
 * A new folder, and the URL of an SQLite store in it that does not exist yet.
 */
void store_make_folder(struct store_fixture *f);
void store_free_folder(struct store_fixture *f);
/* The same for PostgreSQL: a URL, whose schema is created on opening. */
void store_make_schema(struct store_fixture *f);
void store_free_schema(struct store_fixture *f);
/* Runs SQL on the server of a URL directly; the result is for PQclear(). */
PGresult *store_ask(const char *url, const char *sql);
/*
 * Changes a store directly: SQLite, when it is closed, or PostgreSQL, over a
 * connection that stays open for further edits.
 */
void store_edit(const char *url, const char *sql);
/* Closes the connection. */
void store_edit_end(void);

/* Removes schemas that tests have used one after the other. */
void store_free_kept(void);

/*
 * Makes the store of a fixture that is all zero; makes it as new again when no
 * handle of it is open.
 */
void store_renew(struct store_fixture *f, const struct store_kind *kind);

/*
 * is_own: for a test that changes tables themselves, makes them large, or reads
 * the plans of queries.
 */
void store_set_up(
    struct store_fixture *f, const struct store_kind *kind, bool is_own);
void store_tear_down(struct store_fixture *f, const struct store_kind *kind);
/* Runs a test on a new store of each kind. */
void store_on_each(void (*test)(struct store_fixture *f));
/* Runs it on PostgreSQL, if it is available. */
void store_on_postgresql(void (*test)(struct store_fixture *f));

#define OK(call) CU_ASSERT_EQUAL(call, WF_OK)
#define REFUSED(f, code, call)                                                 \
	do {                                                                   \
		CU_ASSERT_EQUAL(call, code);                                   \
		CU_ASSERT_NOT_EQUAL((f)->err.message[0], '\0');                \
		wf_error_clear(&(f)->err);                                     \
	} while (0)

extern const struct wf_bytes store_bytes; /* five bytes */

struct wf_history_row store_history_row(uint64_t number, uint64_t sequence);
/* The keys of case 1. */
struct wf_message_row store_message_row(
    uint64_t message, const char *destination, const char *subject);
struct wf_case_write store_new_case(uint64_t number, const char *name);
/* Launches a case, which has the item "T", in a batch of its own. */
enum wf_rc store_launch(struct store_fixture *f, uint64_t number,
    const char *name, uint64_t *cause) WF_MUSTCHECK;
/* Begins a batch with one case. */
enum wf_take_state store_take(struct store_fixture *f, struct wf_store *store,
    uint64_t number, uint64_t known, struct wf_take *take_out);
/* Commits a step of a case that was taken. */
enum wf_rc store_step_to(struct store_fixture *f, struct wf_store *store,
    const struct wf_take *taken, enum wf_case_change change, uint64_t expected,
    uint64_t *cause) WF_MUSTCHECK;
/* Writes due commands and messages of case 1, whose version is 1. */
void store_write_queues(struct store_fixture *f, const struct wf_due_write *due,
    size_t due_count, const struct wf_message_row *messages,
    size_t message_count);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of an operation; private to operation/. */
#ifndef WF_OPERATION_OPERATION_PRIV_H
#define WF_OPERATION_OPERATION_PRIV_H

#include "operation/operation.h"
#include "operation/prospect.h"

#define WF_OPERATION_RECORD "operation"
#define WF_OPERATION_CASES_RECORD "operation/cases"
/* By account and idempotency key, the id of the operation that it started. */
#define WF_OPERATION_KEY_RECORD "operation/key"

enum wf_operation_kind {
#define WF_OPERATION(name, word, undo, of, meaning) WF_OPERATION_##name,
#include "operation/operations.def"
#undef WF_OPERATION
	WF_OPERATION_KINDS
};

enum wf_operation_of {
	WF_OPERATION_OF_CASES,
	WF_OPERATION_OF_INCIDENTS,
	WF_OPERATION_OF_ITEMS
};

/* One operation in memory. */
struct operation {
	uint64_t id;
	uint32_t namespace_id;
	uint64_t change; /* of the record */
	enum wf_operation_kind kind;
	json_t *json; /* the record; owned */
	/* The ids of those that were named, which have a record of their own;
	 * NULL: not read yet, or none.  Owned. */
	json_t *cases;
};

/* --- operation_record.c --- */

const char *wf_operation_word(enum wf_operation_kind kind);
const char *wf_operation_undo_word(enum wf_operation_kind kind);
enum wf_operation_of wf_operation_of(enum wf_operation_kind kind);
/* False: there is no such kind. */
bool wf_operation_kind_of(const char *word, enum wf_operation_kind *kind_out);
/* Reads a record; freed with wf_operation_drop(). */
enum wf_rc wf_operation_read(struct wf_store *store, uint32_t namespace_id,
    uint64_t id, struct operation *operation_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Reads the ids of the cases that were named, if it is not done. */
enum wf_rc wf_operation_read_cases(struct wf_store *store,
    struct operation *operation, struct wf_error *err) WF_MUSTCHECK;
bool wf_operation_parse(
    const struct wf_record_row *row, struct operation *operation_out);
void wf_operation_drop(struct operation *operation);
/* The operation that this one's account has started with its key. */
enum wf_rc wf_operation_find(struct wf_store *store,
    const struct operation *operation, struct operation *found_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Adds an operation, with its key and its cases if it has them; or removes it.
 */
enum wf_rc wf_operation_add(struct wf_store *store, struct operation *operation,
    bool removes, struct wf_error *err) WF_MUSTCHECK;
/* Writes the record as it was read. */
enum wf_rc wf_operation_write(struct wf_store *store,
    struct operation *operation, struct wf_error *err) WF_MUSTCHECK;
const char *wf_operation_text(const struct operation *o, const char *member);
uint64_t wf_operation_number(const struct operation *o, const char *member);
bool wf_operation_is(const struct operation *operation, const char *state);

/* --- operation_request.c --- */

/*
 * Reads what is to be done; freed with wf_operation_drop(), also after an
 * error. WF_INVALID says where it is wrong.
 */
enum wf_rc wf_operation_request(struct wf_engine *engine, uint32_t namespace_id,
    const char *account, json_t *body, struct operation *operation_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- operation_select.c --- */

/* One thing that a command is given to. */
struct subject {
	uint64_t number;
	const char *name;    /* of the case */
	const char *subject; /* an item, or the id of an incident; "" */
	uint64_t version;    /* UNDO: that the case must have; 0: any */
	const char *earlier; /* UNDO of a migration: the key it came from */
	uint64_t specification;
	unsigned tries; /* of its command, without an outcome */
};

/* A case that was not found; an incident of no case has no name. */
static inline bool wf_is_missing(const struct subject *subject)
{
	return subject->number == 0 && subject->name[0] != '\0';
}

struct subjects {
	struct subject *rows;
	size_t count;
	size_t capacity;
	/* Where the next page begins; is_last: there is none. */
	uint64_t after;
	const char *after_subject;
	bool is_last;
	size_t examined; /* cases */
};

/*
 * The next page of an operation, from the members "after" and "after_subject"
 * of its record; in the arena.
 */
enum wf_rc wf_operation_select(struct wf_engine *engine, struct wf_store *store,
    struct operation *operation, size_t limit, struct wf_arena *arena,
    struct subjects *subjects_out, struct wf_error *err) WF_MUSTCHECK;

/* --- operation_page.c --- */

/*
 * Keeps a page in the record.  is_settled: it is known that none of its
 * subjects was done.
 */
void wf_operation_put_page(
    json_t *json, const struct subjects *subjects, bool is_settled);
/* Keeps where the page behind it begins. */
void wf_operation_put_place(json_t *json, const struct subjects *subjects);
/* Whether it runs, or what was done of its page is not yet known. */
bool wf_operation_is_active(const struct operation *operation);
/* The page that is kept; its texts are the record's.  False: there is none. */
bool wf_operation_page(const struct operation *operation,
    struct wf_arena *arena, struct subjects *subjects_out);

/* --- operation_command.c --- */

/* What commands of one operation share; for one thread. */
struct commander {
	struct wf_engine *engine;
	const struct operation *operation;
	struct wf_prospects *prospects;
	struct wf_judge judge; /* MIGRATE: asks the prospects */
	uint64_t target;       /* MIGRATE: the key; 0: not found yet */
	struct plan_of *plans; /* by the specification they lead from */
	size_t plan_count;
	bool forces;
};

void wf_commander_init(struct commander *commander, struct wf_engine *engine,
    const struct operation *operation);
void wf_commander_free(struct commander *commander);

/* What was found out about a subject, for a preview; members may be NULL. */
struct forecast {
	json_t *problems; /* an array, filled */
	json_t *prospects;
};

/*
 * Makes the request for a subject, which may read its case; what the request
 * points to is the arena's or the commander's.  An error is why the subject is
 * refused.
 */
enum wf_rc wf_command_make(struct commander *commander,
    const struct subject *subject, struct wf_arena *arena,
    struct wf_request *request_out, struct forecast *forecast,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Examines the marking that a migration would lead to, so that it is known: the
 * code of a refusal was WF_UNDECIDED_CODE.
 */
#define WF_UNDECIDED_CODE "undecided"
void wf_commander_learn(struct commander *commander,
    const struct subject *subject, struct wf_arena *arena);
/* The request with its key only: finds the answer to an earlier one. */
enum wf_rc wf_command_name(struct commander *commander,
    const struct subject *subject, struct wf_arena *arena,
    struct wf_request *request_out, struct wf_error *err) WF_MUSTCHECK;
/* Whether the arguments of the operation make sense; finds the target. */
enum wf_rc wf_commander_check(
    struct commander *commander, struct wf_error *err) WF_MUSTCHECK;

/* --- operation_turn.c --- */

enum wf_given_state {
	WF_GIVEN_LEFT,
	WF_GIVEN_DONE,
	WF_GIVEN_REFUSED,
	WF_GIVEN_UNDONE
};

/* What became of one subject in a turn. */
struct given {
	enum wf_given_state state;
	bool is_tried;
	bool is_busy; /* LEFT: there was no answer */
	enum wf_rc rc;
	char text[sizeof(((struct wf_error *)NULL)->message)];
	uint64_t version;
};

/* Whether an answer says nothing about the case. */
bool wf_operation_is_passing(enum wf_rc rc);
/*
 * given_out has a row for each subject.  Calls meanwhile(context) while the
 * commands are done, and waits for all answers.
 */
void wf_operation_turn(struct commander *commander, const struct subjects *page,
    bool only_asks, void (*meanwhile)(void *context), void *context,
    struct wf_arena *arena, struct given *given_out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One batch of a shard, one transaction; private to runtime/.
 *
 *   wf_batch_prepare()   numbers are reserved, incidents are read
 *   wf_batch_plan()      which cases, names and command ids the requests need
 *   wf_store_begin()     the store takes them
 *   wf_batch_request()   for each request: it steps its case, or is refused
 *   add_cases()          rows of all that happened to each case
 *   wf_store_commit()    only after it are the requests answered
 *
 * A request can also be deferred to the next batch (its case is in another
 * one, or this batch has done enough), need a long step, or be found to break
 * its case (which is then quarantined, in a batch of its own).
 */
#ifndef WF_RUNTIME_BATCH_H
#define WF_RUNTIME_BATCH_H

#include "runtime/shard.h"

/* What an event did to an item. */
enum touch {
	TOUCH_BEGINS,
	TOUCH_CHANGES,
	TOUCH_DROPS_DRAFT, /* whoever has it has lost what was filled in */
	TOUCH_ENDS
};

/* An item that a step has changed. */
struct touched {
	uint32_t serial; /* of its net */
	uint32_t task;
	uint32_t instance; /* 0: the enabled item */
	size_t order;	   /* of the events that name it */
	const char *trace; /* of the request that made the step */
	enum touch touch;
};

/* An item of people that a service has; instance: 0 of the enabled one. */
struct served {
	uint32_t serial; /* of the net */
	uint32_t task;
	uint32_t instance;
	const char *service;
};

/* What a batch does to one case. */
struct work {
	uint64_t number;
	struct wf_take *take;	/* NULL: it is launched here */
	struct wf_claim *claim; /* NULL: it is not */
	struct cached *cached;
	uint64_t expected;	  /* version at begin; 0 for a launch */
	struct wf_case_row fresh; /* columns of a new case */
	int64_t changed_at;
	bool loaded;
	bool blocked; /* other requests for it wait for the next batch */
	bool broken;  /* an assertion failed: it is not kept in memory */
	bool put_back;
	bool announced; /* it has a new message, and may have made no step */
	bool migrated; /* .. to another specification, so its state is stored */
	struct touched *touched;
	size_t touched_count;
	size_t touched_capacity;
	struct wf_item_row *leased; /* leases that steps gave or ended */
	size_t leased_count;
	size_t leased_capacity;
	/* Items of people that a service has, before or after the last step. */
	struct served *served;
	size_t served_count;
	size_t served_capacity;
	/* Of a case with variables that are indexed: before its first step. */
	const struct wf_term_plan *terms;
	struct wf_term_values *values; /* NULL: it is launched here */
	struct touched *undecided;     /* OR-joins */
	size_t undecided_count;
	size_t undecided_capacity;
};

#define WF_ROWS(type, name)                                                    \
	type *name;                                                            \
	size_t name##_count;                                                   \
	size_t name##_capacity

/* A hash table of positions in an array; see plan.c. */
struct index {
	uint32_t *slots;
	size_t mask;
};

struct batch {
	struct shard *shard;
	struct wf_arena *arena;
	struct wf_store *reader; /* borrowed when it is first needed */
	/* Begun when the first step needs them; NULL: none has. */
	struct wf_people_calls *people;
	int64_t now;
	int64_t began;	   /* microseconds, for counting only */
	uint64_t work;	   /* of its steps, in steps of queries */
	const char *trace; /* of the request that is done, to be stored; "" */
	struct pending **pendings;
	size_t count;
	struct wf_batch begin;
	struct work *works;
	size_t work_count;
	struct index by_number;	 /* of works */
	struct index by_name;	 /* of begin.claims */
	struct index by_command; /* of begin.commands */
	struct index by_due;	 /* of the first due_indexed of due */
	size_t due_indexed;
	WF_ROWS(struct wf_case_write, cases);
	WF_ROWS(struct wf_item_rename, renames);
	WF_ROWS(struct wf_item_write, items);
	WF_ROWS(struct wf_value_row, values);
	WF_ROWS(struct wf_history_row, history);
	WF_ROWS(struct wf_due_write, due);
	WF_ROWS(struct wf_message_row, messages);
	WF_ROWS(struct wf_answer_row, answers);
	WF_ROWS(struct wf_incident_write, incidents);
	WF_ROWS(struct wf_involved_row, involved);
	WF_ROWS(struct wf_migrated_row, migrated);
	struct migration_plan *plan; /* of the last migration; NULL: none */
	WF_ROWS(struct wf_term_row, terms);
	size_t incidents_opened;
	size_t incidents_observed; /* the first so many rows are */
	size_t deadlocks;
};

/* Room for one more row at the end of an array, zeroed and counted. */
#define WF_ROW_ADD(batch, name)                                                \
	((batch)->name = wf_arena_grow((batch)->arena, (batch)->name,          \
	     (batch)->name##_count, &(batch)->name##_capacity,                 \
	     sizeof(*(batch)->name)),                                          \
	    &(batch)->name[(batch)->name##_count++])

/* Why a batch failed. */
struct failure {
	bool begun;	       /* so what was to be written may be the cause */
	uint64_t failing_case; /* its number; 0: unknown */
};

/* --- batch.c --- */

/*
 * Does the requests in one transaction.  WF_OK: each has its fate and answer.
 * On a failure nothing was done, or after WF_LOST perhaps everything; the
 * shard's cache is empty then.
 */
enum wf_rc wf_batch_run(struct shard *shard, struct pending **pendings,
    size_t count, struct failure *failure_out,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Makes an incident of a request that failed; quarantine: its case, if there
 * is one, is quarantined as well.
 */
enum wf_rc wf_batch_quarantine(struct shard *shard, struct pending *pending,
    bool quarantine, struct wf_error *err) WF_MUSTCHECK;

/* --- batch_rows.c --- */

/* An empty buffer, valid until the next call. */
struct wf_buffer *wf_batch_buffer(struct batch *batch);
/* A copy in the batch's arena of what was put into that buffer. */
struct wf_bytes wf_batch_bytes(struct batch *batch);
/* A handle for reading; not the shard's, which has the transaction. */
enum wf_rc wf_batch_reader(struct batch *batch, struct wf_store **store_out,
    struct wf_error *err) WF_MUSTCHECK;

/* --- notice.c --- */

/* The requests with a trace, of a batch that was committed. */
void wf_notice_traced(const struct batch *batch, uint64_t statements);

/* New incidents and quarantined cases of a batch that was committed. */
void wf_notice_incidents(const struct batch *batch);
/* A slow batch. */
void wf_notice_time(const struct batch *batch, int64_t microseconds);
/* The store began to fail, or works again. */
void wf_notice_store(
    struct shard *shard, enum wf_rc rc, const struct wf_error *err);

/* --- plan.c --- */

/* Reserves the numbers that the requests need, reads the incidents they name.
 */
enum wf_rc wf_batch_prepare(
    struct batch *batch, struct wf_error *err) WF_MUSTCHECK;
void wf_batch_plan(struct batch *batch);
/* The due row with that key that was added to the batch; NULL: none. */
struct wf_due_write *wf_batch_find_due(
    struct batch *batch, uint64_t number, const char *name);

/* --- step_request.c: the step of one request --- */

/*
 * Steps the case of the request, which is a command, at that time.  step has
 * a bound.  WF_BUG: an assertion failed, and the case is unusable; else as
 * wf_case_launch() and wf_case_step().
 */
enum wf_rc wf_step_request(struct wf_engine *engine,
    const struct pending *pending, struct cached *cached,
    const struct wf_people_calls *people, int64_t now, struct wf_step *step,
    struct wf_case **made_out, struct wf_error *err) WF_MUSTCHECK;

/* --- change/migrate.c: a case goes on as one of another specification --- */

/*
 * Migrates the case of a request, which is the first of the batch for it, and
 * adds all rows but those of the answer.
 */
enum wf_rc wf_batch_migrate(
    struct batch *batch, struct pending *pending) WF_MUSTCHECK;
/* Frees the plan of the batch, if any. */
void wf_batch_drop_plan(struct batch *batch);

/* --- people.c: items that are for people --- */

/* Begins decisions; NULL: no item is for people. */
struct wf_people_calls *wf_people_begin(struct wf_engine *engine, int64_t now);
/* Before what was decided is stored; calls may be NULL. */
enum wf_rc wf_people_keep(struct wf_engine *engine,
    struct wf_people_calls *calls, struct wf_error *err) WF_MUSTCHECK;
/*
 * Whether a step of the case, which was made outside of the batch, has what its
 * items are busy with; calls may be NULL.
 */
bool wf_people_hold(const struct wf_engine *engine,
    struct wf_people_calls *calls, uint64_t number, const struct wf_step *step);
void wf_people_end(
    const struct wf_engine *engine, struct wf_people_calls **calls);
/*
 * Whether an event leaves an item that nobody can find, or that was not
 * started: *report_out is the incident, without its item.
 */
bool wf_people_report(const struct wf_event *event,
    struct wf_report_request *report_out, struct wf_arena *arena);
/* Whether incidents with that code are about items that are for people. */
bool wf_people_has_code(const char *code);
/* Whether the item is still as such an incident says. */
bool wf_people_is_stuck(const char *code, const struct wf_item *item);
/* Fills the columns of the worklist; texts are the arena's, or live long. */
void wf_people_fill(struct wf_item_row *row, const struct wf_item *item,
    struct wf_arena *arena);
/*
 * Adds a row if the event of a step makes a participant one who has started or
 * worked on the case.
 */
void wf_people_note(struct batch *batch, const struct pending *pending,
    const struct wf_event *event);
/* What the retry of such an incident does. */
void wf_people_retry(const struct wf_request *report,
    const struct wf_item *item, struct wf_request *again_out);

/* --- request_step.c: what becomes of one request --- */

/* Gives it its fate, adding rows. */
void wf_batch_request(struct batch *batch, struct pending *pending);

/* Who decides about people in this batch; NULL: nobody. */
struct wf_people_calls *wf_batch_people(struct batch *batch);
/* A row of the history, and large values, of the step just made. */
void wf_batch_add_step(struct batch *batch, const struct pending *pending);

/* --- request_later.c: answers, due rows, incidents --- */

/* Stores the answer, for a repetition of the same command. */
void wf_batch_answer(struct batch *batch, const struct pending *pending);
void wf_batch_schedule(struct batch *batch, struct pending *pending);
void wf_batch_withdraw(struct batch *batch, struct pending *pending);
/* The answer when there is nothing to withdraw. */
void wf_start_is_gone(struct pending *pending);
/* RETRY and DROP. */
void wf_batch_close_incident(struct batch *batch, struct pending *pending);
/* An incident about the request; its due row is removed. */
void wf_batch_incident(
    struct batch *batch, struct pending *pending, const char *code);
/* A new incident with that code, open, of one attempt; without a text. */
struct wf_incident_row *wf_batch_new_incident(struct batch *batch,
    uint32_t namespace_id, uint64_t number, const char *code);
/* The incident that a REPORT is. */
void wf_batch_report(struct batch *batch, const struct pending *pending,
    const struct wf_item *item);
/*
 * Prolongs the claim of a due command until that time (milliseconds since
 * 1970), because its step is made outside.
 */
void wf_batch_keep_claim(
    struct batch *batch, const struct pending *pending, int64_t until);
/* Removes a due row, if there is one. */
void wf_batch_remove_due(
    struct batch *batch, uint64_t number, const char *name);
/* Removes the due row that the request came from, if any. */
void wf_batch_end_due(struct batch *batch, const struct pending *pending);
/* Moves the due row that the request came from to that time. */
void wf_batch_postpone(
    struct batch *batch, const struct pending *pending, int64_t at);
/*
 * The same for a launch whose specification is suspended, which is no attempt:
 * the longer it has waited, the later it is tried again.
 */
void wf_batch_wait(struct batch *batch, const struct pending *pending);
/* The answer when there is no such case. */
void wf_batch_refuse_missing(struct pending *pending);

/* --- request_lease.c: leases and steps --- */

/*
 * Whether the request may be done: it has the lease that it names, or names
 * none and the item has none, or overrides it.  Else it has its fate.
 */
bool wf_lease_check(struct batch *batch, struct pending *pending);
/* The same outside of a batch, for a request that is tried.  WF_CONFLICT. */
enum wf_rc wf_lease_try(struct pending *pending, const struct wf_item_row *row,
    struct wf_error *err) WF_MUSTCHECK;
/* Notes the lease that the step just done gave or ended. */
void wf_lease_note(struct batch *batch, struct pending *pending);
/* Adds the noted lease, if any, to the row of an item. */
void wf_lease_fill(const struct work *work, struct wf_item_write *write);
/*
 * Ends the lease of an item that nobody works on and forgets its attempts.
 * False: the item cannot be read, and the request has its answer.
 */
bool wf_lease_reset(struct batch *batch, struct pending *pending);

/* Whether the batch writes the incident: a row is written once. */
bool wf_batch_has_incident(const struct batch *batch, uint64_t incident);

/* --- incidents/closing.c: incidents are closed with what they are about --- */

/* When the rows of the items of a case were added: closes what is over. */
enum wf_rc wf_incidents_close(struct batch *batch, const struct work *work,
    bool ended, struct wf_error *err) WF_MUSTCHECK;
/* Fills the columns; by: whose actor and reason they have; NULL: nobody's. */
void wf_incident_drop(struct batch *batch, struct wf_incident_row *row,
    const struct pending *by, const char *what);

/* --- incidents/deadlock.c --- */

/* Whether the case is deadlocked and stays live. */
bool wf_deadlock_keeps(
    const struct wf_engine_settings *settings, const struct wf_case *instance);
/* Opens the incident of a case that the step just done left deadlocked. */
void wf_deadlock_open(struct batch *batch, const struct pending *pending);
/* Before a step: the incidents that it closes; none for most steps. */
enum wf_rc wf_deadlock_read(struct batch *batch, const struct pending *pending,
    struct wf_incident_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/* After the step. */
void wf_deadlock_close(struct batch *batch, const struct pending *pending,
    const struct wf_incident_list *list);

/* --- observing/observed.c: what observers are notified of --- */

/* The step just done has ended the case, or left it deadlocked. */
void wf_observe_case(
    struct batch *batch, struct work *work, enum wf_observed_kind kind);
/* The step just done may have taken an item from a worker that was lost. */
void wf_observe_lease(struct batch *batch, const struct pending *pending);
/* Those that a request has opened. */
void wf_observe_incidents(struct batch *batch);

/* --- effects.c: rows that follow from the events of a step --- */

/*
 * A step of the case is to be made: notes which service has which item, and the
 * values of its variables that are indexed.
 */
void wf_effects_before(struct batch *batch, struct work *work);
/* Notes items and adds announcements for the step just done. */
void wf_effects_note(struct batch *batch, struct pending *pending);
/* Announces an item as it is; rejected: a service refused it. */
void wf_effects_announce(struct batch *batch, struct work *work,
    const struct wf_item *item, bool rejected);
/* The task and id of an item; NULL when such an item has no row. */
const struct wf_task *wf_effects_name(const struct cached *cached,
    const struct touched *item, char id_out[WF_ITEM_ID_SIZE]);
/* Announces that an item has ended, which no event says. */
void wf_effects_gone(
    struct batch *batch, struct work *work, const struct wf_item *item);
/* Puts the due rows of all timers and alarms, whose items may be renamed. */
void wf_effects_rearm(struct batch *batch, struct work *work);
/* Adds the rows of the items that were noted. */
void wf_effects_items(struct batch *batch, struct work *work);
/* Fills the columns of a step in the row of an item. */
void wf_effects_item_row(struct wf_item_row *row, uint32_t namespace_id,
    uint64_t specification, const struct wf_item *item, struct wf_arena *arena);
/*
 * The case is of another specification now: removes the terms that this one
 * does not have; the others will be added.
 */
void wf_effects_replace_terms(struct batch *batch, struct work *work);
/* Adds the terms that the steps have changed. */
void wf_effects_terms(struct batch *batch, const struct work *work);
/* Adds due rows for OR-joins that could not be decided. */
void wf_effects_searches(struct batch *batch, struct work *work);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine and its shards; private to runtime/.
 *
 * A shard owns whole parts of the cases.  Any thread may put requests into its
 * queue; everything else of it belongs to the thread that takes its turn.
 */
#ifndef WF_RUNTIME_SHARD_H
#define WF_RUNTIME_SHARD_H

#include <pthread.h>
#include <stdatomic.h>

#include "kernel/or_join/or_join.h"
#include "runtime/cache.h"
#include "runtime/request.h"
#include "runtime/terms/terms.h"

struct queue {
	struct pending *first;
	struct pending **last;
	size_t bytes;
	size_t count;
};

enum long_state { LONG_WAITING, LONG_RUNNING, LONG_MADE };

/* A step that is made outside the batches; see long_step.c. */
struct long_step {
	struct long_step *next;	  /* of the same shard */
	struct long_step *behind; /* the next one that waits */
	uint64_t round;		  /* in which it is made, of the engine's */
	enum long_state state;
	struct shard *shard;
	struct pending *pending;
	struct queue followers; /* later requests to the case */
	unsigned tries;
	/* LONG_MADE: the result for the case as it was in that version. */
	bool is_made; /* false: there is none */
	int64_t at;   /* when it was made, milliseconds since 1970 */
	enum wf_rc rc;
	struct wf_error err;
	struct cached *cached; /* the copy, after the step if rc is WF_OK */
	struct wf_step step;   /* magic 0: not initialized */
};

struct shard {
	struct wf_engine *engine;
	unsigned index;
	struct wf_store *store;
	struct cache cache;
	struct wf_step step;
	struct wf_arena *arena; /* of the batch */
	struct wf_terms *terms;
	struct wf_buffer bytes; /* in which its rows' bytes are made */
	uint64_t commits;	/* successful ones */
	bool failing;		/* the store fails */
	/* Reserved numbers of incidents: from next, below end. */
	uint64_t incident_next;
	uint64_t incident_end;
	/* Likewise of messages about them, which are of no case. */
	uint64_t message_next;
	uint64_t message_end;
	struct long_step *long_steps;
	struct queue released; /* followers of long steps that are over */
	/* Requests of long steps, with their followers. */
	atomic_size_t held_bytes;
	atomic_size_t held_count;
	/* When the turn began that runs, wf_monotonic_ms(); 0: none does. */
	atomic_llong turn_began;

	pthread_mutex_t lock; /* protects what follows, up to thread */
	pthread_cond_t wake;
	struct queue queue;
	size_t cached_bytes; /* as the last turn left it */
	size_t cached_cases;
	struct wf_spread batch_sizes;
	struct wf_spread batch_times;
	uint64_t or_stages[WF_OR_STAGES];
	/* Reserved numbers of cases of its parts. */
	uint64_t *numbers;
	size_t number_count;
	size_t number_capacity;

	pthread_t thread;
	bool has_thread;
};

/* Limits that are or were in use; cases point to them. */
struct used_limits {
	struct used_limits *next;
	struct wf_limits limits;
};

#define WF_ENGINE_MAGIC 0x57664552U
#define WF_ENGINE_HANDLES 16U

struct wf_engine {
	uint32_t magic;
	struct wf_engine_settings settings;
	/* Of the settings, unless wf_engine_reload() has replaced them. */
	_Atomic(const struct wf_limits *) limits; /* NULL: the defaults */
	atomic_llong answers_kept_ms;
	atomic_llong slow_batch_ms;
	struct used_limits *used_limits;
	char *url;
	uint64_t opening; /* counts the openings of the store; part of ids */
	atomic_uint finished;	/* version of the store that all may write */
	atomic_bool superseded; /* a later version than it knows is finished */
	struct specs *specs;
	struct wf_indexes *indexes;
	struct moments *moments; /* of cases that were shown as they were */
	atomic_bool long_replay; /* of a long history, for that */
	struct shard *shards;
	unsigned shard_count;
	atomic_ullong serial; /* of commands */
	atomic_bool closing;  /* no more requests */
	atomic_bool claiming; /* rows that are not yet in due_commands */
	atomic_bool abandoned;
	atomic_bool no_inspections; /* no steps of copies in callers' threads */
	atomic_uint long_count;	    /* of long steps */

	/* For wf_engine_counts(). */
	atomic_ullong requests, batches, statements, steps, loads, searches,
	    incidents, deadlocks, long_made;
	atomic_ullong refusals[WF_RC_COUNT], answered[WF_REQUEST_COUNT],
	    commands[WF_COMMAND_COUNT];

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t due_wake;
	pthread_cond_t search_wake;
	pthread_cond_t long_wake;
	pthread_cond_t notify_wake;
	pthread_cond_t notify_end; /* with notify_ends */
	bool notify_wanted;	   /* there are commits to notify others of */
	bool notify_ends;	   /* .. and there will be no more */
	struct wf_store *handles[WF_ENGINE_HANDLES];
	size_t handle_count;
	/* Claimed due commands, the earliest claim first; see due_claimed.c. */
	struct due_command *due_commands;
	struct due_command **last_due_command;
	size_t due_count;
	size_t due_bytes;
	const struct due_command *isolated; /* being tried in isolation */
	struct long_step *long_steps;	    /* that wait, the next one first */
	uint64_t long_round;		    /* of the last one that was made */
	unsigned next_shard;		    /* for what is of no case */
	int64_t reserved_at;		    /* numbers, the last time */
	bool due_changed; /* the thread for due commands has work */

	/* Only for the thread that calls wf_due_turn(). */
	int64_t refreshed_at;
	int64_t forgot_at;
	int64_t opened_at;
	int64_t seen_at; /* its record as a node was written */

	pthread_t due_thread;
	pthread_t search_thread;
	pthread_t long_thread;
	bool has_due_thread;
	bool has_search_thread;
	bool has_long_thread;
	/* On a store that is shared. */
	pthread_t notify_thread;
	pthread_t hear_thread;
	bool has_notify_thread;
	bool has_hear_thread;
};

/* --- context.c: what all parts need of the engine --- */

/* The shard that owns the case with that number. */
struct shard *wf_shard_of(struct wf_engine *engine, uint64_t number);
/* Something may be due earlier than the thread for due commands expects. */
void wf_due_wake(struct wf_engine *engine);
/*
 * Writes the record of this node of a shared store, and reads which version all
 * may write.  WF_CONFLICT: a later one than this program knows.
 */
enum wf_rc wf_node_write(struct wf_engine *engine, struct wf_store *store,
    struct wf_error *err) WF_MUSTCHECK;

/* --- queue.c --- */

void wf_queue_init(struct queue *queue);
void wf_queue_put(struct queue *queue, struct pending *pending);
/* Puts requests behind, or before, all others, in their order. */
void wf_queue_put_last(
    struct queue *queue, struct pending *const *pendings, size_t count);
void wf_queue_put_first(
    struct queue *queue, struct pending *const *pendings, size_t count);
/* Moves all requests of another queue behind those of this one. */
void wf_queue_join(struct queue *queue, struct queue *more);
/* Takes at most count requests of together at most bytes; at least one. */
size_t wf_queue_take(struct queue *queue, struct pending **pendings_out,
    size_t count, size_t bytes);

/* --- shard.c --- */

enum wf_rc wf_shard_open(struct shard *shard, struct wf_engine *engine,
    unsigned index, struct wf_error *err) WF_MUSTCHECK;
void wf_shard_close(struct shard *shard);
/* Queues a request, which the shard then owns; WF_UNAVAILABLE: full. */
enum wf_rc wf_shard_submit(struct shard *shard, struct pending *pending,
    struct wf_error *err) WF_MUSTCHECK;
/* The same for due commands, whose number is bounded, even if it is full. */
void wf_shard_submit_due(struct shard *shard, struct pending *pending);
/* The same for the request of a long step that was made; it comes first. */
void wf_shard_submit_made(struct shard *shard, struct pending *pending);
/* Does a batch of the queue; false when no request could be done. */
bool wf_shard_turn(struct shard *shard);
/* Answers all requests of the queue with WF_UNAVAILABLE. */
void wf_shard_drain(struct shard *shard);

/* --- numbers.c --- */

/* Reserves numbers for cases until the shard has at least count. */
enum wf_rc wf_numbers_ensure(
    struct shard *shard, size_t count, struct wf_error *err) WF_MUSTCHECK;
uint64_t wf_numbers_take(struct shard *shard);
enum wf_rc wf_incidents_ensure(
    struct shard *shard, size_t count, struct wf_error *err) WF_MUSTCHECK;

/* --- due_claimed.c: the list of claimed due commands, and their states --- */

/* A row that was claimed until then, unless it is listed already. */
void wf_due_add(
    struct wf_engine *engine, const struct wf_due_row *row, int64_t until);
/* How many rows may be claimed now. */
size_t wf_due_room(struct wf_engine *engine);
/*
 * The first command behind another (NULL: of all) that can be dealt with now:
 * a returned one, one whose claim is over, or one that may be tried.
 */
struct due_command *wf_due_next(
    struct wf_engine *engine, const struct due_command *behind, int64_t now);
/* From here on no other command that may be deadly is tried. */
void wf_due_isolate(struct wf_engine *engine, struct due_command *due);
/* Hands it to search.c. */
void wf_due_search(struct wf_engine *engine, struct due_command *due);
/* A shard will try it. */
void wf_due_try(struct wf_engine *engine, struct due_command *due);
/* It ended with that result; it is freed, or returned. */
void wf_due_over(
    struct wf_engine *engine, struct due_command *due, enum wf_rc rc);
/* The first whose OR-join is to be searched; the engine's lock is held. */
struct due_command *wf_due_first_searched(const struct wf_engine *engine);

/* --- due.c --- */

/*
 * Claims what is due, has it tried, and does the periodic work of an engine.
 * False when there was nothing to do.
 */
bool wf_due_turn(struct wf_engine *engine);
/* Has a due command tried as this request. */
void wf_due_submit(struct wf_engine *engine, struct due_command *due,
    const struct wf_request *request);

/* --- notify.c --- */

/* Something was committed: readers of the history are notified. */
void wf_notify_committed(struct wf_engine *engine);
/* Bodies of threads: notify other engines, and wait for their notifications. */
void *wf_notify_others(void *engine);
void *wf_hear_others(void *engine);

/* --- long_step.c --- */

enum long_hold { LONG_HOLD_NONE, LONG_HOLD_HELD, LONG_HOLD_FULL };

/*
 * Holds the request back if its case has a long step, unless it is the request
 * of that; FULL: no more can be held.
 */
enum long_hold wf_long_hold(struct shard *shard, struct pending *pending);
/*
 * How many milliseconds a due command is claimed while its long step waits for
 * those that are there already.
 */
int64_t wf_long_claim_ms(const struct shard *shard);
/* The step is made outside, (again) later; false: it is refused. */
bool wf_long_begin(struct shard *shard, struct pending *pending);
/* Ends the long step of the request, if it has one; releases its followers. */
void wf_long_end(struct shard *shard, struct pending *pending);
/* Makes one long step; false when there is none. */
bool wf_long_turn(struct wf_engine *engine);

/* --- threads.c --- */

enum wf_rc wf_threads_start(
    struct wf_engine *engine, struct wf_error *err) WF_MUSTCHECK;
/* Waits until the queues are empty, unless the engine is abandoned. */
void wf_threads_stop(struct wf_engine *engine);

/* --- step_request.c --- */

/* Finds the documents that the data of a command refers to. */
struct wf_document_check {
	struct wf_document_calls calls;
	struct wf_engine *engine;
	uint32_t namespace_id; /* of the request; 0: the default one */
	uint64_t number;       /* of the case */
};

/*
 * For the command; NULL when data may name any document.  check must stay
 * where it is while its calls are used.
 */
const struct wf_document_calls *wf_document_check_begin(
    struct wf_document_check *check, struct wf_engine *engine,
    uint32_t namespace_id, uint64_t number);

/* --- search.c --- */

/* Searches for the verdict on one OR-join; false when there is none to do. */
bool wf_search_turn(struct wf_engine *engine);
/* Whether there is one to search; the engine's lock is held. */
bool wf_search_waits(const struct wf_engine *engine);

#endif

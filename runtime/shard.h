/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine and its shards; private to runtime/.
 *
 * A shard owns whole parts of the cases.  Others put requests into its queue;
 * everything else of it belongs to whoever takes its turn.
 */
#ifndef WF_RUNTIME_SHARD_H
#define WF_RUNTIME_SHARD_H

#include <pthread.h>
#include <stdatomic.h>

#include "kernel/or_join/or_join.h"
#include "runtime/cache.h"
#include "runtime/request.h"

struct queue {
	struct pending *first;
	struct pending **last;
	size_t bytes;
	size_t count;
};

struct shard {
	struct wf_engine *engine;
	unsigned index;
	struct wf_store *store;
	struct cache cache;
	struct wf_step step;
	struct wf_arena *arena; /* of the batch */
	struct wf_buffer bytes; /* in which its rows' bytes are made */
	uint64_t commits;	/* that were good */
	bool failing;		/* the store does */
	/* Numbers of incidents that may be given. */
	uint64_t incident_next;
	uint64_t incident_end;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	struct queue queue;
	size_t cached_bytes; /* as the last turn left it */
	size_t cached_cases;
	struct wf_spread batch_sizes;
	struct wf_spread batch_times;
	uint64_t or_stages[WF_OR_STAGES];
	/* Numbers of cases of its parts. */
	uint64_t *numbers;
	size_t number_count;
	size_t number_capacity;

	pthread_t thread;
	bool has_thread;
};

#define WF_ENGINE_MAGIC 0x57664552U
#define WF_ENGINE_HANDLES 16U

struct wf_engine {
	uint32_t magic;
	struct wf_engine_settings settings;
	char *url;
	uint64_t opening; /* the number of this one, among all on the store */
	struct specs *specs;
	struct shard *shards;
	unsigned shard_count;
	atomic_ullong serial; /* of commands */
	atomic_bool closing;  /* no more requests */
	atomic_bool abandoned;

	/* What wf_engine_counts() tells. */
	atomic_ullong requests, batches, statements, steps, loads, searches,
	    incidents;
	atomic_ullong refusals[WF_RC_COUNT], answered[WF_REQUEST_COUNT],
	    commands[WF_COMMAND_COUNT];

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t due_wake;
	pthread_cond_t search_wake;
	pthread_cond_t notify_wake;
	bool told;	/* other engines are to be told of commits */
	bool last_told; /* there will be no more */
	struct wf_store *handles[WF_ENGINE_HANDLES];
	size_t handle_count;
	/* Due commands that this engine has claimed, the earliest first. */
	struct due_command *due_commands;
	struct due_command **last_due_command;
	size_t due_count;
	size_t due_bytes;
	const struct due_command *trial; /* the suspect that is being tried */
	unsigned next_shard;		 /* for what is of no case */
	int64_t reserved_at;		 /* numbers, the last time */
	bool due_told;			 /* there is something new */

	/* Of whoever takes the turns for what is due. */
	int64_t refreshed_at;
	int64_t forgot_at;

	pthread_t due_thread;
	pthread_t search_thread;
	bool has_due_thread;
	bool has_search_thread;
	/* On a store that is shared. */
	pthread_t notify_thread;
	pthread_t hear_thread;
	bool has_notify_thread;
	bool has_hear_thread;
};

struct shard *wf_shard_of(struct wf_engine *engine, uint64_t number);

/* --- queue.c --- */

void wf_queue_init(struct queue *queue);
void wf_queue_put(struct queue *queue, struct pending *pending);
/* Puts a list back behind, or before, all others, in its order. */
void wf_queue_put_last(
    struct queue *queue, struct pending *const *pendings, size_t count);
void wf_queue_put_first(
    struct queue *queue, struct pending *const *pendings, size_t count);
/* Takes at most count, and at most so many bytes (at least one). */
size_t wf_queue_take(struct queue *queue, struct pending **pendings_out,
    size_t count, size_t bytes);

/* --- shard.c --- */

enum wf_rc wf_shard_open(struct shard *shard, struct wf_engine *engine,
    unsigned index, struct wf_error *err) WF_MUSTCHECK;
void wf_shard_close(struct shard *shard);
/* Puts it into the queue; WF_UNAVAILABLE when that is full. */
enum wf_rc wf_shard_submit(struct shard *shard, struct pending *pending,
    struct wf_error *err) WF_MUSTCHECK;
/* The same, full or not: for due_commands, whose number is bounded. */
void wf_shard_submit_due(struct shard *shard, struct pending *pending);
/* Does a batch of what waits; false when nothing could be done. */
bool wf_shard_turn(struct shard *shard);
/* Answers all that waits with WF_UNAVAILABLE. */
void wf_shard_drain(struct shard *shard);

/* --- numbers.c --- */

/* Sees to it that the shard has so many numbers for cases, or more. */
enum wf_rc wf_numbers_ensure(
    struct shard *shard, size_t count, struct wf_error *err) WF_MUSTCHECK;
uint64_t wf_numbers_take(struct shard *shard);
enum wf_rc wf_incidents_ensure(
    struct shard *shard, size_t count, struct wf_error *err) WF_MUSTCHECK;

/* --- due.c --- */

/*
 * Claims what is due and has it tried; what else is to be done now and then.
 */
bool wf_due_turn(struct wf_engine *engine);
/* Has an due tried as this command. */
void wf_due_submit(struct wf_engine *engine, struct due_command *due,
    const struct wf_request *request);
/* It is over, with that result, and is freed. */
void wf_due_over(
    struct wf_engine *engine, struct due_command *due, enum wf_rc rc);
/* Something may be due earlier than was thought. */
void wf_due_wake(struct wf_engine *engine);

/* --- tell.c --- */

/* Something was committed: whoever follows the history is told. */
void wf_notify_committed(struct wf_engine *engine);
/* Run by threads: tell other engines, and hear what they tell. */
void *wf_notify_others(void *engine);
void *wf_hear_others(void *engine);

/* --- search.c --- */

/* Searches for the verdict on one OR-join; false when none is waited for. */
bool wf_search_turn(struct wf_engine *engine);
/* Whether one is waited for; the engine's lock is held. */
bool wf_search_waits(const struct wf_engine *engine);

#endif

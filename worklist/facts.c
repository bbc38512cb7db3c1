/* SPDX-License-Identifier: Apache-2.0 */
/* What is known, the decisions that are not read yet, and the thread. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "worklist/facts_priv.h"

/* Between two rounds: steps are read in pages, and other nodes make them. */
#define PAUSE_MS 50
#define TICK_MS 1000
/* A decision waits for the first round for so long. */
#define READY_MS 2000
/* A decision that was never read is of a batch that failed. */
#define OWN_MS INT64_C(60000)
#define NAME_BYTES 2048U
/* Own decisions come after all that is read, in numbers that a double has. */
#define OWN_ORDER (UINT64_C(1) << 52)

bool wf_fact_fold_are_needed(enum wf_allocator allocator)
{
	static const bool needed[WF_ALLOCATORS] = {
		[WF_ALLOCATOR_ROUND_ROBIN_BY_TIME] = true,
		[WF_ALLOCATOR_ROUND_ROBIN_BY_ALLOCATION_TIME] = true,
		[WF_ALLOCATOR_ROUND_ROBIN_BY_LEAST_FREQUENCY] = true,
		[WF_ALLOCATOR_ROUND_ROBIN_BY_EXPERIENCE] = true,
		[WF_ALLOCATOR_FASTEST_TO_ALLOCATE] = true,
		[WF_ALLOCATOR_FASTEST_TO_START] = true,
		[WF_ALLOCATOR_FASTEST_TO_COMPLETE] = true,
		[WF_ALLOCATOR_FASTEST_RESOURCE] = true,
		[WF_ALLOCATOR_CHEAPEST_TO_ALLOCATE] = true,
		[WF_ALLOCATOR_CHEAPEST_STARTER] = true,
		[WF_ALLOCATOR_CHEAPEST_COMPLETER] = true,
		[WF_ALLOCATOR_RISK_ASSESSMENT] = true,
	};

	wf_assert(allocator < WF_ALLOCATORS);
	return needed[allocator];
}

struct wf_fact_fold *wf_fact_fold_new(void)
{
	struct wf_fact_fold *facts = wf_calloc(1, sizeof(*facts));

	pthread_mutex_init(&facts->reading, NULL);
	pthread_mutex_init(&facts->lock, NULL);
	wf_condition_init(&facts->wake);
	wf_condition_init(&facts->ready);
	facts->known = wf_map_new();
	facts->readers = wf_map_new();
	facts->items = wf_map_new();
	facts->tasks = wf_map_new();
	facts->own = wf_calloc(WF_OWN_DECISIONS, sizeof(*facts->own));
	return facts;
}

void wf_fact_fold_free(struct wf_fact_fold **facts)
{
	struct wf_fact_fold *old = *facts;

	*facts = NULL;
	if (old == NULL)
		return;
	wf_assert(old->engine == NULL);
	while (old->first_task != NULL) {
		struct wf_task_facts *task = old->first_task;

		old->first_task = task->next;
		wf_work_log_free(&task->log);
		wf_free(task);
	}
	wf_fact_fold_forget_own(old);
	wf_fact_fold_forget_cases(old);
	wf_fact_fold_forget_items(old);
	wf_map_free(&old->known);
	wf_map_free(&old->readers);
	wf_map_free(&old->items);
	wf_map_free(&old->tasks);
	wf_free(old->keys);
	wf_free(old->own);
	pthread_cond_destroy(&old->wake);
	pthread_cond_destroy(&old->ready);
	pthread_mutex_destroy(&old->lock);
	pthread_mutex_destroy(&old->reading);
	wf_free(old);
}

/* --- tasks ---------------------------------------------------------------- */

/* The lengths make the parts unambiguous; false: too long. */
static bool name_task(const struct wf_task *task, char name[NAME_BYTES])
{
	const struct wf_spec *spec = task->net->spec;
	const char *identifier = wf_spec_identifier(spec);
	int length = snprintf(name, NAME_BYTES, "%zu,%zu:%s,%s,%s",
	    strlen(identifier), strlen(spec->metadata.version), identifier,
	    spec->metadata.version, task->id);

	return length > 0 && (size_t)length < NAME_BYTES;
}

struct wf_task_facts *wf_fact_fold_of(
    struct wf_fact_fold *facts, const struct wf_task *task)
{
	struct wf_task_facts *found;
	char name[NAME_BYTES];

	if (!name_task(task, name))
		return NULL;
	found = wf_map_get(facts->tasks, name);
	if (found == NULL) {
		found = wf_calloc(1, sizeof(*found));
		found->log = wf_work_log_new();
		found->next = facts->first_task;
		facts->first_task = found;
		wf_map_add(facts->tasks, name, found);
	}
	return found;
}

/* --- own decisions -------------------------------------------------------- */

static void drop_own(struct wf_fact_fold *facts, size_t at)
{
	wf_assert(at < facts->own_count);
	wf_free(facts->own[at].participant);
	facts->own_count--;
	memmove(&facts->own[at], &facts->own[at + 1],
	    (facts->own_count - at) * sizeof(*facts->own));
}

void wf_fact_fold_have_read(struct wf_fact_fold *facts, uint64_t number,
    uint32_t net, uint32_t task_number, uint32_t instance)
{
	for (size_t i = facts->own_count; i-- > 0;)
		if (facts->own[i].number == number &&
		    facts->own[i].net == net &&
		    facts->own[i].task_number == task_number &&
		    facts->own[i].instance == instance)
			drop_own(facts, i);
}

void wf_fact_fold_note(struct wf_fact_fold *facts, const struct wf_given *given)
{
	struct wf_task_facts *task;

	pthread_mutex_lock(&facts->lock);
	task = wf_fact_fold_of(facts, given->task);
	/* The decision may be made again, for instance after a failed batch. */
	wf_fact_fold_have_read(facts, given->number, given->net,
	    given->task->number, given->instance);
	while (
	    facts->own_count > 0 && (facts->own_count == WF_OWN_DECISIONS ||
					facts->own[0].at < given->at - OWN_MS))
		drop_own(facts, 0);
	if (task != NULL)
		facts->own[facts->own_count++] =
		    (struct wf_own_decision){ .task = task,
			    .participant = wf_strdup(given->participant),
			    .number = given->number,
			    .net = given->net,
			    .task_number = given->task->number,
			    .instance = given->instance,
			    .at = given->at };
	pthread_mutex_unlock(&facts->lock);
}

void wf_fact_fold_forget_own(struct wf_fact_fold *facts)
{
	pthread_mutex_lock(&facts->lock);
	while (facts->own_count > 0)
		drop_own(facts, facts->own_count - 1);
	pthread_mutex_unlock(&facts->lock);
}

/* --- asking --------------------------------------------------------------- */

static void add_own(const struct wf_fact_fold *facts,
    const struct wf_task_facts *task, const char *participant,
    struct wf_work_facts *about)
{
	for (size_t i = 0; i < facts->own_count; i++) {
		const struct wf_own_decision *own = &facts->own[i];

		/* Behind all that is read. */
		if (own->task == task &&
		    strcmp(own->participant, participant) == 0 &&
		    own->at >= about->allocated.at)
			about->allocated =
			    (struct wf_work_moment){ own->at, OWN_ORDER + i };
	}
}

void wf_fact_fold_get(struct wf_fact_fold *facts, const struct wf_task *task,
    const char *participant, struct wf_work_facts *about)
{
	int64_t until = wf_monotonic_ms() + READY_MS;
	const struct wf_task_facts *known;

	pthread_mutex_lock(&facts->lock);
	/* Once: a batch, with its transaction, waits meanwhile. */
	while (!facts->is_ready && facts->engine != NULL && !facts->ending &&
	       !facts->was_awaited)
		if (!wf_wait_until(&facts->ready, &facts->lock, until)) {
			facts->was_awaited = true;
			pthread_cond_broadcast(&facts->ready);
		}
	known = wf_fact_fold_of(facts, task);
	if (known != NULL) {
		wf_work_log_get(known->log, participant, about);
		add_own(facts, known, participant, about);
	}
	pthread_mutex_unlock(&facts->lock);
}

uint64_t wf_fact_fold_position(struct wf_fact_fold *facts, size_t *own_out)
{
	uint64_t position;

	pthread_mutex_lock(&facts->lock);
	position = facts->position;
	*own_out = facts->own_count;
	pthread_mutex_unlock(&facts->lock);
	return position;
}

/* --- the thread ----------------------------------------------------------- */

/* The lock is held before and after. */
static void run_round(struct wf_fact_fold *facts)
{
	struct wf_error err = { .rc = WF_OK };

	facts->woken = false;
	pthread_mutex_unlock(&facts->lock);
	/* After a failure the next round reads on from where this one came. */
	(void)(wf_fact_fold_read(facts, facts->engine, &err) == WF_OK);
	pthread_mutex_lock(&facts->lock);
}

static void *run(void *argument)
{
	struct wf_fact_fold *facts = argument;

	pthread_mutex_lock(&facts->lock);
	while (!facts->ending) {
		int64_t now;

		run_round(facts);
		now = wf_monotonic_ms();
		while (!facts->ending && wf_wait_until(&facts->wake,
					     &facts->lock, now + PAUSE_MS))
			;
		while (!facts->ending && !facts->woken &&
		       wf_wait_until(&facts->wake, &facts->lock, now + TICK_MS))
			;
	}
	pthread_mutex_unlock(&facts->lock);
	return NULL;
}

enum wf_rc wf_fact_fold_start(
    struct wf_fact_fold *facts, struct wf_engine *engine, struct wf_error *err)
{
	bool runs;

	pthread_mutex_lock(&facts->lock);
	wf_assert(facts->engine == NULL && engine != NULL);
	facts->engine = engine;
	runs = pthread_create(&facts->thread, NULL, run, facts) == 0;
	if (!runs)
		facts->engine = NULL;
	pthread_mutex_unlock(&facts->lock);
	if (runs)
		return WF_OK;
	return wf_fail(
	    err, WF_UNAVAILABLE, "no thread for the facts of allocators");
}

void wf_fact_fold_wake(struct wf_fact_fold *facts)
{
	pthread_mutex_lock(&facts->lock);
	facts->woken = true;
	pthread_cond_signal(&facts->wake);
	pthread_mutex_unlock(&facts->lock);
}

void wf_fact_fold_stop(struct wf_fact_fold *facts)
{
	if (facts == NULL || facts->engine == NULL)
		return;
	pthread_mutex_lock(&facts->lock);
	facts->ending = true;
	pthread_cond_broadcast(&facts->wake);
	pthread_cond_broadcast(&facts->ready);
	pthread_mutex_unlock(&facts->lock);
	pthread_join(facts->thread, NULL);
	pthread_mutex_lock(&facts->lock);
	facts->engine = NULL;
	pthread_mutex_unlock(&facts->lock);
}

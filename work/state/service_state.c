/* SPDX-License-Identifier: Apache-2.0 */
#include "work/state/service_state.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/panic.h"

#define SERVICES 1000U
#define STEP_MS 10000
#define STEPS 360U /* of an hour */
#define MINUTE_STEPS 6
#define FAILURE_BYTES 500U
#define ACCOUNT_BYTES 128U

struct step {
	int64_t number; /* of ten seconds since 1970 */
	struct wf_state_count count;
};

struct worker {
	char account[ACCOUNT_BYTES];
	int64_t seen_at;
	uint64_t items;
};

struct known {
	struct known *next;
	struct wf_service_state state; /* without counts and workers */
	char failure[FAILURE_BYTES];
	struct step steps[STEPS];
	struct worker workers[WF_STATE_WORKERS];
	size_t worker_count;
};

struct wf_service_states {
	pthread_mutex_t lock; /* of what follows */
	struct wf_map *by_key;
	struct known *first;
};

struct wf_service_states *wf_service_states_new(void)
{
	struct wf_service_states *states = wf_calloc(1, sizeof(*states));

	states->by_key = wf_map_new();
	pthread_mutex_init(&states->lock, NULL);
	return states;
}

void wf_service_states_free(struct wf_service_states **states)
{
	struct wf_service_states *old = *states;

	*states = NULL;
	if (old == NULL)
		return;
	while (old->first != NULL) {
		struct known *known = old->first;

		old->first = known->next;
		wf_free(known);
	}
	wf_map_free(&old->by_key);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

/* NULL: it is not known; if it is to be added, there is no room. */
static struct known *find(struct wf_service_states *states,
    uint32_t namespace_id, const char *uri, bool adds)
{
	char key[WF_SERVICE_URI_BYTES + 16];
	struct known *known;

	snprintf(key, sizeof(key), "%u/%s", namespace_id, uri);
	known = wf_map_get(states->by_key, key);
	if (known != NULL || !adds || wf_map_count(states->by_key) >= SERVICES)
		return known;
	wf_assert(uri != NULL && strlen(uri) <= WF_SERVICE_URI_BYTES);
	known = wf_calloc(1, sizeof(*known));
	known->next = states->first;
	states->first = known;
	wf_map_add(states->by_key, key, known);
	return known;
}

static struct wf_state_count *count_at(struct known *known, int64_t now)
{
	int64_t number = now / STEP_MS;
	struct step *step = &known->steps[(uint64_t)number % STEPS];

	wf_assert(now >= 0);
	if (step->number != number)
		*step = (struct step){ .number = number };
	return &step->count;
}

/* --- what happens --------------------------------------------------------- */

static void note_failure(struct known *known, int64_t now, const char *failure)
{
	struct wf_service_state *state = &known->state;

	state->failed_at = now;
	if (state->fails_since == 0)
		state->fails_since = now;
	snprintf(known->failure, sizeof(known->failure), "%s", failure);
}

void wf_service_state_called(struct wf_service_states *states,
    uint32_t namespace_id, const char *uri, int64_t now, int64_t took_us,
    const char *failure)
{
	struct wf_state_count *count;
	struct known *known;

	pthread_mutex_lock(&states->lock);
	known = find(states, namespace_id, uri, true);
	if (known != NULL) {
		count = count_at(known, now);
		count->done += failure == NULL;
		count->failed += failure != NULL;
		count->took_us += took_us > 0 ? (uint64_t)took_us : 0;
		if (failure != NULL) {
			note_failure(known, now, failure);
		} else {
			known->state.done_at = now;
			known->state.fails_since = 0;
		}
	}
	pthread_mutex_unlock(&states->lock);
}

void wf_service_state_set(struct wf_service_states *states,
    uint32_t namespace_id, const char *uri, const struct wf_breaker *breaker,
    unsigned active)
{
	struct known *known;

	pthread_mutex_lock(&states->lock);
	known = find(states, namespace_id, uri, true);
	if (known != NULL) {
		known->state.breaker = *breaker;
		known->state.active = active;
	}
	pthread_mutex_unlock(&states->lock);
}

/* The worker's place, or that of the one that was seen first. */
static struct worker *place_of(struct known *known, const char *account)
{
	size_t oldest = 0;

	for (size_t i = 0; i < known->worker_count; i++) {
		if (strncmp(known->workers[i].account, account,
			ACCOUNT_BYTES - 1) == 0)
			return &known->workers[i];
		if (known->workers[i].seen_at < known->workers[oldest].seen_at)
			oldest = i;
	}
	wf_assert(known->worker_count <= WF_STATE_WORKERS);
	if (known->worker_count < WF_STATE_WORKERS)
		oldest = known->worker_count++;
	known->workers[oldest] = (struct worker){ .items = 0 };
	snprintf(known->workers[oldest].account, ACCOUNT_BYTES, "%s", account);
	return &known->workers[oldest];
}

void wf_service_state_claimed(struct wf_service_states *states,
    uint32_t namespace_id, const char *uri, int64_t now, const char *account,
    size_t items)
{
	struct worker *worker;
	struct known *known;

	pthread_mutex_lock(&states->lock);
	known = find(states, namespace_id, uri, true);
	if (known != NULL) {
		worker = place_of(known, account);
		worker->seen_at = now;
		worker->items += items;
		count_at(known, now)->done += items;
	}
	pthread_mutex_unlock(&states->lock);
}

void wf_service_state_forget(
    struct wf_service_states *states, uint32_t namespace_id, const char *uri)
{
	struct known *known;

	pthread_mutex_lock(&states->lock);
	known = find(states, namespace_id, uri, false);
	if (known != NULL)
		*known = (struct known){ .next = known->next,
			.state = { .breaker = known->state.breaker,
			    .active = known->state.active } };
	pthread_mutex_unlock(&states->lock);
}

/* --- reading -------------------------------------------------------------- */

static void add_counts(
    const struct known *known, int64_t now, struct wf_service_state *state)
{
	int64_t last = now / STEP_MS;

	for (size_t i = 0; i < STEPS; i++) {
		const struct step *step = &known->steps[i];
		const struct wf_state_count *count = &step->count;
		int64_t age = last - step->number;

		if (age < 0 || age >= (int64_t)STEPS)
			continue;
		state->hour.done += count->done;
		state->hour.failed += count->failed;
		state->hour.took_us += count->took_us;
		if (age >= MINUTE_STEPS)
			continue;
		state->minute.done += count->done;
		state->minute.failed += count->failed;
		state->minute.took_us += count->took_us;
	}
}

static void copy_workers(const struct known *known, struct wf_arena *arena,
    struct wf_service_state *state)
{
	struct wf_state_worker *workers =
	    wf_arena_array(arena, WF_STATE_WORKERS, sizeof(*workers));
	size_t count = 0;

	for (size_t i = 0; i < known->worker_count; i++) {
		const struct worker *from = &known->workers[i];
		size_t at = count++;

		for (; at > 0 && workers[at - 1].seen_at < from->seen_at; at--)
			workers[at] = workers[at - 1];
		workers[at] = (struct wf_state_worker){ wf_arena_strdup(arena,
							    from->account),
			from->seen_at, from->items };
	}
	wf_assert(count <= WF_STATE_WORKERS);
	state->workers = workers;
	state->worker_count = count;
}

bool wf_service_state_read(struct wf_service_states *states,
    uint32_t namespace_id, const char *uri, int64_t now, struct wf_arena *arena,
    struct wf_service_state *state_out)
{
	const struct known *known;

	memset(state_out, 0, sizeof(*state_out));
	state_out->failure = "";
	pthread_mutex_lock(&states->lock);
	known = find(states, namespace_id, uri, false);
	if (known != NULL) {
		*state_out = known->state;
		state_out->failure = wf_arena_strdup(arena, known->failure);
		add_counts(known, now, state_out);
		copy_workers(known, arena, state_out);
	}
	pthread_mutex_unlock(&states->lock);
	return known != NULL;
}

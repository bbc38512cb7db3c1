/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The due commands that this engine has claimed: a list in the order of the
 * claims, under the engine's lock, bounded in number and bytes.  Only the
 * functions of this file change the state of a due command.
 *
 *              wf_due_add()
 *                   │
 *                   ▼    wf_due_search()
 *                WAITING ───────────────► SEARCHED  (an OR-join)
 *                   │                        │
 *                   │ wf_due_try()           │ wf_due_try()
 *                   ▼                        ▼
 *                TRIED ◄─────────────────────┘      (a shard has the command)
 *                   │ wf_due_over()
 *                   ▼
 *                RETURNED ──wf_due_over()──► freed
 *
 * wf_due_over() frees a command of any state.  Only an isolated one (TRIED or
 * SEARCHED) that ends because the store failed becomes RETURNED instead:
 * before it is freed, due.c takes the attempt back in the store.
 */
#include <string.h>

#include "base/panic.h"
#include "runtime/shard.h"

/* Bounds of the list, and of one claim. */
#define CLAIMED_MAXIMUM 1024U
#define CLAIMED_MAXIMUM_BYTES ((size_t)64 << 20)
#define CLAIM_MAXIMUM 64U

static bool is_listed(
    const struct wf_engine *engine, const struct wf_due_row *row)
{
	for (const struct due_command *at = engine->due_commands; at != NULL;
	     at = at->next)
		if (at->row.number == row->number &&
		    strcmp(at->row.name, row->name) == 0)
			return true;
	return false;
}

void wf_due_add(
    struct wf_engine *engine, const struct wf_due_row *row, int64_t until)
{
	struct due_command *due;

	pthread_mutex_lock(&engine->lock);
	if (!is_listed(engine, row)) {
		due = wf_due_command_new(row, until);
		wf_assert(due->state == DUE_WAITING && due->next == NULL);
		*engine->last_due_command = due;
		engine->last_due_command = &due->next;
		engine->due_count++;
		engine->due_bytes += due->size;
		wf_assert(engine->due_count <= CLAIMED_MAXIMUM);
	}
	pthread_mutex_unlock(&engine->lock);
}

size_t wf_due_room(struct wf_engine *engine)
{
	size_t room = 0;

	pthread_mutex_lock(&engine->lock);
	if (engine->due_count < CLAIMED_MAXIMUM &&
	    engine->due_bytes < CLAIMED_MAXIMUM_BYTES)
		room = CLAIMED_MAXIMUM - engine->due_count;
	pthread_mutex_unlock(&engine->lock);
	return room < CLAIM_MAXIMUM ? room : CLAIM_MAXIMUM;
}

/* The engine's lock is held. */
static void remove_and_free(struct wf_engine *engine, struct due_command *due)
{
	struct due_command **at = &engine->due_commands;

	while (*at != due) {
		wf_assert(*at != NULL);
		at = &(*at)->next;
	}
	*at = due->next;
	if (due->next == NULL) {
		wf_assert(engine->last_due_command == &due->next);
		engine->last_due_command = at;
	}
	wf_assert(engine->due_count > 0 && engine->due_bytes >= due->size);
	engine->due_count--;
	engine->due_bytes -= due->size;
	wf_assert((engine->due_count == 0) == (engine->due_commands == NULL));
	wf_due_command_free(&due);
}

/* --- states --------------------------------------------------------------- */

void wf_due_isolate(struct wf_engine *engine, struct due_command *due)
{
	pthread_mutex_lock(&engine->lock);
	wf_assert(due->state == DUE_WAITING && due->earlier.isolated > 0);
	/* One at a time: else it would not be known which one is deadly. */
	wf_assert(engine->isolated == NULL);
	engine->isolated = due;
	pthread_mutex_unlock(&engine->lock);
}

void wf_due_search(struct wf_engine *engine, struct due_command *due)
{
	pthread_mutex_lock(&engine->lock);
	wf_assert(due->state == DUE_WAITING);
	wf_assert(due->row.kind == WF_DUE_SEARCH && due->refusal.rc == WF_OK);
	due->state = DUE_SEARCHED;
	pthread_cond_signal(&engine->search_wake);
	pthread_mutex_unlock(&engine->lock);
}

void wf_due_try(struct wf_engine *engine, struct due_command *due)
{
	pthread_mutex_lock(&engine->lock);
	wf_assert(due->state == DUE_WAITING || due->state == DUE_SEARCHED);
	due->state = DUE_TRIED;
	pthread_mutex_unlock(&engine->lock);
}

/* The store failed: the command cannot have crashed the engine. */
static bool is_no_attempt(enum wf_rc rc)
{
	return rc == WF_UNAVAILABLE || rc == WF_IO || rc == WF_LOST;
}

void wf_due_over(
    struct wf_engine *engine, struct due_command *due, enum wf_rc rc)
{
	bool isolated;

	pthread_mutex_lock(&engine->lock);
	isolated = engine->isolated == due;
	wf_assert(due->state != DUE_RETURNED || !isolated);
	if (isolated && is_no_attempt(rc))
		due->state = DUE_RETURNED;
	else
		remove_and_free(engine, due);
	if (isolated) {
		engine->isolated = NULL;
		engine->due_changed = true;
		pthread_cond_signal(&engine->due_wake);
	}
	pthread_mutex_unlock(&engine->lock);
}

/* --- finding -------------------------------------------------------------- */

struct due_command *wf_due_next(
    struct wf_engine *engine, const struct due_command *behind, int64_t now)
{
	struct due_command *at;

	pthread_mutex_lock(&engine->lock);
	at = behind == NULL ? engine->due_commands : behind->next;
	for (; at != NULL; at = at->next)
		if (at->state == DUE_RETURNED ||
		    (at->state == DUE_WAITING &&
			(engine->isolated == NULL || now >= at->until ||
			    !wf_due_command_may_be_deadly(at))))
			break;
	pthread_mutex_unlock(&engine->lock);
	return at;
}

struct due_command *wf_due_first_searched(const struct wf_engine *engine)
{
	struct due_command *at = engine->due_commands;

	while (at != NULL && at->state != DUE_SEARCHED)
		at = at->next;
	return at;
}

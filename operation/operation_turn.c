/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One turn of an operation: the subjects of its page get their commands, for
 * at most TURN_MS, so that other operations have theirs, and a pause is soon
 * noticed.
 *
 *             ┌─► DONE, REFUSED: an outcome
 *   subject ──┼─► LEFT: not asked, or to be asked again: stays in the page
 *             └─► UNDONE: the operation does not run, and it was not done
 *
 * A command has the same key each time, so one that was done in an earlier turn
 * is answered, not done.  When the operation does not run any more, nothing is
 * done: only the earlier answer is asked for.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "operation/operation_priv.h"

#define TURN_MS 500
/* A command whose case has changed since it was tried is made again. */
#define LATE_TRIES 5U
/* A marking may be forgotten before the command asks for it. */
#define OPEN_TRIES 20U
/* No case has made so many steps: only an earlier answer is asked for. */
#define NO_VERSION UINT64_MAX

struct pending {
	pthread_mutex_t lock;
	pthread_cond_t landed;
	size_t waiting;
};

struct giving {
	struct commander *c;
	struct pending pending;
	struct wf_arena *arena;
	bool only_asks;
	struct given *given;
};

/* What the answer to one command needs. */
struct landing {
	struct pending *pending;
	const struct subject *subject;
	struct given *given;
	bool only_asks;
	bool is_asked; /* it is refused, unless it was done already */
};

/* --- answers -------------------------------------------------------------- */

bool wf_operation_is_passing(enum wf_rc rc)
{
	return rc == WF_UNAVAILABLE || rc == WF_LOST || rc == WF_IO;
}

static void note(struct given *given, enum wf_rc rc, const char *text)
{
	given->state = rc == WF_OK		     ? WF_GIVEN_DONE
		       : wf_operation_is_passing(rc) ? WF_GIVEN_LEFT
						     : WF_GIVEN_REFUSED;
	given->is_busy = wf_operation_is_passing(rc);
	given->rc = rc;
	snprintf(
	    given->text, sizeof(given->text), "%s", rc == WF_OK ? "" : text);
}

/* Whether the command is to be made once more, in a later turn. */
static bool is_again(
    const struct subject *subject, const struct wf_error *refusal)
{
	if (refusal->rc != WF_CONFLICT)
		return false;
	if (strcmp(refusal->code, WF_UNDECIDED_CODE) == 0)
		return subject->tries < OPEN_TRIES;
	/* A case that is to be as it was left has moved for good. */
	return subject->version == 0 &&
	       strcmp(refusal->code, WF_CHANGED_CODE) == 0 &&
	       subject->tries < LATE_TRIES;
}

static void land(void *context, const struct wf_reply *reply)
{
	struct landing *l = context;
	struct pending *pending = l->pending;
	bool is_new = !l->is_asked || reply->rc == WF_OK ||
		      wf_operation_is_passing(reply->rc);

	if (is_new) {
		note(l->given, reply->rc, reply->error.message);
		l->given->version = reply->sequence;
	}
	if (is_new && is_again(l->subject, &reply->error))
		l->given->state = WF_GIVEN_LEFT;
	else if (l->only_asks && l->given->state == WF_GIVEN_REFUSED)
		l->given->state = WF_GIVEN_UNDONE;
	pthread_mutex_lock(&pending->lock);
	pending->waiting--;
	pthread_cond_signal(&pending->landed);
	pthread_mutex_unlock(&pending->lock);
}

/* --- commands ------------------------------------------------------------- */

static void submit(
    struct giving *g, const struct wf_request *request, struct landing *l)
{
	struct wf_error err = { .rc = WF_OK };

	pthread_mutex_lock(&g->pending.lock);
	g->pending.waiting++;
	pthread_mutex_unlock(&g->pending.lock);
	if (wf_engine_submit(g->c->engine, request, land, l, &err) == WF_OK)
		return;
	pthread_mutex_lock(&g->pending.lock);
	g->pending.waiting--;
	pthread_mutex_unlock(&g->pending.lock);
	if (!l->is_asked || wf_operation_is_passing(err.rc))
		note(l->given, err.rc, err.message);
}

static void give(
    struct giving *g, const struct subject *subject, struct given *given)
{
	enum wf_operation_kind kind = g->c->operation->kind;
	struct landing *l = wf_arena_alloc(g->arena, sizeof(*l));
	struct wf_error err = { .rc = WF_OK };
	struct wf_request request;
	enum wf_rc rc;

	*l = (struct landing){ .pending = &g->pending,
		.subject = subject,
		.given = given,
		/* Retries name no version: one that was given is given again.
		 */
		.only_asks = g->only_asks && wf_operation_of(kind) !=
						 WF_OPERATION_OF_INCIDENTS };
	given->is_tried = true;
	if (l->only_asks) {
		rc = wf_command_name(g->c, subject, g->arena, &request, &err);
		note(given, WF_CONFLICT, "");
		given->state = WF_GIVEN_UNDONE;
	} else {
		if (subject->tries > 0 && kind == WF_OPERATION_MIGRATE)
			wf_commander_learn(g->c, subject, g->arena);
		rc = wf_command_make(
		    g->c, subject, g->arena, &request, NULL, &err);
	}
	if (rc != WF_OK)
		note(given, rc, err.message);
	if (given->is_busy || wf_is_missing(subject))
		return;
	l->is_asked = l->only_asks || rc != WF_OK;
	if (l->is_asked)
		request.version = NO_VERSION;
	submit(g, &request, l);
}

void wf_operation_turn(struct commander *commander, const struct subjects *page,
    bool only_asks, void (*meanwhile)(void *context), void *context,
    struct wf_arena *arena, struct given *given_out)
{
	struct giving g = {
		.c = commander, .arena = arena, .only_asks = only_asks
	};
	int64_t end = wf_monotonic_ms() + TURN_MS;

	pthread_mutex_init(&g.pending.lock, NULL);
	pthread_cond_init(&g.pending.landed, NULL);
	for (size_t i = 0; i < page->count; i++)
		given_out[i] = (struct given){ .state = WF_GIVEN_LEFT };
	/* At least one, so that it is done some time. */
	for (size_t i = 0;
	     i < page->count && (i == 0 || wf_monotonic_ms() < end); i++)
		give(&g, &page->rows[i], &given_out[i]);
	meanwhile(context);
	pthread_mutex_lock(&g.pending.lock);
	while (g.pending.waiting > 0)
		pthread_cond_wait(&g.pending.landed, &g.pending.lock);
	pthread_mutex_unlock(&g.pending.lock);
	pthread_cond_destroy(&g.pending.landed);
	pthread_mutex_destroy(&g.pending.lock);
}

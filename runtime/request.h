/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pending request: a copy with an id, from its submission to its reply; and
 * the stored form of requests.
 *
 *   submitted ─► queue ─► batch ─► FATE_ANSWER ─────► answered, freed
 *                  ▲        │ ├──► FATE_QUARANTINED ► its case quarantined,
 *                  │        │ │                       answered, freed
 *                  └────────┘ ├──► FATE_LONG ───────► made outside, queued
 * again FATE_AGAIN └──► the batch failed: shard.c decides
 */
#ifndef WF_RUNTIME_REQUEST_H
#define WF_RUNTIME_REQUEST_H

#include "base/limits.h"
#include "kernel/step.h"
#include "runtime/due_command.h"
#include "runtime/engine.h"

/* The outcome of a request in a batch. */
enum fate {
	FATE_ANSWER,
	FATE_AGAIN,	 /* deferred to the next batch */
	FATE_LONG,	 /* its step is made outside: long_step.c */
	FATE_QUARANTINED /* its case is to be quarantined */
};

struct long_step;
struct work;

struct pending {
	struct pending *next;
	struct wf_request request;
	const char *id;	   /* of the command, unique */
	uint64_t serial;   /* counts the requests of callers; 0: due */
	bool new_id;	   /* made for this request, which is not tried yet */
	uint64_t content;  /* hash of what is asked */
	int64_t submitted; /* of one with a trace: wf_monotonic_us() */
	size_t size;	   /* bytes of memory */
	wf_reply_f reply;  /* NULL: none */
	void *context;
	struct due_command *due; /* NULL: it has a caller */
	/* Of its case; 0 until a launch has one.  WITHDRAW: of the start. */
	uint64_t number;
	char name[WF_CASE_NAME_BYTES + 1]; /* of a launch */
	bool own_name;			   /* .. is the number */
	struct long_step *long_step;	   /* NULL: it has none */

	/* Since its first failure. */
	unsigned failures;
	int64_t failing_since;
	uint64_t commits; /* of the shard, at the first failure */
	unsigned alone;	  /* failures in batches of its own */
	bool in_doubt;	  /* it may have been done: a commit's answer is lost */

	/* Of the running batch. */
	struct work *work;
	struct wf_lookup *look_up;
	struct wf_lease lease; /* given or ended by the step, if any */
	bool overrides;	       /* the step is done against another's lease */
	int64_t stepped_at;    /* when its step was made */
	enum fate fate;
	struct wf_reply answer;
};

/*
 * Copies a request.  opening, serial: the engine's opening and the request's
 * number within it, of which an id is made if the request has no key.  due:
 * the due command that it is; NULL for a request of a caller.
 */
struct pending *wf_pending_new(const struct wf_request *request,
    uint64_t opening, uint64_t serial, struct due_command *due);
void wf_pending_free(struct pending **pending);
/* Calls the reply, if there is one, and frees the request. */
void wf_pending_answer(struct pending **pending);
/* Whether it is a command, now or later, and has the members of commands. */
static inline bool wf_request_commands(const struct wf_request *request)
{
	return request->kind == WF_REQUEST_COMMAND ||
	       request->kind == WF_REQUEST_SCHEDULE;
}

/* Whether it is that command, now or later. */
static inline bool wf_request_is(
    const struct wf_request *request, enum wf_command_kind command)
{
	return wf_request_commands(request) && request->command.kind == command;
}

static inline bool wf_request_launches(const struct wf_request *request)
{
	return wf_request_is(request, WF_COMMAND_LAUNCH);
}

/* The item that it names; "": none. */
const char *wf_request_item(const struct wf_request *request);
/* The incident that it closes; 0: none. */
uint64_t wf_request_incident(const struct wf_request *request);

/* Why nothing is done to a quarantined case. */
#define WF_QUARANTINED_TEXT                                                    \
	"the case is quarantined until its incident is retried"
/* Sets the answer to that failure, and returns rc. */
enum wf_rc wf_pending_fail(struct pending *pending, enum wf_rc rc,
    const char *format, ...) WF_PRINTF(3, 4);

/* The stored form of a request, the body of a due row; in the arena. */
struct wf_bytes wf_request_encode(
    const struct wf_request *request, struct wf_arena *arena);
/* Texts are in the arena.  WF_CORRUPT. */
enum wf_rc wf_request_decode(struct wf_request *request, struct wf_bytes bytes,
    struct wf_arena *arena, struct wf_error *err) WF_MUSTCHECK;

#endif

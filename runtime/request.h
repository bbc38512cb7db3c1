/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request on its way: copied, with its id, until it is answered; and as
 * bytes, to be done later.
 */
#ifndef WF_RUNTIME_REQUEST_H
#define WF_RUNTIME_REQUEST_H

#include "base/codec.h"
#include "kernel/step.h"
#include "runtime/due_command.h"
#include "runtime/engine.h"

/* Of a case's name, without its NUL. */
#define WF_NAME_MAXIMUM 64U
/* Of an id of a command, without its NUL: what a store takes. */
#define WF_COMMAND_ID_MAXIMUM 256U

/* What becomes of a request in a batch. */
enum fate {
	FATE_ANSWER,
	FATE_AGAIN,	 /* put off to the next batch */
	FATE_QUARANTINED /* its case is set aside */
};

struct work;

struct pending {
	struct pending *next;
	struct wf_request request;
	const char *id;	  /* of the command, unique */
	uint64_t serial;  /* among those that callers made of this engine */
	bool new_id;	  /* .. was made for this request, and not tried yet */
	uint64_t content; /* hash of what is asked */
	size_t size;	  /* bytes of memory */
	wf_reply_f reply; /* NULL: nobody waits */
	void *context;
	struct due_command *due; /* NULL: it has a caller */
	uint64_t number; /* of the case that it is for; of a launch, new */
	char name[WF_NAME_MAXIMUM + 1]; /* of a launch */
	bool own_name;			/* .. was made of the number */

	/* Since it fails. */
	unsigned failures;
	int64_t failing_since;
	uint64_t commits; /* of the shard, when that began */
	unsigned alone;	  /* failures in batches of its own */
	bool in_doubt;	  /* it may have been done */

	/* Of the batch that runs. */
	struct work *work;
	struct wf_look_up *look_up;
	enum fate fate;
	struct wf_reply answer;
};

/*
 * opening, serial: of the engine and, within it, of the request.  due:
 * where it comes from; NULL for a request of a caller.
 */
struct pending *wf_pending_new(const struct wf_request *request,
    uint64_t opening, uint64_t serial, struct due_command *due);
void wf_pending_free(struct pending **pending);
/* Answers it, if someone waits, and frees it. */
void wf_pending_answer(struct pending **pending);
/* Whether it is that command, now or later. */
static inline bool wf_request_is(
    const struct wf_request *request, enum wf_command_kind command)
{
	return (request->kind == WF_REQUEST_COMMAND ||
		   request->kind == WF_REQUEST_SCHEDULE) &&
	       request->command.kind == command;
}

static inline bool wf_request_launches(const struct wf_request *request)
{
	return wf_request_is(request, WF_COMMAND_LAUNCH);
}

/* The item that it names; "": none. */
const char *wf_request_item(const struct wf_request *request);
/* The incident that it closes; 0: none. */
uint64_t wf_request_incident(const struct wf_request *request);

/* Sets the answer to a failure. */
enum wf_rc wf_pending_fail(struct pending *pending, enum wf_rc rc,
    const char *format, ...) WF_PRINTF(3, 4);

/* A request for later, as the body of an due. */
struct wf_bytes wf_request_encode(
    const struct wf_request *request, struct wf_arena *arena);
/* Texts are the arena's. */
enum wf_rc wf_request_decode(struct wf_request *request, struct wf_bytes bytes,
    struct wf_arena *arena, struct wf_error *err) WF_MUSTCHECK;

/* A text as it was put with wf_put_string(). */
const char *wf_get_text(struct wf_reader *reader, struct wf_arena *arena);

#endif

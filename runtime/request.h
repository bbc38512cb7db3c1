/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request on its way: copied, with its id, until it is answered; and
 * requests as bytes, in due commands and incidents.
 */
#ifndef WF_RUNTIME_REQUEST_H
#define WF_RUNTIME_REQUEST_H

#include "base/codec.h"
#include "runtime/engine.h"

/* Kinds of due commands in the store. */
enum {
	WF_DUE_REQUEST = 1, /* payload: a request */
	WF_DUE_SEARCH = 2   /* payload: the id of an undecided OR-join */
};

/* Why a request needs more than an answer. */
enum fate { FATE_ANSWER, FATE_AGAIN, FATE_ASIDE };

struct work;

struct pending {
	struct pending *next;
	struct wf_request request;
	const char *id;	  /* of the command, unique */
	bool new_id;	  /* .. was made for this request, and not tried yet */
	uint64_t content; /* hash of what is asked */
	size_t size;	  /* bytes of memory */
	wf_reply_f reply; /* NULL: it came from the store */
	void *context;
	uint64_t number;  /* of the case that it is for; of a launch, new */
	const char *name; /* of a launch */
	bool own_name;	  /* .. was made of the number */
	const char *due;  /* the due row that it came from; NULL: none */
	uint64_t due_number;
	bool poisoned;	  /* it was tried too often */
	bool undecidable; /* not even a long search gave a verdict */
	unsigned failures;
	uint64_t commits;	  /* of the shard, at the first failure */
	struct pending *next_due; /* all from the due table */

	/* Of the batch that runs. */
	struct work *work;
	struct wf_look_up *look_up;
	enum fate fate;
	struct wf_reply answer;
};

/* id: NULL makes it of node and serial; due: NULL, or the row it is from. */
struct pending *wf_pending_new(const struct wf_request *request,
    const char *node, uint64_t serial, const struct wf_due_row *due);
void wf_pending_free(struct pending **pending);
/* Answers it, if someone waits, and frees it. */
void wf_pending_answer(struct pending **pending);
/* Sets the answer to a failure. */
enum wf_rc wf_pending_fail(struct pending *pending, enum wf_rc rc,
    const char *format, ...) WF_PRINTF(3, 4);

/* FNV-1a, 64 bits; what is hashed with it is stored. */
uint64_t wf_request_hash(const void *bytes, size_t size);
void wf_request_encode(
    struct wf_buffer *buffer, const struct wf_request *request);
/* Texts are the arena's. */
enum wf_rc wf_request_decode(struct wf_request *request, struct wf_bytes bytes,
    struct wf_arena *arena, struct wf_error *err) WF_MUSTCHECK;

/* A text as it was put with wf_put_string(). */
const char *wf_get_text(struct wf_reader *reader, struct wf_arena *arena);

#endif

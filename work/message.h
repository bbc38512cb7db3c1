/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message: one announcement on its way to one service, and how each kind of
 * service has it packed and its answer judged.
 *
 *   message ──► render ──► [call] ──► judge ──► what becomes of it
 *
 * Rendering and judging run in the thread that delivers; they may read the
 * store.
 */
#ifndef WF_WORK_MESSAGE_H
#define WF_WORK_MESSAGE_H

#include "runtime/engine.h"
#include "work/service.h"

/* What becomes of a message. */
enum wf_verdict {
	WF_VERDICT_CALL,     /* rendered: it is sent */
	WF_VERDICT_DONE,     /* it has arrived, or need not arrive any more */
	WF_VERDICT_COMPLETE, /* its item is completed with its output */
	WF_VERDICT_LATER,    /* not now, but at; this was no attempt */
	WF_VERDICT_AGAIN,    /* it failed, for that reason; tried again */
	WF_VERDICT_REFUSED   /* it failed, and trying again is no use */
};

struct wf_message {
	struct wf_engine *engine;
	const struct wf_service *service;
	struct wf_service_policy policy; /* its own, or as the task has it */
	struct wf_message_row row;
	struct wf_announced announced; /* its payload */
	const char *key;	       /* of the message, the same each time */
	int64_t now;
	struct wf_arena *arena; /* lives as long as the message */

	/* The request: filled by rendering. */
	const char *url;      /* NULL: the service's URI */
	const char *method;   /* NULL: POST */
	const char **headers; /* "Name: value" */
	size_t header_count;
	size_t header_capacity;
	struct wf_buffer body;
	const char *mail_from; /* of smtp: and smtps: */
	const char **mail_to;  /* NULL behind the last */
	const char *user;      /* "name:password"; NULL: none */

	const char *notes; /* of rendering, for judging */
	bool has_postcondition;
	bool waits; /* its time has not come */

	/* The answer: for judging. */
	unsigned status;  /* of HTTP or SMTP */
	const char *type; /* Content-Type; "" */
	struct wf_buffer answer;

	/* With a verdict. */
	const char *output; /* of COMPLETE: XML; NULL: none */
	size_t output_length;
	const char *reason;  /* of AGAIN, REFUSED: for people */
	int64_t at;	     /* of LATER */
	int64_t retry_after; /* of AGAIN: not before; 0: any time */
};

/* Whether it says that an item is there to be done. */
static inline bool wf_message_hands_over(uint32_t kind)
{
	return kind == WF_ANNOUNCE_ITEM_ENABLED ||
	       kind == WF_ANNOUNCE_ITEM_CREATED ||
	       kind == WF_ANNOUNCE_ITEM_ROLLED_BACK;
}

/* Texts are copied. */
void wf_message_add_header(
    struct wf_message *message, const char *name, const char *value);
/* Sets the reason. */
enum wf_verdict wf_message_fail(struct wf_message *message,
    enum wf_verdict verdict, const char *format, ...) WF_PRINTF(3, 4);
/* Fails with an answer that is no success, for a reason that it tells. */
enum wf_verdict wf_message_fail_with_answer(struct wf_message *message);

/* A text of others that is good UTF-8, and not too long, to be shown. */
const char *wf_message_clip(struct wf_message *message, const char *text);

#endif

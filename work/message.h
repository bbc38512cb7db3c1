/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message: one announcement on its way to one service.
 *
 *   outbox row ──► render() fills the request ──► [call] ──► the answer
 *              ──► judge() reads it ──► verdict
 *
 * The functions are those of the service's handler (work/handler.h).  They run
 * in the sender's thread, render() also in one beside it, and may read the
 * store.
 */
#ifndef WF_WORK_MESSAGE_H
#define WF_WORK_MESSAGE_H

#include "runtime/engine.h"
#include "work/service.h"

/* What follows; see work/delivery_outcome.c. */
enum wf_verdict {
	WF_VERDICT_CALL,     /* of render(): the request is to be sent */
	WF_VERDICT_LONG,     /* of render(): again, where it may take long */
	WF_VERDICT_DONE,     /* it has arrived, or need not arrive any more */
	WF_VERDICT_COMPLETE, /* complete the item with the message's output */
	WF_VERDICT_LATER,    /* render again at the time at; no attempt */
	WF_VERDICT_AGAIN,    /* failed, for a reason; try again */
	WF_VERDICT_REFUSED   /* failed, for a reason; do not try again */
};

struct wf_access_tokens; /* in work/access_tokens.h */

struct wf_message {
	struct wf_engine *engine;
	const struct wf_service *service;
	struct wf_service_policy policy; /* as the task overrides it */
	struct wf_message_row row;
	struct wf_announced announced; /* its payload */
	const char *key;	       /* unique; the same in each attempt */
	int64_t now;
	struct wf_arena *arena; /* lasts as long as the message */
	bool is_long;		/* nobody waits for the thread of render() */
	uint64_t work;		/* of render(), about, in steps of queries */

	/* The request, of render(). */
	const char *url;      /* NULL: the service's URI */
	const char *method;   /* NULL: POST */
	const char **headers; /* "Name: value" */
	size_t header_count;
	size_t header_capacity;
	struct wf_buffer body;
	const char *mail_from;		 /* of smtp: and smtps: */
	const char **mail_to;		 /* ends with NULL */
	const char *user;		 /* "name:password"; NULL: none */
	struct wf_access_tokens *tokens; /* of the sender; NULL: none */
	const char *bearer; /* of them, in the request; NULL: none */

	const char *notes; /* of render(), for judge() */
	bool has_postcondition;
	bool waits; /* the start delay or the precondition of its task */

	/* The answer, for judge(). */
	unsigned status;  /* of HTTP or SMTP */
	const char *type; /* Content-Type; "" */
	struct wf_buffer answer;

	/* With a verdict. */
	const char *output; /* of COMPLETE: XML; NULL: none */
	size_t output_length;
	const char *reason;  /* of AGAIN, REFUSED: a sentence for people */
	int64_t at;	     /* of LATER */
	int64_t retry_after; /* of AGAIN: not before; 0: no limit */
};

/* Whether a message of this kind offers an item to its service. */
static inline bool wf_message_hands_over(uint32_t kind)
{
	return kind == WF_ANNOUNCE_ITEM_ENABLED ||
	       kind == WF_ANNOUNCE_ITEM_CREATED ||
	       kind == WF_ANNOUNCE_ITEM_ROLLED_BACK;
}

/* Name and value are copied. */
void wf_message_add_header(
    struct wf_message *message, const char *name, const char *value);
/* Sets the reason; returns the verdict. */
enum wf_verdict wf_message_fail(struct wf_message *message,
    enum wf_verdict verdict, const char *format, ...) WF_PRINTF(3, 4);
/* AGAIN or REFUSED by the answer's status; the reason is from its body. */
enum wf_verdict wf_message_fail_with_answer(struct wf_message *message);

/* The beginning of a foreign text, in valid UTF-8, for a reason. */
const char *wf_message_clip(struct wf_message *message, const char *text);

#endif

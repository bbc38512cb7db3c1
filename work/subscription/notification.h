/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A notification: events that a subscriber is notified of at once, as a request
 * or as a mail.
 */
#ifndef WF_WORK_SUBSCRIPTION_NOTIFICATION_H
#define WF_WORK_SUBSCRIPTION_NOTIFICATION_H

#include "base/buffer.h"
#include "work/subscription/event.h"

/* Events of one notification. */
#define WF_NOTIFICATION_EVENTS 100U

struct wf_notification {
	const char *subscription; /* its name; "": of an observer */
	const char *observer;	  /* ""; else where it is called */
	unsigned attempt;	  /* from 1 */
	json_t *events;		  /* an array of wf_event_read() */
};

/* The body of a request. */
void wf_notification_put_json(
    struct wf_buffer *body, const struct wf_notification *notification);
/*
 * A mail, in plain text.  key: for its Message-ID; public_url: of the server,
 * "": no links; now: ms since 1970.
 */
void wf_notification_put_mail(struct wf_buffer *mail,
    const struct wf_notification *notification, const char *from,
    const char *to, const char *key, const char *public_url, int64_t now);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers: what each kind of service registers.
 *
 *   announcement ──► hears, announce ──► outbox ──► render ──► [call] ──► judge
 *
 * The kinds of this folder are push and built-in; interfaces bring theirs.
 * app/ puts them into a table by kind, which lasts as long as the server.
 */
#ifndef WF_WORK_HANDLER_H
#define WF_WORK_HANDLER_H

#include "work/message.h"

struct wf_service_handler {
	/*
	 * Whether the service that an item is for receives announcements of
	 * this kind.  NULL: none.
	 */
	bool (*hears)(enum wf_announcement_kind kind);
	/*
	 * Adds the destinations of an announcement that do not depend on whom
	 * the item is for.  Called in the engine's batch, must not wait.  NULL:
	 * there are none.
	 */
	void (*announce)(const struct wf_service_set *set,
	    const struct wf_announcement *what,
	    struct wf_destinations *destinations);
	/* Fills the request: CALL, or the verdict that needs no call. */
	enum wf_verdict (*render)(struct wf_message *message);
	/* Reads the answer to a call. */
	enum wf_verdict (*judge)(struct wf_message *message);
	/* Items that such a service refuses go to the default worklist. */
	bool has_worklist;
	/* Such services are notified of items that others refuse. */
	bool hears_refusals;
};

/* By kind; NULL: items of that kind are not delivered (pull). */
struct wf_service_handlers {
	const struct wf_service_handler *of[WF_SERVICE_KIND_COUNT];
};

/*
 * Adds all destinations of an announcement.  True: it offers an item that
 * workers may claim.
 */
bool wf_handlers_announce(const struct wf_service_handlers *handlers,
    struct wf_services *services, const struct wf_announcement *what,
    struct wf_destinations *destinations);

/* Whether a service of the namespace hears of items that others refuse. */
bool wf_handlers_hear_refusals(const struct wf_service_handlers *handlers,
    const struct wf_service_set *set, uint32_t namespace_id);

/* push.c: each item in a signed request; the answer holds its output. */
extern const struct wf_service_handler wf_push_handler;
/* built_in.c: "weft:echo" and others, done by the server itself. */
extern const struct wf_service_handler wf_built_in_handler;

#endif

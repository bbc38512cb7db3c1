/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of services: each registers a handler.
 *
 *   announcement ──► hears, announce ──► outbox ──► render ──► [call] ──► judge
 *
 * The kinds of this folder are push, pull and built-in; interfaces bring
 * theirs. All are registered before the first service is read or written, and
 * before threads use them; they stay registered until the process ends.
 */
#ifndef WF_WORK_HANDLER_H
#define WF_WORK_HANDLER_H

#include "work/message.h"

/* Which member of a service is the URL of http or https that is called. */
enum wf_service_url {
	WF_SERVICE_URL_NONE, /* it needs no URL */
	WF_SERVICE_URL_IS_URI,
	WF_SERVICE_URL_IS_ADDRESS /* or the URI, if there is no address */
};

/* Handlers are constants; a kind is compared by the address of its handler. */
struct wf_service_handler {
	uint32_t number;  /* stored; below WF_SERVICE_KINDS_MAXIMUM */
	const char *name; /* in requests and answers, such as "push" */
	enum wf_service_url url;
	bool signs; /* needs a secret, with which requests are signed */
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
	/*
	 * Fills the request: CALL, or the verdict that needs no call.  NULL:
	 * such services are sent nothing.
	 */
	enum wf_verdict (*render)(struct wf_message *message);
	/*
	 * Why the server calls no such service; NULL, also from the function:
	 * it does.
	 */
	const char *(*uncalled)(const struct wf_service *service);
	/*
	 * Fills the request of a test call, which asks for no work: CALL, or
	 * why there is none.  Of services that are called.
	 */
	enum wf_verdict (*render_test)(struct wf_message *message);
	/* Reads the answer to a call. */
	enum wf_verdict (*judge)(struct wf_message *message);
	/* Items that such a service refuses go to the default worklist. */
	bool has_worklist;
	/* Such services are notified of items that others refuse. */
	bool hears_refusals;
};

/* Why it is called by nobody, also not by a test call; NULL: it is called. */
const char *wf_service_uncalled(const struct wf_service *service);

#define WF_SERVICE_KINDS_MAXIMUM 16U

/* Registers a kind; doing so again changes nothing. */
void wf_service_kind_add(const struct wf_service_handler *kind);
/* Registers the kinds of this folder. */
void wf_service_kinds_add_own(void);
/* The kind with this stored number, below the maximum; NULL: there is none. */
const struct wf_service_handler *wf_service_kind(uint32_t number);
/* The kind with this name; NULL: there is none. */
const struct wf_service_handler *wf_service_kind_find(const char *name);

/*
 * Adds all destinations of an announcement.  True: it offers an item that
 * workers may claim.
 */
bool wf_handlers_announce(struct wf_services *services,
    const struct wf_announcement *what, struct wf_destinations *destinations);

/*
 * Sends the announcement to that service as well; with kind and item, as one of
 * another kind and about another item.  Left out is what the service would not
 * get, because its address may not be called, if nothing followed from that.
 */
void wf_handler_send(const struct wf_service *service,
    const struct wf_announcement *what, struct wf_destinations *destinations);
void wf_handler_send_as(const struct wf_service *service,
    const struct wf_announcement *what, struct wf_destinations *destinations,
    enum wf_announcement_kind kind, const char *item);

/* Whether a service of the namespace hears of items that others refuse. */
bool wf_handlers_hear_refusals(
    const struct wf_service_set *set, uint32_t namespace_id);

/* push.c: each item in a signed request; the answer holds its output. */
extern const struct wf_service_handler wf_push_handler;
/* handler.c: workers claim its items. */
extern const struct wf_service_handler wf_pull_handler;
/* built_in.c: "weft:echo" and others, done by the server itself. */
extern const struct wf_service_handler wf_built_in_handler;

#endif

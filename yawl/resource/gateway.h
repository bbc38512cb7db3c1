/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gateways of YAWL's resource service, below "/yawl/resourceService", as
 * its clients call them (docs/PEOPLE.md).
 *
 * A request is a form with an action and a handle:
 *
 *   form ──► action (actions.def) ──► handle ──► right ──► handler ──► answer
 *
 * The handle of a service is a session of YAWL's clients; it acts for the
 * participants that it names.  The handle of a user acts for that participant
 * only.  The history names both.
 *
 *   (none) --userlogin--> valid --userlogout, idle, account removed--> ended
 */
#ifndef WF_YAWL_RESOURCE_GATEWAY_H
#define WF_YAWL_RESOURCE_GATEWAY_H

#include <jansson.h>

#include "identity/account.h"
#include "people/organisation/organisation.h"
#include "yawl/yawl.h"

enum wf_gateway {
	WF_GATEWAY_QUEUES,
	WF_GATEWAY_ORG,
	WF_GATEWAY_LOG,
	WF_GATEWAY_CALENDAR,
	WF_GATEWAYS
};

/* Whose handle an action needs. */
enum wf_gateway_right {
	WF_GATEWAY_OPEN,    /* none */
	WF_GATEWAY_SERVICE, /* a service's */
	/* .. or that of a participant who is administrator */
	WF_GATEWAY_ADMIN,
	/* .. or that of the participant that the request names */
	WF_GATEWAY_SELF,
	/* .. or that of a participant who has the item, or may take it */
	WF_GATEWAY_ITEM
};

struct wf_gateways; /* opaque; safe for all threads */
struct wf_gateway_call;
typedef void (*wf_gateway_f)(struct wf_gateway_call *call);

struct wf_gateway_action {
	enum wf_gateway gateway;
	struct wf_operation operation;
	enum wf_gateway_right right;
	bool is_wrapped;       /* its answer stands in an element "response" */
	enum wf_org_kind kind; /* of record that it is about; WF_ORG_NONE */
	wf_gateway_f handle;
};

/* One request; lives in the arena of the exchange. */
struct wf_gateway_call {
	struct wf_yawl_call yawl; /* first; it begins with the invocation */
	struct wf_gateways *gateways;
	enum wf_gateway gateway;
	const struct wf_gateway_action *action;
	bool is_service;	   /* whose handle it is */
	const char *participant;   /* of a user's handle */
	bool is_administrator;	   /* that participant is */
	struct wf_account account; /* of userlogin */
	json_t *draft;		   /* of the item that is shown; or NULL */
	void *found;		   /* what a handler looks for in a case */
};

struct wf_gateways *wf_gateways_new(
    struct wf_yawl *yawl, const struct wf_yawl_settings *settings);
void wf_gateways_free(struct wf_gateways **gateways);
/* For wf_dispatch_add(), with a struct wf_gateways, before YAWL's own. */
extern const struct wf_interface wf_gateways_interface;

/* --- answers: exactly one ends a call ------------------------------------ */

/* Answers with call->yawl.out. */
void wf_gateway_answer(struct wf_gateway_call *call);
void wf_gateway_answer_text(struct wf_gateway_call *call, const char *text);
/* <success/> */
void wf_gateway_succeed(struct wf_gateway_call *call);
/* <failure>..</failure>, around which an answer that is wrapped has its
 * element. */
void wf_gateway_fail(struct wf_gateway_call *call, const char *format, ...)
    WF_PRINTF(2, 3);
/* The same without an element around it. */
void wf_gateway_fail_bare(struct wf_gateway_call *call, const char *format, ...)
    WF_PRINTF(2, 3);
void wf_gateway_fail_error(
    struct wf_gateway_call *call, const struct wf_error *err);

/* --- what handlers share ------------------------------------------------- */

/* NULL: missing. */
const char *wf_gateway_parameter(
    const struct wf_gateway_call *call, const char *name);
/* "null": missing. */
const char *wf_gateway_text(
    const struct wf_gateway_call *call, const char *name);
bool wf_gateway_is_true(const struct wf_gateway_call *call, const char *name);
/* Adds a parameter that the request has not, or replaces it. */
void wf_gateway_set(
    struct wf_gateway_call *call, const char *name, const char *value);
/* Hands the call to a handler of YAWL's other interfaces. */
void wf_gateway_forward(struct wf_gateway_call *call,
    enum wf_yawl_interface interface, wf_yawl_f handle);
/* A new reference to the organisation. */
struct wf_organisation *wf_gateway_organisation(struct wf_gateway_call *call);

/* --- handlers ------------------------------------------------------------ */

#define WF_GATEWAY_ACTION(gateway, name, right, where, shape, kind, handler)   \
	void handler(struct wf_gateway_call *call);
#include "yawl/resource/actions.def"
#undef WF_GATEWAY_ACTION

#endif

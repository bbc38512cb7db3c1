/* SPDX-License-Identifier: Apache-2.0 */
/* The way of a request: its action, its handle, its right. */
#include <string.h>

#include "yawl/resource/gateway.h"
#include "yawl/resource/user_session.h"

#define FOLDER "/resourceService/"

static const struct wf_gateway_action actions[] = {
#define BARE false
#define WRAPPED true
#define WF_GATEWAY_ACTION(gateway, name, right, where, shape, kind, handler)   \
	{ WF_GATEWAY_##gateway,                                                \
		{ name, WF_ACCESS_SESSION, 0, false, WF_##where },             \
		WF_GATEWAY_##right, shape, WF_ORG_##kind, handler },
#include "yawl/resource/actions.def"
#undef WF_GATEWAY_ACTION
#undef BARE
#undef WRAPPED
};

#define ACTION_COUNT (sizeof(actions) / sizeof(actions[0]))

/* By enum wf_gateway. */
static const char *const paths[] = { "workqueuegateway", "gateway",
	"logGateway", "calendarGateway" };

/* --- the action ----------------------------------------------------------- */

static bool takes(const void *context, const char *target)
{
	size_t length;
	const char *path =
	    wf_yawl_path(wf_gateways_yawl(context), target, &length);

	return path != NULL && length >= sizeof(FOLDER) - 1 &&
	       memcmp(path, FOLDER, sizeof(FOLDER) - 1) == 0;
}

/* WF_GATEWAYS: there is none. */
static enum wf_gateway find_gateway(const struct wf_gateway_call *call)
{
	const char *target = wf_exchange_target(call->yawl.exchange);
	size_t length = 0;
	const char *path = wf_yawl_path(call->yawl.yawl, target, &length);
	unsigned gateway = 0;

	path += sizeof(FOLDER) - 1;
	length -= sizeof(FOLDER) - 1;
	while (gateway < WF_GATEWAYS &&
	       (strlen(paths[gateway]) != length ||
		   memcmp(paths[gateway], path, length) != 0))
		gateway++;
	return (enum wf_gateway)gateway;
}

/* Those of the resource gateway, and these, are written in any case. */
static bool is_any_case(const char *name)
{
	static const char *const names[] = { "connect", "disconnect",
		"userlogin", "userlogout", "checkConnection" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static bool find_action(struct wf_gateway_call *call, const char *name)
{
	for (size_t i = 0; i < ACTION_COUNT; i++) {
		const struct wf_gateway_action *action = &actions[i];
		const char *known = action->operation.name;
		bool folds =
		    call->gateway == WF_GATEWAY_ORG || is_any_case(known);

		if (action->gateway != call->gateway ||
		    (folds ? strcasecmp(known, name) : strcmp(known, name)) !=
			0)
			continue;
		call->action = action;
		call->yawl.invocation.operation = &action->operation;
		if (action->is_wrapped)
			call->yawl.around = WF_YAWL_AROUND;
		return true;
	}
	return false;
}

static bool admit(struct wf_invocation *invocation)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)invocation;

	call->gateways = invocation->context;
	return wf_yawl_begin(&call->yawl, wf_gateways_yawl(call->gateways));
}

static void answer_no_handle(struct wf_gateway_call *call)
{
	wf_buffer_reset(&call->yawl.out);
	wf_buffer_puts(
	    &call->yawl.out, "Invalid or disconnected session handle");
	wf_yawl_answer_as(&call->yawl, 500, "text/plain; charset=UTF-8");
}

/* Whom the handle of the request is of; false: nobody. */
static bool find_user(struct wf_gateway_call *call)
{
	const char *handle = wf_gateway_parameter(call, "sessionHandle");

	call->yawl.user = wf_yawl_session_use(call->yawl.yawl->sessions, handle,
	    wf_exchange_arena(call->yawl.exchange));
	call->is_service = call->yawl.user != NULL;
	if (!call->is_service)
		wf_user_session_use(call, handle);
	call->yawl.invocation.user = call->yawl.user;
	return call->yawl.user != NULL;
}

static void answer_unknown(struct wf_gateway_call *call, const char *name)
{
	static const char *const texts[] = {
		"Unknown action: ",
		"Unrecognised action: ",
		"Resource Log Gateway called with invalid action.",
		"Resource Calendar Gateway called with invalid action.",
	};
	bool is_said = call->gateway <= WF_GATEWAY_ORG;

	if (!find_user(call))
		answer_no_handle(call);
	else
		wf_gateway_fail(
		    call, "%s%s", texts[call->gateway], is_said ? name : "");
}

static void answer_page(struct wf_gateway_call *call)
{
	wf_buffer_printf(&call->yawl.out,
	    "<html><head><title>Weft</title></head><body><p>This is the %s of "
	    "the resource service.</p></body></html>",
	    paths[call->gateway]);
	wf_yawl_answer_as(&call->yawl, 200, "text/html; charset=UTF-8");
}

static bool prepare(struct wf_invocation *invocation)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)invocation;
	const char *name;

	call->yawl.around = NULL;
	call->yawl.interface = WF_YAWL_NONE;
	call->gateway = find_gateway(call);
	if (call->gateway == WF_GATEWAYS) {
		wf_buffer_puts(&call->yawl.out, "There is no such gateway.");
		wf_yawl_answer_as(
		    &call->yawl, 404, "text/plain; charset=UTF-8");
		return false;
	}
	if (!wf_yawl_read_form(&call->yawl))
		return false;
	name = wf_gateway_parameter(call, "action");
	if (name == NULL)
		answer_page(call);
	else if (!find_action(call, name))
		answer_unknown(call, name);
	else
		return true;
	return false;
}

/* --- the right ------------------------------------------------------------ */

/* Whether the request names the user, or nobody, as the one who acts. */
static bool names_self(const struct wf_gateway_call *call, const char *name)
{
	const char *id = wf_gateway_parameter(call, name);

	return id == NULL || strcmp(id, call->participant) == 0;
}

/*
 * Each parameter by which an action knows who acts is checked, whichever the
 * action reads.  A user who names nobody means the user.
 */
static bool acts_as_self(struct wf_gateway_call *call)
{
	if (call->participant == NULL || !names_self(call, "participantid") ||
	    !names_self(call, "pfrom"))
		return false;
	wf_gateway_set(call, "participantid", call->participant);
	wf_gateway_set(call, "pfrom", call->participant);
	return true;
}

static bool is_allowed(struct wf_gateway_call *call)
{
	switch (call->action->right) {
	case WF_GATEWAY_OPEN:
	case WF_GATEWAY_ITEM: /* the handler asks */
		return true;
	case WF_GATEWAY_SELF:
		return acts_as_self(call) || call->is_service ||
		       call->is_administrator;
	case WF_GATEWAY_ADMIN:
		return call->is_service || call->is_administrator;
	case WF_GATEWAY_SERVICE:
		break;
	}
	return call->is_service;
}

/* The check of a password may take long. */
static enum wf_authorization authorize_login(
    struct wf_gateway_call *call, bool slowly)
{
	enum wf_rc rc = wf_user_session_check(call, slowly);

	if (rc == WF_OK)
		return WF_GRANTED;
	if (rc == WF_UNAVAILABLE)
		return WF_LATER;
	wf_gateway_fail(call, "Invalid logon credentials");
	return WF_REFUSED;
}

static enum wf_authorization authorize(
    struct wf_invocation *invocation, bool slowly)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)invocation;

	if (call->action->handle == wf_gateway_user_login)
		return authorize_login(call, slowly);
	if (!find_user(call) && call->action->right != WF_GATEWAY_OPEN) {
		answer_no_handle(call);
		return WF_REFUSED;
	}
	if (is_allowed(call))
		return call->action->handle == wf_gateway_validate_user
			   ? authorize_login(call, slowly)
			   : WF_GRANTED;
	wf_gateway_fail(call,
	    "The handle of user '%s' does not allow this; a service's does.",
	    call->yawl.user);
	return WF_REFUSED;
}

static void run(struct wf_invocation *invocation)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)invocation;

	call->action->handle(call);
}

static void fail(struct wf_invocation *invocation, const struct wf_error *err)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)invocation;

	wf_gateway_fail_error(call, err);
}

const struct wf_interface wf_gateways_interface = {
	.invocation_size = sizeof(struct wf_gateway_call),
	.takes = takes,
	.admit = admit,
	.authorize = authorize,
	.prepare = prepare,
	.run = run,
	.fail = fail,
	.route = wf_yawl_route,
};

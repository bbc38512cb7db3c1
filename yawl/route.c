/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of actions, and what the dispatcher (server/dispatch.h) calls for a
 * request to YAWL's interfaces.  The path names the interface; the query and
 * the form name the action and the session.
 */
#include <string.h>

#include "base/panic.h"
#include "data/xml_writer.h"
#include "yawl/yawl.h"

static const struct wf_yawl_action actions[] = {
#define WF_YAWL_ACTION WF_YAWL_ACTION_ROW
#include "yawl/actions.def"
#undef WF_YAWL_ACTION
};

#define ACTION_COUNT (sizeof(actions) / sizeof(actions[0]))

/* --- from the request to its handler -------------------------------------- */

/* The path of the target, without scheme, host and query. */
static const char *path_of(const char *target, size_t *length_out)
{
	const char *scheme = strstr(target, "://");

	if (target[0] != '/' && scheme != NULL) {
		target = scheme + 3;
		target += strcspn(target, "/?#");
	}
	*length_out = strcspn(target, "?#");
	return target;
}

const char *wf_yawl_path(
    const struct wf_yawl *yawl, const char *target, size_t *length_out)
{
	size_t length;
	const char *path = path_of(target, &length);
	size_t prefix = strlen(yawl->path);

	if (length < prefix || memcmp(path, yawl->path, prefix) != 0 ||
	    (length > prefix && path[prefix] != '/'))
		return NULL;
	*length_out = length - prefix;
	return path + prefix;
}

static bool takes(const void *context, const char *target)
{
	size_t length;

	return wf_yawl_path(context, target, &length) != NULL;
}

static bool is_below(const char *path, size_t length, const char *name)
{
	size_t size = strlen(name);

	return length >= size && memcmp(path, name, size) == 0 &&
	       (length == size || path[size] == '/');
}

static enum wf_yawl_interface find_interface(const struct wf_yawl_call *call)
{
	size_t length = 0;
	const char *path = wf_yawl_path(
	    call->yawl, wf_exchange_target(call->exchange), &length);

	if (is_below(path, length, "/ia"))
		return WF_YAWL_IA;
	if (is_below(path, length, "/ib") ||
	    (length == 5 && memcmp(path, "/work", 5) == 0))
		return WF_YAWL_IB;
	if (is_below(path, length, "/ix"))
		return WF_YAWL_IX;
	return length == 11 && memcmp(path, "/logGateway", 11) == 0
		   ? WF_YAWL_IE
		   : WF_YAWL_NONE;
}

static void answer_not_found(struct wf_yawl_call *call)
{
	size_t length;
	const char *path = path_of(wf_exchange_target(call->exchange), &length);

	wf_buffer_puts(&call->out, "<html><head><title>Not Found</title></head>"
				   "<body><h3>Not Found</h3><p>The requested "
				   "URL ");
	wf_xml_put_text(
	    &call->out, wf_arena_strndup(call->arena, path, length));
	wf_buffer_puts(
	    &call->out, " was not found on this server.</p></body></html>");
	wf_yawl_answer_as(call, 200, "text/html; charset=UTF-8");
}

/* Interface E says it with HTTP 500, unless the session is what is asked for.
 */
static void answer_no_session(struct wf_yawl_call *call)
{
	bool is_check =
	    call->action != NULL &&
	    strcmp(call->action->operation.name, "checkConnection") == 0;

	if (call->interface != WF_YAWL_IE || is_check) {
		wf_yawl_fail(call, "Invalid or expired session.");
		return;
	}
	wf_buffer_puts(&call->out, "Invalid or disconnected session handle.");
	wf_yawl_answer_as(call, 500, "text/plain; charset=UTF-8");
}

/* Whether an unknown action was sent with a valid session. */
static bool is_with_session(struct wf_yawl_call *call)
{
	return wf_yawl_parameter(call, "action") != NULL &&
	       wf_yawl_session_use(call->yawl->sessions,
		   wf_yawl_parameter(call, "sessionHandle"),
		   call->arena) != NULL;
}

static void answer_no_action(struct wf_yawl_call *call)
{
	if (call->interface == WF_YAWL_IA)
		wf_yawl_fail_action(call);
	else if (call->interface == WF_YAWL_IE && !is_with_session(call))
		answer_no_session(call);
	else
		wf_yawl_answer(call);
}

static void answer_redundant(struct wf_yawl_call *call)
{
	wf_buffer_puts(&call->out,
	    call->interface == WF_YAWL_IA
		? "<failure>Engine is in redundant mode, unable to process "
		  "requests</failure>"
		: "<failure>Unable to process request - engine is in "
		  "redundant mode</failure>");
	wf_yawl_answer(call);
}

/* The actions that are served in redundant mode, too. */
static bool is_always(const struct wf_yawl_call *call, const char *action)
{
	return call->interface == WF_YAWL_IX || call->interface == WF_YAWL_IE ||
	       *action == '\0' || strstr(action, "onnect") != NULL ||
	       strcmp(action, "promote") == 0 || strcmp(action, "demote") == 0;
}

static const struct wf_yawl_action *find_in(const struct wf_yawl_action *rows,
    size_t count, enum wf_yawl_interface interface, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].interface == interface &&
		    strcmp(rows[i].operation.name, name) == 0)
			return &rows[i];
	return NULL;
}

/* "" is for interface B's own path only, not for those below it. */
static bool find_action(struct wf_yawl_call *call, const char *name)
{
	const struct wf_yawl *yawl = call->yawl;
	size_t length;
	const char *path = path_of(wf_exchange_target(call->exchange), &length);

	if (*name == '\0' && memcmp(path + length - 2, "ib", 2) != 0)
		return false;
	call->action = find_in(actions, ACTION_COUNT, call->interface, name);
	if (call->action == NULL)
		call->action = find_in(
		    yawl->more, yawl->more_count, call->interface, name);
	if (call->action != NULL)
		call->invocation.operation = &call->action->operation;
	return call->action != NULL;
}

void wf_yawl_add_actions(
    struct wf_yawl *yawl, const struct wf_yawl_action *rows, size_t count)
{
	wf_assert(yawl->more == NULL); /* one table is enough so far */
	yawl->more = rows;
	yawl->more_count = count;
}

/* --- what the dispatcher calls -------------------------------------------- */

bool wf_yawl_begin(struct wf_yawl_call *call, struct wf_yawl *yawl)
{
	const struct wf_invocation *invocation = &call->invocation;
	const char *method = wf_exchange_method(invocation->exchange);

	call->yawl = yawl;
	call->server = invocation->server;
	call->exchange = invocation->exchange;
	call->arena = invocation->arena;
	call->around = WF_YAWL_AROUND;
	wf_buffer_init(&call->out, WF_YAWL_ANSWER_BYTES);
	if (strcmp(method, "GET") == 0 || strcmp(method, "POST") == 0)
		return true;
	if (strcmp(method, "HEAD") == 0) {
		wf_yawl_answer_as(call, 200, "text/html; charset=UTF-8");
	} else {
		wf_exchange_add_header(
		    call->exchange, "Allow", "GET, HEAD, POST");
		wf_yawl_answer_as(call, 405, NULL);
	}
	return false;
}

static bool admit(struct wf_invocation *invocation)
{
	return wf_yawl_begin(
	    (struct wf_yawl_call *)invocation, invocation->context);
}

bool wf_yawl_read_form(struct wf_yawl_call *call)
{
	struct wf_target *target = &call->invocation.target;
	struct wf_error err = { .rc = WF_OK };
	size_t length;
	const char *body = wf_exchange_body(call->exchange, &length);
	enum wf_rc rc = wf_target_read(
	    target, wf_exchange_target(call->exchange), call->arena, &err);

	if (rc == WF_OK)
		rc =
		    wf_target_add_form(target, body, length, call->arena, &err);
	if (rc != WF_OK)
		wf_yawl_fail_error(call, &err);
	return rc == WF_OK;
}

static bool prepare(struct wf_invocation *invocation)
{
	struct wf_yawl_call *call = (struct wf_yawl_call *)invocation;
	const char *name;

	call->interface = find_interface(call);
	if (call->interface == WF_YAWL_IE)
		call->around = NULL;
	if (call->interface == WF_YAWL_NONE) {
		answer_not_found(call);
		return false;
	}
	if (!wf_yawl_read_form(call))
		return false;
	name = wf_yawl_parameter(call, "action");
	if (name == NULL)
		name = "";
	if (atomic_load(&call->yawl->redundant) && !is_always(call, name)) {
		answer_redundant(call);
		return false;
	}
	if (!find_action(call, name)) {
		answer_no_action(call);
		return false;
	}
	return true;
}

/* An action that needs no session uses one that is given. */
static enum wf_authorization authorize(
    struct wf_invocation *invocation, bool slowly)
{
	struct wf_yawl_call *call = (struct wf_yawl_call *)invocation;

	(void)slowly; /* it never is */
	call->user = wf_yawl_session_use(call->yawl->sessions,
	    wf_yawl_parameter(call, "sessionHandle"),
	    wf_exchange_arena(call->exchange));
	invocation->user = call->user;
	if (invocation->operation->access == WF_ACCESS_OPEN ||
	    call->user != NULL)
		return WF_GRANTED;
	answer_no_session(call);
	return WF_REFUSED;
}

static void run(struct wf_invocation *invocation)
{
	struct wf_yawl_call *call = (struct wf_yawl_call *)invocation;

	call->action->handle(call);
}

static void fail(struct wf_invocation *invocation, const struct wf_error *err)
{
	wf_yawl_fail_error((struct wf_yawl_call *)invocation, err);
}

const char *wf_yawl_route(const struct wf_invocation *invocation)
{
	size_t length;
	const char *path;

	if (invocation->operation == NULL)
		return NULL; /* any path */
	path = path_of(wf_exchange_target(invocation->exchange), &length);
	return wf_arena_strndup(
	    wf_exchange_arena(invocation->exchange), path, length);
}

const struct wf_interface wf_yawl_interface = {
	.invocation_size = sizeof(struct wf_yawl_call),
	.takes = takes,
	.admit = admit,
	.authorize = authorize,
	.prepare = prepare,
	.run = run,
	.fail = fail,
	.route = wf_yawl_route,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* From an exchange to the handler of its action, and the answers. */
#include "yawl/yawl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/xml_writer.h"
#include "http/thread_pool.h"
#include "yawl/interface_a_service.h"
#include "yawl/sha1.h"

/* Larger forms are read in the pool. */
#define INLINE_MAXIMUM ((size_t)64 << 10)
#define OUT_MAXIMUM ((size_t)512 << 20)
#define SESSIONS_MAXIMUM 100000U

static const struct wf_yawl_action actions[] = {
#define WF_YAWL_ACTION(interface, name, session, where, handler)               \
	{ WF_YAWL_##interface, name, session, WF_YAWL_##where, handler },
#include "yawl/actions.def"
#undef WF_YAWL_ACTION
};

#define ACTION_COUNT (sizeof(actions) / sizeof(actions[0]))

/* --- opening -------------------------------------------------------------- */

/* "URL#password" */
static enum wf_rc read_worklist(
    struct wf_yawl *yawl, const char *text, struct wf_error *err)
{
	const char *hash = strrchr(text, '#');

	if (hash == NULL || hash == text || hash[1] == '\0' ||
	    (size_t)(hash - text) >= sizeof(yawl->worklist))
		return wf_fail(err, WF_INVALID,
		    "the default worklist is \"%.200s\", expected "
		    "URL#password",
		    text);
	memcpy(yawl->worklist, text, (size_t)(hash - text));
	wf_sha1_text(hash + 1, strlen(hash + 1), yawl->worklist_password);
	return WF_OK;
}

static enum wf_rc begin_accounts(struct wf_yawl *yawl, struct wf_error *err)
{
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(yawl->server->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_yawl_clients_begin(store, err);
	if (rc == WF_OK)
		rc = wf_yawl_services_begin(yawl, store, err);
	wf_engine_give_back(yawl->server->engine, store);
	return rc;
}

void wf_yawl_settings_init(struct wf_yawl_settings *settings)
{
	*settings = (struct wf_yawl_settings){
		.path = "/yawl",
		.worklist = "http://localhost:8080/resourceService/ib#resource",
		.idle = 3600,
	};
}

enum wf_rc wf_yawl_open(struct wf_yawl **yawl_out, struct wf_server *server,
    const struct wf_yawl_settings *settings, struct wf_error *err)
{
	struct wf_yawl *yawl = wf_calloc(1, sizeof(*yawl));
	enum wf_rc rc;

	yawl->server = server;
	yawl->path = settings->path;
	yawl->started_at = wf_engine_now(server->engine);
	yawl->sessions = wf_yawl_sessions_new(
	    (int64_t)settings->idle * 1000, SESSIONS_MAXIMUM);
	yawl->starters = wf_item_starters_new();
	pthread_mutex_init(&yawl->lock, NULL);
	*yawl_out = yawl;
	rc = read_worklist(yawl, settings->worklist, err);
	if (rc == WF_OK)
		rc = begin_accounts(yawl, err);
	if (rc != WF_OK)
		wf_yawl_close(yawl_out);
	return rc;
}

void wf_yawl_close(struct wf_yawl **yawl)
{
	if (*yawl == NULL)
		return;
	wf_yawl_sessions_free(&(*yawl)->sessions);
	wf_item_starters_free(&(*yawl)->starters);
	pthread_mutex_destroy(&(*yawl)->lock);
	wf_free(*yawl);
	*yawl = NULL;
}

/* --- answers -------------------------------------------------------------- */

static void answer(struct wf_yawl_call *call, unsigned status, const char *type)
{
	struct wf_buffer out = call->out;

	if (out.full) {
		status = 500;
		wf_buffer_reset(&out);
	}
	/* After this the call is gone. */
	wf_exchange_answer(
	    call->exchange, status, type, wf_buffer_text(&out), out.length);
	wf_buffer_free(&out);
}

static void answer_xml(struct wf_yawl_call *call, unsigned status)
{
	answer(call, status, "text/xml; charset=UTF-8");
}

/* Interface E has nothing around its answers. */
void wf_yawl_answer(struct wf_yawl_call *call)
{
	struct wf_buffer inner = call->out;

	if (call->interface == WF_YAWL_IE) {
		answer_xml(call, 200);
		return;
	}
	wf_buffer_init(&call->out, OUT_MAXIMUM);
	wf_buffer_puts(&call->out, "<response>");
	wf_buffer_append(&call->out, wf_buffer_text(&inner), inner.length);
	wf_buffer_puts(&call->out, "</response>");
	call->out.full |= inner.full;
	wf_buffer_free(&inner);
	answer_xml(call, 200);
}

void wf_yawl_succeed(struct wf_yawl_call *call)
{
	wf_buffer_reset(&call->out);
	wf_buffer_puts(&call->out, "<success/>");
	wf_yawl_answer(call);
}

static void fail(struct wf_yawl_call *call, const char *text)
{
	wf_buffer_reset(&call->out);
	wf_buffer_puts(&call->out, "<failure><reason>");
	wf_xml_put_text(&call->out, text);
	wf_buffer_puts(&call->out, "</reason></failure>");
	wf_yawl_answer(call);
}

void wf_yawl_fail(struct wf_yawl_call *call, const char *format, ...)
{
	va_list arguments;
	char text[2048];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fail(call, text);
}

void wf_yawl_fail_error(struct wf_yawl_call *call, const struct wf_error *err)
{
	fail(call, err->message);
}

void wf_yawl_fail_action(struct wf_yawl_call *call)
{
	fail(call, "Invalid action or exception was thrown.");
}

/* --- commands ------------------------------------------------------------- */

static void go_on(void *argument)
{
	struct wf_yawl_call *call = argument;

	if (call->error.rc == WF_OK)
		call->then(call);
	else if (call->refused != NULL)
		call->refused(call);
	else
		wf_yawl_fail_error(call, &call->error);
}

static void go_to_pool(struct wf_yawl_call *call, void (*work)(void *argument))
{
	bool was_there = call->in_pool;

	call->in_pool = true;
	if (was_there)
		work(call);
	else if (!wf_pool_do(call->server->pool, work, call))
		fail(call, "too many requests wait");
}

/* The pool may be gone when a server ends; the engine is not yet. */
static void go_on_somewhere(struct wf_yawl_call *call)
{
	struct wf_server *server = call->server;

	call->in_pool = false;
	if (wf_server_enter(server))
		go_to_pool(call, go_on);
	else
		go_on(call);
	wf_server_leave(server);
}

/* A thread of the engine's calls it. */
static void take_reply(void *context, const struct wf_reply *reply)
{
	struct wf_yawl_call *call = context;

	call->error = reply->error;
	call->error.rc = reply->rc;
	if (reply->rc == WF_OK && call->then == NULL) {
		wf_yawl_succeed(call);
		return;
	}
	if (reply->rc == WF_OK) {
		snprintf(call->item, sizeof(call->item), "%s", reply->item);
		call->name = wf_arena_strdup(call->arena, reply->name);
		call->known.number = reply->number;
		call->case_status = reply->status;
	}
	go_on_somewhere(call);
}

void wf_yawl_submit(
    struct wf_yawl_call *call, struct wf_request *request, wf_yawl_f then)
{
	struct wf_error err = { .rc = WF_OK };

	call->then = then;
	request->namespace_id = WF_NAMESPACE_DEFAULT;
	request->actor = call->user;
	request->origin = WF_YAWL_ORIGIN;
	if (wf_engine_submit(
		call->server->engine, request, take_reply, call, &err) != WF_OK)
		wf_yawl_fail_error(call, &err);
}

/* --- what handlers share -------------------------------------------------- */

const char *wf_yawl_parameter(const struct wf_yawl_call *call, const char *name)
{
	return wf_target_argument(&call->target, name);
}

const char *wf_yawl_hash(struct wf_yawl_call *call, const char *password)
{
	char *text = wf_arena_alloc(call->arena, WF_SHA1_TEXT);

	wf_sha1_text(password, strlen(password), text);
	return text;
}

bool wf_yawl_find_case(struct wf_yawl_call *call, const char *id)
{
	struct wf_error err = { .rc = WF_OK };

	return id != NULL &&
	       wf_server_find_case(call->server, WF_NAMESPACE_DEFAULT, id,
		   &call->known, &err) == WF_OK;
}

bool wf_yawl_find_case_of(struct wf_yawl_call *call, const char *id)
{
	return id != NULL &&
	       wf_yawl_find_case(
		   call, wf_arena_strndup(call->arena, id, strcspn(id, ".:")));
}

/* --- from the request to its handler -------------------------------------- */

/* The path as it stands, without what is in front of it and behind it. */
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

bool wf_yawl_takes(const struct wf_yawl *yawl, const char *target)
{
	size_t length;
	const char *path = path_of(target, &length);
	size_t prefix = yawl == NULL ? 0 : strlen(yawl->path);

	return yawl != NULL && length >= prefix &&
	       memcmp(path, yawl->path, prefix) == 0 &&
	       (length == prefix || path[prefix] == '/');
}

static bool is_below(const char *path, size_t length, const char *name)
{
	size_t size = strlen(name);

	return length >= size && memcmp(path, name, size) == 0 &&
	       (length == size || path[size] == '/');
}

static enum wf_yawl_interface find_interface(const struct wf_yawl_call *call)
{
	size_t length;
	const char *path = path_of(wf_exchange_target(call->exchange), &length);
	size_t prefix = strlen(call->yawl->path);

	path += prefix;
	length -= prefix;
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
	answer(call, 200, "text/html; charset=UTF-8");
}

static void answer_no_session(struct wf_yawl_call *call)
{
	if (call->interface != WF_YAWL_IE) {
		fail(call, "Invalid or expired session.");
		return;
	}
	wf_buffer_puts(&call->out, "Invalid or disconnected session handle.");
	answer(call, 500, "text/plain; charset=UTF-8");
}

/* A request that says what it wants, if nobody knows it. */
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

/* These are served in redundant mode, too. */
static bool is_always(const struct wf_yawl_call *call, const char *action)
{
	return call->interface == WF_YAWL_IX || call->interface == WF_YAWL_IE ||
	       *action == '\0' || strstr(action, "onnect") != NULL ||
	       strcmp(action, "promote") == 0 || strcmp(action, "demote") == 0;
}

/* "" is for interface B's own path only, not for those below it. */
static bool find_action(struct wf_yawl_call *call, const char *name)
{
	size_t length;
	const char *path = path_of(wf_exchange_target(call->exchange), &length);

	if (*name == '\0' && memcmp(path + length - 2, "ib", 2) != 0)
		return false;
	for (size_t i = 0; i < ACTION_COUNT && call->action == NULL; i++)
		if (actions[i].interface == call->interface &&
		    strcmp(actions[i].name, name) == 0)
			call->action = &actions[i];
	return call->action != NULL;
}

static void run(void *argument)
{
	struct wf_yawl_call *call = argument;

	call->action->handle(call);
}

static void handle_action(struct wf_yawl_call *call)
{
	const char *name = wf_yawl_parameter(call, "action");

	if (name == NULL)
		name = "";
	if (atomic_load(&call->yawl->redundant) && !is_always(call, name)) {
		answer_redundant(call);
		return;
	}
	if (!find_action(call, name)) {
		answer_no_action(call);
		return;
	}
	call->user = wf_yawl_session_use(call->yawl->sessions,
	    wf_yawl_parameter(call, "sessionHandle"), call->arena);
	if (call->action->has_session && call->user == NULL)
		answer_no_session(call);
	else if (call->action->where == WF_YAWL_IN_POOL)
		go_to_pool(call, run);
	else
		call->action->handle(call);
}

static void read_form(void *argument)
{
	struct wf_yawl_call *call = argument;
	struct wf_error err = { .rc = WF_OK };
	size_t length;
	const char *body = wf_exchange_body(call->exchange, &length);
	enum wf_rc rc = wf_target_read(&call->target,
	    wf_exchange_target(call->exchange), call->arena, &err);

	if (rc == WF_OK)
		rc = wf_target_add_form(
		    &call->target, body, length, call->arena, &err);
	if (rc == WF_OK)
		handle_action(call);
	else
		wf_yawl_fail_error(call, &err);
}

void wf_yawl_admit(struct wf_yawl *yawl, struct wf_exchange *exchange)
{
	const char *method = wf_exchange_method(exchange);
	struct wf_yawl_call *call =
	    wf_arena_alloc(wf_exchange_arena(exchange), sizeof(*call));

	call->yawl = yawl;
	call->server = yawl->server;
	call->exchange = exchange;
	call->arena = wf_exchange_arena(exchange);
	wf_buffer_init(&call->out, OUT_MAXIMUM);
	wf_exchange_set_data(exchange, call);
	if (strcmp(method, "HEAD") == 0) {
		answer(call, 200, "text/html; charset=UTF-8");
	} else if (strcmp(method, "GET") != 0 && strcmp(method, "POST") != 0) {
		wf_exchange_add_header(exchange, "Allow", "GET, HEAD, POST");
		answer(call, 405, NULL);
	}
}

void wf_yawl_handle(struct wf_yawl *yawl, struct wf_exchange *exchange)
{
	struct wf_yawl_call *call = wf_exchange_data(exchange);
	size_t length;

	(void)yawl;
	(void)wf_exchange_body(exchange, &length);
	call->interface = find_interface(call);
	if (call->interface == WF_YAWL_NONE)
		answer_not_found(call);
	else if (length > INLINE_MAXIMUM)
		go_to_pool(call, read_form);
	else
		read_form(call);
}

void wf_yawl_log(struct wf_log_line *line, struct wf_exchange *exchange)
{
	const struct wf_yawl_call *call = wf_exchange_data(exchange);

	wf_log_text(line, "account", call->user);
	if (call->action != NULL)
		wf_log_text(line, "operation", call->action->name);
}

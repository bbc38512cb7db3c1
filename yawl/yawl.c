/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing, answers, commands to the engine. */
#include "yawl/yawl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/xml_writer.h"
#include "identity/sha1.h"
#include "identity/sign_in.h"
#include "server/request_spans.h"
#include "yawl/interface_a_service.h"

/* --- opening -------------------------------------------------------------- */

/* "URL#password" */
static enum wf_rc read_worklist(
    struct wf_yawl *yawl, const char *text, struct wf_error *err)
{
	const char *hash = strrchr(text, '#');

	if (hash == NULL || hash == text || hash[1] == '\0')
		return wf_fail(err, WF_INVALID,
		    "the default worklist is \"%.200s\", expected "
		    "URL#password",
		    text);
	if ((size_t)(hash - text) > WF_SERVICE_URI_BYTES)
		return wf_fail(err, WF_INVALID,
		    "the URL of the default worklist has %zu bytes, expected "
		    "at most %u",
		    (size_t)(hash - text), WF_SERVICE_URI_BYTES);
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
		.idle_seconds = 3600,
		.programs = "",
		.program_ms = 10000,
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
	    (int64_t)settings->idle_seconds * 1000, WF_YAWL_SESSIONS);
	yawl->sign_ins = wf_sign_ins_new();
	yawl->starters = wf_item_starters_new();
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
	wf_sign_ins_free(&(*yawl)->sign_ins);
	wf_item_starters_free(&(*yawl)->starters);
	wf_free(*yawl);
	*yawl = NULL;
}

/* --- answers -------------------------------------------------------------- */

void wf_yawl_answer_as(
    struct wf_yawl_call *call, unsigned status, const char *type)
{
	struct wf_buffer out = call->out;

	if (out.full) {
		status = 500;
		wf_buffer_reset(&out);
	}
	wf_yawl_audit(call, status, wf_buffer_text(&out));
	/* The call does not exist after this. */
	wf_exchange_answer(
	    call->exchange, status, type, wf_buffer_text(&out), out.length);
	wf_buffer_free(&out);
}

static void answer_xml(struct wf_yawl_call *call, unsigned status)
{
	wf_yawl_answer_as(call, status, "text/xml; charset=UTF-8");
}

void wf_yawl_answer(struct wf_yawl_call *call)
{
	struct wf_buffer inner = call->out;

	if (call->around == NULL) {
		answer_xml(call, 200);
		return;
	}
	wf_buffer_init(&call->out, WF_YAWL_ANSWER_BYTES);
	wf_buffer_printf(&call->out, "<%s>", call->around);
	wf_buffer_append(&call->out, wf_buffer_text(&inner), inner.length);
	wf_buffer_printf(&call->out, "</%s>", call->around);
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

static void go_on(struct wf_invocation *invocation)
{
	struct wf_yawl_call *call = (struct wf_yawl_call *)invocation;

	if (call->error.rc == WF_OK)
		call->then(call);
	else if (call->refused != NULL &&
		 (call->undoes || call->error.rc != WF_UNAVAILABLE))
		call->refused(call);
	else
		wf_yawl_fail_error(call, &call->error);
}

/* Called by a thread of the engine. */
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
	wf_invocation_resume(&call->invocation, go_on);
}

void wf_yawl_submit(
    struct wf_yawl_call *call, struct wf_request *request, wf_yawl_f then)
{
	call->then = then;
	call->error = (struct wf_error){ .rc = WF_OK };
	request->namespace_id = WF_NAMESPACE_DEFAULT;
	request->actor = call->user;
	request->origin = WF_YAWL_ORIGIN;
	request->trace = wf_invocation_trace(&call->invocation);
	if (wf_engine_submit(call->server->engine, request, take_reply, call,
		&call->error) != WF_OK)
		go_on(&call->invocation);
}

/* --- what handlers share -------------------------------------------------- */

const char *wf_yawl_parameter(const struct wf_yawl_call *call, const char *name)
{
	return wf_target_argument(&call->invocation.target, name);
}

const struct wf_markup *wf_yawl_parse(
    struct wf_yawl_call *call, const char *xml)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("");
	const struct wf_markup *root =
	    wf_markup_parse(call->arena, xml, strlen(xml), diagnostics);

	wf_diagnostics_free(&diagnostics);
	return root;
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

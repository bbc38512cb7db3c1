/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of callers: checked, queued, waited for. */
#include "base/clock.h"
#include "base/limits.h"
#include "base/panic.h"
#include "runtime/shard.h"

#include <stdio.h>
#include <string.h>

#include "xquery/text/unicode.h"

/* Without threads: turns without progress before a call gives up. */
#define IDLE_TURNS 64U

static enum wf_rc check_text(
    const char *what, const char *text, size_t maximum, struct wf_error *err)
{
	size_t length = text == NULL ? 0 : strnlen(text, maximum + 1);

	if (length > maximum)
		return wf_fail(err, WF_INVALID,
		    "the %s has more than %zu bytes", what, maximum);
	if (!wf_is_utf8(text, length))
		return wf_fail(err, WF_INVALID, "the %s is not UTF-8", what);
	return WF_OK;
}

/* A text for the log may be longer than one that is shown in lists. */
static size_t title_maximum(const struct wf_request *request)
{
	bool is_log = request->kind == WF_REQUEST_COMMAND &&
		      (request->command.kind == WF_COMMAND_START ||
			  request->command.kind == WF_COMMAND_COMPLETE ||
			  request->command.kind == WF_COMMAND_FINISH ||
			  request->command.kind == WF_COMMAND_FORCE);

	return is_log ? WF_REQUEST_LOG_BYTES : WF_REQUEST_TITLE_BYTES;
}

static const char *title_of(const struct wf_request *request)
{
	switch (request->kind) {
	case WF_REQUEST_COMMAND:
	case WF_REQUEST_SCHEDULE:
		return wf_request_launches(request) ? request->launch.title
						    : request->command.reason;
	case WF_REQUEST_RETRY:
	case WF_REQUEST_DROP:
		return request->incident.reason;
	case WF_REQUEST_ANNOUNCE:
		return request->announce.reason;
	case WF_REQUEST_REPORT:
		return request->report.text;
	default:
		return NULL;
	}
}

static const char *participant_of(const struct wf_request *request)
{
	return wf_request_commands(request) ? request->command.participant
					    : NULL;
}

static const char *deputy_of(const struct wf_request *request)
{
	return wf_request_commands(request) ? request->command.deputy : NULL;
}

static const char *targets_of(const struct wf_request *request)
{
	return wf_request_commands(request) ? request->command.targets : NULL;
}

static enum wf_rc check_texts(
    const struct wf_request *request, struct wf_error *err)
{
	const struct {
		const char *what;
		const char *text;
		size_t maximum;
	} rows[] = {
		{ "item's id", wf_request_item(request), WF_ITEM_ID_BYTES },
		{ "title", title_of(request), title_maximum(request) },
		{ "account", request->actor, WF_REQUEST_TEXT_BYTES },
		{ "participant", participant_of(request),
		    WF_REQUEST_TEXT_BYTES },
		{ "deputy", deputy_of(request), WF_REQUEST_TEXT_BYTES },
		{ "list of participants", targets_of(request),
		    WF_REQUEST_TARGETS_BYTES },
		{ "origin", request->origin, WF_REQUEST_TEXT_BYTES },
		{ "key", request->key, WF_REQUEST_TEXT_BYTES },
		{ "trace", request->trace, WF_REQUEST_TRACE_BYTES },
	};
	size_t actor = request->actor == NULL ? 0 : strlen(request->actor);
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < sizeof rows / sizeof rows[0]; i++)
		rc = check_text(
		    rows[i].what, rows[i].text, rows[i].maximum, err);
	if (rc != WF_OK || request->key == NULL || request->key[0] == '\0')
		return rc;
	if (actor == 0)
		return wf_fail(err, WF_INVALID, "a key needs an account");
	if (actor + 1 + strlen(request->key) > WF_COMMAND_ID_BYTES)
		return wf_fail(err, WF_INVALID,
		    "the account and the key have more than %u bytes together",
		    WF_COMMAND_ID_BYTES - 1);
	return WF_OK;
}

static enum wf_rc check_name(const char *name, struct wf_error *err)
{
	size_t length = name == NULL ? 0 : strlen(name);

	if (length <= WF_CASE_NAME_BYTES &&
	    (length == 0 ||
		strspn(name,
		    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		    "0123456789_-") == length))
		return WF_OK;
	return wf_fail(err, WF_INVALID,
	    "'%.80s' is no name of a case: expected up to %u of A-Z a-z 0-9 _ "
	    "-",
	    name, WF_CASE_NAME_BYTES);
}

static enum wf_rc check_incident(
    const struct wf_request *request, struct wf_error *err)
{
	if (request->incident.id == 0 &&
	    (request->kind == WF_REQUEST_DROP || request->number == 0))
		return wf_fail(
		    err, WF_INVALID, "the request names no incident");
	return check_texts(request, err);
}

/* DECIDE, EXPIRE and ALARM are commands of the engine's own. */
static enum wf_rc check_command(
    const struct wf_request *request, struct wf_error *err)
{
	enum wf_command_kind kind = request->command.kind;

	if ((unsigned)kind > WF_COMMAND_LAST || kind == WF_COMMAND_DECIDE ||
	    kind == WF_COMMAND_EXPIRE || kind == WF_COMMAND_ALARM)
		return wf_fail(err, WF_INVALID, "there is no such command");
	if (request->command.described &&
	    (request->kind != WF_REQUEST_COMMAND || kind != WF_COMMAND_LAUNCH))
		return wf_fail(err, WF_INVALID,
		    "only a launch that is not put off takes a description");
	if (kind == WF_COMMAND_LAUNCH)
		return check_name(request->launch.name, err);
	return WF_OK;
}

static enum wf_rc check(const struct wf_request *request, struct wf_error *err)
{
	uint64_t number = request->number;
	enum wf_rc rc = WF_OK;

	switch (request->kind) {
	case WF_REQUEST_RETRY:
	case WF_REQUEST_DROP:
		return check_incident(request, err);
	case WF_REQUEST_COMMAND:
	case WF_REQUEST_SCHEDULE:
		rc = check_command(request, err);
		break;
	case WF_REQUEST_ANNOUNCE:
	case WF_REQUEST_REPORT:
		break;
	case WF_REQUEST_WITHDRAW:
		number = request->start;
		break;
	default:
		return wf_fail(err, WF_INVALID, "there is no such request");
	}
	if (rc == WF_OK && !wf_request_launches(request) && number == 0)
		rc = wf_fail(err, WF_INVALID, "the request names no case");
	return rc == WF_OK ? check_texts(request, err) : rc;
}

/* Requests without a case go to the shards in turn. */
static struct shard *choose(
    struct wf_engine *engine, const struct pending *pending)
{
	struct shard *shard;

	if (pending->number != 0)
		return wf_shard_of(engine, pending->number);
	pthread_mutex_lock(&engine->lock);
	engine->next_shard = (engine->next_shard + 1) % engine->shard_count;
	shard = &engine->shards[engine->next_shard];
	pthread_mutex_unlock(&engine->lock);
	return shard;
}

/* A request that never fits is refused for its size, not to be tried later. */
static enum wf_rc check_size(struct wf_engine *engine,
    const struct pending *pending, struct wf_error *err)
{
	size_t maximum = engine->settings.queue_bytes;

	if (pending->request.kind == WF_REQUEST_SCHEDULE &&
	    maximum > WF_REQUEST_STORED_BYTES)
		maximum = WF_REQUEST_STORED_BYTES;
	if (pending->size <= maximum)
		return WF_OK;
	return wf_fail(err, WF_LIMIT,
	    "the request takes %zu bytes: at most %zu are allowed",
	    pending->size, maximum);
}

static enum wf_rc submit(struct wf_engine *engine,
    const struct wf_request *request, wf_reply_f reply, void *context,
    struct wf_error *err)
{
	struct wf_request own = *request;
	struct pending *pending;
	enum wf_rc rc;

	if (own.kind == 0)
		own.kind = WF_REQUEST_COMMAND;
	rc = check(&own, err);
	if (rc != WF_OK)
		return rc;
	if (atomic_load(&engine->closing))
		return wf_fail(
		    err, WF_UNAVAILABLE, "the engine is being stopped");
	if (atomic_load(&engine->superseded))
		return wf_fail(err, WF_UNAVAILABLE,
		    "this node needs the new program: a later version of the "
		    "store is finished than it knows");
	if (wf_request_launches(&own) || wf_request_incident(&own) != 0)
		own.number = 0;
	pending = wf_pending_new(&own, engine->opening,
	    atomic_fetch_add(&engine->serial, 1) + 1, NULL);
	pending->reply = reply;
	pending->context = context;
	if (pending->request.trace[0] != '\0')
		pending->submitted = wf_monotonic_us();
	rc = check_size(engine, pending, err);
	if (rc == WF_OK)
		rc = wf_shard_submit(choose(engine, pending), pending, err);
	if (rc != WF_OK)
		wf_pending_free(&pending);
	return rc;
}

enum wf_rc wf_engine_submit(struct wf_engine *engine,
    const struct wf_request *request, wf_reply_f reply, void *context,
    struct wf_error *err)
{
	enum wf_rc rc;

	wf_assert(engine->magic == WF_ENGINE_MAGIC);
	rc = submit(engine, request, reply, context, err);
	atomic_fetch_add(
	    rc == WF_OK ? &engine->requests : &engine->refusals[rc], 1);
	return rc;
}

/* --- waiting -------------------------------------------------------------- */

/* Shared by the caller and the reply; freed by the later of the two. */
struct waiter {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool done;
	bool left; /* the caller waits no more */
	struct wf_answer answer;
	struct wf_error error;
	enum wf_rc rc;
};

static void free_waiter(struct waiter *waiter)
{
	pthread_cond_destroy(&waiter->wake);
	pthread_mutex_destroy(&waiter->lock);
	wf_free(waiter);
}

static void take_answer(void *context, const struct wf_reply *reply)
{
	struct waiter *waiter = context;
	struct wf_answer *answer = &waiter->answer;
	bool left;

	pthread_mutex_lock(&waiter->lock);
	wf_assert(!waiter->done); /* a request is answered once */
	answer->number = reply->number;
	answer->sequence = reply->sequence;
	answer->status = reply->status;
	answer->repeated = reply->repeated;
	snprintf(answer->name, sizeof(answer->name), "%s", reply->name);
	snprintf(answer->item, sizeof(answer->item), "%s", reply->item);
	waiter->error = reply->error;
	waiter->rc = reply->rc;
	waiter->done = true;
	left = waiter->left;
	pthread_cond_signal(&waiter->wake);
	pthread_mutex_unlock(&waiter->lock);
	if (left)
		free_waiter(waiter);
}

static void wait_for(struct wf_engine *engine, struct waiter *waiter)
{
	unsigned idle = 0;

	if (engine->settings.threads) {
		pthread_mutex_lock(&waiter->lock);
		while (!waiter->done)
			pthread_cond_wait(&waiter->wake, &waiter->lock);
		pthread_mutex_unlock(&waiter->lock);
		return;
	}
	while (!waiter->done && idle < IDLE_TURNS)
		idle = wf_engine_turn(engine) ? 0 : idle + 1;
}

enum wf_rc wf_engine_call(struct wf_engine *engine,
    const struct wf_request *request, struct wf_answer *answer_out,
    struct wf_error *err)
{
	struct waiter *waiter = wf_calloc(1, sizeof(*waiter));
	enum wf_rc rc;

	memset(answer_out, 0, sizeof(*answer_out));
	pthread_mutex_init(&waiter->lock, NULL);
	pthread_cond_init(&waiter->wake, NULL);
	rc = wf_engine_submit(engine, request, take_answer, waiter, err);
	if (rc != WF_OK) {
		free_waiter(waiter);
		return rc;
	}
	wait_for(engine, waiter);
	if (!waiter->done) {
		waiter->left = true;
		return wf_fail(err, WF_UNAVAILABLE,
		    "the case is in use: the request still waits");
	}
	*answer_out = waiter->answer;
	rc = waiter->rc;
	if (rc != WF_OK && err != NULL && err->rc == WF_OK)
		*err = waiter->error;
	free_waiter(waiter);
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "work/claims.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/codec.h"
#include "rest/rest_data.h"
#include "server/context.h"
#include "work/task_policy.h"

/* Rounds are so far apart at least, and at most. */
#define PAUSE 5
#define IDLE_PAUSE 500
/* Leases that are over are looked for so often. */
#define SWEEP_PAUSE 1000
#define SWEEP 256U
#define SWEEP_MAXIMUM 65536U
/* What could not be started is not tried again before. */
#define START_PAUSE 5000
/* Behind items that cannot be started there may be others: looked for so long,
 * which must be less than it takes until the first of them come again. */
#define SEARCH 1000
/* Held until somebody has dealt with its incident: the year 9999. */
#define HELD INT64_C(253402300799000)
#define TEXT_MAXIMUM ((size_t)256 << 20)

/* One item of a wish on its way. */
struct start {
	struct wish *wish;
	struct wf_item_row row; /* as it was claimed */
	char item[WF_ITEM_ID_SIZE];
	struct wf_error err;
	int64_t at; /* not before; 0: it need not wait */
};

struct wish {
	struct wish *next;
	struct wf_rest *rest;
	struct wf_claim_wish want;
	struct start *starts;
	size_t count;
	size_t left; /* to be answered by the engine */
};

struct wf_claims {
	struct wf_server *server;
	pthread_t thread;
	bool has_thread;
	atomic_bool news;
	int64_t swept_at; /* the thread's */
	size_t sweep;	  /* leases that are looked for */

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	struct wish *waiting;
	struct wish **last;
	struct wish *started;
	unsigned under_way;
	bool ready; /* there may be something to claim */
	bool stopping;
};

/* --- answers -------------------------------------------------------------- */

struct looking {
	const struct start *start;
	json_t *json;
};

static void describe(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct looking *looking = context;
	const struct wf_item_row *row = &looking->start->row;
	const struct wf_decomposition *decomposition;
	struct wf_buffer xml;
	struct wf_item item;
	json_t *object;

	(void)stored;
	wf_buffer_init(&xml, TEXT_MAXIMUM);
	if (wf_case_item(instance, looking->start->item, &item, NULL) !=
		WF_OK ||
	    wf_case_item_input(instance, looking->start->item, &xml, NULL) !=
		WF_OK) {
		wf_buffer_free(&xml);
		return;
	}
	decomposition = item.task->decomposition;
	object = json_object();
	json_object_set_new(object, "item", json_string(looking->start->item));
	json_object_set_new(object, "case", json_string(wf_case_id(instance)));
	wf_json_put_key(object, "specification", row->specification);
	json_object_set_new(object, "task", json_string(row->task));
	wf_json_put_text(object, "service", row->service);
	wf_json_put_text(object, "name", item.task->name);
	wf_data_put_documentation(object,
	    looking->start->wish->rest->server->engine, instance,
	    looking->start->item);
	json_object_set_new(
	    object, "fence", json_integer((json_int_t)row->fence));
	json_object_set_new(object, "attempt", json_integer(row->attempt));
	wf_json_put_time(object, "until", row->lease_until);
	json_object_set_new(object, "data",
	    wf_data_values(decomposition->inputs, decomposition->input_count,
		wf_buffer_text(&xml), xml.length));
	looking->json = object;
	wf_buffer_free(&xml);
}

static void answer(struct wish *wish)
{
	struct wf_engine *engine = wish->rest->server->engine;
	json_t *object = json_object();
	json_t *array = json_array();

	for (size_t i = 0; i < wish->count; i++) {
		struct looking looking = { .start = &wish->starts[i] };

		if (wish->starts[i].err.rc == WF_OK &&
		    wf_engine_inspect(engine, wish->starts[i].row.number,
			describe, &looking, NULL) == WF_OK &&
		    looking.json != NULL)
			json_array_append_new(array, looking.json);
	}
	json_object_set_new(object, "items", array);
	wf_rest_answer(wish->rest, 200, object);
}

/* --- giving back ---------------------------------------------------------- */

static void ignore(void *context, const struct wf_reply *reply)
{
	(void)context;
	(void)reply;
}

/* The key is the lease's: reported again, it is not another incident. */
static enum wf_rc report(struct wf_server *server,
    const struct wf_item_row *row, const char *code, const char *reason,
    struct wf_error *err)
{
	struct wf_request request = { .kind = WF_REQUEST_REPORT,
		.namespace_id = row->namespace_id,
		.number = row->number,
		.report = { .item = row->id,
		    .code = code,
		    .text = reason,
		    .attempts = row->attempt },
		.actor = row->lease_owner,
		.origin = "lease" };
	char key[80];

	snprintf(key, sizeof(key), "lease-%llu-%016llx-%llu",
	    (unsigned long long)row->number,
	    (unsigned long long)wf_hash(0, row->id, strlen(row->id)),
	    (unsigned long long)row->fence);
	request.key = key;
	return wf_engine_submit(server->engine, &request, ignore, NULL, err);
}

/* What is said of handing over the items of a task. */
struct policing {
	const char *task;
	struct wf_service_policy policy;
	bool may_wait; /* for their time, or a condition */
};

static void add_tasks(void *context, const struct wf_spec *spec)
{
	struct policing *policing = context;
	const struct wf_task *task;
	uint32_t at = 0;

	while ((task = wf_spec_next_task(spec, policing->task, &at)) != NULL) {
		const struct wf_hand_over *hand_over;

		if (task->kind != WF_ATOMIC_TASK)
			continue;
		hand_over = task->decomposition->hand_over;
		wf_hand_over_policy(hand_over, &policing->policy);
		if (wf_hand_over_may_wait(hand_over))
			policing->may_wait = true;
	}
}

/* By the service of an item, and by its task. */
static struct policing police(
    struct wf_server *server, const struct wf_item_row *row)
{
	const struct wf_service_set *set = wf_services_hold(server->services);
	const struct wf_service *service =
	    wf_service_for(set, row->namespace_id, row->service);
	struct policing policing = { .task = row->task,
		.policy = *wf_service_policy_of(service) };

	wf_services_let_go(server->services, set);
	(void)(wf_engine_inspect_spec(server->engine, row->namespace_id,
		   row->specification, false, add_tasks, &policing,
		   NULL) == WF_OK);
	return policing;
}

enum wf_rc wf_claims_give_back(struct wf_server *server,
    const struct wf_item_row *row, const char *reason, int64_t not_before,
    wf_reply_f reply, void *context, struct wf_error *err)
{
	struct wf_request request = { .command = { .kind = WF_COMMAND_ROLLBACK,
					  .item = row->id },
		.namespace_id = row->namespace_id,
		.number = row->number,
		.actor = row->lease_owner,
		.origin = "lease",
		.lease = { row->lease_owner, row->fence, row->attempt,
		    not_before, .is_forgotten = reason == NULL } };
	struct wf_service_policy policy = police(server, row).policy;
	enum wf_rc rc = WF_OK;

	if (reason != NULL && row->attempt >= policy.attempts) {
		rc = report(server, row, "attempts", reason, err);
		request.lease.until = HELD;
	} else if (reason != NULL && not_before == 0) {
		request.lease.until = wf_engine_now(server->engine) +
				      wf_service_delay(&policy, row->attempt);
	}
	return rc == WF_OK ? wf_engine_submit(
				 server->engine, &request, reply, context, err)
			   : rc;
}

/* --- starting ------------------------------------------------------------- */

static void take_start(void *context, const struct wf_reply *reply)
{
	struct start *start = context;
	struct wish *wish = start->wish;
	struct wf_claims *claims = wish->rest->server->claims;

	start->err = reply->error;
	start->err.rc = reply->rc;
	snprintf(start->item, sizeof(start->item), "%s", reply->item);
	pthread_mutex_lock(&claims->lock);
	if (--wish->left == 0) {
		wish->next = claims->started;
		claims->started = wish;
		pthread_cond_signal(&claims->wake);
	}
	pthread_mutex_unlock(&claims->lock);
}

/* --- waiting for a time or a condition ------------------------------------ */

struct checking {
	struct start *start;
	int64_t delay; /* before a condition is asked again */
	int64_t now;
};

/* It has been started, in a copy of its case. */
static void check_start(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct checking *checking = context;
	struct start *start = checking->start;
	const struct wf_item_row *row = &start->row;
	struct wf_buffer xml;
	struct wf_item item;
	int64_t at = 0;
	bool may;

	(void)stored;
	wf_buffer_init(&xml, TEXT_MAXIMUM);
	if (wf_case_item(instance, start->item, &item, NULL) == WF_OK &&
	    wf_case_item_input(instance, start->item, &xml, NULL) == WF_OK &&
	    wf_hand_over_check(item.task->decomposition->hand_over,
		wf_buffer_text(&xml), xml.length,
		row->status == WF_ITEM_FIRED ? row->fired_at : row->enabled_at,
		checking->now, checking->now + checking->delay, &at, &may,
		&start->err) == WF_OK &&
	    !may)
		start->at = at;
	wf_buffer_free(&xml);
}

/* Whether it may be started; else err or at says why not. */
static bool may_start(struct wf_server *server, struct start *start)
{
	const struct wf_item_row *row = &start->row;
	struct wf_request request = { .number = row->number,
		.command = { .kind = WF_COMMAND_START, .item = row->id } };
	struct policing policing = police(server, row);
	struct checking checking = { .start = start,
		.delay = policing.policy.delay,
		.now = wf_engine_now(server->engine) };

	if (!policing.may_wait)
		return true;
	/* What cannot be looked at cannot be started either. */
	(void)(wf_engine_inspect_after(server->engine, &request, start->item,
		   check_start, &checking, NULL) == WF_OK);
	return start->at == 0 && start->err.rc == WF_OK;
}

static void start_all(struct wish *wish)
{
	struct wf_engine *engine = wish->rest->server->engine;

	for (size_t i = 0; i < wish->count; i++) {
		struct start *start = &wish->starts[i];
		const struct wf_item_row *row = &start->row;
		struct wf_request request = { .command = { .kind =
							       WF_COMMAND_START,
						  .item = row->id },
			.namespace_id = row->namespace_id,
			.number = row->number,
			.actor = wish->rest->account.name,
			.origin = "rest",
			.lease = { row->lease_owner, row->fence, row->attempt,
			    row->lease_until } };
		struct wf_error err = { .rc = WF_OK };
		struct wf_reply reply = { .item = "" };

		if (!may_start(wish->rest->server, start)) {
			err = start->err;
			reply.rc = start->at != 0 ? WF_CONFLICT : err.rc;
		} else {
			reply.rc = wf_engine_submit(
			    engine, &request, take_start, start, &err);
		}
		reply.error = err;
		if (reply.rc != WF_OK)
			take_start(start, &reply);
	}
}

/* What could not be started is anybody's again, or waits for a person. */
static void release_failed(struct wf_claims *claims, const struct wish *wish)
{
	struct wf_server *server = claims->server;
	struct wf_store *store;

	if (wf_engine_borrow(server->engine, &store, NULL) != WF_OK)
		return; /* until the lease is over */
	for (size_t i = 0; i < wish->count; i++) {
		const struct start *start = &wish->starts[i];
		const struct wf_item_row *row = &start->row;
		int64_t at = wf_engine_now(server->engine) + START_PAUSE;
		bool bad =
		    start->err.rc == WF_DATA || start->err.rc == WF_LIMIT;

		if (start->err.rc == WF_OK || start->err.rc == WF_NOT_FOUND ||
		    (bad && report(server, row, wf_rc_name(start->err.rc),
				start->err.message, NULL) != WF_OK))
			continue;
		(void)(wf_store_release(store, row->number, row->id,
			   row->lease_owner, row->fence,
			   bad		    ? HELD
			   : start->at != 0 ? start->at
					    : at,
			   NULL) == WF_OK);
	}
	wf_engine_give_back(server->engine, store);
}

/* What it got could not be started: it goes on waiting, if there is time. */
static bool put_back(struct wf_claims *claims, struct wish *wish)
{
	bool waits;

	pthread_mutex_lock(&claims->lock);
	waits = !claims->stopping && wish->want.until + SEARCH >
					 wf_engine_now(claims->server->engine);
	if (waits) {
		wish->count = 0;
		wish->next = NULL;
		*claims->last = wish;
		claims->last = &wish->next;
		claims->under_way--;
	}
	pthread_mutex_unlock(&claims->lock);
	return waits;
}

static void finish_started(struct wf_claims *claims)
{
	struct wish *started;

	pthread_mutex_lock(&claims->lock);
	started = claims->started;
	claims->started = NULL;
	pthread_mutex_unlock(&claims->lock);
	while (started != NULL) {
		struct wish *wish = started;
		size_t good = 0;

		started = wish->next;
		for (size_t i = 0; i < wish->count; i++)
			good += wish->starts[i].err.rc == WF_OK;
		if (good < wish->count)
			release_failed(claims, wish);
		if (good == 0 && put_back(claims, wish))
			continue;
		answer(wish); /* the wish is gone with its request */
		pthread_mutex_lock(&claims->lock);
		claims->under_way--;
		pthread_mutex_unlock(&claims->lock);
	}
}

/* --- claiming ------------------------------------------------------------- */

static bool is_alike(const struct wish *a, const struct wish *b)
{
	const struct wf_item_filter *x = &a->want.filter;
	const struct wf_item_filter *y = &b->want.filter;

	return x->namespace_id == y->namespace_id &&
	       strcmp(x->service, y->service) == 0 &&
	       (x->task == y->task || (x->task != NULL && y->task != NULL &&
					  strcmp(x->task, y->task) == 0));
}

/* Whether one that came before and wants the same got nothing. */
static bool is_hopeless(struct wf_claims *claims, const struct wish *wish)
{
	const struct wish *before;

	pthread_mutex_lock(&claims->lock);
	before = claims->waiting;
	while (before != wish && !is_alike(before, wish))
		before = before->next;
	pthread_mutex_unlock(&claims->lock);
	return before != wish;
}

/* False: there is nothing. */
static bool claim(
    struct wf_claims *claims, struct wish *wish, struct wf_store *store)
{
	const struct wf_claim_wish *want = &wish->want;
	int64_t now = wf_engine_now(claims->server->engine);
	struct wf_arena *arena = wish->rest->arena;
	struct wf_item_list list;

	if (wf_store_claim_items(store, &want->filter, want->owner, now,
		now + want->lease, arena, &list, NULL) != WF_OK ||
	    list.count == 0)
		return false;
	wish->count = list.count;
	wish->left = list.count;
	wish->starts = wf_arena_array(arena, list.count, sizeof(*wish->starts));
	for (size_t i = 0; i < list.count; i++) {
		wish->starts[i].wish = wish;
		wish->starts[i].row = list.rows[i];
	}
	return true;
}

/* The thread alone takes wishes out; others add them at the end. */
static void take_out(struct wf_claims *claims, struct wish **at)
{
	struct wish *wish = *at;

	pthread_mutex_lock(&claims->lock);
	*at = wish->next;
	if (wish->next == NULL)
		claims->last = at;
	claims->under_way++;
	pthread_mutex_unlock(&claims->lock);
}

static struct wish *following(struct wf_claims *claims, struct wish *const *at)
{
	struct wish *wish;

	pthread_mutex_lock(&claims->lock);
	wish = *at;
	pthread_mutex_unlock(&claims->lock);
	return wish;
}

/* With nothing. */
static void drop(struct wf_claims *claims, struct wish **at)
{
	struct wish *wish = *at;

	take_out(claims, at);
	answer(wish);
	pthread_mutex_lock(&claims->lock);
	claims->under_way--;
	pthread_mutex_unlock(&claims->lock);
}

static void claim_all(struct wf_claims *claims)
{
	struct wish **at = &claims->waiting;
	struct wf_store *store;
	struct wish *wish;

	if (following(claims, at) == NULL ||
	    wf_engine_borrow(claims->server->engine, &store, NULL) != WF_OK)
		return;
	while ((wish = following(claims, at)) != NULL) {
		if (is_hopeless(claims, wish)) {
			at = &wish->next;
		} else if (!wf_exchange_is_alive(wish->rest->exchange)) {
			drop(claims, at);
		} else if (claim(claims, wish, store)) {
			take_out(claims, at);
			start_all(wish);
		} else {
			at = &wish->next;
		}
	}
	wf_engine_give_back(claims->server->engine, store);
}

/* Those that have waited for long enough get nothing. */
static void answer_late(struct wf_claims *claims, bool all)
{
	int64_t now = wf_engine_now(claims->server->engine);
	struct wish **at = &claims->waiting;
	struct wish *wish;

	while ((wish = following(claims, at)) != NULL) {
		if (!all && wish->want.until > now) {
			at = &wish->next;
			continue;
		}
		drop(claims, at);
	}
}

/* --- leases that are over ------------------------------------------------- */

static void end_lease(struct wf_claims *claims, struct wf_store *store,
    const struct wf_item_row *row, int64_t now)
{
	if (row->status == WF_ITEM_EXECUTING)
		(void)(wf_claims_give_back(claims->server, row,
			   "the lease was over before it was done", 0, ignore,
			   NULL, NULL) == WF_OK);
	else if (row->status != WF_ITEM_SUSPENDED)
		(void)(wf_store_release(store, row->number, row->id,
			   row->lease_owner, row->fence, now, NULL) == WF_OK);
}

static void sweep(struct wf_claims *claims)
{
	struct wf_server *server = claims->server;
	int64_t now = wf_engine_now(server->engine);
	struct wf_arena *arena;
	struct wf_item_list list;
	struct wf_store *store;

	if ((now < claims->swept_at + SWEEP_PAUSE && now >= claims->swept_at) ||
	    wf_engine_borrow(server->engine, &store, NULL) != WF_OK)
		return;
	claims->swept_at = now;
	arena = wf_arena_new();
	if (wf_store_expired_items(
		store, now, claims->sweep, arena, &list, NULL) == WF_OK) {
		for (size_t i = 0; i < list.count; i++)
			end_lease(claims, store, &list.rows[i], now);
		/* Those that cannot be ended now must not hide the others. */
		if (list.count < claims->sweep)
			claims->sweep = SWEEP;
		else if (claims->sweep < SWEEP_MAXIMUM)
			claims->sweep *= 2;
	}
	wf_arena_free(&arena);
	wf_engine_give_back(server->engine, store);
}

/* --- the thread ----------------------------------------------------------- */

/* Until there may be something to do; false: there will be nothing more. */
static bool wait(struct wf_claims *claims)
{
	struct timespec at;
	bool goes_on;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_nsec += IDLE_PAUSE * 1000000L;
	at.tv_sec += at.tv_nsec / 1000000000L;
	at.tv_nsec %= 1000000000L;
	pthread_mutex_lock(&claims->lock);
	while (!claims->ready && claims->started == NULL && !claims->stopping &&
	       pthread_cond_timedwait(&claims->wake, &claims->lock, &at) !=
		   ETIMEDOUT)
		;
	claims->ready = false;
	goes_on = !claims->stopping || claims->under_way > 0;
	pthread_mutex_unlock(&claims->lock);
	return goes_on;
}

static bool is_stopping(struct wf_claims *claims)
{
	bool stopping;

	pthread_mutex_lock(&claims->lock);
	stopping = claims->stopping;
	pthread_mutex_unlock(&claims->lock);
	return stopping;
}

static void *run(void *argument)
{
	const struct timespec pause = { .tv_nsec = PAUSE * 1000000L };
	struct wf_claims *claims = argument;

	while (wait(claims)) {
		bool stopping = is_stopping(claims);

		finish_started(claims);
		if (!stopping) {
			sweep(claims);
			claim_all(claims);
		}
		answer_late(claims, stopping);
		nanosleep(&pause, NULL);
	}
	answer_late(claims, true);
	return NULL;
}

/* --- what others call ----------------------------------------------------- */

void wf_claims_add(struct wf_claims *claims, struct wf_rest *rest,
    const struct wf_claim_wish *want)
{
	struct wish *wish = wf_arena_alloc(rest->arena, sizeof(*wish));
	bool stopping;

	wish->rest = rest;
	wish->want = *want;
	pthread_mutex_lock(&claims->lock);
	stopping = claims->stopping;
	if (!stopping) {
		*claims->last = wish;
		claims->last = &wish->next;
		claims->ready = true;
		pthread_cond_signal(&claims->wake);
	}
	pthread_mutex_unlock(&claims->lock);
	if (stopping)
		answer(wish);
}

void wf_claims_news(struct wf_claims *claims)
{
	atomic_store(&claims->news, true);
}

void wf_claims_wake(struct wf_claims *claims)
{
	if (!atomic_exchange(&claims->news, false))
		return;
	pthread_mutex_lock(&claims->lock);
	claims->ready = true;
	pthread_cond_signal(&claims->wake);
	pthread_mutex_unlock(&claims->lock);
}

enum wf_rc wf_claims_open(struct wf_claims **claims_out,
    struct wf_server *server, struct wf_error *err)
{
	struct wf_claims *claims = wf_calloc(1, sizeof(*claims));
	pthread_condattr_t monotonic;

	claims->server = server;
	claims->last = &claims->waiting;
	claims->sweep = SWEEP;
	pthread_mutex_init(&claims->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&claims->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	*claims_out = claims;
	if (pthread_create(&claims->thread, NULL, run, claims) != 0)
		return wf_fail(err, WF_IO, "no thread can be made");
	claims->has_thread = true;
	return WF_OK;
}

void wf_claims_stop(struct wf_claims *claims)
{
	if (claims == NULL || !claims->has_thread)
		return;
	pthread_mutex_lock(&claims->lock);
	claims->stopping = true;
	pthread_cond_signal(&claims->wake);
	pthread_mutex_unlock(&claims->lock);
	pthread_join(claims->thread, NULL);
	claims->has_thread = false;
}

void wf_claims_close(struct wf_claims **claims)
{
	struct wf_claims *old = *claims;

	*claims = NULL;
	if (old == NULL)
		return;
	wf_claims_stop(old);
	pthread_cond_destroy(&old->wake);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "work/follower.h"

#include <pthread.h>
#include <sodium.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/panic.h"
#include "history/steps.h"

#define OWNER_BYTES 16U
/* For how long the record is a server's, and how often it is written. */
#define LEASE_MS INT64_C(90000)
#define SAVE_INTERVAL_MS 1000
/* While nothing is done it is written so many times in a lease. */
#define KEEP_TIMES 4
#define WAIT_MS 1000

struct wf_follower {
	struct wf_following following;
	struct wf_engine *engine;
	char owner[2 * OWNER_BYTES + 1];
	uint64_t change; /* of the record, as this server wrote it */
	bool leads;
	bool is_noted; /* since the record was written */
	int64_t saved_at;
	int64_t free_at; /* when it may be taken from the server that has it */
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool woken;	      /* under the lock */
	atomic_bool stopping; /* of all threads */
};

/* --- the record ----------------------------------------------------------- */

void wf_follower_put_cursor(
    json_t *object, const char *member, const struct wf_cursor *cursor)
{
	char text[WF_CURSOR_TEXT];

	wf_cursor_text(cursor, text);
	json_object_set_new(object, member, json_string(text));
}

bool wf_follower_read_cursor(
    const json_t *object, const char *member, struct wf_cursor *cursor_out)
{
	const char *text = json_string_value(json_object_get(object, member));

	if (text != NULL && wf_cursor_parse(text, cursor_out))
		return true;
	memset(cursor_out, 0, sizeof(*cursor_out));
	return false;
}

static enum wf_rc write_record(struct wf_follower *follower,
    struct wf_store *store, uint64_t before, int64_t lease)
{
	const struct wf_following *following = &follower->following;
	int64_t now = wf_engine_now(follower->engine);
	struct wf_record_row row = { .kind = following->kind,
		.name = following->name,
		.change = before };
	json_t *object = json_object();
	char *text;
	enum wf_rc rc;

	json_object_set_new(object, "owner", json_string(follower->owner));
	json_object_set_new(object, "until", json_integer(now + lease));
	following->write(following->context, object);
	text = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	row.value = (struct wf_bytes){ text, strlen(text) };
	wf_assert(lease >= 0 && before != 0);
	rc = wf_store_put_records(store, &row, 1, 0, &follower->change, NULL);
	free(text);
	if (rc == WF_OK)
		follower->saved_at = now;
	follower->is_noted &= rc != WF_OK;
	return rc;
}

static int64_t lease_of(const struct wf_follower *follower)
{
	int64_t lease = follower->following.lease_ms;

	return lease == 0 ? LEASE_MS : lease;
}

/*
 * Whether no other server has it; else notes until when.  A time that no server
 * can write now is of a clock that was set back, or of a node that had a wrong
 * one.
 */
static bool is_free(struct wf_follower *follower, const json_t *record,
    const struct wf_store *store)
{
	const char *owner = json_string_value(json_object_get(record, "owner"));
	int64_t until = json_integer_value(json_object_get(record, "until"));
	int64_t now = wf_engine_now(follower->engine);

	follower->free_at = until;
	return owner == NULL || strcmp(owner, follower->owner) == 0 ||
	       !wf_store_is_shared(store) || until <= now ||
	       until > now + lease_of(follower) + WF_CLOCKS_MS;
}

/* Once; false: there are no random numbers now. */
static bool has_owner(struct wf_follower *follower)
{
	unsigned char random[OWNER_BYTES];

	if (follower->owner[0] != '\0')
		return true;
	if (sodium_init() < 0)
		return false;
	randombytes_buf(random, sizeof(random));
	sodium_bin2hex(
	    follower->owner, sizeof(follower->owner), random, sizeof(random));
	return true;
}

static bool take_record(struct wf_follower *follower, struct wf_store *store)
{
	const struct wf_following *following = &follower->following;
	struct wf_error err = { .rc = WF_OK };
	struct wf_record_row row = { .change = WF_RECORD_NEW };
	struct wf_arena *arena = wf_arena_new();
	json_t *record = NULL;
	bool taken;
	enum wf_rc rc = wf_store_record(
	    store, 0, following->kind, following->name, arena, &row, &err);

	if (rc == WF_OK)
		record = json_loadb(row.value.data, row.value.size, 0, NULL);
	else
		row.change = WF_RECORD_NEW;
	wf_arena_free(&arena);
	if (rc != WF_OK && rc != WF_NOT_FOUND)
		return false;
	taken = (record == NULL || is_free(follower, record, store)) &&
		following->read(following->context, store, record) &&
		write_record(follower, store, row.change, lease_of(follower)) ==
		    WF_OK;
	json_decref(record);
	return taken;
}

bool wf_follower_save(
    struct wf_follower *follower, struct wf_store *store, bool at_once)
{
	int64_t since = wf_engine_now(follower->engine) - follower->saved_at;

	if (!at_once && since >= 0 &&
	    since < (follower->is_noted ? SAVE_INTERVAL_MS
					: lease_of(follower) / KEEP_TIMES))
		return true;
	if (write_record(
		follower, store, follower->change, lease_of(follower)) == WF_OK)
		return true;
	/* It is lost only if somebody else has written it. */
	follower->leads = false;
	return false;
}

void wf_follower_note(struct wf_follower *follower)
{
	follower->is_noted = true;
}

void wf_follower_rest(struct wf_follower *follower, struct wf_store *store)
{
	(void)(write_record(follower, store, follower->change, 0) == WF_OK);
	follower->leads = false;
}

bool wf_follower_leads(const struct wf_follower *follower)
{
	return follower->leads;
}

/* --- the history ---------------------------------------------------------- */

enum wf_rc wf_follower_page(struct wf_store *store,
    const struct wf_cursor *cursor, struct wf_arena *arena,
    struct wf_history_list *list_out)
{
	struct wf_history_filter filter = { .after = *cursor,
		.limit = WF_FOLLOWER_PAGE_ROWS };
	enum wf_rc rc = wf_store_history(store, &filter, arena, list_out, NULL);

	if (rc != WF_GONE)
		return rc;
	list_out->count = 0;
	return wf_store_history_end(store, &list_out->next, NULL);
}

struct wf_cursor wf_follower_behind(
    const struct wf_history_row *row, uint64_t retirements)
{
	return (struct wf_cursor){ row->position, row->number, row->sequence,
		retirements };
}

/* --- the thread ----------------------------------------------------------- */

void wf_follower_pause(struct wf_follower *follower, int64_t ms, bool for_news)
{
	int64_t end = wf_monotonic_ms() + ms;

	pthread_mutex_lock(&follower->lock);
	while (!atomic_load(&follower->stopping) &&
	       !(for_news && follower->woken) &&
	       wf_wait_until(&follower->changed, &follower->lock, end))
		;
	follower->woken = false;
	pthread_mutex_unlock(&follower->lock);
}

bool wf_follower_round(struct wf_follower *follower)
{
	const struct wf_following *following = &follower->following;
	struct wf_store *store;
	bool more = false;

	if (wf_engine_borrow(follower->engine, &store, NULL) != WF_OK)
		return false;
	if (!follower->leads && has_owner(follower))
		follower->leads = take_record(follower, store);
	if (follower->leads)
		more = following->round(following->context, store);
	wf_engine_give_back(follower->engine, store);
	return more;
}

/* So that another server need not wait until the claim ends. */
static void release(struct wf_follower *follower)
{
	struct wf_store *store;

	if (!follower->leads ||
	    wf_engine_borrow(follower->engine, &store, NULL) != WF_OK)
		return;
	wf_follower_rest(follower, store);
	wf_engine_give_back(follower->engine, store);
}

/* Until there are news, or the record may be free. */
static void wait_for_more(struct wf_follower *follower)
{
	int64_t left = follower->free_at - wf_engine_now(follower->engine);

	wf_follower_pause(follower,
	    follower->leads || left <= 0 || left > WAIT_MS ? WAIT_MS : left,
	    follower->leads);
}

static void *run(void *argument)
{
	struct wf_follower *follower = argument;

	while (!atomic_load(&follower->stopping))
		if (!wf_follower_round(follower))
			wait_for_more(follower);
	release(follower);
	return NULL;
}

struct wf_follower *wf_follower_new(
    struct wf_engine *engine, const struct wf_following *following)
{
	struct wf_follower *follower = wf_calloc(1, sizeof(*follower));

	follower->engine = engine;
	follower->following = *following;
	pthread_mutex_init(&follower->lock, NULL);
	wf_condition_init(&follower->changed);
	return follower;
}

enum wf_rc wf_follower_start(struct wf_follower *follower, struct wf_error *err)
{
	wf_assert(!follower->has_thread);
	if (!has_owner(follower))
		return wf_fail(err, WF_IO, "libsodium cannot be used");
	if (pthread_create(&follower->thread, NULL, run, follower) != 0)
		return wf_fail(err, WF_IO, "no thread can be started");
	follower->has_thread = true;
	return WF_OK;
}

void wf_follower_wake(struct wf_follower *follower)
{
	pthread_mutex_lock(&follower->lock);
	/* One that pauses whatever is new is woken by the first of them only.
	 */
	if (!follower->woken)
		pthread_cond_signal(&follower->changed);
	follower->woken = true;
	pthread_mutex_unlock(&follower->lock);
}

const atomic_bool *wf_follower_stopping(const struct wf_follower *follower)
{
	return &follower->stopping;
}

void wf_follower_stop(struct wf_follower *follower)
{
	if (!follower->has_thread)
		return;
	atomic_store(&follower->stopping, true);
	pthread_mutex_lock(&follower->lock);
	pthread_cond_signal(&follower->changed);
	pthread_mutex_unlock(&follower->lock);
	pthread_join(follower->thread, NULL);
	follower->has_thread = false;
}

void wf_follower_free(struct wf_follower **follower)
{
	struct wf_follower *old = *follower;

	*follower = NULL;
	if (old == NULL)
		return;
	wf_assert(!old->has_thread);
	pthread_cond_destroy(&old->changed);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/audit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/memory.h"
#include "base/panic.h"

/* Acts that wait to be written. */
#define QUEUE 2000U
/* Names and addresses whose sign-ins are counted one by one. */
#define COUNTED 512U
#define COUNTED_MS INT64_C(60000)
#define SWEPT_AT_ONCE 1000U
/* Bytes of a text of a row, with its NUL. */
#define TEXT_SIZE 400U

/* Acts, and the arena that has their texts. */
struct batch {
	struct wf_arena *arena;
	struct wf_audit_row *rows;
	size_t count;
	uint64_t first; /* its id, once it is reserved; 0: not yet */
};

/* Equal sign-ins. */
struct count {
	uint64_t key;	  /* 0: the place is free */
	int64_t since;	  /* the first one, or the last row */
	unsigned more;	  /* that were not written */
	char account[80]; /* of the row */
	char address[48];
	char result[24];
	uint32_t namespace_id;
};

struct wf_audit {
	atomic_llong kept_ms;
	pthread_mutex_t writes; /* of writing; taken before lock */
	struct batch writing;
	pthread_mutex_t lock; /* of what follows */
	struct batch queue;
	unsigned lost; /* acts that found no place */
	struct count counts[COUNTED];
	unsigned others; /* sign-ins that found no place */
	int64_t others_since;
};

static void open_batch(struct batch *batch)
{
	batch->arena = wf_arena_new();
	batch->rows = wf_calloc(QUEUE + COUNTED + 2, sizeof(*batch->rows));
}

static void close_batch(struct batch *batch)
{
	wf_arena_free(&batch->arena);
	wf_free(batch->rows);
}

void wf_audit_keep(struct wf_audit *audit, int64_t kept_ms)
{
	wf_assert(kept_ms > 0);
	atomic_store(&audit->kept_ms, kept_ms);
}

struct wf_audit *wf_audit_new(int64_t kept_ms)
{
	struct wf_audit *audit = wf_calloc(1, sizeof(*audit));

	wf_assert(kept_ms > 0);
	audit->kept_ms = kept_ms;
	pthread_mutex_init(&audit->lock, NULL);
	pthread_mutex_init(&audit->writes, NULL);
	open_batch(&audit->queue);
	open_batch(&audit->writing);
	return audit;
}

void wf_audit_free(struct wf_audit **audit)
{
	struct wf_audit *old = *audit;

	*audit = NULL;
	if (old == NULL)
		return;
	close_batch(&old->queue);
	close_batch(&old->writing);
	pthread_mutex_destroy(&old->lock);
	pthread_mutex_destroy(&old->writes);
	wf_free(old);
}

/* --- rows ----------------------------------------------------------------- */

/*
 * A text as a row has it.  It may come from anybody: what is not a printable
 * character of ASCII becomes '?'.
 */
static const char *keep(struct wf_arena *arena, const char *text)
{
	char kept[TEXT_SIZE];
	size_t length = 0;

	for (; text != NULL && *text != '\0' && length < sizeof(kept) - 1;
	     text++)
		kept[length++] = *text >= ' ' && *text < 0x7f ? *text : '?';
	return wf_arena_strndup(arena, kept, length);
}

/* There is a place.  The lock is held. */
static void put(struct batch *batch, const struct wf_audit_row *act)
{
	struct wf_audit_row *row = &batch->rows[batch->count++];

	wf_assert(batch->count <= QUEUE + COUNTED + 2);
	wf_assert(act->kind != NULL);
	*row = *act;
	row->account = keep(batch->arena, act->account);
	row->address = keep(batch->arena, act->address);
	row->kind = keep(batch->arena, act->kind);
	row->subject = keep(batch->arena, act->subject);
	row->result = keep(batch->arena, act->result);
	row->detail = keep(batch->arena, act->detail);
}

/* The lock is held. */
static void add(struct wf_audit *audit, const struct wf_audit_row *act)
{
	if (audit->queue.count < QUEUE)
		put(&audit->queue, act);
	else
		audit->lost++;
}

void wf_audit_add(struct wf_audit *audit, const struct wf_audit_row *act)
{
	pthread_mutex_lock(&audit->lock);
	add(audit, act);
	pthread_mutex_unlock(&audit->lock);
}

/* --- sign-ins ------------------------------------------------------------- */

static uint64_t key_of(const struct wf_audit_row *act)
{
	uint64_t key = wf_hash(0, act->account, strlen(act->account));

	key = wf_hash(key, act->address, strlen(act->address));
	key = wf_hash(key, act->result, strlen(act->result));
	return key == 0 ? 1 : key;
}

/* The place of the key, a free one, or NULL.  The lock is held. */
static struct count *find_place(struct wf_audit *audit, uint64_t key)
{
	struct count *free = NULL;

	for (size_t i = 0; i < COUNTED; i++) {
		struct count *count = &audit->counts[i];

		if (count->key == key)
			return count;
		if (count->key == 0 && free == NULL)
			free = count;
	}
	return free;
}

static void begin_count(
    struct count *count, uint64_t key, const struct wf_audit_row *act)
{
	memset(count, 0, sizeof(*count));
	count->key = key;
	count->since = act->at;
	count->namespace_id = act->namespace_id;
	snprintf(count->account, sizeof(count->account), "%s", act->account);
	snprintf(count->address, sizeof(count->address), "%s", act->address);
	snprintf(count->result, sizeof(count->result), "%s", act->result);
}

void wf_audit_sign_in(struct wf_audit *audit, const struct wf_audit_row *act)
{
	uint64_t key = key_of(act);
	struct count *count;

	pthread_mutex_lock(&audit->lock);
	count = find_place(audit, key);
	if (count == NULL) {
		if (audit->others++ == 0)
			audit->others_since = act->at;
	} else if (count->key == key) {
		count->more++;
	} else {
		begin_count(count, key, act);
		add(audit, act);
	}
	pthread_mutex_unlock(&audit->lock);
}

static bool is_over(int64_t since, int64_t now)
{
	return now < since || now - since >= COUNTED_MS;
}

/* Adds the rows of what was counted.  The lock is held. */
static void report(struct wf_audit *audit, int64_t now)
{
	struct wf_audit_row act = { .at = now, .kind = WF_AUDIT_SIGN_IN };
	char detail[80];

	act.detail = detail;
	for (size_t i = 0; i < COUNTED; i++) {
		struct count *count = &audit->counts[i];

		if (count->key == 0 || !is_over(count->since, now))
			continue;
		if (count->more == 0) {
			count->key = 0;
			continue;
		}
		snprintf(detail, sizeof(detail), "%u more since the last row",
		    count->more);
		act.account = count->account;
		act.address = count->address;
		act.result = count->result;
		act.namespace_id = count->namespace_id;
		put(&audit->queue, &act);
		count->more = 0;
		count->since = now;
	}
	if (audit->others == 0 || !is_over(audit->others_since, now))
		return;
	snprintf(detail, sizeof(detail), "%u of other names and addresses",
	    audit->others);
	act = (struct wf_audit_row){ .at = now,
		.kind = WF_AUDIT_SIGN_IN,
		.result = "counted",
		.detail = detail };
	put(&audit->queue, &act);
	audit->others = 0;
}

static void report_lost(struct wf_audit *audit, int64_t now)
{
	char detail[40];
	const struct wf_audit_row act = {
		.at = now, .kind = "audit", .result = "lost", .detail = detail
	};

	if (audit->lost == 0)
		return;
	snprintf(detail, sizeof(detail), "%u acts", audit->lost);
	put(&audit->queue, &act);
	audit->lost = 0;
}

/* --- writing -------------------------------------------------------------- */

/* Takes the queue, and leaves an empty one. */
static void take(struct wf_audit *audit, int64_t now)
{
	struct batch batch;

	wf_assert(audit->writing.count == 0);
	pthread_mutex_lock(&audit->lock);
	report(audit, now);
	report_lost(audit, now);
	batch = audit->queue;
	audit->queue = audit->writing;
	audit->writing = batch;
	pthread_mutex_unlock(&audit->lock);
}

static enum wf_rc write_batch(
    struct batch *batch, struct wf_store *store, struct wf_error *err)
{
	struct wf_error mine = { .rc = WF_OK };
	enum wf_rc rc = WF_OK;

	wf_assert(batch->count <= QUEUE + COUNTED + 2);
	if (batch->count == 0)
		return WF_OK;
	if (batch->first == 0)
		rc = wf_store_reserve(
		    store, WF_COUNTER_AUDIT, batch->count, &batch->first, err);
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < batch->count; i++)
		batch->rows[i].id = batch->first + i;
	rc = wf_store_add_audit(store, batch->rows, batch->count, &mine);
	/* A call whose answer was lost has written them. */
	if (rc != WF_OK && rc != WF_CONFLICT)
		return wf_fail(err, rc, "%s", mine.message);
	batch->count = 0;
	batch->first = 0;
	wf_arena_reset(batch->arena);
	return WF_OK;
}

enum wf_rc wf_audit_write(struct wf_audit *audit, struct wf_store *store,
    int64_t now, struct wf_error *err)
{
	enum wf_rc rc;

	pthread_mutex_lock(&audit->writes);
	rc = write_batch(&audit->writing, store, err);
	if (rc == WF_OK) {
		take(audit, now);
		rc = write_batch(&audit->writing, store, err);
	}
	pthread_mutex_unlock(&audit->writes);
	if (rc == WF_OK)
		rc = wf_store_sweep_audit(store,
		    now - atomic_load(&audit->kept_ms), SWEPT_AT_ONCE, err);
	return rc;
}

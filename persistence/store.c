/* SPDX-License-Identifier: Apache-2.0 */
/* The store contract: finds the implementation, checks how it is used. */
#include "persistence/backend.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/panic.h"

/* --- for the implementations ---------------------------------------------- */

void wf_store_init(struct wf_store *store, const struct wf_store_ops *ops,
    const char *url, bool shared)
{
	store->magic = WF_STORE_MAGIC;
	store->ops = ops;
	store->url = wf_strdup(url);
	store->shared = shared;
}

enum wf_rc wf_statement(struct wf_store *store, struct wf_error *err)
{
	store->statements++;
	if (store->fail_after == 0 || --store->fail_after > 0)
		return WF_OK;
	if (store->fault == WF_FAULT_AFTER) {
		store->lost = true;
		return WF_OK;
	}
	store->faults++;
	return wf_fail(err, WF_IO, "a statement was made to fail");
}

enum wf_rc wf_statement_end(
    struct wf_store *store, bool wrote, enum wf_rc rc, struct wf_error *err)
{
	if (!store->lost || rc != WF_OK)
		return rc;
	store->lost = false;
	store->faults++;
	return wf_fail(
	    err, wrote ? WF_LOST : WF_IO, "the answer to a statement was lost");
}

enum wf_rc wf_conflict(struct wf_error *err, uint64_t *culprit_out,
    uint64_t number, const char *what)
{
	*culprit_out = number;
	return wf_fail(err, WF_CONFLICT, "case %llu: %s",
	    (unsigned long long)number, what);
}

enum wf_rc wf_missing(struct wf_error *err, const char *what, uint64_t number)
{
	return wf_fail(err, WF_NOT_FOUND, "there is no %s %llu", what,
	    (unsigned long long)number);
}

enum wf_rc wf_fail_value(struct wf_error *err, uint64_t number, uint32_t value)
{
	return wf_fail(err, WF_NOT_FOUND, "case %llu has no value %u",
	    (unsigned long long)number, value);
}

enum wf_rc wf_fail_item(struct wf_error *err, const char *id)
{
	return wf_fail(err, WF_NOT_FOUND, "there is no work item %.200s", id);
}

enum wf_rc wf_fail_lease(struct wf_error *err, const char *id)
{
	return wf_fail(err, WF_CONFLICT, "the lease of %.200s is over", id);
}

bool wf_is_before(const struct wf_cursor *a, const struct wf_cursor *b)
{
	if (a->position != b->position)
		return a->position < b->position;
	if (a->number != b->number)
		return a->number < b->number;
	return a->sequence < b->sequence;
}

enum wf_rc wf_check_cursor(const struct wf_cursor *cursor,
    const struct wf_cursor *retired, struct wf_error *err)
{
	if (cursor->position == 0 || !wf_is_before(cursor, retired) ||
	    cursor->retirements == retired->retirements)
		return WF_OK;
	return wf_fail(err, WF_GONE,
	    "the events after this position are not kept any more");
}

enum wf_rc wf_fail_specification(struct wf_error *err, uint64_t key)
{
	return wf_fail(err, WF_CONFLICT,
	    "another specification has the key %016llx",
	    (unsigned long long)key);
}

enum wf_rc wf_fail_in_use(struct wf_error *err, uint64_t key)
{
	return wf_fail(err, WF_CONFLICT,
	    "cases of the specification %016llx are running",
	    (unsigned long long)key);
}

enum wf_rc wf_fail_record(
    struct wf_error *err, const char *kind, const char *name)
{
	return wf_fail(
	    err, WF_NOT_FOUND, "there is no %.60s called %.200s", kind, name);
}

static int compare_history(const void *a, const void *b)
{
	const struct wf_history_row *x =
	    *(const struct wf_history_row *const *)a;
	const struct wf_history_row *y =
	    *(const struct wf_history_row *const *)b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

const struct wf_history_row **wf_history_sorted(
    const struct wf_history_row *rows, size_t count)
{
	const struct wf_history_row **sorted =
	    wf_malloc(count * sizeof(const struct wf_history_row *));

	for (size_t i = 0; i < count; i++)
		sorted[i] = &rows[i];
	qsort(sorted, count, sizeof(sorted[0]), compare_history);
	return sorted;
}

enum wf_rc wf_make_identity(char identity_out[33], struct wf_error *err)
{
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return wf_fail(err, WF_IO, "there are no random numbers");
	for (size_t i = 0; i < sizeof bytes; i++) {
		identity_out[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
		identity_out[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
	}
	identity_out[32] = '\0';
	return WF_OK;
}

const char *wf_counter_name(enum wf_counter counter)
{
	static const char *const names[] = {
		[WF_COUNTER_CASE] = "case",
		[WF_COUNTER_INCIDENT] = "incident",
		[WF_COUNTER_MESSAGE] = "message",
		[WF_COUNTER_ENGINE] = "engine",
	};

	return names[counter];
}

/* --- opening -------------------------------------------------------------- */

static const struct scheme {
	const char *name;
	enum wf_rc (*open)(struct wf_store **store_out, const char *url,
	    const char *rest, unsigned flags, struct wf_error *err);
} schemes[] = {
	{ "memory:", wf_memory_open },
	{ "sqlite:", wf_sqlite_open },
	{ "postgresql://", wf_postgresql_open },
};

enum wf_rc wf_store_open(struct wf_store **store_out, const char *url,
    unsigned flags, struct wf_error *err)
{
	*store_out = NULL;
	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		size_t length = strlen(schemes[i].name);

		if (strncmp(url, schemes[i].name, length) == 0)
			return schemes[i].open(
			    store_out, url, url + length, flags, err);
	}
	return wf_fail(err, WF_INVALID,
	    "\"%.100s\" is not the URL of a store: expected sqlite:PATH, "
	    "postgresql://.. or memory:",
	    url);
}

/* The URL without what stands between ':' and '@', or behind "password=". */
char *wf_store_url_shown(const char *url)
{
	char *shown = wf_strdup(url);
	char *host = strstr(shown, "//");
	char *at = host == NULL ? NULL : strpbrk(host + 2, "@/?");
	char *colon = host == NULL ? NULL : strchr(host + 2, ':');
	char *value = shown;

	if (at != NULL && *at == '@' && colon != NULL && colon < at)
		memmove(colon, at, strlen(at) + 1);
	/* "sslpassword=" too, and every one of them. */
	while ((value = strstr(value, "password=")) != NULL) {
		value += strlen("password=");
		at = value + strcspn(value, "&");
		memmove(value, at, strlen(at) + 1);
	}
	return shown;
}

static void check(const struct wf_store *store)
{
	wf_assert(store != NULL && store->magic == WF_STORE_MAGIC);
}

void wf_store_close(struct wf_store **store)
{
	char *url;

	if (*store == NULL)
		return;
	check(*store);
	wf_store_abort(*store);
	url = (*store)->url;
	(*store)->magic = 0;
	(*store)->ops->close(*store);
	wf_free(url);
	*store = NULL;
}

const char *wf_store_url(const struct wf_store *store)
{
	check(store);
	return store->url;
}

bool wf_store_is_shared(const struct wf_store *store)
{
	check(store);
	return store->shared;
}

const char *wf_store_identity(const struct wf_store *store)
{
	check(store);
	return store->identity;
}

uint32_t wf_store_version(const struct wf_store *store)
{
	check(store);
	return store->version;
}

uint32_t wf_store_version_found(const struct wf_store *store)
{
	check(store);
	return store->version_found;
}

uint64_t wf_store_statements(const struct wf_store *store)
{
	check(store);
	return store->statements;
}

void wf_store_fail_after(
    struct wf_store *store, uint64_t n, enum wf_fault fault)
{
	check(store);
	store->fail_after = n;
	store->fault = fault;
	store->lost = false;
}

uint64_t wf_store_faults(const struct wf_store *store)
{
	check(store);
	return store->faults;
}

/* --- the batch ------------------------------------------------------------ */

enum wf_rc wf_store_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err)
{
	enum wf_rc rc;

	check(store);
	wf_assert(!store->in_batch);
	rc = store->ops->begin(store, batch, arena, err);
	store->in_batch = rc == WF_OK;
	return rc;
}

enum wf_rc wf_store_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *culprit_out, struct wf_error *err)
{
	uint64_t culprit = 0;
	enum wf_rc rc;

	check(store);
	wf_assert(store->in_batch);
	store->in_batch = false;
	rc = store->ops->commit(store, writes, &culprit, err);
	if (culprit_out != NULL)
		*culprit_out = culprit;
	return rc;
}

void wf_store_abort(struct wf_store *store)
{
	check(store);
	if (!store->in_batch)
		return;
	store->in_batch = false;
	store->ops->abort(store);
}

enum wf_rc wf_store_value(struct wf_store *store, uint64_t number,
    uint32_t value, struct wf_arena *arena, struct wf_bytes *text_out,
    struct wf_error *err)
{
	check(store);
	return store->ops->value(store, number, value, arena, text_out, err);
}

/* --- everything else: one call, one transaction, never inside a batch ----- */

static void check_idle(const struct wf_store *store)
{
	check(store);
	wf_assert(!store->in_batch);
}

enum wf_rc wf_store_reserve(struct wf_store *store, enum wf_counter counter,
    uint64_t count, uint64_t *first_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->reserve(store, counter, count, first_out, err);
}

enum wf_rc wf_store_reserve_above(struct wf_store *store,
    enum wf_counter counter, uint64_t least, struct wf_error *err)
{
	check_idle(store);
	return store->ops->reserve_above(store, counter, least, err);
}

enum wf_rc wf_store_forget_answers(struct wf_store *store, int64_t before,
    size_t limit, size_t *count_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->forget_answers(store, before, limit, count_out, err);
}

enum wf_rc wf_store_find(struct wf_store *store, uint32_t namespace_id,
    const char *const *names, size_t count, uint64_t *numbers_out,
    struct wf_error *err)
{
	check_idle(store);
	return store->ops->find(
	    store, namespace_id, names, count, numbers_out, err);
}

enum wf_rc wf_store_case(struct wf_store *store, uint64_t number, bool state,
    struct wf_arena *arena, struct wf_stored_case *case_out,
    struct wf_error *err)
{
	check_idle(store);
	return store->ops->stored_case(
	    store, number, state, arena, case_out, err);
}

enum wf_rc wf_store_cases(struct wf_store *store,
    const struct wf_case_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->cases(store, filter, arena, list_out, err);
}

enum wf_rc wf_store_items(struct wf_store *store,
    const struct wf_item_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->items(store, filter, arena, list_out, err);
}

/* The id without its last character, which may have several bytes. */
static const char *beginning_of(struct wf_arena *arena, const char *id)
{
	size_t length = strlen(id) - 1;

	while (length > 0 && ((unsigned char)id[length] & 0xC0) == 0x80)
		length--;
	return wf_arena_strndup(arena, id, length);
}

/* Right behind what its id begins with, no other of its task comes before it.
 */
enum wf_rc wf_store_item(struct wf_store *store, uint64_t number,
    const char *id, struct wf_arena *arena, struct wf_item_row *row_out,
    struct wf_error *err)
{
	const char *colon = strchr(id, ':');
	struct wf_item_filter filter = { .number = number, .limit = 1 };
	struct wf_item_list list;
	enum wf_rc rc;

	if (colon == NULL)
		return wf_fail_item(err, id);
	filter.task = colon + 1;
	filter.after_number = number;
	filter.after_id = beginning_of(arena, id);
	rc = wf_store_items(store, &filter, arena, &list, err);
	if (rc != WF_OK)
		return rc;
	if (list.count == 0 || strcmp(list.rows[0].id, id) != 0)
		return wf_fail_item(err, id);
	*row_out = list.rows[0];
	return WF_OK;
}

enum wf_rc wf_store_claim_items(struct wf_store *store,
    const struct wf_item_filter *filter, const char *owner, int64_t now,
    int64_t until, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err)
{
	check_idle(store);
	return store->ops->claim_items(
	    store, filter, owner, now, until, arena, list_out, err);
}

enum wf_rc wf_store_heartbeat(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t until,
    struct wf_error *err)
{
	check_idle(store);
	return store->ops->heartbeat(
	    store, number, id, owner, fence, until, err);
}

enum wf_rc wf_store_release(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t not_before,
    struct wf_error *err)
{
	check_idle(store);
	return store->ops->release(
	    store, number, id, owner, fence, not_before, err);
}

enum wf_rc wf_store_expired_items(struct wf_store *store, int64_t now,
    size_t limit, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err)
{
	check_idle(store);
	return store->ops->expired_items(
	    store, now, limit, arena, list_out, err);
}

enum wf_rc wf_store_claim_due(struct wf_store *store, int64_t now,
    int64_t until, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->claim_due(
	    store, now, until, limit, arena, list_out, err);
}

enum wf_rc wf_store_next_due(
    struct wf_store *store, int64_t *at_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->next_due(store, at_out, err);
}

enum wf_rc wf_store_due_of(struct wf_store *store, uint64_t number,
    const char *after, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->due_of(
	    store, number, after, limit, arena, list_out, err);
}

enum wf_rc wf_store_claim_messages(struct wf_store *store,
    const char *destination, int64_t now, int64_t until, size_t limit,
    struct wf_arena *arena, struct wf_message_list *list_out,
    struct wf_error *err)
{
	check_idle(store);
	return store->ops->claim_messages(
	    store, destination, now, until, limit, arena, list_out, err);
}

enum wf_rc wf_store_acknowledge(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, struct wf_error *err)
{
	check_idle(store);
	return store->ops->acknowledge(store, keys, count, err);
}

enum wf_rc wf_store_postpone(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, int64_t at, bool tried,
    struct wf_error *err)
{
	check_idle(store);
	return store->ops->postpone(store, keys, count, at, tried, err);
}

enum wf_rc wf_store_redirect(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, const char *destination,
    struct wf_error *err)
{
	check_idle(store);
	return store->ops->redirect(store, keys, count, destination, err);
}

enum wf_rc wf_store_history(struct wf_store *store,
    const struct wf_history_filter *filter, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->history(store, filter, arena, list_out, err);
}

enum wf_rc wf_store_history_end(
    struct wf_store *store, struct wf_cursor *cursor_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->history_end(store, cursor_out, err);
}

enum wf_rc wf_store_case_history(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->case_history(
	    store, number, after, limit, arena, list_out, err);
}

enum wf_rc wf_store_retire(struct wf_store *store, int64_t before, size_t limit,
    size_t *count_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->retire(store, before, limit, count_out, err);
}

enum wf_rc wf_store_incidents(struct wf_store *store,
    const struct wf_incident_filter *filter, struct wf_arena *arena,
    struct wf_incident_list *list_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->incidents(store, filter, arena, list_out, err);
}

enum wf_rc wf_store_incident(struct wf_store *store, uint64_t id,
    struct wf_arena *arena, struct wf_incident_row *row_out,
    struct wf_error *err)
{
	check_idle(store);
	return store->ops->incident(store, id, arena, row_out, err);
}

enum wf_rc wf_store_change(
    struct wf_store *store, uint64_t *change_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->change(store, change_out, err);
}

enum wf_rc wf_store_put_specification(struct wf_store *store,
    const struct wf_specification_row *row, struct wf_error *err)
{
	check_idle(store);
	return store->ops->put_specification(store, row, err);
}

enum wf_rc wf_store_specification(struct wf_store *store, uint32_t namespace_id,
    uint64_t key, struct wf_arena *arena, struct wf_specification_row *row_out,
    struct wf_error *err)
{
	check_idle(store);
	return store->ops->specification(
	    store, namespace_id, key, arena, row_out, err);
}

enum wf_rc wf_store_remove_specification(struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct wf_error *err)
{
	check_idle(store);
	return store->ops->remove_specification(store, namespace_id, key, err);
}

enum wf_rc wf_store_specifications(struct wf_store *store,
    const struct wf_specification_filter *filter, struct wf_arena *arena,
    struct wf_specification_list *list_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->specifications(store, filter, arena, list_out, err);
}

enum wf_rc wf_store_put_record(struct wf_store *store,
    const struct wf_record_row *row, struct wf_error *err)
{
	check_idle(store);
	return store->ops->put_record(store, row, err);
}

enum wf_rc wf_store_record(struct wf_store *store, uint32_t namespace_id,
    const char *kind, const char *name, struct wf_arena *arena,
    struct wf_record_row *row_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->record(
	    store, namespace_id, kind, name, arena, row_out, err);
}

enum wf_rc wf_store_records(struct wf_store *store, const char *kind,
    struct wf_arena *arena, struct wf_record_list *list_out,
    struct wf_error *err)
{
	check_idle(store);
	return store->ops->records(store, kind, arena, list_out, err);
}

enum wf_rc wf_store_notify(struct wf_store *store, struct wf_error *err)
{
	check_idle(store);
	return store->ops->notify(store, err);
}

enum wf_rc wf_store_wait(struct wf_store *store, int milliseconds,
    bool *told_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->wait(store, milliseconds, told_out, err);
}

enum wf_rc wf_store_backlog(struct wf_store *store,
    struct wf_store_backlog *backlog_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->backlog(store, backlog_out, err);
}

enum wf_rc wf_store_facts(struct wf_store *store,
    struct wf_store_facts *facts_out, struct wf_error *err)
{
	check_idle(store);
	return store->ops->facts(store, facts_out, err);
}

enum wf_rc wf_store_case_exports(struct wf_store *store, uint64_t after,
    size_t limit, struct wf_arena *arena, struct wf_case_export_list *list_out,
    struct wf_error *err)
{
	check_idle(store);
	return store->ops->exports(store, after, limit, arena, list_out, err);
}

enum wf_rc wf_store_backup(
    struct wf_store *store, const char *path, struct wf_error *err)
{
	check_idle(store);
	if (store->ops->backup == NULL)
		return wf_fail(err, WF_UNSUPPORTED,
		    "%.200s is no file of SQLite; PostgreSQL is backed up "
		    "by its own tools, such as pg_dump",
		    store->url);
	return store->ops->backup(store, path, err);
}

enum wf_rc wf_store_verify(struct wf_store *store, wf_notify_f tell,
    void *context, struct wf_error *err)
{
	check_idle(store);
	return store->ops->verify(store, tell, context, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the implementations of the store contract share: the head of a handle,
 * injected faults, refusals in the same words, the order of history.
 */
#include "persistence/backend.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/panic.h"

void wf_store_init(struct wf_store *store, const struct wf_store_ops *ops,
    const char *url, bool shared)
{
	wf_assert(store->magic == 0 && store->batch == WF_BATCH_IDLE);
	store->magic = WF_STORE_MAGIC;
	store->ops = ops;
	store->url = wf_strdup(url);
	store->shared = shared;
}

void wf_store_discard(struct wf_store **store)
{
	char *url = (*store)->url;

	wf_assert((*store)->magic == WF_STORE_MAGIC);
	wf_assert((*store)->batch == WF_BATCH_IDLE);
	(*store)->magic = 0;
	(*store)->ops->close(*store);
	wf_free(url);
	*store = NULL;
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

enum wf_rc wf_conflict(struct wf_error *err, uint64_t *cause_out,
    uint64_t number, const char *what)
{
	wf_assert(what[0] != '\0');
	*cause_out = number;
	return wf_fail(err, WF_CONFLICT, "case %llu: %s",
	    (unsigned long long)number, what);
}

enum wf_rc wf_missing(struct wf_error *err, const char *what, uint64_t number)
{
	return wf_fail(err, WF_NOT_FOUND, "there is no %s %llu", what,
	    (unsigned long long)number);
}

enum wf_rc wf_missing_specification(struct wf_error *err, uint64_t key)
{
	return wf_fail(err, WF_NOT_FOUND, "there is no specification %016llx",
	    (unsigned long long)key);
}

enum wf_rc wf_fail_value(struct wf_error *err, uint64_t number, uint32_t value)
{
	return wf_fail(err, WF_NOT_FOUND, "case %llu has no value %u",
	    (unsigned long long)number, value);
}

enum wf_rc wf_fail_session(struct wf_error *err)
{
	return wf_fail(err, WF_NOT_FOUND, "there is no such session");
}

enum wf_rc wf_fail_session_key(struct wf_error *err)
{
	return wf_fail(err, WF_CONFLICT, "a session has this key already");
}

enum wf_rc wf_fail_audit(struct wf_error *err)
{
	return wf_fail(
	    err, WF_CONFLICT, "a row of the audit has this number already");
}

enum wf_rc wf_fail_fold(struct wf_error *err, const char *name)
{
	return wf_fail(err, WF_CONFLICT,
	    "another server has read on for the %.200s", name);
}

enum wf_rc wf_fail_item(struct wf_error *err, const char *id)
{
	return wf_fail(err, WF_NOT_FOUND, "there is no work item %.200s", id);
}

enum wf_rc wf_judge_document(const struct wf_document_state *state,
    struct wf_document_row *row, uint64_t maximum, struct wf_error *err)
{
	if (!state->has_case && row->number != WF_NO_CASE)
		return wf_missing(err, "case", row->number);
	if (row->version == 0 && state->last == 0)
		return wf_missing(err, "document", row->id);
	if (state->rows >= WF_CASE_DOCUMENTS)
		return wf_fail(err, WF_LIMIT,
		    "the case has %u versions of documents already",
		    WF_CASE_DOCUMENTS);
	if (state->bytes > maximum || row->size > maximum - state->bytes)
		return wf_fail(err, WF_LIMIT,
		    "the documents of the case would have more than %llu "
		    "bytes",
		    (unsigned long long)maximum);
	row->version = row->version == 0 ? state->last + 1 : 1;
	row->received = 0;
	return WF_OK;
}

enum wf_rc wf_judge_comment(const struct wf_comment_row *row, bool has_case,
    uint64_t comments, struct wf_error *err)
{
	if (!has_case)
		return wf_missing(err, "case", row->number);
	if (comments >= WF_CASE_COMMENTS)
		return wf_fail(err, WF_LIMIT,
		    "the case has %u comments already", WF_CASE_COMMENTS);
	return WF_OK;
}

enum wf_rc wf_fail_comment(struct wf_error *err)
{
	return wf_fail(
	    err, WF_CONFLICT, "a comment of the case has this number already");
}

enum wf_rc wf_fail_adoption(
    struct wf_error *err, const struct wf_document_row *row)
{
	return wf_fail(err, WF_CONFLICT,
	    "the document %llu belongs to a case already",
	    (unsigned long long)row->id);
}

enum wf_rc wf_fail_block(struct wf_error *err,
    const struct wf_document_row *row,
    const struct wf_document_block_row *block)
{
	if (block->place != row->received)
		return wf_fail(err, WF_CONFLICT,
		    "expected the bytes from %llu on, not from %llu on",
		    (unsigned long long)row->received,
		    (unsigned long long)block->place);
	return wf_fail(err, WF_CONFLICT,
	    "the document has %llu bytes, of which %llu are missing, not %zu",
	    (unsigned long long)row->size,
	    (unsigned long long)(row->size - row->received), block->bytes.size);
}

enum wf_rc wf_fail_draft(struct wf_error *err, const char *id)
{
	return wf_fail(err, WF_CONFLICT,
	    "work item %.200s was given to somebody else, or its draft was "
	    "saved by another since it was read",
	    id);
}

enum wf_rc wf_fail_lease(struct wf_error *err, const char *id)
{
	return wf_fail(err, WF_CONFLICT, "the lease of %.200s is over", id);
}

enum wf_rc wf_fail_erase(struct wf_error *err, uint64_t number, bool is_live)
{
	return is_live ? wf_fail(err, WF_CONFLICT, "%s", WF_ERASE_RUNNING)
		       : wf_missing(err, "case", number);
}

enum wf_rc wf_check_cursor(const struct wf_cursor *cursor,
    const struct wf_cursor *retired, struct wf_error *err)
{
	if (cursor->position == 0 || !wf_cursor_is_before(cursor, retired) ||
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

enum wf_rc wf_judge_change(uint64_t seen, uint64_t now, struct wf_error *err)
{
	if (seen == 0 || now == seen + 1)
		return WF_OK;
	return wf_fail(err, WF_CONFLICT,
	    "specifications or records were changed in the meantime");
}

enum wf_rc wf_fail_changed(
    struct wf_error *err, const struct wf_record_row *expected)
{
	return wf_fail(err, WF_CONFLICT,
	    expected->change == WF_RECORD_NEW
		? "there is a %.60s called %.200s already"
		: "the %.60s %.200s was changed in the meantime",
	    expected->kind, expected->name);
}

bool wf_is_far_behind(uint64_t after, uint64_t now)
{
	return after == 0 || after > now ||
	       now - after > WF_RECORD_CHANGES_KEPT;
}

uint64_t wf_forgotten_change(uint64_t now)
{
	uint64_t kept = 2 * (uint64_t)WF_RECORD_CHANGES_KEPT;

	return now > kept ? now - kept : 0;
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
	if (count > 1)
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

const char *wf_incidents_wanted(enum wf_incidents which)
{
	/* As the indexes of these have it. */
	switch (which) {
	case WF_INCIDENTS_OPEN:
		return " AND dropped_at = 0";
	case WF_INCIDENTS_DROPPED:
		return " AND dropped_at > 0";
	case WF_INCIDENTS_ALL:
		break;
	}
	return "";
}

const char *wf_counter_name(enum wf_counter counter)
{
	static const char *const names[] = {
		[WF_COUNTER_CASE] = "case",
		[WF_COUNTER_INCIDENT] = "incident",
		[WF_COUNTER_MESSAGE] = "message",
		[WF_COUNTER_ENGINE] = "engine",
		[WF_COUNTER_DOCUMENT] = "document",
		[WF_COUNTER_AUDIT] = "audit",
		[WF_COUNTER_OPERATION] = "operation",
		[WF_COUNTER_COMMENT] = "comment",
	};

	wf_assert((size_t)counter < sizeof names / sizeof names[0]);
	return names[counter];
}

/* The URL without the text between ':' and '@', and that behind "password=". */
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

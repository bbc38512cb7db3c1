/* SPDX-License-Identifier: Apache-2.0 */
#include "worklist/busy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/panic.h"

#define RECORD_KIND "busy"
#define VALUE_SIZE 48U
/* A case may have so many items. */
#define ITEMS_MOST 10000U
/*
 * A case that is named but does not exist is being launched, or its launch has
 * failed; no batch takes so long (ms).
 */
#define LAUNCH_MS INT64_C(600000)
#define RENEW_MS (LAUNCH_MS / 2)
/* Another one may take it at the same moment. */
#define ATTEMPTS 3U

struct taking {
	struct wf_engine *engine;
	struct wf_store *store;
	struct wf_arena *arena;
	uint64_t number; /* the case that wants it */
	const char *id;
	int64_t now;
};

/* Which case may use something, since when. */
struct use {
	uint64_t number;
	int64_t at;
	uint64_t change;
};

static enum wf_rc read_use(struct wf_store *store, const char *id,
    struct wf_arena *arena, struct use *use_out)
{
	struct wf_record_row row = { .kind = RECORD_KIND, .name = id };
	enum wf_rc rc =
	    wf_store_record(store, 0, RECORD_KIND, id, arena, &row, NULL);
	char value[VALUE_SIZE];

	*use_out = (struct use){ .change = WF_RECORD_NEW };
	if (rc == WF_NOT_FOUND)
		return WF_OK;
	if (rc != WF_OK)
		return rc;
	use_out->change = row.change;
	if (row.value.size >= sizeof(value))
		return WF_CORRUPT;
	memcpy(value, row.value.data, row.value.size);
	value[row.value.size] = '\0';
	return sscanf(value, "%" SCNu64 " %" SCNd64, &use_out->number,
		   &use_out->at) == 2
		   ? WF_OK
		   : WF_CORRUPT;
}

static enum wf_rc write_use(const struct taking *taking, const struct use *old)
{
	struct wf_record_row row = {
		.kind = RECORD_KIND, .name = taking->id, .change = old->change
	};
	char value[VALUE_SIZE];
	int length = snprintf(value, sizeof(value), "%" PRIu64 " %" PRId64,
	    taking->number, taking->now);

	wf_assert(length > 0 && (size_t)length < sizeof(value));
	row.value = (struct wf_bytes){ value, (size_t)length };
	return wf_store_put_record(taking->store, &row, NULL);
}

/* Whether an item of the case is busy with it; also if that is not known. */
static bool is_used(struct wf_store *store, uint64_t number, const char *id,
    struct wf_arena *arena)
{
	const struct wf_item_filter filter = { .number = number,
		.limit = ITEMS_MOST };
	struct wf_item_list list = { .count = 0 };
	bool is = wf_store_items(store, &filter, arena, &list, NULL) != WF_OK ||
		  list.count == ITEMS_MOST;

	for (size_t i = 0; i < list.count && !is; i++)
		is = wf_busy_has(list.rows[i].busy, id);
	return is;
}

/* Of a case that is not live. */
static bool may_be_launched(const struct taking *taking, const struct use *use)
{
	struct wf_stored_case found;
	enum wf_rc rc = wf_store_case(
	    taking->store, use->number, false, taking->arena, &found, NULL);

	return rc == WF_NOT_FOUND ? taking->now - use->at < LAUNCH_MS
				  : rc != WF_OK;
}

/* Takes it over from a case that does not use it any more. */
static enum wf_rc take_over(const struct taking *taking, const struct use *use)
{
	struct wf_take take = { .number = use->number };
	struct wf_batch batch = { .takes = &take, .take_count = 1 };
	struct wf_store *other;
	enum wf_rc rc = wf_engine_borrow(taking->engine, &other, NULL);

	if (rc != WF_OK)
		return rc;
	rc = wf_store_begin(other, &batch, taking->arena, NULL);
	if (rc == WF_OK) {
		if (take.state == WF_TAKE_SKIPPED ||
		    (take.state == WF_TAKE_MISSING &&
			may_be_launched(taking, use)) ||
		    (take.state != WF_TAKE_MISSING &&
			is_used(taking->store, use->number, taking->id,
			    taking->arena)))
			rc = WF_DENIED;
		else
			rc = write_use(taking, use);
		wf_store_abort(other);
	}
	wf_engine_give_back(taking->engine, other);
	return rc;
}

static enum wf_rc try_to_take(const struct taking *taking)
{
	struct use use;
	enum wf_rc rc =
	    read_use(taking->store, taking->id, taking->arena, &use);

	if (rc != WF_OK)
		return rc;
	/* A launch that is repeated for so long is still one. */
	if (use.number == taking->number)
		return taking->now - use.at < RENEW_MS
			   ? WF_OK
			   : write_use(taking, &use);
	return use.change == WF_RECORD_NEW ? write_use(taking, &use)
					   : take_over(taking, &use);
}

bool wf_busy_take(
    struct wf_engine *engine, uint64_t number, const char *id, int64_t now)
{
	struct taking taking = { .engine = engine,
		.arena = wf_arena_new(),
		.number = number,
		.id = id,
		.now = now };
	enum wf_rc rc = wf_engine_borrow(engine, &taking.store, NULL);

	wf_assert(number != 0);
	if (rc == WF_OK) {
		rc = WF_CONFLICT;
		for (unsigned i = 0; i < ATTEMPTS && rc == WF_CONFLICT; i++)
			rc = try_to_take(&taking);
		wf_engine_give_back(engine, taking.store);
	}
	wf_arena_free(&taking.arena);
	return rc == WF_OK;
}

enum wf_rc wf_busy_case(struct wf_store *store, const char *id,
    uint64_t *number_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct use use;
	enum wf_rc rc = read_use(store, id, arena, &use);

	*number_out = 0;
	if (rc != WF_OK)
		rc = wf_fail(err, rc, "who uses '%.60s' cannot be read", id);
	else if (use.change != WF_RECORD_NEW &&
		 is_used(store, use.number, id, arena))
		*number_out = use.number;
	wf_arena_free(&arena);
	return rc;
}

/* --- what is missing ------------------------------------------------------ */

struct availability {
	struct wf_store *store;
	struct wf_absences *absences;
	const struct wf_organisation *organisation;
	const uint64_t *absent; /* NULL: nobody */
	int64_t now;
	struct wf_error *err;
	enum wf_rc rc; /* after a failure nothing more is asked */
};

static bool is_free(void *context, enum wf_org_kind kind, const char *id)
{
	struct availability *at = context;
	uint64_t number = 0;

	if (at->rc != WF_OK ||
	    (kind == WF_ORG_PARTICIPANT && at->absent != NULL &&
		wf_bitset_has(
		    at->absent, wf_org_find(at->organisation, kind, id))) ||
	    (kind == WF_ORG_THING &&
		wf_absences_thing(at->absences, id, at->now)))
		return false;
	at->rc = wf_busy_case(at->store, id, &number, at->err);
	return at->rc == WF_OK && number == 0;
}

enum wf_rc wf_busy_missing(struct wf_store *store, struct wf_absences *absences,
    const struct wf_organisation *organisation, const struct wf_needs *needs,
    const char *but, int64_t now, struct wf_arena *arena,
    struct wf_needs *missing_out, struct wf_error *err)
{
	struct availability of = { store, absences, organisation,
		wf_absences_at(absences, organisation, now, arena), now, err,
		WF_OK };
	struct wf_needs_found found;

	wf_needs_find(organisation, needs, but, (uint64_t)now, is_free, &of,
	    arena, &found);
	*missing_out = found.missing;
	return of.rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "server/index_fill.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "kernel/step.h"
#include "runtime/terms/terms.h"

/* Cases of one portion. */
#define PORTION 200U
/* How often a case that a batch has is tried again, and after how long. */
#define TRIES 50U
#define PAUSE_MS 20
/* Between two questions whether there is something to do. */
#define IDLE_MS 1000

struct wf_index_fill {
	struct wf_engine *engine;
	struct wf_terms *terms;
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool ending; /* under lock */
};

struct wf_index_fill *wf_index_fill_new(struct wf_engine *engine)
{
	struct wf_index_fill *fill = wf_calloc(1, sizeof(*fill));

	fill->engine = engine;
	fill->terms = wf_terms_new(wf_engine_indexes(engine), false);
	pthread_mutex_init(&fill->lock, NULL);
	wf_condition_init(&fill->wake);
	return fill;
}

/* --- one case ------------------------------------------------------------- */

struct filling {
	struct wf_index_fill *fill;
	struct wf_store *store;
	struct wf_index index;
	const struct wf_specification_list *specifications;
	struct wf_arena *arena; /* of the portion */
	/* The terms of a case, at that version. */
	uint64_t version;
	struct wf_term_row rows[WF_TERM_ROWS];
	size_t count;
};

static bool is_of_index(
    const struct filling *filling, const struct wf_case_row *row)
{
	const struct wf_specification_list *list = filling->specifications;

	if (strcmp(filling->index.specification, "*") == 0)
		return true;
	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i].key == row->specification &&
		    list->rows[i].namespace_id == row->namespace_id)
			return wf_index_is_of(
			    &filling->index, list->rows[i].uri);
	return false;
}

static void read_terms(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct filling *filling = context;
	const struct wf_term_plan *plan = wf_terms_plan(filling->fill->terms,
	    stored->row.namespace_id, wf_case_spec(instance));
	const struct wf_term_row row = { .number = stored->row.number,
		.namespace_id = stored->row.namespace_id };

	filling->version = stored->row.version;
	filling->count = plan == NULL
			     ? 0
			     : wf_terms_of_variables(plan, NULL, instance, &row,
				   filling->rows, filling->arena);
}

/* A case that cannot be read has no terms. */
static enum wf_rc make_terms(struct filling *filling,
    const struct wf_case_row *row, struct wf_error *err)
{
	struct wf_error unread = { .rc = WF_OK };
	enum wf_rc rc;

	wf_assert(row->number != 0);
	filling->count = 0;
	filling->version = row->version;
	if (wf_index_is_words(&filling->index)) {
		filling->count =
		    wf_terms_of_words(row, filling->rows, filling->arena);
		return WF_OK;
	}
	if (filling->index.state == WF_INDEX_REMOVING) {
		filling->rows[filling->count++] =
		    (struct wf_term_row){ .number = row->number,
			    .field = filling->index.variable,
			    .namespace_id = row->namespace_id,
			    .text = "" };
		return WF_OK;
	}
	rc = wf_engine_inspect(
	    filling->fill->engine, row->number, read_terms, filling, &unread);
	return rc == WF_IO || rc == WF_UNAVAILABLE
		   ? wf_fail(err, rc, "%s", unread.message)
		   : WF_OK;
}

static bool is_ending(struct wf_index_fill *fill)
{
	bool ending;

	pthread_mutex_lock(&fill->lock);
	ending = fill->ending;
	pthread_mutex_unlock(&fill->lock);
	return ending;
}

/* False: the thread is to end. */
static bool pause_for(struct wf_index_fill *fill, int milliseconds)
{
	int64_t until = wf_monotonic_ms() + milliseconds;
	bool goes_on;

	pthread_mutex_lock(&fill->lock);
	if (!fill->ending)
		(void)wf_wait_until(&fill->wake, &fill->lock, until);
	goes_on = !fill->ending;
	pthread_mutex_unlock(&fill->lock);
	return goes_on;
}

/*
 * A case that is stepped meanwhile is read again.  WF_UNAVAILABLE: a batch has
 * had it all the time.
 */
static enum wf_rc fill_case(struct filling *filling,
    const struct wf_stored_case *listed, struct wf_error *err)
{
	struct wf_stored_case stored = *listed;
	uint64_t number = listed->row.number;
	bool is_written = false;
	enum wf_rc rc = WF_OK;

	wf_assert(number > filling->index.filled);
	for (unsigned i = 0; rc == WF_OK && i < TRIES; i++) {
		if (i > 0) {
			(void)pause_for(filling->fill, PAUSE_MS);
			rc = wf_store_case(filling->store, number, false,
			    filling->arena, &stored, err);
		}
		if (rc == WF_NOT_FOUND) { /* it was retired */
			wf_error_clear(err);
			return WF_OK;
		}
		if (rc == WF_OK)
			rc = make_terms(filling, &stored.row, err);
		if (rc != WF_OK || filling->count == 0)
			return rc;
		rc =
		    wf_store_put_terms(filling->store, number, filling->version,
			filling->rows, filling->count, &is_written, err);
		if (is_written || is_ending(filling->fill))
			return rc;
	}
	return wf_fail(err, WF_UNAVAILABLE, "case %llu is in use",
	    (unsigned long long)number);
}

/* --- a portion ------------------------------------------------------------ */

static enum wf_rc fill_portion(
    struct filling *filling, int64_t now, struct wf_error *err)
{
	struct wf_indexes *indexes = wf_engine_indexes(filling->fill->engine);
	const struct wf_case_filter filter = { .namespace_id =
						   filling->index.namespace_id,
		.after = filling->index.filled,
		.limit = PORTION };
	struct wf_case_list list;
	uint64_t filled = filter.after;
	bool is_done = false;
	enum wf_rc rc =
	    wf_store_cases(filling->store, &filter, filling->arena, &list, err);

	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		if (is_ending(filling->fill))
			break;
		if (is_of_index(filling, &list.rows[i].row))
			rc = fill_case(filling, &list.rows[i], err);
		if (rc == WF_OK)
			filled = list.rows[i].row.number;
	}
	if (rc == WF_OK)
		is_done = list.next == 0 &&
			  (list.count == 0 ||
			      filled == list.rows[list.count - 1].row.number);
	wf_assert(filled >= filter.after);
	if (filled == filter.after && !is_done)
		return rc;
	return wf_index_note(indexes, filling->store, &filling->index, filled,
		   is_done, now, rc == WF_OK ? err : NULL) == WF_OK
		   ? rc
		   : WF_UNAVAILABLE;
}

/* The first one that there is something to do for; false: none. */
static bool find_work(struct wf_indexes *indexes, int64_t now,
    struct wf_arena *arena, struct wf_index *index_out)
{
	struct wf_index_list list;

	if (wf_indexes_words(indexes, arena, index_out) &&
	    index_out->state == WF_INDEX_FILLING &&
	    now - index_out->since >= WF_INDEX_FILL_MS)
		return true;
	list = wf_indexes_of(indexes, 0, arena);
	for (size_t i = 0; i < list.count; i++) {
		*index_out = list.rows[i];
		if (index_out->state != WF_INDEX_READY &&
		    now - index_out->since >= WF_INDEX_FILL_MS)
			return true;
	}
	return false;
}

/* A store without a case has no earlier ones. */
static enum wf_rc add_words(
    struct filling *filling, int64_t now, struct wf_error *err)
{
	const struct wf_case_filter filter = { .limit = 1 };
	struct wf_case_list list;
	enum wf_rc rc =
	    wf_store_cases(filling->store, &filter, filling->arena, &list, err);

	return rc != WF_OK ? rc
			   : wf_index_add_words(
				 wf_engine_indexes(filling->fill->engine),
				 filling->store, list.count == 0, now, err);
}

/* The index of words is there. */
static enum wf_rc need_words(
    struct filling *filling, int64_t now, struct wf_error *err)
{
	struct wf_indexes *indexes = wf_engine_indexes(filling->fill->engine);
	struct wf_index words;
	enum wf_rc rc = wf_indexes_refresh(indexes, filling->store, err);

	if (rc == WF_OK && !wf_indexes_words(indexes, filling->arena, &words))
		rc = add_words(filling, now, err);
	return rc;
}

static enum wf_rc take_turn(
    struct filling *filling, int64_t now, bool *more_out, struct wf_error *err)
{
	struct wf_indexes *indexes = wf_engine_indexes(filling->fill->engine);
	struct wf_specification_filter filter = { .removed = true };
	struct wf_specification_list specifications;
	enum wf_rc rc = need_words(filling, now, err);

	if (rc != WF_OK ||
	    !find_work(indexes, now, filling->arena, &filling->index))
		return rc;
	filter.namespace_id = filling->index.namespace_id;
	filling->specifications = &specifications;
	wf_terms_refresh(filling->fill->terms);
	rc = wf_store_specifications(
	    filling->store, &filter, filling->arena, &specifications, err);
	if (rc == WF_OK)
		rc = fill_portion(filling, now, err);
	*more_out = rc == WF_OK;
	return rc;
}

/* more_out NULL: nothing is filled. */
static enum wf_rc with_store(struct wf_index_fill *fill, int64_t now,
    bool *more_out, struct wf_error *err)
{
	struct filling filling = { .fill = fill };
	enum wf_rc rc;

	/* Older nodes write no terms: what they start would be missing. */
	if (wf_engine_may_write(fill->engine, WF_OPERATIONS_TABLES, NULL) !=
	    WF_OK)
		return WF_OK;
	rc = wf_engine_borrow(fill->engine, &filling.store, err);

	if (rc != WF_OK)
		return rc;
	filling.arena = wf_arena_new();
	rc = more_out == NULL ? need_words(&filling, now, err)
			      : take_turn(&filling, now, more_out, err);
	wf_arena_free(&filling.arena);
	wf_engine_give_back(fill->engine, filling.store);
	return rc;
}

enum wf_rc wf_index_fill_turn(struct wf_index_fill *fill, int64_t now,
    bool *more_out, struct wf_error *err)
{
	*more_out = false;
	return with_store(fill, now, more_out, err);
}

/* --- the thread ----------------------------------------------------------- */

static void *run(void *argument)
{
	struct wf_index_fill *fill = argument;
	bool more = true;

	while ((more && !is_ending(fill)) || pause_for(fill, IDLE_MS)) {
		/* What fails is tried again after the pause. */
		if (wf_index_fill_turn(fill, wf_engine_now(fill->engine), &more,
			NULL) != WF_OK)
			more = false;
	}
	return NULL;
}

enum wf_rc wf_index_fill_start(struct wf_index_fill *fill, struct wf_error *err)
{
	enum wf_rc rc =
	    with_store(fill, wf_engine_now(fill->engine), NULL, err);

	wf_assert(!fill->has_thread);
	if (rc != WF_OK)
		return rc;
	if (pthread_create(&fill->thread, NULL, run, fill) != 0)
		return wf_fail(err, WF_IO, "no thread can be made");
	fill->has_thread = true;
	return WF_OK;
}

void wf_index_fill_free(struct wf_index_fill **fill)
{
	struct wf_index_fill *old = *fill;

	*fill = NULL;
	if (old == NULL)
		return;
	pthread_mutex_lock(&old->lock);
	old->ending = true;
	pthread_cond_signal(&old->wake);
	pthread_mutex_unlock(&old->lock);
	if (old->has_thread)
		pthread_join(old->thread, NULL);
	wf_terms_free(&old->terms);
	pthread_cond_destroy(&old->wake);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

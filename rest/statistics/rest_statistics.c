/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of a period: history/statistics/summary.h as JSON. */
#include <string.h>

#include "history/statistics/statistics.h"
#include "history/statistics/summary.h"
#include "rest/rest.h"
#include "server/case_filter.h"

#define DAY_HOURS 24
/* Without from: the last day. */
#define PERIOD_MS (DAY_HOURS * WF_HOUR_MS)
/* Of all of a namespace, at most. */
#define SPECIFICATIONS 1000U

struct asked {
	struct wf_summary_query query;
	const char *after; /* NULL: from the first row on */
	size_t limit;
	bool buckets;
	struct wf_specification_list names;
	bool complete;
};

/* --- what is asked -------------------------------------------------------- */

static const char *argument_of(void *context, const char *name)
{
	return wf_rest_argument(context, name);
}

static bool read_time(struct wf_rest *rest, const char *name, int64_t *at_out)
{
	struct wf_error err = { .rc = WF_OK };

	if (wf_argument_time(rest->server->engine, argument_of, rest, name,
		at_out, &err) == WF_OK)
		return true;
	wf_rest_fail(rest, &err);
	return false;
}

/* Whole hours: an hour that the period ends in counts. */
static bool read_period(struct wf_rest *rest, struct wf_summary_query *query)
{
	int64_t to = wf_engine_now(rest->server->engine);
	int64_t from;

	if (!read_time(rest, "to", &to))
		return false;
	from = to - PERIOD_MS;
	if (!read_time(rest, "from", &from))
		return false;
	query->from = wf_hour_of(from);
	query->to = wf_hour_of(to - 1) + 1;
	if (query->from < query->to)
		return true;
	wf_rest_refuse(rest, "from: expected a time before to");
	return false;
}

static bool read_word(struct wf_rest *rest, const char *name,
    const char *const *words, unsigned *place_out)
{
	const char *text = wf_rest_argument(rest, name);
	struct wf_buffer known;

	*place_out = 0;
	if (text == NULL)
		return true;
	wf_buffer_init(&known, WF_REST_WORD_BYTES);
	for (unsigned i = 0; words[i] != NULL; i++) {
		if (strcmp(words[i], text) == 0) {
			*place_out = i;
			wf_buffer_free(&known);
			return true;
		}
		wf_buffer_printf(&known, "%s%s",
		    i == 0		   ? ""
		    : words[i + 1] == NULL ? " or "
					   : ", ",
		    words[i]);
	}
	wf_rest_refuse(rest, "%s: expected %s", name, wf_buffer_text(&known));
	wf_buffer_free(&known);
	return false;
}

static bool read_asked(struct wf_rest *rest, struct asked *asked)
{
	static const char *const by[] = { [WF_BY_CASE] = "case",
		[WF_BY_TASK] = "task",
		[WF_BY_FLOW] = "flow",
		[WF_BY_PARTICIPANT] = "participant",
		[WF_BY_NOTHING] = NULL };
	static const char *const per[] = { "period", "hour", "day", NULL };
	static const int64_t hours[] = { 0, 1, DAY_HOURS };
	struct wf_summary_query *query = &asked->query;
	unsigned place_by;
	unsigned place_per;

	query->namespace_id = rest->account.namespace_id;
	query->task = wf_rest_argument(rest, "task");
	asked->after = wf_rest_argument(rest, "after");
	if (!wf_rest_specifications(rest, &query->specifications) ||
	    !wf_rest_is_allowed(rest) ||
	    !read_word(rest, "by", by, &place_by) ||
	    !read_word(rest, "per", per, &place_per) ||
	    !read_period(rest, query) ||
	    !wf_rest_switch(rest, "buckets", &asked->buckets) ||
	    !wf_rest_limit(rest, &asked->limit))
		return false;
	query->by = (enum wf_statistics_by)place_by;
	query->hours = hours[place_per];
	if (query->task == NULL || query->by == WF_BY_TASK ||
	    query->by == WF_BY_PARTICIPANT)
		return true;
	wf_rest_refuse(
	    rest, "task: expected with by=task or by=participant only");
	return false;
}

/* All of the namespace, if none is named; and their names. */
static enum wf_rc read_specifications(struct wf_rest *rest,
    struct wf_store *store, struct asked *asked, struct wf_error *err)
{
	const struct wf_specification_filter filter = {
		.namespace_id = rest->account.namespace_id, .removed = true
	};
	struct wf_specification_list *names = &asked->names;
	uint64_t *keys;
	enum wf_rc rc =
	    wf_store_specifications(store, &filter, rest->arena, names, err);

	if (rc != WF_OK || asked->query.specifications.count > 0)
		return rc;
	if (names->count > SPECIFICATIONS)
		return wf_fail(err, WF_LIMIT,
		    "there are %zu specifications, more than the %u that "
		    "statistics can be of: name one (specification)",
		    names->count, SPECIFICATIONS);
	keys = wf_arena_array(rest->arena, names->count, sizeof(*keys));
	for (size_t i = 0; i < names->count; i++)
		keys[i] = names->rows[i].key;
	asked->query.specifications =
	    (struct wf_specification_keys){ keys, names->count };
	return WF_OK;
}

/* --- as JSON -------------------------------------------------------------- */

/* Seconds, to the millisecond. */
static json_t *seconds(double ms)
{
	return json_real((double)(int64_t)(ms + 0.5) / 1000);
}

static json_t *describe_buckets(const struct wf_histogram *times)
{
	json_t *array = json_array();

	for (size_t i = 0; i < times->bucket_count; i++) {
		const struct wf_histogram_bucket *bucket = &times->buckets[i];
		json_t *object = json_object();

		json_object_set_new(object, "from",
		    seconds((double)wf_histogram_from(bucket->index)));
		json_object_set_new(object, "to",
		    seconds((double)wf_histogram_from(bucket->index + 1)));
		json_object_set_new(
		    object, "count", json_integer((json_int_t)bucket->count));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *describe_times(const struct wf_histogram *times, bool buckets)
{
	json_t *object = json_object();

	json_object_set_new(
	    object, "count", json_integer((json_int_t)times->count));
	json_object_set_new(object, "mean", seconds(wf_histogram_mean(times)));
	json_object_set_new(
	    object, "median", seconds(wf_histogram_quantile(times, 0.5)));
	json_object_set_new(
	    object, "p95", seconds(wf_histogram_quantile(times, 0.95)));
	if (buckets)
		json_object_set_new(object, "buckets", describe_buckets(times));
	return object;
}

static void put_measure(json_t *object,
    const struct wf_summary_measure *measure, const char *counted,
    const char *timed, bool buckets)
{
	json_object_set_new(object, counted,
	    json_integer(measure == NULL ? 0 : (json_int_t)measure->count));
	if (timed[0] != '\0' && measure != NULL && measure->times.count > 0)
		json_object_set_new(
		    object, timed, describe_times(&measure->times, buckets));
}

static void put_measures(json_t *object, const struct asked *asked,
    const struct wf_summary_group *group)
{
#define WF_MEASURE(number, name, by_what, counted, timed, meaning)             \
	if (WF_BY_##by_what == asked->query.by)                                \
		put_measure(object, group->measures[number], counted, timed,   \
		    asked->buckets);
#include "history/statistics/measures.def"
#undef WF_MEASURE
}

/* An hour; also that of 1970, which is no missing time. */
static void put_hour(json_t *object, const char *name, int64_t hour)
{
	if (hour == 0)
		json_object_set_new(
		    object, name, json_string("1970-01-01T00:00:00.000Z"));
	else
		wf_json_put_time(object, name, hour * WF_HOUR_MS);
}

static void put_specification(
    json_t *object, const struct asked *asked, uint64_t key)
{
	wf_json_put_key(object, "specification", key);
	for (size_t i = 0; i < asked->names.count; i++) {
		const struct wf_specification_row *row = &asked->names.rows[i];

		if (row->key != key)
			continue;
		wf_json_put_text(object, "identifier", row->identifier);
		wf_json_put_text(object, "uri", row->uri);
		wf_json_put_text(object, "version", row->version);
		return;
	}
}

static json_t *describe_group(
    const struct asked *asked, const struct wf_summary_group *group)
{
	enum wf_statistics_by by = asked->query.by;
	json_t *object = json_object();

	put_specification(object, asked, group->specification);
	wf_json_put_text(object, "net", group->net);
	wf_json_put_text(
	    object, by == WF_BY_FLOW ? "from" : "task", group->element);
	wf_json_put_text(
	    object, by == WF_BY_FLOW ? "to" : "participant", group->detail);
	if (asked->query.hours != 0)
		put_hour(object, "time", group->hour);
	put_measures(object, asked, group);
	return object;
}

static void answer(struct wf_rest *rest, const struct asked *asked,
    const struct wf_summary *summary)
{
	json_t *page = json_object();
	json_t *rows = json_array();
	size_t i = 0;

	while (asked->after != NULL && i < summary->count &&
	       strcmp(summary->groups[i]->name, asked->after) <= 0)
		i++;
	for (; i < summary->count && json_array_size(rows) < asked->limit; i++)
		json_array_append_new(
		    rows, describe_group(asked, summary->groups[i]));
	put_hour(page, "from", asked->query.from);
	put_hour(page, "to", asked->query.to);
	json_object_set_new(page, "complete", json_boolean(asked->complete));
	json_object_set_new(page, "statistics", rows);
	if (i > 0 && i < summary->count)
		json_object_set_new(
		    page, "next", json_string(summary->groups[i - 1]->name));
	wf_rest_answer(rest, 200, page);
}

void wf_rest_statistics(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct asked asked = { .after = NULL };
	struct wf_summary summary;
	struct wf_store *store;
	enum wf_rc rc;

	if (!read_asked(rest, &asked) || !wf_rest_borrow(rest, &store))
		return;
	rc = read_specifications(rest, store, &asked, &err);
	/* Before it is read: what is complete then is in it. */
	if (rc == WF_OK)
		rc = wf_statistics_are_complete(store, &asked.complete, &err);
	if (rc == WF_OK)
		rc = wf_summary_read(
		    &asked.query, store, rest->arena, &summary, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		answer(rest, &asked, &summary);
}

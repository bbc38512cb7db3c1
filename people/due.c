/* SPDX-License-Identifier: Apache-2.0 */
#include "people/due.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 100U

static enum wf_rc ask(const struct wf_query *query, const char *what,
    const struct wf_document *document, const struct wf_evaluation *how,
    struct wf_buffer *text, struct wf_error *err)
{
	enum wf_rc rc = wf_query_string(query, document, how, text, err);

	if (rc != WF_OK)
		wf_error_prefix(err, "%s: ", what);
	return rc;
}

/* --- priority ------------------------------------------------------------- */

/* A whole number; "70.0" is one, too. */
static bool read_priority(const char *text, uint32_t *priority_out)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || strspn(end, " \t\r\n") != strlen(end) ||
	    !(number >= 0) || number > WF_PRIORITY_MOST)
		return false;
	*priority_out = (uint32_t)number;
	return number == *priority_out;
}

enum wf_rc wf_item_priority(const struct wf_timing *timing,
    const struct wf_document *document, const struct wf_evaluation *how,
    uint32_t *priority_out, struct wf_error *err)
{
	struct wf_buffer text;
	enum wf_rc rc;

	*priority_out = WF_PRIORITY_USUAL;
	if (timing == NULL)
		return WF_OK;
	if (timing->priority_query == NULL) {
		*priority_out = timing->priority;
		return WF_OK;
	}
	wf_buffer_init(&text, TEXT_BYTES);
	rc = ask(timing->priority_query, "priority", document, how, &text, err);
	if (rc == WF_OK && text.length > 0 &&
	    !read_priority(wf_buffer_text(&text), priority_out)) {
		*priority_out = WF_PRIORITY_USUAL;
		rc = wf_fail(err, WF_DATA,
		    "priority is \"%.60s\": expected a number from 0 to %u",
		    wf_buffer_text(&text), WF_PRIORITY_MOST);
	}
	wf_buffer_free(&text);
	return rc;
}

/* --- due ------------------------------------------------------------------ */

enum wf_rc wf_item_due(const struct wf_timing *timing,
    const struct wf_document *document, const struct wf_evaluation *how,
    const struct wf_calendar *calendar, int64_t enabled_at, int64_t *due_out,
    struct wf_error *err)
{
	struct wf_buffer text;
	struct wf_when due;
	enum wf_rc rc = WF_OK;

	*due_out = 0;
	if (timing == NULL || !timing->has_due)
		return WF_OK;
	due = timing->due;
	wf_buffer_init(&text, TEXT_BYTES);
	if (timing->due_query != NULL) {
		rc = ask(timing->due_query, "due", document, how, &text, err);
		/* No value: it is not due. */
		if (rc != WF_OK || text.length == 0)
			goto done;
		if (!wf_when_parse(wf_buffer_text(&text), text.length, &due)) {
			rc = wf_fail(err, WF_DATA,
			    "due is \"%.60s\": expected a duration such as "
			    "P1DT4H, a day, or a date and time",
			    wf_buffer_text(&text));
			goto done;
		}
	}
	if (!wf_when_at(&due, calendar, enabled_at, due_out) || *due_out <= 0) {
		*due_out = 0;
		rc = wf_fail(err, WF_DATA,
		    "the due time is more than %d years away",
		    WF_CALENDAR_YEARS);
	}
done:
	wf_buffer_free(&text);
	return rc;
}

/* --- steps ---------------------------------------------------------------- */

static int64_t point_at(
    const struct wf_item_times *times, enum wf_time_point point)
{
	const int64_t at[WF_POINTS] = { [WF_POINT_ENABLED] = times->enabled,
		[WF_POINT_OFFERED] = times->offered,
		[WF_POINT_ALLOCATED] = times->allocated,
		[WF_POINT_STARTED] = times->started,
		[WF_POINT_DUE] = times->due };

	return at[point];
}

static bool is_behind(
    const struct wf_time_mark *mark, const struct wf_time_mark *other)
{
	return mark->at > other->at ||
	       (mark->at == other->at && mark->step > other->step);
}

bool wf_timing_next(const struct wf_timing *timing,
    const struct wf_item_times *times, const struct wf_calendar *calendar,
    const struct wf_time_mark *behind, struct wf_time_mark *next_out)
{
	const struct wf_time_mark last = *behind;
	bool found = false;

	for (uint32_t i = 0; timing != NULL && i < timing->step_count; i++) {
		const struct wf_time_step *step = &timing->steps[i];
		int64_t from = point_at(times, step->point);
		struct wf_time_mark mark = { .step = i };

		if (from == 0 ||
		    !wf_when_at(&step->after, calendar, from, &mark.at) ||
		    !is_behind(&mark, &last) ||
		    (found && !is_behind(next_out, &mark)))
			continue;
		*next_out = mark;
		found = true;
	}
	return found;
}

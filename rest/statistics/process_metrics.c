/* SPDX-License-Identifier: Apache-2.0 */
#include "rest/statistics/process_metrics.h"

#include <stdbool.h>

struct writing {
	struct wf_buffer *text;
	const char *name;
	int64_t now;
};

static void each(struct wf_buffer *text, const char *name,
    struct wf_process_counts *counts, int64_t now,
    void (*visit)(void *context, const struct wf_process_count *count))
{
	struct writing writing = { text, name, now };

	wf_process_counts_each(counts, visit, &writing);
}

/* --- labels --------------------------------------------------------------- */

static void put_label(
    struct wf_buffer *text, const char *name, const char *value)
{
	wf_buffer_printf(text, "%s=\"", name);
	for (; *value != '\0'; value++)
		if (*value == '\n')
			wf_buffer_puts(text, "\\n");
		else if (*value == '\\' || *value == '"')
			wf_buffer_printf(text, "\\%c", *value);
		else
			wf_buffer_putc(text, *value);
	wf_buffer_putc(text, '"');
}

/* more, value: another label; NULL: none. */
static void put_name(const struct writing *writing, const char *end,
    const struct wf_process_count *count, const char *more, const char *value)
{
	struct wf_buffer *text = writing->text;

	wf_buffer_printf(text, "%s%s{", writing->name, end);
	put_label(text, "process", count->process);
	wf_buffer_putc(text, ',');
	put_label(text, "version", count->version);
	if (count->task[0] != '\0') {
		wf_buffer_putc(text, ',');
		put_label(text, "task", count->task);
	}
	if (more != NULL) {
		wf_buffer_putc(text, ',');
		put_label(text, more, value);
	}
	wf_buffer_puts(text, "} ");
}

static void put_count(const struct writing *writing,
    const struct wf_process_count *count, const char *more, const char *value,
    uint64_t number)
{
	put_name(writing, "", count, more, value);
	wf_buffer_printf(writing->text, "%llu\n", (unsigned long long)number);
}

static void put_times(const struct writing *writing,
    const struct wf_process_count *count, const struct wf_process_times *times)
{
	struct wf_buffer *text = writing->text;
	unsigned long long total = 0;
	char bound[24];

	for (unsigned i = 0; i < WF_PROCESS_BOUNDS; i++) {
		total += times->counts[i];
		snprintf(bound, sizeof(bound), "%.3f",
		    (double)wf_process_bound_ms(i) / 1000);
		put_name(writing, "_bucket", count, "le", bound);
		wf_buffer_printf(text, "%llu\n", total);
	}
	total += times->counts[WF_PROCESS_BOUNDS];
	put_name(writing, "_bucket", count, "le", "+Inf");
	wf_buffer_printf(text, "%llu\n", total);
	put_name(writing, "_sum", count, NULL, NULL);
	wf_buffer_printf(text, "%.3f\n", (double)times->sum_ms / 1000);
	put_name(writing, "_count", count, NULL, NULL);
	wf_buffer_printf(text, "%llu\n", total);
}

static bool is_task(const struct wf_process_count *count)
{
	return count->task[0] != '\0';
}

/* --- metrics -------------------------------------------------------------- */

static void put_events(const struct writing *writing,
    const struct wf_process_count *count, enum wf_statistics_by by)
{
#define WF_MEASURE(number, name, of, counted, timed, meaning)                  \
	if (WF_BY_##of == by)                                                  \
		put_count(                                                     \
		    writing, count, "event", counted, count->counts[number]);
#include "history/statistics/measures.def"
#undef WF_MEASURE
}

static void case_events(void *context, const struct wf_process_count *count)
{
	if (!is_task(count))
		put_events(context, count, WF_BY_CASE);
}

static void case_times(void *context, const struct wf_process_count *count)
{
	if (!is_task(count))
		put_times(context, count, &count->took);
}

static void item_events(void *context, const struct wf_process_count *count)
{
	if (is_task(count))
		put_events(context, count, WF_BY_TASK);
}

static void item_waits(void *context, const struct wf_process_count *count)
{
	if (is_task(count))
		put_times(context, count, &count->waited);
}

static void item_times(void *context, const struct wf_process_count *count)
{
	if (is_task(count))
		put_times(context, count, &count->took);
}

static void open_items(void *context, const struct wf_process_count *count)
{
	if (!is_task(count))
		return;
	put_count(context, count, "state", "waiting", count->waiting);
	put_count(context, count, "state", "running", count->running);
}

static void oldest_items(void *context, const struct wf_process_count *count)
{
	const struct writing *writing = context;
	int64_t age = writing->now - count->oldest;

	if (!is_task(count))
		return;
	put_name(writing, "", count, NULL, NULL);
	wf_buffer_printf(writing->text, "%.3f\n",
	    count->oldest == INT64_MAX || age < 0 ? 0 : (double)age / 1000);
}

#define METRIC(function, visit)                                                \
	void function(struct wf_buffer *text, const char *name,                \
	    struct wf_process_counts *counts, int64_t now)                     \
	{                                                                      \
		each(text, name, counts, now, visit);                          \
	}

METRIC(wf_put_case_events, case_events)
METRIC(wf_put_case_times, case_times)
METRIC(wf_put_item_events, item_events)
METRIC(wf_put_item_waits, item_waits)
METRIC(wf_put_item_times, item_times)
METRIC(wf_put_open_items, open_items)
METRIC(wf_put_oldest_items, oldest_items)

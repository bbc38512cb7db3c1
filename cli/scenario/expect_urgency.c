/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/scenario/expect_urgency.h"

#include <string.h>

#include "base/time_text.h"
#include "kernel/assignment/assignment.h"

#define TEXT_MAXIMUM ((size_t)64 << 20)

/* The value of an item, as it is expected; false: it has none. */
typedef bool (*value_f)(
    const struct wf_urgency *urgency, struct wf_buffer *text);

static void put_time(int64_t at, struct wf_buffer *text)
{
	char time[WF_TIME_TEXT_BYTES];

	wf_time_text_seconds(at, time);
	wf_buffer_puts(text, time);
}

static bool priority_of(
    const struct wf_urgency *urgency, struct wf_buffer *text)
{
	if (urgency->is_kept)
		wf_buffer_printf(text, "%u", urgency->priority);
	return urgency->is_kept;
}

static bool due_of(const struct wf_urgency *urgency, struct wf_buffer *text)
{
	if (urgency->due_at != 0)
		put_time(urgency->due_at, text);
	return urgency->due_at != 0;
}

static bool alarm_of(const struct wf_urgency *urgency, struct wf_buffer *text)
{
	if (urgency->alarm != 0)
		put_time(urgency->alarm_at, text);
	return urgency->alarm != 0;
}

/* "A=V" or "1.2:A=V" */
static bool is_expected(
    const struct wf_item *item, const char *value, const char *word)
{
	size_t length = strcspn(word, "=");
	char id[WF_ITEM_ID_SIZE];
	const char *task = wf_task_id(item->task);

	wf_item_id(item, id);
	return word[length] == '=' && strcmp(word + length + 1, value) == 0 &&
	       ((strlen(task) == length && strncmp(word, task, length) == 0) ||
		   (strlen(id) == length && strncmp(word, id, length) == 0));
}

/* Each word is of another item, and each item that has a value is named. */
static enum wf_rc compare(char *const *words, size_t count,
    const struct wf_session *session, value_f value_of, const char *what,
    struct wf_error *err)
{
	struct wf_item *items;
	size_t item_count = wf_case_items(session->instance, &items);
	bool *used = wf_calloc(count + 1, sizeof(*used));
	struct wf_buffer found;
	struct wf_buffer value;
	size_t good = 0;
	bool all = true;

	wf_buffer_init(&found, TEXT_MAXIMUM);
	wf_buffer_init(&value, TEXT_MAXIMUM);
	for (size_t i = 0; i < item_count; i++) {
		size_t k = 0;

		wf_buffer_reset(&value);
		if (items[i].assignment == NULL ||
		    !value_of(&items[i].assignment->urgency, &value))
			continue;
		wf_buffer_printf(&found, " %s=%s", wf_task_id(items[i].task),
		    wf_buffer_text(&value));
		while (k < count &&
		       (used[k] || !is_expected(&items[i],
				       wf_buffer_text(&value), words[k])))
			k++;
		if (k < count) {
			used[k] = true;
			good++;
		} else {
			all = false;
		}
	}
	all &= good == count;
	if (!all)
		wf_fail(err, WF_CONFLICT, "%s is another one:%.400s", what,
		    found.length == 0 ? " none" : wf_buffer_text(&found));
	wf_buffer_free(&value);
	wf_buffer_free(&found);
	wf_free(used);
	wf_free(items);
	return all ? WF_OK : WF_CONFLICT;
}

enum wf_rc wf_expect_priority(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	return compare(words, count, session, priority_of, "the priority", err);
}

enum wf_rc wf_expect_due(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	return compare(words, count, session, due_of, "the due time", err);
}

enum wf_rc wf_expect_alarms(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	return compare(words, count, session, alarm_of, "the alarm", err);
}

enum wf_rc wf_expect_acted(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	struct wf_event_reader reader;
	const struct wf_event *event;
	struct wf_buffer expected;
	struct wf_buffer found;
	enum wf_rc rc = WF_OK;

	wf_buffer_init(&expected, TEXT_MAXIMUM);
	wf_buffer_init(&found, TEXT_MAXIMUM);
	for (size_t i = 0; i < count; i++)
		wf_buffer_printf(&expected, " %s", words[i]);
	wf_event_reader_init(&reader, session->step.events.data,
	    session->step.events.length, NULL);
	while ((event = wf_event_next(&reader, NULL)) != NULL) {
		if (event->kind == WF_EVENT_ITEM_REMINDED)
			wf_buffer_puts(&found, " remind");
		if (event->kind == WF_EVENT_ITEM_ESCALATED)
			wf_buffer_printf(&found,
			    memchr(event->text, ' ', event->text_length) == NULL
				? " %.*s"
				: " \"%.*s\"",
			    (int)event->text_length, event->text);
	}
	wf_event_reader_free(&reader);
	if (strcmp(wf_buffer_text(&expected), wf_buffer_text(&found)) != 0)
		rc = wf_fail(err, WF_CONFLICT,
		    "the last step did other things:%.400s",
		    found.length == 0 ? " nothing" : wf_buffer_text(&found));
	wf_buffer_free(&expected);
	wf_buffer_free(&found);
	return rc;
}

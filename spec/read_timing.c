/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/limits.h"
#include "spec/reader.h"
#include "spec/timing.h"

static const char *const points[] = { "enabled", "offered", "allocated",
	"started", "due" };
static const char *const actions[] = { "remind", "notify", "reoffer",
	"incident" };
static const char blanks[] = " \t\r\n";

struct reading {
	struct wf_spec_reader *reader;
	const struct wf_decomposition *decomposition;
	struct wf_timing *timing;
	struct wf_time_step *steps;
	size_t capacity;
	const char *name;  /* of the attribute */
	const char *value; /* of the attribute */
};

static void fail(
    struct reading *reading, const char *part, const char *expected)
{
	WF_SPEC_ERROR(reading->reader, reading->decomposition->line,
	    wf_spec_label_decomposition(
		reading->reader, reading->decomposition),
	    "%s=\"%.100s\": %s%.100s%sexpected %s", reading->name,
	    reading->value, part[0] == '\0' ? "" : "\"", part,
	    part[0] == '\0' ? "" : "\": ", expected);
}

/* --- values --------------------------------------------------------------- */

/* "{..}": false, if it is none. */
static bool read_query(
    struct reading *reading, const struct wf_query **query_out)
{
	struct wf_spec_reader *reader = reading->reader;
	const char *text = wf_spec_token(reader, reading->value);
	size_t length = strlen(text);
	const char *failure;

	if (length < 2 || text[0] != '{' || text[length - 1] != '}')
		return false;
	text = wf_arena_strndup(reader->arena, text + 1, length - 2);
	*query_out = wf_spec_compile(reader, text, &failure);
	if (*query_out == NULL)
		WF_SPEC_ERROR(reader, reading->decomposition->line,
		    wf_spec_label_decomposition(reader, reading->decomposition),
		    "%s: %s", reading->name, failure);
	return true;
}

static void read_priority(struct reading *reading)
{
	struct wf_timing *timing = reading->timing;
	const char *text = wf_spec_token(reading->reader, reading->value);
	size_t digits = strspn(text, "0123456789");

	if (read_query(reading, &timing->priority_query))
		return;
	timing->priority = (uint32_t)wf_spec_integer(text, 0);
	if (digits == 0 || text[digits] != '\0' ||
	    timing->priority > WF_PRIORITY_MOST)
		fail(reading, "",
		    "a number from 0 to 100, or a query in braces");
}

static void read_due(struct reading *reading)
{
	struct wf_timing *timing = reading->timing;

	timing->has_due = true;
	if (read_query(reading, &timing->due_query))
		return;
	if (!wf_when_parse(
		reading->value, strlen(reading->value), &timing->due) ||
	    (timing->due.kind == WF_WHEN_DURATION &&
		(timing->due.days < 0 || timing->due.milliseconds < 0)))
		fail(reading, "",
		    "a duration of days and time such as P1DT4H, a day, a date "
		    "and time, or a query in braces");
}

static void read_calendar(struct reading *reading)
{
	reading->timing->calendar =
	    wf_spec_token(reading->reader, reading->value);
	if (reading->timing->calendar[0] == '\0' ||
	    strlen(reading->timing->calendar) > WF_ORG_NAME_BYTES)
		fail(reading, "", "the name of a calendar");
}

/* --- steps ---------------------------------------------------------------- */

/* "due-PT4H" */
static bool read_point(const char *text, struct wf_time_step *step)
{
	size_t length = strcspn(text, "+-");
	const char *rest = text + length;
	bool is_before = *rest == '-';

	for (step->point = 0; step->point < WF_POINTS; step->point++)
		if (strlen(points[step->point]) == length &&
		    strncmp(points[step->point], text, length) == 0)
			break;
	memset(&step->after, 0, sizeof(step->after));
	if (step->point == WF_POINTS ||
	    (is_before && step->point != WF_POINT_DUE))
		return false;
	if (*rest == '\0')
		return true;
	if (rest[1] != 'P' ||
	    !wf_when_parse(rest + 1, strlen(rest + 1), &step->after))
		return false;
	if (is_before) {
		step->after.days = -step->after.days;
		step->after.milliseconds = -step->after.milliseconds;
	}
	return true;
}

static void add_step(struct reading *reading, const struct wf_time_step *step)
{
	struct wf_timing *timing = reading->timing;

	if (timing->step_count == WF_TIMING_STEPS) {
		fail(reading, "", "at most 20 reminders and escalations");
		return;
	}
	reading->steps = wf_arena_grow(reading->reader->arena, reading->steps,
	    timing->step_count, &reading->capacity, sizeof(*reading->steps));
	reading->steps[timing->step_count++] = *step;
	timing->steps = reading->steps;
}

static const char expected_point[] =
    "enabled, offered, allocated, started or due, and a duration such as in "
    "offered+PT4H or due-P1D";

/* The next word, in the arena; NULL: none is left. */
static const char *next_word(struct reading *reading, const char **at)
{
	const char *word = *at + strspn(*at, blanks);
	size_t length = strcspn(word, blanks);

	*at = word + length;
	return length == 0
		   ? NULL
		   : wf_arena_strndup(reading->reader->arena, word, length);
}

static void read_reminders(struct reading *reading)
{
	const char *at = reading->value;
	const char *word;

	while ((word = next_word(reading, &at)) != NULL) {
		struct wf_time_step step = { .action = WF_TIME_REMIND,
			.text = "" };

		if (!read_point(word, &step)) {
			fail(reading, word, expected_point);
			return;
		}
		add_step(reading, &step);
	}
}

/* "offered+PT8H reoffer Managers" */
static bool read_escalation(struct reading *reading, const char *text)
{
	struct wf_time_step step;
	const char *at = text;
	const char *point = next_word(reading, &at);
	const char *action = next_word(reading, &at);

	if (point == NULL || !read_point(point, &step)) {
		fail(reading, text, expected_point);
		return false;
	}
	for (step.action = WF_TIME_NOTIFY; step.action < WF_TIME_ACTIONS;
	     step.action++)
		if (action != NULL && strcmp(actions[step.action], action) == 0)
			break;
	step.text = wf_spec_token(reading->reader, at);
	if (step.action == WF_TIME_ACTIONS ||
	    strlen(step.text) > WF_ORG_NAME_BYTES ||
	    (step.action == WF_TIME_REOFFER && step.text[0] == '\0')) {
		fail(reading, text,
		    "a point and notify, notify ROLE, reoffer ROLE or incident "
		    "TEXT");
		return false;
	}
	add_step(reading, &step);
	return true;
}

static void read_escalations(struct reading *reading)
{
	const char *at = reading->value;

	while (*at != '\0') {
		size_t length = strcspn(at, ";");
		const char *text = wf_spec_token(reading->reader,
		    wf_arena_strndup(reading->reader->arena, at, length));

		if (text[0] != '\0' && !read_escalation(reading, text))
			return;
		at += length + (at[length] == ';' ? 1 : 0);
	}
}

static void read_attribute(struct reading *reading)
{
	static const struct {
		const char *name;
		void (*read)(struct reading *reading);
	} rows[] = { { "priority", read_priority }, { "due", read_due },
		{ "calendar", read_calendar }, { "remind", read_reminders },
		{ "escalate", read_escalations } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].name, reading->name) == 0) {
			rows[i].read(reading);
			return;
		}
	fail(reading, "", "priority, due, calendar, remind or escalate");
}

/* A point of the due time says nothing without one. */
static void check_due(struct reading *reading)
{
	for (uint32_t i = 0; i < reading->timing->step_count; i++)
		if (reading->timing->steps[i].point == WF_POINT_DUE &&
		    !reading->timing->has_due) {
			WF_SPEC_ERROR(reading->reader,
			    reading->decomposition->line,
			    wf_spec_label_decomposition(
				reading->reader, reading->decomposition),
			    "a reminder or an escalation names the due time, "
			    "but there is no due=\"..\"");
			return;
		}
}

static void begin_timing(
    struct reading *reading, struct wf_decomposition *decomposition)
{
	if (reading->timing != NULL)
		return;
	reading->timing =
	    wf_arena_alloc(reading->reader->arena, sizeof(*reading->timing));
	reading->timing->priority = WF_PRIORITY_USUAL;
	decomposition->timing = reading->timing;
}

void wf_spec_read_timing(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_decomposition *decomposition)
{
	struct reading reading = { .reader = reader,
		.decomposition = decomposition };

	for (size_t i = 0; i < markup->attribute_count; i++) {
		const struct wf_markup_attribute *from = &markup->attributes[i];

		if (strcmp(from->space, WF_PEOPLE_SPACE) != 0)
			continue;
		begin_timing(&reading, decomposition);
		reading.name = from->name;
		reading.value = from->value;
		read_attribute(&reading);
	}
	if (reading.timing != NULL)
		check_due(&reading);
}

/* --- nets ----------------------------------------------------------------- */

static bool has_variable(
    const struct wf_decomposition *decomposition, const char *name)
{
	const struct wf_net *net = decomposition->net;

	for (size_t i = 0; i < decomposition->input_count; i++)
		if (strcmp(decomposition->inputs[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < decomposition->output_count; i++)
		if (strcmp(decomposition->outputs[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < net->local_count; i++)
		if (strcmp(net->locals[i].name, name) == 0)
			return true;
	return false;
}

static void read_shown(struct reading *reading)
{
	const char *at = reading->value;
	const char *word;
	size_t count = 0;

	while ((word = next_word(reading, &at)) != NULL) {
		if (!has_variable(reading->decomposition, word)) {
			fail(reading, word, "a variable of the net");
			return;
		}
		if (count == WF_SHOWN_VALUES) {
			fail(reading, "", "at most 3 variables of the net");
			return;
		}
		reading->timing->shown[count++] = word;
	}
}

static void read_withdraw(struct reading *reading)
{
	if (strcmp(reading->value, "starter") == 0)
		reading->timing->starter_withdraws = true;
	else if (strcmp(reading->value, "nobody") != 0)
		fail(reading, "", "\"starter\" or \"nobody\"");
}

void wf_spec_read_net_people(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_decomposition *decomposition)
{
	struct reading reading = { .reader = reader,
		.decomposition = decomposition };

	for (size_t i = 0; i < markup->attribute_count; i++) {
		const struct wf_markup_attribute *from = &markup->attributes[i];

		if (strcmp(from->space, WF_PEOPLE_SPACE) != 0)
			continue;
		begin_timing(&reading, decomposition);
		reading.name = from->name;
		reading.value = from->value;
		if (strcmp(from->name, "withdraw") == 0)
			read_withdraw(&reading);
		else if (strcmp(from->name, "show") == 0)
			read_shown(&reading);
		else
			fail(&reading, "", "withdraw or show, of a net");
	}
}

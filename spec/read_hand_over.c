/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the work of a decomposition is handed over: attributes of Weft's own,
 * which schemas of every version allow and no work item shows.
 */
#include "spec/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "data/deadline.h"
#include "spec/timing.h"

/* Work items do not show the attributes of Weft. */
static void move_own(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_decomposition *decomposition)
{
	size_t kept = 0;

	decomposition->own_attributes = wf_arena_array(reader->arena,
	    markup->attribute_count, sizeof(*decomposition->own_attributes));
	for (size_t i = 0; i < decomposition->attribute_count; i++) {
		struct wf_attribute *attribute = &decomposition->attributes[i];
		bool own = false;

		for (size_t k = 0; k < markup->attribute_count && !own; k++) {
			const struct wf_markup_attribute *from =
			    &markup->attributes[k];
			size_t length = strlen(from->prefix);

			own = (strcmp(from->space, WF_HAND_OVER_SPACE) == 0 ||
				  strcmp(from->space, WF_PEOPLE_SPACE) == 0) &&
			      strncmp(attribute->name, from->prefix, length) ==
				  0 &&
			      attribute->name[length] == ':' &&
			      strcmp(attribute->name + length + 1,
				  from->name) == 0;
		}
		if (own)
			decomposition->own_attributes
			    [decomposition->own_attribute_count++] = *attribute;
		else
			decomposition->attributes[kept++] = *attribute;
	}
	decomposition->attribute_count = kept;
}

static bool read_count(const char *text, uint32_t maximum, uint32_t *count_out)
{
	char *end;
	unsigned long count = strtoul(text, &end, 10);

	*count_out = (uint32_t)count;
	return *text >= '0' && *text <= '9' && *end == '\0' && count >= 1 &&
	       count <= maximum;
}

static bool read_time(const char *text, int64_t least, int64_t *time_out)
{
	return wf_deadline_duration(text, time_out) && *time_out >= least &&
	       *time_out <= WF_POLICY_TIME_MS;
}

/* NULL, or the form that was expected. */
static const char *read_one(struct wf_hand_over *hand_over, const char *name,
    const char *value, struct wf_expression **expression_out)
{
	static const char count[] = "a number from 1 to 1000";
	static const char time[] = "a duration such as PT30S, of 366 days at "
				   "most";

	if (strcmp(name, "attempts") == 0)
		return read_count(
			   value, WF_POLICY_ATTEMPTS, &hand_over->attempts)
			   ? NULL
			   : count;
	if (strcmp(name, "backoff") == 0)
		return read_count(
			   value, WF_POLICY_SPEC_FACTOR, &hand_over->backoff)
			   ? NULL
			   : count;
	if (strcmp(name, "delay") == 0)
		return read_time(value, 0, &hand_over->delay_ms) ? NULL : time;
	if (strcmp(name, "cap") == 0)
		return read_time(value, 0, &hand_over->cap_ms) ? NULL : time;
	if (strcmp(name, "timeout") == 0)
		return read_time(value, 1, &hand_over->timeout_ms) ? NULL
								   : time;
	if (strcmp(name, "startDelay") == 0)
		*expression_out = &hand_over->start_delay;
	else if (strcmp(name, "precondition") == 0)
		*expression_out = &hand_over->precondition;
	else if (strcmp(name, "postcondition") == 0)
		*expression_out = &hand_over->postcondition;
	else
		return "attempts, backoff, delay, cap, timeout, startDelay, "
		       "precondition or postcondition";
	return NULL;
}

static void read_attribute(struct wf_spec_reader *reader,
    struct wf_decomposition *decomposition, const char *name, const char *value)
{
	const char *label = wf_spec_label_decomposition(reader, decomposition);
	struct wf_expression *expression = NULL;
	const char *expected =
	    read_one(decomposition->hand_over, name, value, &expression);

	if (expression != NULL) {
		expression->text = wf_arena_strdup(reader->arena, value);
		expression->line = decomposition->line;
		expression->query = wf_spec_compile(
		    reader, expression->text, &expression->failure);
		if (expression->query == NULL)
			WF_SPEC_ERROR(reader, decomposition->line, label,
			    "%s: %s", name, expression->failure);
	} else if (expected != NULL) {
		WF_SPEC_ERROR(reader, decomposition->line, label,
		    "%s=\"%.100s\": expected %s", name, value, expected);
	}
}

static struct wf_hand_over *no_hand_over(struct wf_spec_reader *reader)
{
	struct wf_hand_over *hand_over =
	    wf_arena_alloc(reader->arena, sizeof(*hand_over));

	hand_over->delay_ms = -1;
	hand_over->cap_ms = -1;
	hand_over->timeout_ms = -1;
	return hand_over;
}

void wf_spec_read_hand_over(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_decomposition *decomposition)
{
	move_own(reader, markup, decomposition);
	for (size_t i = 0; i < markup->attribute_count; i++) {
		const struct wf_markup_attribute *from = &markup->attributes[i];

		if (strcmp(from->space, WF_HAND_OVER_SPACE) != 0)
			continue;
		if (decomposition->hand_over == NULL)
			decomposition->hand_over = no_hand_over(reader);
		read_attribute(reader, decomposition, from->name, from->value);
	}
}

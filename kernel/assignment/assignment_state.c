/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/assignment/assignment_state.h"

static const char *const status_names[] = { "Unresourced", "Unoffered",
	"Offered", "Allocated", "Started" };

const char *wf_resource_status_name(enum wf_resource_status status)
{
	wf_assert(
	    (size_t)status < sizeof(status_names) / sizeof(status_names[0]));
	return status_names[status];
}

/* Copies the bytes to *end, with a NUL behind them, and moves *end. */
static const char *put(char **end, const char *bytes, size_t length)
{
	char *at = *end;

	if (length > 0)
		memcpy(at, bytes, length);
	at[length] = '\0';
	*end += length + 1;
	return at;
}

/*
 * Replaces the assignment in the slot; returned: length bytes of ids with
 * their NULs.
 */
static void replace_all(struct wf_case *c, struct assignment **slot,
    enum wf_resource_status status, const char *holder, const char *audience,
    const char *returned, size_t length, const struct wf_urgency *urgency)
{
	size_t size = sizeof(struct assignment) + strlen(holder) +
		      strlen(audience) + length + 3;
	struct assignment *made = wf_state_alloc(c, size);
	char *end = made->text;

	wf_assert(status != WF_RESOURCE_NONE && size <= UINT32_MAX);
	made->size = (uint32_t)size;
	made->returned_length = (uint32_t)length;
	made->seen.status = status;
	made->seen.urgency = *urgency;
	made->seen.holder = put(&end, holder, strlen(holder));
	made->seen.audience = put(&end, audience, strlen(audience));
	made->seen.returned = put(&end, returned, length);
	wf_assert(end <= (char *)made + size);
	wf_undo_room(c->undo, 1);
	if (*slot == NULL)
		c->assignment_count++;
	else
		wf_state_free(c, *slot, (*slot)->size);
	WF_CHANGE(c, *slot, made);
}

static void replace_assignment(struct wf_case *c, struct assignment **slot,
    enum wf_resource_status status, const char *holder, const char *audience,
    const char *returned, size_t length)
{
	struct wf_urgency urgency = wf_urgency_of(c, *slot, status);

	replace_all(
	    c, slot, status, holder, audience, returned, length, &urgency);
}

void wf_urgency_put(struct wf_case *c, struct assignment **slot,
    const struct wf_urgency *urgency)
{
	const struct assignment *before = *slot;

	wf_assert(before != NULL);
	replace_all(c, slot, before->seen.status, before->seen.holder,
	    before->seen.audience, before->seen.returned,
	    before->returned_length, urgency);
}

void wf_assignment_drop(struct wf_case *c, struct assignment **slot)
{
	if (*slot == NULL)
		return;
	wf_assert(c->assignment_count > 0);
	wf_undo_note(c->undo, (*slot)->seen.urgency.alarm);
	c->assignment_count--;
	wf_state_free(c, *slot, (*slot)->size);
	wf_undo_room(c->undo, 1);
	WF_CHANGE(c, *slot, NULL);
}

void wf_case_people_drop(struct wf_case *c)
{
	if (c->people == NULL)
		return;
	wf_state_free(c, c->people, c->people->size);
	wf_undo_room(c->undo, 1);
	WF_CHANGE(c, c->people, NULL);
}

void wf_case_people_put(struct wf_case *c, const char *chained,
    const char *completers, size_t length)
{
	size_t size = sizeof(struct case_people) + strlen(chained) + length + 2;
	struct case_people *made;
	char *end;

	if (chained[0] == '\0' && length == 0) {
		wf_case_people_drop(c);
		return;
	}
	made = wf_state_alloc(c, size);
	wf_assert(size <= UINT32_MAX);
	end = made->text;
	made->size = (uint32_t)size;
	made->chained = put(&end, chained, strlen(chained));
	made->completers = put(&end, completers, length);
	made->completers_length = (uint32_t)length;
	wf_case_people_drop(c);
	wf_undo_room(c->undo, 1);
	WF_CHANGE(c, c->people, made);
}

/* --- what others see ------------------------------------------------------ */

const char *wf_case_chained(const struct wf_case *instance)
{
	return instance->people == NULL ? "" : instance->people->chained;
}

void wf_case_completers(const struct wf_case *instance, const char *task,
    void (*visit)(void *argument, const char *participant), void *argument)
{
	const struct case_people *people = instance->people;
	const char *at;

	if (people == NULL)
		return;
	at = people->completers;
	while (at < people->completers + people->completers_length) {
		const char *participant = at + strlen(at) + 1;

		if (strcmp(at, task) == 0)
			visit(argument, participant);
		at = participant + strlen(participant) + 1;
	}
}

/* --- events --------------------------------------------------------------- */

static bool has_completer(const struct case_people *people, const char *task,
    const char *participant, size_t length)
{
	const char *at = people->completers;

	while (at < people->completers + people->completers_length) {
		const char *who = at + strlen(at) + 1;

		if (strcmp(at, task) == 0 && strlen(who) == length &&
		    memcmp(who, participant, length) == 0)
			return true;
		at = who + strlen(who) + 1;
	}
	return false;
}

/* Only tasks that a rule names are remembered, and each pair once. */
static void add_completer(struct wf_case *c, const struct wf_task *task,
    const char *participant, size_t length)
{
	static const struct case_people nobody = { .chained = "",
		.completers = "" };
	const struct case_people *before =
	    c->people == NULL ? &nobody : c->people;
	size_t name = strlen(task->id) + 1;
	size_t size = before->completers_length + name + length + 1;
	char *pairs;

	if (!task->is_named_by_rules ||
	    has_completer(before, task->id, participant, length))
		return;
	pairs = wf_malloc(size);
	if (before->completers_length > 0)
		memcpy(pairs, before->completers, before->completers_length);
	memcpy(pairs + before->completers_length, task->id, name);
	memcpy(pairs + before->completers_length + name, participant, length);
	pairs[size - 1] = '\0';
	wf_case_people_put(c, before->chained, pairs, size);
	wf_free(pairs);
}

/* The text of an event is a participant, or an audience; not empty. */
static bool read_text(
    const struct wf_event *event, char **text_out, size_t maximum)
{
	*text_out = NULL;
	if (event->text_length == 0 || event->text_length > maximum ||
	    memchr(event->text, '\0', event->text_length) != NULL)
		return false;
	*text_out = wf_strndup(event->text, event->text_length);
	return true;
}

static void change(struct wf_case *c, struct assignment **slot,
    enum wf_resource_status status, const char *holder, const char *audience)
{
	const struct assignment *before = *slot;

	/* Who starts an item has no need to know who gave it back before. */
	if (before == NULL || status == WF_RESOURCE_STARTED)
		replace_assignment(c, slot, status, holder, audience, "", 0);
	else
		replace_assignment(c, slot, status, holder, audience,
		    before->seen.returned, before->returned_length);
}

static void give_back(
    struct wf_case *c, struct assignment **slot, const char *participant)
{
	const struct assignment *before = *slot;
	size_t length = before->returned_length + strlen(participant) + 1;
	char *ids = wf_malloc(length);

	if (before->returned_length > 0)
		memcpy(ids, before->seen.returned, before->returned_length);
	memcpy(ids + before->returned_length, participant,
	    strlen(participant) + 1);
	replace_assignment(c, slot, WF_RESOURCE_UNOFFERED, "", "", ids, length);
	wf_free(ids);
}

bool wf_assignment_apply(struct wf_case *c, const struct wf_event *event,
    struct net_instance *n, struct activity *activity,
    struct instance *instance)
{
	struct assignment **slot =
	    &(instance == NULL ? &activity->first : instance)->assignment;
	char *text;

	wf_assert(instance == NULL || instance->status <= WF_ITEM_SUSPENDED);
	if (!read_text(event, &text, WF_AUDIENCE_BYTES))
		return false;
	switch (event->kind) {
	case WF_EVENT_ITEM_UNOFFERED:
		change(c, slot, WF_RESOURCE_UNOFFERED, "", "");
		break;
	case WF_EVENT_ITEM_OFFERED:
		change(c, slot, WF_RESOURCE_OFFERED, "", text);
		break;
	case WF_EVENT_ITEM_ALLOCATED:
		change(c, slot, WF_RESOURCE_ALLOCATED, text, "");
		break;
	case WF_EVENT_ITEM_TAKEN:
		change(c, slot, WF_RESOURCE_STARTED, text, "");
		break;
	case WF_EVENT_ITEM_RETURNED:
		if (*slot != NULL)
			give_back(c, slot, text);
		break;
	case WF_EVENT_ITEM_DONE_BY:
	case WF_EVENT_ITEM_DONE_FOR:
		add_completer(c, wf_task_of(n, activity->task), event->text,
		    event->text_length);
		break;
	default:
		wf_free(text);
		return false;
	}
	wf_free(text);
	return true;
}

/* --- bytes ---------------------------------------------------------------- */

static void put_assignment(struct wf_buffer *bytes,
    const struct net_instance *n, uint32_t task, uint32_t instance,
    const struct assignment *assignment)
{
	wf_put_number(bytes, n->serial);
	wf_put_number(bytes, task);
	wf_put_number(bytes, instance);
	wf_put_number(bytes, assignment->seen.status);
	wf_put_string(bytes, assignment->seen.holder);
	wf_put_string(bytes, assignment->seen.audience);
	wf_put_bytes(
	    bytes, assignment->seen.returned, assignment->returned_length);
}

void wf_assignments_visit(const struct wf_case *c,
    void (*visit)(void *argument, struct net_instance *n,
	struct activity *activity, struct instance *instance,
	struct assignment **slot),
    void *argument)
{
	for (uint32_t i = 0; i < c->net_count; i++) {
		struct net_instance *n = c->nets[i];

		for (uint32_t t = 0; t < n->net->task_count; t++) {
			struct activity *a = n->activities[t];

			if (a == NULL)
				continue;
			if (!a->busy && a->first.assignment != NULL)
				visit(
				    argument, n, a, NULL, &a->first.assignment);
			for (uint32_t k = 0; k < a->instance_count; k++)
				if (a->instances[k].assignment != NULL)
					visit(argument, n, a, &a->instances[k],
					    &a->instances[k].assignment);
		}
	}
}

static void encode_one(void *argument, struct net_instance *n,
    struct activity *activity, struct instance *instance,
    struct assignment **slot)
{
	put_assignment(argument, n, activity->task,
	    instance == NULL ? 0 : instance->number, *slot);
}

void wf_assignments_encode(struct wf_buffer *bytes, const struct wf_case *c)
{
	bool is_urgent;

	if (c->assignment_count == 0 && c->people == NULL && c->last_alarm == 0)
		return;
	is_urgent = wf_urgencies_are_kept(c);
	wf_put_number(bytes, c->assignment_count);
	wf_assignments_visit(c, encode_one, bytes);
	wf_put_string(bytes, wf_case_chained(c));
	if (c->people == NULL)
		wf_put_bytes(bytes, "", 0);
	else
		wf_put_bytes(
		    bytes, c->people->completers, c->people->completers_length);
	if (is_urgent)
		wf_urgencies_encode(bytes, c);
}

/* The next bytes as text, for wf_free(); NULL: they are cut, or have a NUL. */
static char *get_text(struct wf_reader *reader)
{
	size_t length;
	const char *bytes = wf_get_bytes(reader, &length);

	if (reader->bad || memchr(bytes, '\0', length) != NULL)
		return NULL;
	return wf_strndup(bytes, length);
}

/* Whether the bytes are a number of texts, a multiple of that, with NULs. */
static bool are_texts(const char *bytes, size_t length, size_t multiple)
{
	size_t count = 0;

	if (length > 0 && bytes[length - 1] != '\0')
		return false;
	for (size_t i = 0; i < length; i++)
		count += bytes[i] == '\0';
	return count % multiple == 0;
}

struct assignment **wf_assignment_slot(
    struct wf_case *c, uint32_t serial, uint32_t task, uint32_t number)
{
	struct net_instance *n = wf_net_instance(c, serial);
	struct activity *activity;
	struct instance *instance;

	if (n == NULL || task >= n->net->task_count ||
	    n->activities[task] == NULL)
		return NULL;
	activity = n->activities[task];
	if (number == 0)
		return activity->busy ? NULL : &activity->first.assignment;
	instance = wf_activity_instance(activity, number);
	return instance == NULL || instance->status > WF_ITEM_SUSPENDED
		   ? NULL
		   : &instance->assignment;
}

static bool get_assignment(struct wf_reader *reader, struct wf_case *c)
{
	uint32_t serial = wf_get_bounded(reader, UINT32_MAX);
	uint32_t task = wf_get_bounded(reader, UINT32_MAX);
	uint32_t number = wf_get_bounded(reader, UINT32_MAX);
	uint32_t status = wf_get_bounded(reader, WF_RESOURCE_STARTED);
	char *holder = get_text(reader);
	char *audience = get_text(reader);
	size_t length;
	const char *returned = wf_get_bytes(reader, &length);
	struct assignment **slot =
	    reader->bad ? NULL : wf_assignment_slot(c, serial, task, number);
	bool fits = slot != NULL && *slot == NULL && holder != NULL &&
		    audience != NULL && status != WF_RESOURCE_NONE &&
		    are_texts(returned, length, 1);

	if (fits)
		replace_assignment(
		    c, slot, status, holder, audience, returned, length);
	wf_free(holder);
	wf_free(audience);
	return fits;
}

bool wf_assignments_decode(struct wf_reader *reader, struct wf_case *c)
{
	uint32_t count = wf_get_bounded(reader, UINT32_MAX);
	const char *completers;
	char *chained;
	size_t length;
	bool fits = true;

	for (uint32_t i = 0; i < count && fits; i++)
		fits = get_assignment(reader, c);
	if (!fits)
		return false;
	chained = get_text(reader);
	completers = wf_get_bytes(reader, &length);
	fits = chained != NULL && !reader->bad &&
	       are_texts(completers, length, 2) &&
	       (count > 0 || length > 0 || chained[0] != '\0' ||
		   reader->next != reader->end);
	if (fits)
		wf_case_people_put(c, chained, completers, length);
	wf_free(chained);
	if (fits && reader->next != reader->end)
		fits = wf_urgencies_decode(reader, c);
	return fits;
}

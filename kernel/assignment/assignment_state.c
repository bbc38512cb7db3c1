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

static bool is_busy(const struct assignment *assignment)
{
	return assignment != NULL && assignment->seen.busy[0] != '\0';
}

/*
 * Replaces the assignment in the slot; seen->returned: length bytes of ids with
 * their NULs.
 */
static void replace_all(struct wf_case *c, struct assignment **slot,
    const struct wf_assignment *seen, size_t length)
{
	size_t size = sizeof(struct assignment) + strlen(seen->holder) +
		      strlen(seen->audience) + length + strlen(seen->needs) +
		      strlen(seen->busy) + strlen(seen->service) + 6;
	struct assignment *made = wf_state_alloc(c, size);
	char *end = made->text;

	wf_assert(size <= UINT32_MAX && (seen->status == WF_RESOURCE_NONE) ==
					    (seen->service[0] != '\0'));
	made->size = (uint32_t)size;
	made->returned_length = (uint32_t)length;
	made->seen.status = seen->status;
	made->seen.urgency = seen->urgency;
	made->seen.holder = put(&end, seen->holder, strlen(seen->holder));
	made->seen.audience = put(&end, seen->audience, strlen(seen->audience));
	made->seen.returned = put(&end, seen->returned, length);
	made->seen.needs = put(&end, seen->needs, strlen(seen->needs));
	made->seen.busy = put(&end, seen->busy, strlen(seen->busy));
	made->seen.service = put(&end, seen->service, strlen(seen->service));
	wf_assert(end <= (char *)made + size);
	wf_undo_room(c->undo, 1);
	c->busy_count += is_busy(made);
	c->busy_count -= is_busy(*slot);
	c->served_count += wf_assignment_is_served(made);
	c->served_count -= wf_assignment_is_served(*slot);
	if (*slot == NULL)
		c->assignment_count++;
	else
		wf_state_free(c, *slot, (*slot)->size);
	WF_CHANGE(c, *slot, made);
}

/* The same, with the urgency of an item that comes to that status. */
static void replace_assignment(struct wf_case *c, struct assignment **slot,
    const struct wf_assignment *seen, size_t length)
{
	struct wf_assignment after = *seen;

	after.urgency = wf_urgency_of(c, *slot, seen->status);
	replace_all(c, slot, &after, length);
}

void wf_urgency_put(struct wf_case *c, struct assignment **slot,
    const struct wf_urgency *urgency)
{
	struct wf_assignment after;

	wf_assert(*slot != NULL);
	after = (*slot)->seen;
	after.urgency = *urgency;
	replace_all(c, slot, &after, (*slot)->returned_length);
}

void wf_assignment_copy(
    struct wf_case *c, struct assignment **slot, const struct assignment *from)
{
	wf_assert(*slot == NULL);
	replace_all(c, slot, &from->seen, from->returned_length);
}

void wf_assignment_drop(struct wf_case *c, struct assignment **slot)
{
	if (*slot == NULL)
		return;
	wf_assert(c->assignment_count > 0);
	wf_undo_note(c->undo, (*slot)->seen.urgency.alarm);
	c->assignment_count--;
	c->busy_count -= is_busy(*slot);
	c->served_count -= wf_assignment_is_served(*slot);
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

struct busy_visitor {
	void (*visit)(void *argument, const char *busy);
	void *argument;
};

static void visit_busy(void *argument, struct net_instance *n,
    struct activity *activity, struct instance *instance,
    struct assignment **slot)
{
	const struct busy_visitor *visitor = argument;

	(void)n;
	(void)activity;
	(void)instance;
	if (is_busy(*slot))
		visitor->visit(visitor->argument, (*slot)->seen.busy);
}

void wf_case_busy(const struct wf_case *instance,
    void (*visit)(void *argument, const char *busy), void *argument)
{
	struct busy_visitor visitor = { visit, argument };

	if (instance->busy_count > 0)
		wf_assignments_visit(instance, visit_busy, &visitor);
}

struct served_visitor {
	void (*visit)(void *argument, uint32_t net, uint32_t task,
	    uint32_t instance, const char *service);
	void *argument;
};

static void visit_served(void *argument, struct net_instance *n,
    struct activity *activity, struct instance *instance,
    struct assignment **slot)
{
	const struct served_visitor *visitor = argument;

	if (wf_assignment_is_served(*slot))
		visitor->visit(visitor->argument, n->serial, activity->task,
		    instance == NULL ? 0 : instance->number,
		    (*slot)->seen.service);
}

void wf_case_served(const struct wf_case *instance,
    void (*visit)(void *argument, uint32_t net, uint32_t task,
	uint32_t instance, const char *service),
    void *argument)
{
	struct served_visitor visitor = { visit, argument };

	if (instance->served_count > 0)
		wf_assignments_visit(instance, visit_served, &visitor);
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

static const struct wf_assignment nothing = { .holder = "",
	.audience = "",
	.returned = "",
	.needs = "",
	.busy = "",
	.service = "" };

/* Nobody is reminded of it any more. */
static void give_to_service(
    struct wf_case *c, struct assignment **slot, const char *service)
{
	struct wf_assignment after = nothing;

	after.service = service;
	if (*slot != NULL)
		wf_undo_note(c->undo, (*slot)->seen.urgency.alarm);
	replace_all(c, slot, &after, 0);
}

/* A participant who starts an item has no need to know who gave it back. */
static void change(struct wf_case *c, struct assignment **slot,
    enum wf_resource_status status, const char *holder, const char *audience)
{
	const struct assignment *before = *slot;
	struct wf_assignment after = before == NULL ? nothing : before->seen;
	size_t length = before == NULL || status == WF_RESOURCE_STARTED
			    ? 0
			    : before->returned_length;

	if (status != WF_RESOURCE_STARTED)
		after.busy = "";
	after.status = status;
	after.holder = holder;
	after.audience = audience;
	after.service = "";
	replace_assignment(c, slot, &after, length);
}

static void give_back(
    struct wf_case *c, struct assignment **slot, const char *participant)
{
	const struct assignment *before = *slot;
	struct wf_assignment after = before->seen;
	size_t length = before->returned_length + strlen(participant) + 1;
	char *ids = wf_malloc(length);

	if (before->returned_length > 0)
		memcpy(ids, before->seen.returned, before->returned_length);
	memcpy(ids + before->returned_length, participant,
	    strlen(participant) + 1);
	after.status = WF_RESOURCE_UNOFFERED;
	after.holder = after.audience = after.busy = after.service = "";
	after.returned = ids;
	replace_assignment(c, slot, &after, length);
	wf_free(ids);
}

/* Sets what the item needs, or what is busy with it; NULL: as before. */
static bool change_resources(struct wf_case *c, struct assignment **slot,
    const char *needs, const char *busy)
{
	struct wf_assignment after;

	if (*slot == NULL || wf_assignment_is_served(*slot))
		return false;
	after = (*slot)->seen;
	if (needs != NULL)
		after.needs = needs;
	if (busy != NULL)
		after.busy = busy;
	replace_all(c, slot, &after, (*slot)->returned_length);
	return true;
}

bool wf_assignment_apply(struct wf_case *c, const struct wf_event *event,
    struct net_instance *n, struct activity *activity,
    struct instance *instance)
{
	struct assignment **slot =
	    &(instance == NULL ? &activity->first : instance)->assignment;
	char *text;
	bool fits = true;

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
	case WF_EVENT_FACTS_USED:
		break;
	case WF_EVENT_RESOURCES_TAKEN:
		fits = change_resources(c, slot, NULL, text);
		break;
	case WF_EVENT_RESOURCES_RELEASED:
		fits = change_resources(c, slot, NULL, "");
		break;
	case WF_EVENT_RESOURCES_SET:
		fits = change_resources(c, slot, text, NULL);
		break;
	case WF_EVENT_ITEM_REDIRECTED:
		give_to_service(c, slot, text);
		break;
	default:
		fits = false;
		break;
	}
	wf_free(text);
	return fits;
}

/* --- bytes ---------------------------------------------------------------- */

/* Beside the status: what the item needs and what is busy follow. */
#define WITH_RESOURCES 8U
/* The URI of a service follows. */
#define WITH_SERVICE 16U

static void put_assignment(struct wf_buffer *bytes,
    const struct net_instance *n, uint32_t task, uint32_t instance,
    const struct assignment *assignment)
{
	bool has_resources =
	    assignment->seen.needs[0] != '\0' || is_busy(assignment);

	wf_put_number(bytes, n->serial);
	wf_put_number(bytes, task);
	wf_put_number(bytes, instance);
	wf_put_number(bytes,
	    assignment->seen.status | (has_resources ? WITH_RESOURCES : 0U) |
		(wf_assignment_is_served(assignment) ? WITH_SERVICE : 0U));
	wf_put_string(bytes, assignment->seen.holder);
	wf_put_string(bytes, assignment->seen.audience);
	wf_put_bytes(
	    bytes, assignment->seen.returned, assignment->returned_length);
	if (wf_assignment_is_served(assignment))
		wf_put_string(bytes, assignment->seen.service);
	if (!has_resources)
		return;
	wf_put_string(bytes, assignment->seen.needs);
	wf_put_string(bytes, assignment->seen.busy);
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
	if (c->assignment_count == 0 && c->people == NULL && c->last_alarm == 0)
		return;
	wf_put_number(bytes, c->assignment_count);
	wf_assignments_visit(c, encode_one, bytes);
	wf_put_string(bytes, wf_case_chained(c));
	if (c->people == NULL)
		wf_put_bytes(bytes, "", 0);
	else
		wf_put_bytes(
		    bytes, c->people->completers, c->people->completers_length);
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
	uint32_t status = wf_get_bounded(
	    reader, WF_RESOURCE_STARTED | WITH_RESOURCES | WITH_SERVICE);
	bool has_resources = (status & WITH_RESOURCES) != 0;
	bool has_service = (status & WITH_SERVICE) != 0;
	char *holder = get_text(reader);
	char *audience = get_text(reader);
	size_t length;
	const char *returned = wf_get_bytes(reader, &length);
	char *service = has_service ? get_text(reader) : wf_strdup("");
	char *needs = has_resources ? get_text(reader) : wf_strdup("");
	char *busy = has_resources ? get_text(reader) : wf_strdup("");
	struct assignment **slot =
	    reader->bad ? NULL : wf_assignment_slot(c, serial, task, number);
	struct wf_assignment seen = { .status = status & ~(WITH_RESOURCES |
							     WITH_SERVICE),
		.holder = holder,
		.audience = audience,
		.returned = returned,
		.needs = needs,
		.busy = busy,
		.service = service };
	bool fits = slot != NULL && *slot == NULL && holder != NULL &&
		    audience != NULL && needs != NULL && busy != NULL &&
		    service != NULL && has_service == (service[0] != '\0') &&
		    has_service == (seen.status == WF_RESOURCE_NONE) &&
		    !(has_service && has_resources) &&
		    (!has_resources || needs[0] != '\0' || busy[0] != '\0') &&
		    seen.status <= WF_RESOURCE_STARTED &&
		    (seen.status == WF_RESOURCE_STARTED || busy[0] == '\0') &&
		    are_texts(returned, length, 1);

	if (fits)
		replace_assignment(c, slot, &seen, length);
	wf_free(holder);
	wf_free(audience);
	wf_free(needs);
	wf_free(busy);
	wf_free(service);
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

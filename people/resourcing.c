/* SPDX-License-Identifier: Apache-2.0 */
#include "people/resourcing.h"

#include <string.h>
#include <strings.h>

#include "base/panic.h"
#include "people/filter.h"

const char *const wf_task_privilege_words[] = {
#define WF_TASK_PRIVILEGE(name, word, meaning) word,
#include "people/task_privileges.def"
#undef WF_TASK_PRIVILEGE
};

const char *const wf_allocator_words[] = {
#define WF_ALLOCATOR(name, word, meaning) word,
#include "people/allocators.def"
#undef WF_ALLOCATOR
};

enum wf_allocator wf_allocator_find(const char *name)
{
	for (unsigned i = 0; i < WF_ALLOCATORS; i++)
		if (strcmp(wf_allocator_words[i], name) == 0)
			return i;
	return WF_ALLOCATORS;
}

struct reading {
	struct wf_arena *arena;
	struct wf_resourcing *rule;
	struct wf_error *err;
};

static enum wf_rc fail(struct reading *reading, const struct wf_markup *at,
    const char *message, const char *name)
{
	if (reading->err != NULL && at != NULL)
		reading->err->place.line = at->line;
	return wf_fail(reading->err, WF_INVALID, "%s%.100s", message, name);
}

/* --- small parts ---------------------------------------------------------- */

/* An id, or a list of ids with commas. */
static void add_ids(
    struct reading *reading, struct wf_texts *ids, const char *text)
{
	const char *comma = strchr(text, ',');

	if (comma == NULL) {
		wf_org_texts_add(reading->arena, ids, text);
		return;
	}
	while (comma != NULL) {
		wf_org_texts_add(reading->arena, ids,
		    wf_filter_trimmed(
			reading->arena, text, (size_t)(comma - text)));
		text = comma + 1;
		comma = strchr(text, ',');
	}
	wf_org_texts_add(reading->arena, ids,
	    wf_filter_trimmed(reading->arena, text, strlen(text)));
}

/* The ids in all children with that name. */
static void read_ids(struct reading *reading, const struct wf_markup *parent,
    const char *name, struct wf_texts *ids)
{
	for (const struct wf_markup *child = wf_markup_child(parent, name);
	     child != NULL; child = wf_markup_next(child, name))
		add_ids(reading, ids, wf_markup_text(reading->arena, child));
}

/* The value of a parameter of a filter or a constraint; NULL: it has none. */
static const char *read_parameter(
    struct reading *reading, const struct wf_markup *parent, const char *key)
{
	const struct wf_markup *params = wf_markup_child(parent, "params");

	for (const struct wf_markup *param = wf_markup_child(params, "param");
	     param != NULL; param = wf_markup_next(param, "param"))
		if (strcmp(wf_markup_text(
			       reading->arena, wf_markup_child(param, "key")),
			key) == 0)
			return wf_markup_text(
			    reading->arena, wf_markup_child(param, "value"));
	return NULL;
}

/* Plug-ins may be named by their class: the last part of it. */
static const char *read_name(
    struct reading *reading, const struct wf_markup *parent)
{
	const struct wf_markup *child = wf_markup_child(parent, "name");
	const char *text = wf_markup_text(reading->arena, child);
	const char *point = strrchr(text, '.');

	if (point != NULL)
		text = point + 1;
	return child == NULL
		   ? NULL
		   : wf_filter_trimmed(reading->arena, text, strlen(text));
}

/*
 * Whether the system takes the initiative; YAWL knows no other word.  Without
 * the element it does not.
 */
static enum wf_rc read_initiator(
    struct reading *reading, const struct wf_markup *element, bool *system_out)
{
	const char *initiator;

	*system_out = false;
	if (element == NULL)
		return WF_OK;
	initiator = wf_markup_attribute(element, "initiator");
	if (initiator == NULL)
		return fail(reading, element,
		    "Missing attribute 'initiator' on resourcing element: ",
		    element->name);
	*system_out = strcmp(initiator, "system") == 0;
	return WF_OK;
}

/* --- offer ---------------------------------------------------------------- */

static void read_variables(
    struct reading *reading, const struct wf_markup *initial)
{
	struct wf_resourcing *rule = reading->rule;
	size_t capacity = 0;

	for (const struct wf_markup *param = wf_markup_child(initial, "param");
	     param != NULL; param = wf_markup_next(param, "param")) {
		struct wf_resource_variable *variable;

		rule->variables = wf_arena_grow(reading->arena, rule->variables,
		    rule->variable_count, &capacity, sizeof(*rule->variables));
		variable = &rule->variables[rule->variable_count++];
		variable->name = wf_markup_text(
		    reading->arena, wf_markup_child(param, "name"));
		variable->has_roles =
		    strcmp(wf_markup_text(reading->arena,
			       wf_markup_child(param, "refers")),
			"role") == 0;
	}
}

static enum wf_rc read_filter(struct reading *reading,
    const struct wf_markup *markup, struct wf_resource_filter *filter)
{
	const char *name = read_name(reading, markup);

	if (name == NULL)
		return fail(
		    reading, markup, "Missing filter element: name", "");
	if (strcmp(name, "CapabilityFilter") == 0) {
		filter->capability =
		    read_parameter(reading, markup, "Capability");
	} else if (strcmp(name, "OrgFilter") == 0) {
		filter->position = read_parameter(reading, markup, "Position");
		filter->group = read_parameter(reading, markup, "OrgGroup");
	} else {
		return fail(reading, markup, "Unknown filter name: ", name);
	}
	return WF_OK;
}

static enum wf_rc read_filters(
    struct reading *reading, const struct wf_markup *filters)
{
	struct wf_resourcing *rule = reading->rule;
	enum wf_rc rc = WF_OK;
	size_t capacity = 0;

	for (const struct wf_markup *filter =
		 wf_markup_child(filters, "filter");
	     rc == WF_OK && filter != NULL;
	     filter = wf_markup_next(filter, "filter")) {
		rule->filters = wf_arena_grow(reading->arena, rule->filters,
		    rule->filter_count, &capacity, sizeof(*rule->filters));
		memset(&rule->filters[rule->filter_count], 0,
		    sizeof(*rule->filters));
		rc = read_filter(
		    reading, filter, &rule->filters[rule->filter_count++]);
	}
	return rc;
}

static enum wf_rc read_constraint(
    struct reading *reading, const struct wf_markup *markup)
{
	const char *name = read_name(reading, markup);
	const char *task;

	if (name == NULL)
		return fail(
		    reading, markup, "Missing constraint element: name", "");
	if (strcmp(name, "PiledExecution") == 0)
		return WF_OK; /* piling needs no permission of the task */
	if (strcmp(name, "SeparationOfDuties") != 0)
		return fail(reading, markup, "Unknown constraint name: ", name);
	task = read_parameter(reading, markup, "familiarTask");
	if (task != NULL)
		wf_org_texts_add(
		    reading->arena, &reading->rule->separated, task);
	return WF_OK;
}

static enum wf_rc read_distribution_set(
    struct reading *reading, const struct wf_markup *offer)
{
	const struct wf_markup *set = wf_markup_child(offer, "distributionSet");
	const struct wf_markup *initial = wf_markup_child(set, "initialSet");
	const struct wf_markup *constraints =
	    wf_markup_child(set, "constraints");
	enum wf_rc rc;

	if (set == NULL)
		return fail(reading, offer,
		    "Missing required element in Offer block: ",
		    "distributionSet");
	if (initial == NULL)
		return fail(reading, set,
		    "Missing required distributionSet child element in Offer "
		    "block: ",
		    "initialSet");
	read_ids(reading, initial, "participant", &reading->rule->participants);
	read_ids(reading, initial, "role", &reading->rule->roles);
	read_variables(reading, initial);
	rc = read_filters(reading, wf_markup_child(set, "filters"));
	for (const struct wf_markup *constraint =
		 wf_markup_child(constraints, "constraint");
	     rc == WF_OK && constraint != NULL;
	     constraint = wf_markup_next(constraint, "constraint"))
		rc = read_constraint(reading, constraint);
	return rc;
}

static enum wf_rc read_offer(
    struct reading *reading, const struct wf_markup *offer)
{
	struct wf_resourcing *rule = reading->rule;
	const struct wf_markup *familiar =
	    wf_markup_child(offer, "familiarParticipant");
	enum wf_rc rc;

	if (offer == NULL)
		return fail(
		    reading, NULL, "Missing resource specification.", "");
	rc = read_initiator(reading, offer, &rule->offers);
	if (rc == WF_OK && rule->offers) {
		rc = read_distribution_set(reading, offer);
		if (familiar != NULL) {
			rule->familiar =
			    wf_markup_attribute(familiar, "taskID");
			if (rule->familiar == NULL)
				rule->familiar = "";
		}
	}
	rule->is_closed = rc != WF_OK;
	return rc;
}

/* --- allocate, privileges, secondary -------------------------------------- */

static enum wf_rc read_allocator(
    struct reading *reading, const struct wf_markup *allocate)
{
	const struct wf_markup *allocator =
	    wf_markup_child(allocate, "allocator");
	struct wf_resourcing *rule = reading->rule;
	const char *name;

	rule->allocator = WF_ALLOCATOR_SHORTEST_QUEUE;
	if (allocator == NULL || !rule->allocates)
		return WF_OK;
	name = read_name(reading, allocator);
	if (name != NULL)
		rule->allocator = wf_allocator_find(name);
	if (name != NULL && rule->allocator != WF_ALLOCATORS)
		return WF_OK;
	rule->is_closed = true;
	rule->allocator = WF_ALLOCATOR_SHORTEST_QUEUE;
	return name == NULL
		   ? fail(reading, allocator, "Missing allocator element: name",
			 "")
		   : fail(reading, allocator, "Unknown allocator name: ", name);
}

static void read_privileges(
    struct reading *reading, const struct wf_markup *privileges)
{
	for (const struct wf_markup *privilege =
		 wf_markup_child(privileges, "privilege");
	     privilege != NULL;
	     privilege = wf_markup_next(privilege, "privilege")) {
		const struct wf_markup *set = wf_markup_child(privilege, "set");
		const char *name = read_name(reading, privilege);

		for (unsigned i = 0; name != NULL && i < WF_TASK_PRIVILEGES;
		     i++) {
			struct wf_privilege_holders *holders =
			    &reading->rule->privileges[i];

			if (strcasecmp(wf_task_privilege_words[i], name) != 0)
				continue;
			holders->all |=
			    strcmp(wf_markup_text(reading->arena,
				       wf_markup_child(privilege, "allowall")),
				"true") == 0;
			read_ids(reading, set, "participant",
			    &holders->participants);
			read_ids(reading, set, "role", &holders->roles);
		}
	}
}

const struct wf_secondary_element
    wf_secondary_elements[WF_SECONDARY_ELEMENTS] = {
	    { "participant", WF_ORG_PARTICIPANT },
	    { "role", WF_ORG_ROLE },
	    { "nonHumanResource", WF_ORG_THING },
	    { "nonHumanCategory", WF_ORG_CATEGORY },
    };

static void read_secondary(
    struct reading *reading, const struct wf_markup *secondary)
{
	struct wf_resourcing *rule = reading->rule;
	size_t capacity = 0;

	for (size_t i = 0; i < WF_SECONDARY_ELEMENTS; i++) {
		const struct wf_secondary_element *row =
		    &wf_secondary_elements[i];

		for (const struct wf_markup *child =
			 wf_markup_child(secondary, row->element);
		     child != NULL;
		     child = wf_markup_next(child, row->element)) {
			const char *part =
			    wf_markup_attribute(child, "subcategory");

			rule->secondary = wf_arena_grow(reading->arena,
			    rule->secondary, rule->secondary_count, &capacity,
			    sizeof(*rule->secondary));
			rule->secondary[rule->secondary_count++] =
			    (struct wf_secondary){ .kind = row->kind,
				    .id = wf_markup_text(reading->arena, child),
				    .part = part == NULL ? "" : part };
		}
	}
}

enum wf_rc wf_resourcing_read(struct wf_arena *arena,
    const struct wf_markup *resourcing, struct wf_resourcing **rule_out,
    struct wf_error *err)
{
	const struct wf_markup *allocate =
	    wf_markup_child(resourcing, "allocate");
	struct reading reading = { .arena = arena, .err = err };
	enum wf_rc rc;

	reading.rule = wf_arena_alloc(arena, sizeof(*reading.rule));
	*rule_out = reading.rule;
	reading.rule->allocator = WF_ALLOCATOR_SHORTEST_QUEUE;
	rc = read_offer(&reading, wf_markup_child(resourcing, "offer"));
	if (rc == WF_OK)
		rc = read_initiator(
		    &reading, allocate, &reading.rule->allocates);
	if (rc == WF_OK)
		rc = read_allocator(&reading, allocate);
	if (rc == WF_OK)
		rc = read_initiator(&reading,
		    wf_markup_child(resourcing, "start"),
		    &reading.rule->starts);
	if (rc != WF_OK)
		return rc;
	read_privileges(&reading, wf_markup_child(resourcing, "privileges"));
	read_secondary(&reading, wf_markup_child(resourcing, "secondary"));
	return WF_OK;
}

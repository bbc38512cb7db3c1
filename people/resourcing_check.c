/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk over the element as it stands in the file, by the tables below.  The
 * reader (people/resourcing.c) stops at the first error; this names all.
 */
#include "people/resourcing_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "people/filter.h"
#include "people/resourcing.h"
#include "spec/timing.h"

#define NAMES_BYTES 400U
#define MESSAGE_BYTES 512U

struct checking {
	struct wf_arena *arena;
	struct wf_diagnostics *diagnostics;
	const struct wf_task *task;
	const struct wf_organisation *organisation; /* NULL: only the rule */
};

static void warn(const struct checking *c, const struct wf_markup *at,
    const char *format, ...) WF_PRINTF(3, 4);

static void warn(const struct checking *c, const struct wf_markup *at,
    const char *format, ...)
{
	char message[MESSAGE_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	wf_diagnostics_add(c->diagnostics, WF_WARNING, at->line,
	    wf_arena_printf(
		c->arena, "task %.100s, <%.60s>", c->task->id, at->name),
	    "%s", message);
}

/* --- small parts ---------------------------------------------------------- */

static const char *text_of(
    const struct checking *c, const struct wf_markup *markup)
{
	const char *text = wf_markup_text(c->arena, markup);

	return wf_filter_trimmed(c->arena, text, strlen(text));
}

static void check_variable(const struct checking *c, const struct wf_markup *at,
    const char *what, const char *name)
{
	const struct wf_net *net = c->task->net;

	if (wf_map_get(net->variable_numbers, name) == NULL)
		warn(c, at,
		    "%s: the net %.100s has no variable \"%.100s\", so nobody "
		    "is chosen by it",
		    what, net->decomposition->id, name);
}

/* A case knows tasks by their ids, whichever net they are in. */
static void check_task(const struct checking *c, const struct wf_markup *at,
    const char *what, const char *id)
{
	const struct wf_spec *spec = c->task->net->spec;

	for (uint32_t i = 0; i < spec->decomposition_count; i++)
		if (spec->decompositions[i].net != NULL &&
		    wf_map_get(spec->decompositions[i].net->task_numbers, id) !=
			NULL)
			return;
	warn(c, at, "%s: no net has a task with the id \"%.100s\"", what, id);
}

/* "system" or "user"; whether it is the system. */
static bool check_initiator(
    const struct checking *c, const struct wf_markup *element)
{
	const char *initiator = wf_markup_attribute(element, "initiator");

	if (initiator == NULL) {
		warn(c, element,
		    "the attribute initiator is missing: expected "
		    "initiator=\"system\" or initiator=\"user\"");
		return false;
	}
	if (strcmp(initiator, "system") != 0 && strcmp(initiator, "user") != 0)
		warn(c, element,
		    "initiator=\"%.60s\" counts as \"user\": expected system "
		    "or user",
		    initiator);
	return strcmp(initiator, "system") == 0;
}

/* The last part of the name of a class; NULL, after a warning: none. */
static const char *check_name(
    const struct checking *c, const struct wf_markup *parent)
{
	const struct wf_markup *child = wf_markup_child(parent, "name");
	const char *name = text_of(c, child);
	const char *point = strrchr(name, '.');

	if (child != NULL)
		return point == NULL ? name
				     : wf_filter_trimmed(c->arena, point + 1,
					   strlen(point + 1));
	warn(c, parent, "the element <name> is missing");
	return NULL;
}

/* --- initial set ---------------------------------------------------------- */

static bool has_child(const struct wf_markup *parent, const char *name)
{
	return wf_markup_child(parent, name) != NULL;
}

static void check_id(const struct checking *c, const struct wf_markup *at,
    enum wf_org_kind kind, const char *id)
{
	const struct wf_org_layout *layout = &wf_org_layouts[kind];

	if (c->organisation == NULL) {
		if (id[0] == '\0')
			warn(c, at, "it is empty: expected the id of a %s",
			    layout->word);
		return;
	}
	if (id[0] != '\0' &&
	    wf_org_find(c->organisation, kind, id) == WF_ORG_NOBODY)
		warn(c, at, "the organisation has no %s with the id \"%.100s\"",
		    layout->word, id);
}

/* Ids with commas between, as the reader takes them. */
static void check_ids(const struct checking *c, const struct wf_markup *parent,
    const char *name, enum wf_org_kind kind)
{
	for (const struct wf_markup *child = wf_markup_child(parent, name);
	     child != NULL; child = wf_markup_next(child, name)) {
		const char *text = wf_markup_text(c->arena, child);
		const char *comma = strchr(text, ',');

		/* A single id is taken with its blanks. */
		if (comma == NULL)
			check_id(c, child, kind, text);
		while (comma != NULL) {
			check_id(c, child, kind,
			    wf_filter_trimmed(
				c->arena, text, (size_t)(comma - text)));
			text = comma + 1;
			comma = strchr(text, ',');
			if (comma == NULL)
				check_id(c, child, kind,
				    wf_filter_trimmed(
					c->arena, text, strlen(text)));
		}
	}
}

static void check_parameter(
    const struct checking *c, const struct wf_markup *param)
{
	const char *name =
	    wf_markup_text(c->arena, wf_markup_child(param, "name"));
	const char *refers =
	    wf_markup_text(c->arena, wf_markup_child(param, "refers"));

	if (name[0] == '\0')
		warn(c, param,
		    "the element <name> is missing: expected the "
		    "name of a variable of the net");
	else
		check_variable(c, param, "<name>", name);
	if (strcmp(refers, "role") != 0 && strcmp(refers, "participant") != 0)
		warn(c, param,
		    "<refers> \"%.60s\" counts as participant: expected "
		    "participant or role",
		    refers);
}

/* --- filters -------------------------------------------------------------- */

/* ${x}: the value of a variable; else a name. */
static void check_operand(const struct checking *c, const struct wf_markup *at,
    const char *key, const char *operand)
{
	size_t length = strlen(operand);

	if (operand[0] == '\0')
		warn(c, at,
		    "%.60s: an operand of & or | is missing: expected a name "
		    "or ${VARIABLE}",
		    key);
	else if (strncmp(operand, "${", 2) != 0)
		return; /* a name */
	else if (operand[length - 1] != '}')
		warn(c, at, "%.60s: \"%.100s\": expected } at its end", key,
		    operand);
	else
		check_variable(c, at, key,
		    wf_arena_strndup(c->arena, operand + 2, length - 3));
}

static void check_expression(const struct checking *c,
    const struct wf_markup *at, const char *key, const char *text)
{
	size_t length = strcspn(text, "&|");

	check_operand(c, at, key, wf_filter_trimmed(c->arena, text, length));
	for (text += length; *text != '\0'; text += length) {
		text++;
		length = strcspn(text, "&|");
		check_operand(
		    c, at, key, wf_filter_trimmed(c->arena, text, length));
	}
}

/* Keys, with a blank between. */
static bool is_listed(const char *keys, const char *key)
{
	size_t length = strlen(key);

	while (*keys != '\0') {
		if (strcspn(keys, " ") == length &&
		    strncmp(keys, key, length) == 0)
			return true;
		keys += strcspn(keys, " ");
		keys += strspn(keys, " ");
	}
	return false;
}

struct plugin {
	const char *name;
	const char *keys; /* of its parameters */
	void (*check)(const struct checking *c, const struct wf_markup *param,
	    const char *key, const char *value);
	bool needs_parameter;
};

static void check_familiar(const struct checking *c, const struct wf_markup *at,
    const char *key, const char *value)
{
	check_task(c, at, key, value);
}

static const struct plugin filters[] = {
	{ "CapabilityFilter", "Capability", check_expression, true },
	{ "OrgFilter", "Position OrgGroup", check_expression, true },
};

static const struct plugin constraints[] = {
	{ "SeparationOfDuties", "familiarTask", check_familiar, true },
	{ "PiledExecution", "", NULL, false },
};

static void check_parameters(const struct checking *c,
    const struct wf_markup *at, const struct plugin *plugin)
{
	const struct wf_markup *params = wf_markup_child(at, "params");
	size_t count = 0;

	for (const struct wf_markup *param = wf_markup_child(params, "param");
	     param != NULL; param = wf_markup_next(param, "param")) {
		const char *key =
		    wf_markup_text(c->arena, wf_markup_child(param, "key"));

		if (!is_listed(plugin->keys, key)) {
			warn(c, param,
			    "%s has no parameter \"%.60s\"; expected: %s",
			    plugin->name, key,
			    plugin->keys[0] == '\0' ? "none" : plugin->keys);
			continue;
		}
		count++;
		plugin->check(c, param, key,
		    wf_markup_text(c->arena, wf_markup_child(param, "value")));
	}
	if (count == 0 && plugin->needs_parameter)
		warn(c, at, "%s has no parameter; expected: %s", plugin->name,
		    plugin->keys);
}

static void check_plugins(const struct checking *c,
    const struct wf_markup *parent, const char *element,
    const struct plugin *plugins, size_t count)
{
	for (const struct wf_markup *at = wf_markup_child(parent, element);
	     at != NULL; at = wf_markup_next(at, element)) {
		const char *name = check_name(c, at);
		size_t i = 0;

		if (name == NULL)
			continue;
		while (i < count && strcmp(plugins[i].name, name) != 0)
			i++;
		if (i < count)
			check_parameters(c, at, &plugins[i]);
		else
			warn(c, at,
			    "there is no %s \"%.60s\": expected %s or %s",
			    element, name, plugins[0].name, plugins[1].name);
	}
}

/* --- offer ---------------------------------------------------------------- */

static void check_set(const struct checking *c, const struct wf_markup *offer)
{
	const struct wf_markup *set = wf_markup_child(offer, "distributionSet");
	const struct wf_markup *initial = wf_markup_child(set, "initialSet");

	if (set == NULL) {
		warn(c, offer, "the element <distributionSet> is missing");
		return;
	}
	if (initial == NULL)
		warn(c, set, "the element <initialSet> is missing");
	else if (!has_child(initial, "participant") &&
		 !has_child(initial, "role") && !has_child(initial, "param") &&
		 !has_child(offer, "familiarParticipant"))
		warn(c, initial,
		    "it is empty, so the item is offered to nobody: expected "
		    "<participant>, <role> or <param>");
	check_ids(c, initial, "participant", WF_ORG_PARTICIPANT);
	check_ids(c, initial, "role", WF_ORG_ROLE);
	for (const struct wf_markup *param = wf_markup_child(initial, "param");
	     param != NULL; param = wf_markup_next(param, "param"))
		check_parameter(c, param);
	check_plugins(c, wf_markup_child(set, "filters"), "filter", filters,
	    sizeof(filters) / sizeof(*filters));
	check_plugins(c, wf_markup_child(set, "constraints"), "constraint",
	    constraints, sizeof(constraints) / sizeof(*constraints));
}

static void check_offer(
    const struct checking *c, const struct wf_markup *resourcing)
{
	const struct wf_markup *offer = wf_markup_child(resourcing, "offer");
	const struct wf_markup *familiar =
	    wf_markup_child(offer, "familiarParticipant");
	const char *task;

	if (offer == NULL) {
		warn(c, resourcing, "the element <offer> is missing");
		return;
	}
	if (!check_initiator(c, offer))
		return;
	check_set(c, offer);
	if (familiar == NULL)
		return;
	task = wf_markup_attribute(familiar, "taskID");
	if (task == NULL)
		warn(c, familiar,
		    "the attribute taskID is missing: expected the id of a "
		    "task");
	else
		check_task(c, familiar, "taskID", task);
}

/* --- allocate, privileges, secondary -------------------------------------- */

static void check_allocate(
    const struct checking *c, const struct wf_markup *allocate)
{
	const struct wf_markup *allocator =
	    wf_markup_child(allocate, "allocator");
	const char *name;

	if (allocate == NULL || !check_initiator(c, allocate) ||
	    allocator == NULL)
		return;
	name = check_name(c, allocator);
	if (name != NULL && wf_allocator_find(name) == WF_ALLOCATORS)
		warn(c, allocator,
		    "there is no allocator \"%.60s\": expected such as "
		    "ShortestQueue or RoundRobinByTime",
		    name);
}

static bool is_task_privilege(const char *name)
{
	for (unsigned i = 0; i < WF_TASK_PRIVILEGES; i++)
		if (strcasecmp(wf_task_privilege_words[i], name) == 0)
			return true;
	return false;
}

static const char *task_privileges(const struct checking *c)
{
	struct wf_buffer names;
	const char *text;

	wf_buffer_init(&names, NAMES_BYTES);
	for (unsigned i = 0; i < WF_TASK_PRIVILEGES; i++)
		wf_buffer_printf(&names, "%s%s", i > 0 ? ", " : "",
		    wf_task_privilege_words[i]);
	text = wf_arena_strdup(c->arena, wf_buffer_text(&names));
	wf_buffer_free(&names);
	return text;
}

static void check_privilege(
    const struct checking *c, const struct wf_markup *privilege)
{
	const struct wf_markup *all = wf_markup_child(privilege, "allowall");
	const struct wf_markup *set = wf_markup_child(privilege, "set");
	const char *value = wf_markup_text(c->arena, all);
	const char *name = check_name(c, privilege);

	if (name != NULL && !is_task_privilege(name))
		warn(c, privilege,
		    "there is no privilege \"%.60s\", so nobody gets it: "
		    "expected %s",
		    name, task_privileges(c));
	if (all != NULL && strcmp(value, "true") != 0 &&
	    strcmp(value, "false") != 0)
		warn(c, all,
		    "\"%.60s\" counts as false: expected true or "
		    "false",
		    value);
	if (all == NULL && set == NULL)
		warn(c, privilege,
		    "nobody gets it: expected <allowall> or <set>");
	check_ids(c, set, "participant", WF_ORG_PARTICIPANT);
	check_ids(c, set, "role", WF_ORG_ROLE);
}

/* Ids are not lists here. */
static void check_secondary(
    const struct checking *c, const struct wf_markup *secondary)
{
	for (const struct wf_markup *child = wf_markup_child(secondary, NULL);
	     child != NULL; child = wf_markup_next(child, NULL)) {
		size_t i = 0;

		while (
		    i < WF_SECONDARY_ELEMENTS &&
		    strcmp(wf_secondary_elements[i].element, child->name) != 0)
			i++;
		if (i < WF_SECONDARY_ELEMENTS)
			check_id(c, child, wf_secondary_elements[i].kind,
			    wf_markup_text(c->arena, child));
		else if (c->organisation == NULL)
			warn(c, child,
			    "expected <participant>, <role>, "
			    "<nonHumanResource> or <nonHumanCategory>");
	}
}

/* --- all of it ------------------------------------------------------------ */

static void check_rule(
    const struct checking *c, const struct wf_markup *resourcing)
{
	const struct wf_markup *privileges =
	    wf_markup_child(resourcing, "privileges");
	const struct wf_markup *start = wf_markup_child(resourcing, "start");

	check_offer(c, resourcing);
	check_allocate(c, wf_markup_child(resourcing, "allocate"));
	if (start != NULL)
		(void)check_initiator(c, start);
	for (const struct wf_markup *privilege =
		 wf_markup_child(privileges, "privilege");
	     privilege != NULL;
	     privilege = wf_markup_next(privilege, "privilege"))
		check_privilege(c, privilege);
	check_secondary(c, wf_markup_child(resourcing, "secondary"));
}

/* Only the names: what else is wrong was reported without an organisation. */
static void check_names(
    const struct checking *c, const struct wf_markup *resourcing)
{
	const struct wf_markup *offer = wf_markup_child(resourcing, "offer");
	const struct wf_markup *set = wf_markup_child(offer, "distributionSet");
	const struct wf_markup *initial = wf_markup_child(set, "initialSet");
	const struct wf_markup *privileges =
	    wf_markup_child(resourcing, "privileges");
	const char *initiator =
	    offer == NULL ? NULL : wf_markup_attribute(offer, "initiator");

	if (initiator != NULL && strcmp(initiator, "system") == 0) {
		check_ids(c, initial, "participant", WF_ORG_PARTICIPANT);
		check_ids(c, initial, "role", WF_ORG_ROLE);
	}
	for (const struct wf_markup *privilege =
		 wf_markup_child(privileges, "privilege");
	     privilege != NULL;
	     privilege = wf_markup_next(privilege, "privilege")) {
		set = wf_markup_child(privilege, "set");
		check_ids(c, set, "participant", WF_ORG_PARTICIPANT);
		check_ids(c, set, "role", WF_ORG_ROLE);
	}
	check_secondary(c, wf_markup_child(resourcing, "secondary"));
}

static void check_timing(
    const struct checking *c, const struct wf_decomposition *decomposition)
{
	const struct wf_timing *timing = decomposition->timing;
	struct wf_arena *arena = wf_arena_new();
	const char *place =
	    wf_arena_printf(arena, "decomposition %.100s", decomposition->id);

	for (uint32_t i = 0; i < timing->step_count; i++) {
		const struct wf_time_step *step = &timing->steps[i];

		if ((step->action == WF_TIME_NOTIFY ||
			step->action == WF_TIME_REOFFER) &&
		    step->text[0] != '\0' &&
		    wf_org_find_any(c->organisation, WF_ORG_ROLE, step->text) ==
			WF_ORG_NOBODY)
			wf_diagnostics_add(c->diagnostics, WF_WARNING,
			    decomposition->line, place,
			    "escalate: there is no role \"%.100s\"",
			    step->text);
	}
	if (timing->calendar != NULL &&
	    wf_org_find_any(c->organisation, WF_ORG_CALENDAR,
		timing->calendar) == WF_ORG_NOBODY)
		wf_diagnostics_add(c->diagnostics, WF_WARNING,
		    decomposition->line, place,
		    "there is no calendar \"%.100s\"", timing->calendar);
	wf_arena_free(&arena);
}

static void check_tasks(const struct wf_spec *spec, struct checking *c,
    void (*check)(const struct checking *c, const struct wf_markup *resourcing))
{
	c->arena = wf_arena_new();
	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_net *net = spec->decompositions[i].net;

		for (uint32_t k = 0; net != NULL && k < net->task_count; k++) {
			c->task = &net->tasks[k];
			if (c->task->resourcing != NULL)
				check(c, c->task->resourcing);
		}
	}
	wf_arena_free(&c->arena);
}

void wf_resourcing_check(
    const struct wf_spec *spec, struct wf_diagnostics *diagnostics)
{
	struct checking c = { .diagnostics = diagnostics };

	check_tasks(spec, &c, check_rule);
}

void wf_resourcing_check_names(const struct wf_spec *spec,
    const struct wf_organisation *organisation,
    struct wf_diagnostics *diagnostics)
{
	struct checking c = { .diagnostics = diagnostics,
		.organisation = organisation };

	check_tasks(spec, &c, check_names);
	for (uint32_t i = 0; i < spec->decomposition_count; i++)
		if (spec->decompositions[i].timing != NULL)
			check_timing(&c, &spec->decompositions[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reading variables: parameters of decompositions and locals of nets. */
#include "spec/reader.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

int wf_spec_integer(const char *text, int fallback)
{
	char *end;
	long number;

	if (text == NULL)
		return fallback;
	number = strtol(text, &end, 10);
	if (end == text || end[strspn(end, " \t\r\n")] != '\0')
		return fallback;
	if (number > INT_MAX)
		return INT_MAX;
	return number < INT_MIN ? INT_MIN : (int)number;
}

struct wf_log_predicate wf_spec_read_log(
    struct wf_spec_reader *reader, const struct wf_markup *parent)
{
	const struct wf_markup *log = wf_markup_child(parent, "logPredicate");
	struct wf_log_predicate predicate = {
		.start.text = wf_spec_child_text(reader, log, "start"),
		.completion.text =
		    wf_spec_child_text(reader, log, "completion"),
	};

	return predicate;
}

/* Beta 2 writes types as xs:string, often without a declaration of xs. */
static void read_prefixed_type(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_variable *variable)
{
	const char *colon = strchr(variable->type_text, ':');
	const char *space;
	size_t length;

	variable->type_name = variable->type_text;
	if (colon == NULL)
		return;
	variable->type_name = colon + 1;
	length = (size_t)(colon - variable->type_text);
	space = wf_markup_space_of(markup, variable->type_text, length);
	if (space == NULL &&
	    (strncmp(variable->type_text, "xs:", length + 1) == 0 ||
		strncmp(variable->type_text, "xsd:", length + 1) == 0))
		space = WF_XSD;
	if (space != NULL)
		variable->type_namespace =
		    wf_arena_strdup(reader->arena, space);
}

static void read_type(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_variable *variable)
{
	const char *element = wf_spec_child_token(reader, markup, "element");

	variable->type_text = wf_spec_child_token(reader, markup, "type");
	if (variable->type_text != NULL && reader->version == WF_BETA_2) {
		read_prefixed_type(
		    reader, wf_markup_child(markup, "type"), variable);
	} else if (variable->type_text != NULL) {
		variable->type_name = variable->type_text;
		variable->type_namespace =
		    wf_spec_child_token(reader, markup, "namespace");
	} else if (element != NULL) {
		variable->by_element = true;
		variable->type_name = element;
		variable->name = element;
	}
}

/* A value of anyType: its text, or its elements as written. */
static const char *read_any(
    struct wf_spec_reader *reader, const struct wf_markup *markup)
{
	struct wf_buffer text;
	const char *kept;

	if (!wf_markup_has_elements(markup))
		return wf_markup_text(reader->arena, markup);
	wf_buffer_init(&text, WF_SPEC_BYTES);
	wf_markup_write_content(markup, &text);
	kept = wf_arena_strdup(reader->arena, wf_buffer_text(&text));
	wf_buffer_free(&text);
	return kept;
}

static bool is_optional(const struct wf_markup *markup)
{
	const char *optional = wf_markup_attribute(markup, "optional");

	return optional != NULL && strcmp(optional, "true") == 0;
}

static void read_variable(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_variable *variable)
{
	static const char *const except_name[] = { "name", NULL };
	static const char *const except_none[] = { NULL };
	const struct wf_markup *fallback =
	    wf_markup_child(markup, "defaultValue");

	variable->line = markup->line;
	variable->name =
	    reader->version == WF_BETA_2
		? wf_spec_token(reader, wf_markup_attribute(markup, "name"))
		: wf_spec_child_token(reader, markup, "name");
	read_type(reader, markup, variable);
	if (variable->name == NULL)
		variable->name = "";
	variable->index =
	    wf_spec_integer(wf_spec_child_text(reader, markup, "index"), -1);
	variable->documentation =
	    wf_spec_child_text(reader, markup, "documentation");
	variable->initial_text =
	    wf_spec_child_text(reader, markup, "initialValue");
	if (fallback != NULL)
		variable->default_text = read_any(reader, fallback);
	variable->mandatory = wf_markup_child(markup, "mandatory") != NULL;
	variable->cut_through =
	    wf_markup_child(markup, "isCutThroughParam") != NULL;
	variable->optional = is_optional(markup);
	variable->log = wf_spec_read_log(reader, markup);
	variable->attributes = wf_spec_attributes(reader, markup,
	    reader->version == WF_BETA_2 ? except_name : except_none,
	    &variable->attribute_count);
}

/* The position of a variable among variables of its kind. */
struct place {
	int index;
	size_t position;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left;
	const struct place *b = right;

	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	return a->position < b->position ? -1 : a->position > b->position;
}

/* Sorted by index if every variable has one, else in the order of the file. */
static struct wf_variable *sort_variables(
    struct wf_spec_reader *reader, struct wf_variable *variables, size_t count)
{
	struct place *places =
	    wf_arena_array(reader->scratch, count, sizeof(*places));
	struct wf_variable *sorted =
	    wf_arena_array(reader->arena, count, sizeof(*sorted));

	for (size_t i = 0; i < count; i++) {
		if (variables[i].index < 0)
			return variables;
		places[i].index = variables[i].index;
		places[i].position = i;
	}
	qsort(places, count, sizeof(*places), compare_places);
	for (size_t i = 0; i < count; i++)
		sorted[i] = variables[places[i].position];
	return sorted;
}

struct wf_variable *wf_spec_read_variables(struct wf_spec_reader *reader,
    const struct wf_markup *parent, const char *name, enum wf_usage usage,
    size_t *count_out)
{
	struct wf_variable *variables;
	size_t count = 0;

	for (const struct wf_markup *c = wf_markup_child(parent, name);
	     c != NULL; c = wf_markup_next(c, name))
		count++;
	variables = wf_arena_array(reader->arena, count, sizeof(*variables));
	count = 0;
	for (const struct wf_markup *c = wf_markup_child(parent, name);
	     c != NULL; c = wf_markup_next(c, name)) {
		variables[count].usage = usage;
		read_variable(reader, c, &variables[count++]);
	}
	*count_out = count;
	return sort_variables(reader, variables, count);
}

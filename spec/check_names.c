/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The length of names.  Names, unlike documentation and values, are part of
 * each list, message and log line about what they name.
 */
#include <string.h>

#include "base/limits.h"
#include "spec/reader.h"

/* Attributes, and child elements with a text. */
static const char *const attributes[] = { "id", "uri", "name" };
static const char *const elements[] = { "name", "title", "version",
	"identifier", "element", "type", "namespace" };
/* What users put there is theirs. */
static const char *const opaque[] = { "schema", "initialValue", "defaultValue",
	"documentation" };

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

#define IS_ONE_OF(name, names)                                                 \
	is_one_of(name, names, sizeof(names) / sizeof((names)[0]))

static void check(
    struct wf_spec_reader *reader, int line, const char *what, const char *text)
{
	if (strlen(text) > WF_SPEC_NAME_BYTES)
		WF_SPEC_ERROR(reader, line, what,
		    "has %zu bytes: expected at most %u", strlen(text),
		    WF_SPEC_NAME_BYTES);
}

static void check_node(
    struct wf_spec_reader *reader, const struct wf_markup *node)
{
	for (size_t i = 0; i < node->attribute_count; i++)
		if (IS_ONE_OF(node->attributes[i].name, attributes))
			check(reader, node->line, node->attributes[i].name,
			    node->attributes[i].value);
	if (IS_ONE_OF(node->name, elements))
		check(reader, node->line, node->name,
		    wf_markup_text(reader->scratch, node));
}

/* The depth of markup is bounded. */
void wf_spec_check_names(
    struct wf_spec_reader *reader, const struct wf_markup *node)
{
	if (node->name == NULL || IS_ONE_OF(node->name, opaque))
		return;
	check_node(reader, node);
	for (const struct wf_markup *child = node->first; child != NULL;
	     child = child->next)
		wf_spec_check_names(reader, child);
}

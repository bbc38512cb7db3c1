/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From messages of libxml2 to sentences.
 *
 * A message about a value reads "Element 'age': 'abc' is not a valid value of
 * the atomic type 'xs:integer'.": the name of the element and the names of
 * types are taken from it; any other message is kept.
 */
#include "data/type_error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "data/schema.h"
#include "xquery/atomic/atomic.h"

/* Longer values are shown cut. */
#define SHOWN 60
#define PATH_BYTES ((size_t)16 << 10)

/* The length of text to show, without half a character at its end. */
static int shown(const char *text, size_t length)
{
	if (length <= SHOWN)
		return (int)length;
	length = SHOWN;
	while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
		length--;
	return (int)length;
}

enum wf_rc wf_type_fail(struct wf_error *err, const char *name,
    size_t name_length, unsigned before, const char *format, ...)
{
	char message[400];
	va_list arguments;

	if (err == NULL || err->rc != WF_OK)
		return WF_DATA;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	err->place.before = before;
	snprintf(err->place.element, sizeof(err->place.element), "%.*s",
	    shown(name, name_length), name);
	return wf_fail(
	    err, WF_DATA, "element <%s>: %s", err->place.element, message);
}

/* why: the reason, or "". */
static enum wf_rc fail_with(struct wf_error *err, const char *name,
    size_t name_length, unsigned before, const char *text, size_t length,
    const char *type, const char *why)
{
	int size = shown(text, length);
	const char *dots = (size_t)size < length ? "..." : "";

	return wf_type_fail(err, name, name_length, before,
	    "'%.*s%s' is not a valid %s%s%s", size, text, dots, type,
	    why[0] == '\0' ? "" : ": ", why);
}

enum wf_rc wf_type_fail_value(struct wf_error *err, const char *name,
    size_t name_length, unsigned before, const char *text, size_t length,
    const char *type)
{
	return fail_with(
	    err, name, name_length, before, text, length, type, "");
}

/*
 * Copies a message, without the URI of XML Schema, up to the end of its line.
 */
static void tidy(char *to, size_t size, const char *message)
{
	static const char *const dropped[] = {
		"{http://www.w3.org/2001/XMLSchema}", "wfxs:"
	};
	size_t length = 0;

	while (*message != '\0' && *message != '\n' && length + 1 < size) {
		size_t skip = 0;

		for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]);
		     i++)
			if (strncmp(message, dropped[i], strlen(dropped[i])) ==
			    0)
				skip = strlen(dropped[i]);
		message += skip;
		if (skip == 0)
			to[length++] = *message++;
	}
	while (length > 0 && (to[length - 1] == '.' || to[length - 1] == ' '))
		length--;
	to[length] = '\0';
}

void wf_schema_error(void *argument, xmlError *error)
{
	struct wf_error *err = argument;
	char message[400];

	if (error->level < XML_ERR_ERROR || err->rc != WF_OK)
		return;
	tidy(message, sizeof(message),
	    error->message == NULL ? "" : error->message);
	err->place.line = error->line;
	wf_fail(err, WF_DATA, "the schema does not compile: %s", message);
}

/* The text between the last two quotes of message: a type; false: none. */
static bool last_quoted(
    const char *message, const char **start_out, size_t *length_out)
{
	const char *end = strrchr(message, '\'');
	const char *start = end;

	if (end == NULL)
		return false;
	while (start > message && start[-1] != '\'')
		start--;
	if (start == message)
		return false;
	*start_out = start;
	*length_out = (size_t)(end - start);
	return true;
}

unsigned wf_type_elements_before(const xmlNode *node)
{
	xmlNode *root;
	unsigned count = 0;

	while (node != NULL && node->type != XML_ELEMENT_NODE)
		node = node->parent;
	root = node == NULL ? NULL : xmlDocGetRootElement(node->doc);
	for (xmlNode *at = root; at != NULL && at != node;
	     at = wf_schema_next(root, at))
		count += at->type == XML_ELEMENT_NODE;
	return count;
}

/*
 * A value that does not fit its simple type; it is accepted when the type is
 * built-in and our own check, which has no limit of digits, accepts it.
 */
static void fail_value(struct wf_type_errors *errors, const char *name,
    size_t name_length, const xmlError *error)
{
	xmlChar *content = xmlNodeGetContent(error->node);
	const char *text = content == NULL ? "" : (const char *)content;
	char type[100] = "value";
	const char *quoted;
	size_t length;
	bool fails = true;

	if (strstr(error->message, " type '") != NULL &&
	    last_quoted(error->message, &quoted, &length) &&
	    length < sizeof(type)) {
		memcpy(type, quoted, length);
		type[length] = '\0';
	}
	if (strncmp(type, "xs:", 3) == 0) {
		memmove(type, type + 3, strlen(type + 3) + 1);
		fails =
		    wf_atomic_check(type, text, strlen(text), NULL) != WF_OK;
	}
	if (fails)
		wf_type_fail_value(&errors->err, name, name_length,
		    wf_type_elements_before(error->node), text, strlen(text),
		    type);
	xmlFree(content);
}

/* The part of a message after "Element 'name': [facet]". */
static const char *body_of(const char *message)
{
	const char *body = strstr(message, "': ");

	if (strncmp(message, "Element '", 9) != 0 || body == NULL)
		return message;
	body += 3;
	if (*body == '[' && strstr(body, "] ") != NULL)
		body = strstr(body, "] ") + 2;
	return body;
}

static bool is_of_facet(const xmlError *error)
{
	return error->node != NULL &&
	       error->code >= XML_SCHEMAV_CVC_LENGTH_VALID &&
	       error->code <= XML_SCHEMAV_CVC_ENUMERATION_VALID;
}

/*
 * The value has the type except for a facet; only the type of the root has a
 * name.
 */
static void fail_facet(struct wf_type_errors *errors, const char *name,
    size_t name_length, const xmlError *error, const char *why)
{
	xmlChar *content = xmlNodeGetContent(error->node);
	const char *text = content == NULL ? "" : (const char *)content;

	fail_with(&errors->err, name, name_length,
	    wf_type_elements_before(error->node), text, strlen(text),
	    name == errors->name ? errors->type : "value", why);
	xmlFree(content);
}

/* --- all mistakes --------------------------------------------------------- */

void wf_mistakes_add(struct wf_mistakes *mistakes, const char *path,
    const char *rule, const char *message)
{
	struct wf_mistake *row = &mistakes->rows[mistakes->count];

	for (size_t i = 0; i < mistakes->count; i++)
		if (strcmp(mistakes->rows[i].path, path) == 0)
			return;
	if (mistakes->count == WF_MISTAKES_COUNT)
		return;
	row->path = wf_arena_strdup(mistakes->arena, path);
	row->rule = wf_arena_strdup(mistakes->arena, rule);
	row->message = wf_arena_strdup(mistakes->arena, message);
	mistakes->count++;
}

bool wf_type_errors_wanted(const struct wf_type_errors *errors)
{
	return errors->err.rc == WF_OK ||
	       (errors->err.rc == WF_DATA && errors->mistakes != NULL &&
		   errors->mistakes->count < WF_MISTAKES_COUNT);
}

void wf_type_note(struct wf_mistakes *mistakes, const char *path,
    const char *rule, const struct wf_error *err)
{
	const char *message = err->message;
	const char *end = strstr(message, ">: ");

	if (mistakes == NULL || err->rc != WF_DATA)
		return;
	if (strncmp(message, "element <", 9) == 0 && end != NULL)
		message = end + 3;
	wf_mistakes_add(mistakes, path, rule, message);
}

/* The facet or rule of a code of libxml2. */
static const char *rule_of(int code)
{
	static const struct {
		int code;
		const char *rule;
	} rules[] = {
		{ XML_SCHEMAV_CVC_LENGTH_VALID, "length" },
		{ XML_SCHEMAV_CVC_MINLENGTH_VALID, "min_length" },
		{ XML_SCHEMAV_CVC_MAXLENGTH_VALID, "max_length" },
		{ XML_SCHEMAV_CVC_MININCLUSIVE_VALID, "min_inclusive" },
		{ XML_SCHEMAV_CVC_MAXINCLUSIVE_VALID, "max_inclusive" },
		{ XML_SCHEMAV_CVC_MINEXCLUSIVE_VALID, "min_exclusive" },
		{ XML_SCHEMAV_CVC_MAXEXCLUSIVE_VALID, "max_exclusive" },
		{ XML_SCHEMAV_CVC_TOTALDIGITS_VALID, "total_digits" },
		{ XML_SCHEMAV_CVC_FRACTIONDIGITS_VALID, "fraction_digits" },
		{ XML_SCHEMAV_CVC_PATTERN_VALID, "pattern" },
		{ XML_SCHEMAV_CVC_ENUMERATION_VALID, "enumeration" },
		{ XML_SCHEMAV_ELEMENT_CONTENT, "content" },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].code == code)
			return rules[i].rule;
	return "type";
}

/* "[2]", the number among the elements of its name; nothing if it is alone. */
static void put_position(const xmlNode *node, struct wf_buffer *path)
{
	unsigned before = 0;
	unsigned all = 0;

	for (const xmlNode *at = node->parent->children; at != NULL;
	     at = at->next) {
		if (at == node)
			before = all;
		all += at->type == XML_ELEMENT_NODE &&
		       xmlStrEqual(at->name, node->name);
	}
	if (all > 1)
		wf_buffer_printf(path, "[%u]", before + 1);
}

void wf_type_put_path(const char *root, size_t length, const xmlNode *node,
    struct wf_buffer *path)
{
	const xmlNode *chain[WF_VALUE_DEPTH_ELEMENTS + 1];
	size_t depth = 0;

	while (node != NULL && node->type != XML_ELEMENT_NODE)
		node = node->parent;
	for (; node != NULL && node->parent != (const xmlNode *)node->doc &&
	       depth <= WF_VALUE_DEPTH_ELEMENTS;
	     node = node->parent)
		chain[depth++] = node;
	wf_buffer_append(path, root, length);
	while (depth-- > 0) {
		wf_buffer_printf(path, "/%s", (const char *)chain[depth]->name);
		put_position(chain[depth], path);
	}
}

static void report(struct wf_type_errors *errors, const xmlError *error)
{
	const xmlNode *node = error->node;
	const char *name = errors->name;
	size_t name_length = errors->name_length;
	char message[400];

	if (node != NULL && node->type == XML_ELEMENT_NODE &&
	    node->parent != (const xmlNode *)node->doc) {
		name = (const char *)node->name;
		name_length = strlen(name);
	}
	if (node != NULL &&
	    strstr(error->message, " is not a valid value of the ") != NULL) {
		fail_value(errors, name, name_length, error);
		return;
	}
	tidy(message, sizeof(message), body_of(error->message));
	if (is_of_facet(error)) {
		fail_facet(errors, name, name_length, error, message);
		return;
	}
	wf_type_fail(&errors->err, name, name_length,
	    wf_type_elements_before(node), "%s", message);
}

void wf_type_on_error(void *argument, xmlError *error)
{
	struct wf_type_errors *errors = argument;
	struct wf_error first = errors->err;
	struct wf_buffer path;

	if (error->level < XML_ERR_ERROR || !wf_type_errors_wanted(errors) ||
	    error->message == NULL)
		return;
	if (error->code == XML_SCHEMAV_INTERNAL) {
		errors->gave_up = true;
		return;
	}
	wf_error_clear(&errors->err);
	report(errors, error);
	if (errors->mistakes != NULL) {
		wf_buffer_init(&path, PATH_BYTES);
		wf_type_put_path(
		    errors->name, errors->name_length, error->node, &path);
		wf_type_note(errors->mistakes, wf_buffer_text(&path),
		    rule_of(error->code), &errors->err);
		wf_buffer_free(&path);
	}
	if (first.rc != WF_OK)
		errors->err = first;
}

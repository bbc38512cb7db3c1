/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matches the names of the children of an element with a content model. The
 * names that could stand where matching ends are found by trying each of them.
 */
#include <libxml/xmlschemas.h>
#include <string.h>

#include "data/content_model_priv.h"
#include "xquery/text/unicode.h"

/* The letter of a name that the model lacks. */
#define OTHER_LETTER 0x10FFFDU
/* Bounds of the list of expected names: names, and steps for all. */
#define EXPECTED_MAXIMUM 10U
#define EXPECTED_STEPS 200000U
#define MESSAGE_BYTES 400U

static uint32_t letter_of(
    const struct wf_content_model *model, const xmlNode *child)
{
	const struct wf_model_name *name =
	    wf_map_get(model->by_name, (const char *)child->name);

	return name == NULL ? OTHER_LETTER : name->letter;
}

static void put_letters(const struct wf_content_model *model,
    const xmlNode *element, struct wf_buffer *text)
{
	wf_buffer_init(text, WF_VALUE_BYTES);
	for (const xmlNode *child = element->children; child != NULL;
	     child = child->next)
		if (child->type == XML_ELEMENT_NODE)
			wf_model_put_letter(text, letter_of(model, child));
}

/* The names that could follow the first length bytes of text. */
static unsigned put_expected(const struct wf_content_model *model,
    const char *text, size_t length, struct wf_buffer *out)
{
	uint64_t budget = EXPECTED_STEPS;
	struct wf_buffer tried;
	unsigned count = 0;

	wf_buffer_init(&tried, length + 8);
	for (const struct wf_model_name *name = model->names;
	     name != NULL && count < EXPECTED_MAXIMUM; name = name->next) {
		bool matches;
		size_t read;

		wf_buffer_reset(&tried);
		wf_buffer_append(&tried, text, length);
		wf_model_put_letter(&tried, name->letter);
		if (wf_automaton_match(model->automaton, wf_buffer_text(&tried),
			tried.length, &budget, &matches, &read, NULL) != WF_OK)
			break;
		if (read == tried.length)
			wf_buffer_printf(out, "%s%.60s",
			    count++ == 0 ? "" : ", ", name->name);
	}
	wf_buffer_free(&tried);
	return count;
}

/* As libxml2 would say; read: the bytes of text that could be matched. */
static void report(const struct wf_content_model *model, const xmlNode *element,
    const struct wf_buffer *text, size_t read, struct wf_type_errors *errors)
{
	const char *next = wf_buffer_text(text);
	const char *end = next + read;
	const xmlNode *child = element->children;
	struct wf_buffer message;
	struct wf_buffer names;
	unsigned count;
	xmlError error = { .level = XML_ERR_ERROR,
		.code = XML_SCHEMAV_ELEMENT_CONTENT };

	for (;; child = child->next) {
		while (child != NULL && child->type != XML_ELEMENT_NODE)
			child = child->next;
		if (child == NULL || next == end)
			break;
		wf_utf8_next(&next, next + 4);
	}
	wf_buffer_init(&message, MESSAGE_BYTES);
	wf_buffer_init(&names, MESSAGE_BYTES);
	wf_buffer_puts(&message, child == NULL
				     ? "Missing child element(s)"
				     : "This element is not expected");
	count = put_expected(model, wf_buffer_text(text), read, &names);
	if (count > 0)
		wf_buffer_printf(&message, ". Expected is %s( %s )",
		    count > 1 ? "one of " : "", wf_buffer_text(&names));
	error.node = (void *)(uintptr_t)(child == NULL ? element : child);
	error.message = (char *)(uintptr_t)wf_buffer_text(&message);
	wf_type_on_error(errors, &error);
	wf_buffer_free(&names);
	wf_buffer_free(&message);
}

void wf_content_model_check(const struct wf_content_model *model,
    const xmlNode *element, uint64_t *budget, struct wf_type_errors *errors)
{
	struct wf_buffer text;
	bool matches;
	size_t read;

	put_letters(model, element, &text);
	if (wf_automaton_match(model->automaton, wf_buffer_text(&text),
		text.length, budget, &matches, &read, NULL) != WF_OK)
		wf_fail(&errors->err, WF_LIMIT,
		    "element <%.60s>: the order of its elements takes more "
		    "steps to check than a step of a case has left (limit "
		    "query_steps)",
		    element->parent == (const xmlNode *)element->doc
			? errors->name
			: (const char *)element->name);
	else if (!matches)
		report(model, element, &text, read, errors);
	wf_buffer_free(&text);
}

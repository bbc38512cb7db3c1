/* SPDX-License-Identifier: Apache-2.0 */
/* A scanner that keeps the open elements on a stack of its own. */
#include "petri/xml.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

#define DEPTH_MAXIMUM 200

struct open {
	struct wf_xml *element;
	struct wf_xml **end; /* where the next child is linked */
	const char *full_name;
	struct wf_buffer text;
};

struct reader {
	struct wf_arena *arena;
	const char *at;
	const char *end;
	int line;
	struct wf_error *err;
	struct open stack[DEPTH_MAXIMUM];
	int depth;
	struct wf_xml *root;
};

static enum wf_rc fail(struct reader *r, const char *expected)
{
	enum wf_rc rc =
	    wf_fail(r->err, WF_INVALID, "no XML: expected %s", expected);

	if (r->err != NULL && r->err->place.line == 0)
		r->err->place.line = r->line;
	return rc;
}

static bool starts_with(const struct reader *r, const char *text)
{
	size_t length = strlen(text);

	return (size_t)(r->end - r->at) >= length &&
	       memcmp(r->at, text, length) == 0;
}

static void move(struct reader *r, size_t count)
{
	for (; count > 0 && r->at < r->end; count--)
		r->line += *r->at++ == '\n';
}

static bool accept(struct reader *r, const char *text)
{
	bool found = starts_with(r, text);

	if (found)
		move(r, strlen(text));
	return found;
}

/* Advances past the next occurrence of text; false: there is none. */
static bool skip_past(struct reader *r, const char *text)
{
	while (r->at < r->end && !starts_with(r, text))
		move(r, 1);
	return accept(r, text);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(struct reader *r)
{
	while (r->at < r->end && is_space(*r->at))
		move(r, 1);
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' ||
	       c == ':' || (unsigned char)c >= 0x80;
}

/* The whole name, or NULL. */
static char *read_name(struct reader *r)
{
	const char *start = r->at;

	while (r->at < r->end && is_name(*r->at))
		r->at++;
	if (r->at == start)
		return NULL;
	return wf_arena_strndup(r->arena, start, (size_t)(r->at - start));
}

static const char *without_prefix(const char *name)
{
	const char *colon = strrchr(name, ':');

	return colon == NULL ? name : colon + 1;
}

static void put_character(struct wf_buffer *text, uint32_t code)
{
	if (code < 0x80) {
		wf_buffer_putc(text, (char)code);
		return;
	}
	if (code < 0x800) {
		wf_buffer_putc(text, (char)(0xc0 | code >> 6));
	} else {
		if (code < 0x10000) {
			wf_buffer_putc(text, (char)(0xe0 | code >> 12));
		} else {
			wf_buffer_putc(text, (char)(0xf0 | code >> 18));
			wf_buffer_putc(
			    text, (char)(0x80 | (code >> 12 & 0x3f)));
		}
		wf_buffer_putc(text, (char)(0x80 | (code >> 6 & 0x3f)));
	}
	wf_buffer_putc(text, (char)(0x80 | (code & 0x3f)));
}

/* Parses after "&#"; false: no character of XML. */
static bool read_number(struct reader *r, struct wf_buffer *text)
{
	uint32_t base = accept(r, "x") ? 16 : 10;
	uint32_t code = 0;

	while (r->at < r->end && *r->at != ';' && code < 0x110000) {
		char c = *r->at++;
		uint32_t digit = 16;

		if (c >= '0' && c <= '9')
			digit = (uint32_t)(c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			digit = (uint32_t)((c | 32) - 'a') + 10;
		if (digit >= base)
			return false;
		code = code * base + digit;
	}
	if (code < 0x20 ? code != 9 && code != 10 && code != 13
			: code >= 0x110000 || (code >= 0xd800 && code < 0xe000))
		return false;
	put_character(text, code);
	return accept(r, ";");
}

/* Parses an entity at "&". */
static enum wf_rc read_reference(struct reader *r, struct wf_buffer *text)
{
	static const char *const names[] = { "&lt;", "&gt;", "&amp;", "&quot;",
		"&apos;" };
	static const char values[] = "<>&\"'";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (accept(r, names[i])) {
			wf_buffer_putc(text, values[i]);
			return WF_OK;
		}
	if (accept(r, "&#") && read_number(r, text))
		return WF_OK;
	return fail(r, "a predefined entity or a character's number");
}

static enum wf_rc read_value(struct reader *r, const char **value_out)
{
	char quote = r->at < r->end ? *r->at : '\0';
	struct wf_buffer value;
	enum wf_rc rc = WF_OK;

	if (quote != '"' && quote != '\'')
		return fail(r, "a value in quotes");
	wf_buffer_init(&value, (size_t)(r->end - r->at));
	move(r, 1);
	while (rc == WF_OK && r->at < r->end && *r->at != quote) {
		if (*r->at == '&') {
			rc = read_reference(r, &value);
		} else if (*r->at == '<') {
			rc = fail(r, "no \"<\" in a value");
		} else {
			wf_buffer_putc(&value, *r->at);
			move(r, 1);
		}
	}
	if (rc == WF_OK && r->at == r->end)
		rc = fail(r, "the end of a value");
	move(r, 1);
	*value_out =
	    wf_arena_strndup(r->arena, wf_buffer_text(&value), value.length);
	wf_buffer_free(&value);
	return rc;
}

static enum wf_rc read_attributes(struct reader *r, struct wf_xml *element)
{
	struct wf_xml_attribute **end = &element->attributes;
	enum wf_rc rc = WF_OK;

	skip_space(r);
	while (rc == WF_OK && r->at < r->end && is_name(*r->at)) {
		struct wf_xml_attribute *a =
		    wf_arena_alloc(r->arena, sizeof(*a));

		a->name = without_prefix(read_name(r));
		skip_space(r);
		if (!accept(r, "="))
			return fail(r, "\"=\"");
		skip_space(r);
		rc = read_value(r, &a->value);
		*end = a;
		end = &a->next;
		skip_space(r);
	}
	return rc;
}

/* Closes the element at the top of the stack. */
static void close_element(struct reader *r)
{
	struct open *top = &r->stack[--r->depth];
	const char *text = wf_buffer_text(&top->text);
	size_t length = top->text.length;

	while (length > 0 && is_space(text[length - 1]))
		length--;
	for (; length > 0 && is_space(*text); length--)
		text++;
	top->element->text = wf_arena_strndup(r->arena, text, length);
	top->element->source_length = (size_t)(r->at - top->element->source);
	wf_buffer_free(&top->text);
}

/* Parses a start tag after "<". */
static enum wf_rc read_start(struct reader *r)
{
	struct wf_xml *element = wf_arena_alloc(r->arena, sizeof(*element));
	const char *start = r->at - 1;
	const char *name = read_name(r);
	struct open *top;
	enum wf_rc rc;

	if (name == NULL)
		return fail(r, "the name of an element");
	if (r->depth == 0 && r->root != NULL)
		return fail(r, "one root element");
	if (r->depth == DEPTH_MAXIMUM)
		return fail(r, "fewer elements within one another");
	element->name = without_prefix(name);
	element->source = start;
	element->line = r->line;
	if (r->depth == 0) {
		r->root = element;
	} else {
		*r->stack[r->depth - 1].end = element;
		r->stack[r->depth - 1].end = &element->next;
	}
	top = &r->stack[r->depth++];
	*top = (struct open){ element, &element->children, name, { 0 } };
	wf_buffer_init(&top->text, (size_t)(r->end - r->at) + 1);
	rc = read_attributes(r, element);
	if (rc == WF_OK && accept(r, "/>")) {
		close_element(r);
		return WF_OK;
	}
	if (rc == WF_OK && !accept(r, ">"))
		rc = fail(r, "\">\"");
	return rc;
}

/* Parses an end tag after "</". */
static enum wf_rc read_end(struct reader *r)
{
	const char *name = read_name(r);

	skip_space(r);
	if (r->depth == 0 || name == NULL ||
	    strcmp(name, r->stack[r->depth - 1].full_name) != 0 ||
	    !accept(r, ">"))
		return fail(r, "the end of the element that is open");
	close_element(r);
	return WF_OK;
}

static enum wf_rc read_cdata(struct reader *r)
{
	const char *start = r->at;

	if (!skip_past(r, "]]>"))
		return fail(r, "\"]]>\"");
	if (r->depth > 0)
		wf_buffer_append(&r->stack[r->depth - 1].text, start,
		    (size_t)(r->at - start) - 3);
	return WF_OK;
}

static enum wf_rc read_text(struct reader *r)
{
	if (r->depth == 0 && !is_space(*r->at))
		return fail(r, "an element");
	if (*r->at == '&')
		return read_reference(r, &r->stack[r->depth - 1].text);
	if (r->depth > 0)
		wf_buffer_putc(&r->stack[r->depth - 1].text, *r->at);
	move(r, 1);
	return WF_OK;
}

static enum wf_rc read_next(struct reader *r)
{
	if (*r->at != '<')
		return read_text(r);
	if (accept(r, "<!--"))
		return skip_past(r, "-->") ? WF_OK : fail(r, "\"-->\"");
	if (accept(r, "<?"))
		return skip_past(r, "?>") ? WF_OK : fail(r, "\"?>\"");
	if (accept(r, "<![CDATA["))
		return read_cdata(r);
	if (starts_with(r, "<!"))
		return fail(r, "no document type declaration");
	if (accept(r, "</"))
		return read_end(r);
	move(r, 1);
	return read_start(r);
}

enum wf_rc wf_xml_read(struct wf_xml **root_out, struct wf_arena *arena,
    const char *text, size_t length, struct wf_error *err)
{
	struct reader *r = wf_calloc(1, sizeof(*r));
	enum wf_rc rc = WF_OK;

	r->arena = arena;
	r->at = text;
	r->end = text + length;
	r->line = 1;
	r->err = err;
	accept(r, "\xef\xbb\xbf");
	while (rc == WF_OK && r->at < r->end)
		rc = read_next(r);
	if (rc == WF_OK && (r->depth > 0 || r->root == NULL))
		rc = fail(r, "more");
	while (r->depth > 0)
		wf_buffer_free(&r->stack[--r->depth].text);
	*root_out = rc == WF_OK ? r->root : NULL;
	wf_free(r);
	return rc;
}

const char *wf_xml_attribute(const struct wf_xml *element, const char *name)
{
	for (const struct wf_xml_attribute *a = element->attributes; a != NULL;
	     a = a->next)
		if (strcmp(a->name, name) == 0)
			return a->value;
	return NULL;
}

const struct wf_xml *wf_xml_child(
    const struct wf_xml *element, const char *name)
{
	const struct wf_xml *child = element->children;

	while (child != NULL && strcmp(child->name, name) != 0)
		child = child->next;
	return child;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast conversion of XML text to values.
 *
 * A scanner that copies while it checks. It knows elements without prefix and
 * attributes, text, the predefined entities and character references: nearly
 * all data. At anything else it gives up, and libxml2 starts again from the
 * beginning (data/canonical.c); so this file has no error messages, and need
 * not accept all XML, but must be right when it succeeds.
 *
 * White space between elements is dropped while scanning. When the element
 * turns out to have mixed content the scanner gives up as well.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"
#include "data/canonical.h"

/* Room beyond the length of the input, for each '>' that gets longer. */
#define SLACK 48
/* Room for the end of a start tag, which is written before it is read. */
#define ROOM (SLACK + 4)

/* Inputs up to this size need no memory except that of the value. */
#define ON_STACK 2048

enum { PLAIN = 1, WHITE = 2, NAME = 4, NAME_START = 8, HIGH = 16 };

/* clang-format off */
#define X 0
#define P PLAIN
#define W WHITE
#define D (PLAIN | NAME)
#define L (PLAIN | NAME | NAME_START)

/* The class of each ASCII byte; all other bytes are HIGH. */
static const unsigned char classes[128] = {
	X, X, X, X, X, X, X, X, X, W, W, X, X, X, X, X,
	X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	W, P, P, P, P, P, X, P, P, P, P, P, P, D, D, P,
	D, D, D, D, D, D, D, D, D, D, P, P, X, P, X, P,
	P, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
	L, L, L, L, L, L, L, L, L, L, L, P, P, P, P, L,
	P, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
	L, L, L, L, L, L, L, L, L, L, L, P, P, P, P, P,
};

#undef X
#undef P
#undef W
#undef D
#undef L
/* clang-format on */

/* An open element. */
struct open_element {
	const char *name; /* in the output */
	size_t name_length;
	char *body; /* start of its content in the output */
	bool has_children;
	bool is_mixed;	  /* has text that is not only white space */
	bool has_dropped; /* white space, so it must not become mixed */
};

struct scanner {
	const char *start; /* of the input */
	const char *next;
	const char *end;
	char *output;
	char *to; /* end of the output so far */
	size_t slack;
	unsigned depth; /* open elements, also those around the value */
	struct open_element elements[WF_VALUE_DEPTH_ELEMENTS];
};

static inline unsigned class_of(char c)
{
	unsigned char byte = (unsigned char)c;

	return byte < sizeof(classes) ? classes[byte] : HIGH;
}

static bool is_continuation(const unsigned char *bytes, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if ((bytes[i] & 0xC0) != 0x80)
			return false;
	return true;
}

/* The length of the UTF-8 character at text if XML allows it, else 0. */
static size_t character_length(const char *text, const char *end)
{
	const unsigned char *b = (const unsigned char *)text;
	size_t room = (size_t)(end - text);

	if (b[0] < 0xE0)
		return b[0] >= 0xC2 && room >= 2 && is_continuation(b, 2) ? 2
									  : 0;
	if (b[0] < 0xF0) {
		if (room < 3 || !is_continuation(b, 3) ||
		    (b[0] == 0xE0 && b[1] < 0xA0) ||
		    (b[0] == 0xED && b[1] >= 0xA0) ||
		    (b[0] == 0xEF && b[1] == 0xBF && b[2] >= 0xBE))
			return 0;
		return 3;
	}
	if (b[0] > 0xF4 || room < 4 || !is_continuation(b, 4) ||
	    (b[0] == 0xF0 && b[1] < 0x90) || (b[0] == 0xF4 && b[1] >= 0x90))
		return 0;
	return 4;
}

static bool is_character(uint32_t c)
{
	if (c < 0x20)
		return c == '\t' || c == '\n' || c == '\r';
	return c < 0xD800 || (c >= 0xE000 && c < 0xFFFE) ||
	       (c >= 0x10000 && c <= 0x10FFFF);
}

static void put(struct scanner *scanner, const char *text, size_t length)
{
	memcpy(scanner->to, text, length);
	scanner->to += length;
}

static void put_character(struct scanner *scanner, uint32_t c)
{
	char *to = scanner->to;

	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xC0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3F));
	} else if (c < 0x10000) {
		*to++ = (char)(0xE0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3F));
		*to++ = (char)(0x80 | (c & 0x3F));
	} else {
		*to++ = (char)(0xF0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3F));
		*to++ = (char)(0x80 | (c >> 6 & 0x3F));
		*to++ = (char)(0x80 | (c & 0x3F));
	}
	scanner->to = to;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* text: between "&#" and ';'. */
static bool read_number(const char *text, size_t length, uint32_t *c_out)
{
	int base = 10;
	uint32_t c = 0;

	if (length > 0 && text[0] == 'x') {
		base = 16;
		text++;
		length--;
	}
	if (length == 0 || length > 8)
		return false;
	for (size_t i = 0; i < length; i++) {
		int digit = digit_of(text[i]);

		if (digit >= base)
			return false;
		c = c * (uint32_t)base + (uint32_t)digit;
	}
	*c_out = c;
	return is_character(c);
}

static bool read_reference(const char *name, size_t length, uint32_t *c_out)
{
	static const struct {
		const char *name;
		uint32_t c;
	} entities[] = { { "amp", '&' }, { "lt", '<' }, { "gt", '>' },
		{ "quot", '"' }, { "apos", '\'' } };

	if (length > 1 && name[0] == '#')
		return read_number(name + 1, length - 1, c_out);
	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
		if (strlen(entities[i].name) == length &&
		    memcmp(entities[i].name, name, length) == 0) {
			*c_out = entities[i].c;
			return true;
		}
	return false;
}

/* At '&'.  The output never grows longer than the reference. */
static bool scan_reference(struct scanner *scanner, bool *white)
{
	const char *name = scanner->next + 1;
	size_t room = (size_t)(scanner->end - name);
	const char *semicolon = memchr(name, ';', room < 16 ? room : 16);
	uint32_t c;

	if (semicolon == NULL ||
	    !read_reference(name, (size_t)(semicolon - name), &c))
		return false;
	scanner->next = semicolon + 1;
	if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
		*white = false;
	if (c == '&')
		put(scanner, "&amp;", 5);
	else if (c == '<')
		put(scanner, "&lt;", 4);
	else if (c == '>')
		put(scanner, "&gt;", 4);
	else if (c == '\r')
		put(scanner, "&#13;", 5);
	else
		put_character(scanner, c);
	return true;
}

/* At '>' in a text: canonical text escapes it, and "]]>" is not allowed. */
static bool scan_greater(struct scanner *scanner)
{
	const char *at = scanner->next;

	if (scanner->slack < 3 ||
	    (at - scanner->start >= 2 && at[-1] == ']' && at[-2] == ']'))
		return false;
	scanner->slack -= 3;
	put(scanner, "&gt;", 4);
	scanner->next++;
	return true;
}

/* At a byte other than '<', white space and plain characters. */
static bool scan_special(struct scanner *scanner, bool *white)
{
	const char *next = scanner->next;
	size_t length;

	switch (*next) {
	case '&':
		return scan_reference(scanner, white);
	case '>':
		*white = false;
		return scan_greater(scanner);
	case '\r':
		*scanner->to++ = '\n';
		scanner->next +=
		    scanner->end - next > 1 && next[1] == '\n' ? 2 : 1;
		return true;
	default:
		if (class_of(*next) != HIGH)
			return false;
		length = character_length(next, scanner->end);
		put(scanner, next, length);
		scanner->next += length;
		*white = false;
		return length != 0;
	}
}

/* Copies text up to the next '<'. */
static bool copy_text(struct scanner *scanner, bool *white)
{
	const char *end = scanner->end;

	while (scanner->next < end && *scanner->next != '<') {
		const char *p = scanner->next;
		char *to = scanner->to;

		while (p < end && (class_of(*p) & WHITE) != 0)
			*to++ = *p++;
		if (p < end && (class_of(*p) & PLAIN) != 0)
			*white = false;
		while (p < end && (class_of(*p) & (PLAIN | WHITE)) != 0)
			*to++ = *p++;
		scanner->to = to;
		scanner->next = p;
		if (p < end && *p != '<' && !scan_special(scanner, white))
			return false;
	}
	return end - scanner->next >= 2;
}

/* Ends the text before the next tag; only white space may be dropped. */
static bool scan_text(struct scanner *scanner, struct open_element *element)
{
	char *start = scanner->to;
	bool white = true;

	if (!copy_text(scanner, &white))
		return false;
	if (!white) {
		element->is_mixed = true;
		return !element->has_dropped;
	}
	if (scanner->to == start || element->is_mixed ||
	    (scanner->next[1] == '/' && !element->has_children))
		return true;
	scanner->to = start;
	element->has_dropped = true;
	return true;
}

/* Copies a name; its length, or 0. */
static size_t scan_name(struct scanner *scanner)
{
	const char *start = scanner->next;
	const char *p = start;
	char *to = scanner->to;

	if (p == scanner->end || (class_of(*p) & NAME_START) == 0)
		return 0;
	while (p < scanner->end && (class_of(*p) & NAME) != 0)
		*to++ = *p++;
	scanner->next = p;
	scanner->to = to;
	return (size_t)(p - start);
}

static void skip_white(struct scanner *scanner)
{
	while (scanner->next < scanner->end &&
	       (class_of(*scanner->next) == WHITE || *scanner->next == '\r'))
		scanner->next++;
}

/* Accepts one byte if it is the next one. */
static bool take(struct scanner *scanner, char c)
{
	if (scanner->next == scanner->end || *scanner->next != c)
		return false;
	scanner->next++;
	return true;
}

/*
 * At '<' of a start tag.  Opens the element; *empty_out when it was closed
 * at once.
 */
static bool scan_start(struct scanner *scanner, bool *empty_out)
{
	struct open_element *element = &scanner->elements[scanner->depth];

	if (scanner->depth == WF_VALUE_DEPTH_ELEMENTS)
		return false;
	scanner->next++;
	*scanner->to++ = '<';
	element->name = scanner->to;
	element->name_length = scan_name(scanner);
	if (element->name_length == 0)
		return false;
	skip_white(scanner);
	*empty_out = take(scanner, '/');
	if (*empty_out)
		*scanner->to++ = '/';
	*scanner->to++ = '>';
	element->body = scanner->to;
	element->has_children = false;
	element->is_mixed = false;
	element->has_dropped = false;
	return take(scanner, '>');
}

/* Copies the name of an end tag if it matches the start tag. */
static bool match_name(struct scanner *scanner, const char *name, size_t length)
{
	const char *p = scanner->next;
	char *to = scanner->to;

	if ((size_t)(scanner->end - p) <= length)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (p[i] != name[i])
			return false;
		*to++ = name[i];
	}
	scanner->next += length;
	scanner->to = to;
	return true;
}

/* At "</": closes the innermost element. */
static bool scan_end(struct scanner *scanner)
{
	const struct open_element *element =
	    &scanner->elements[scanner->depth - 1];
	char *tag = scanner->to;

	scanner->next += 2;
	*scanner->to++ = '<';
	*scanner->to++ = '/';
	if (!match_name(scanner, element->name, element->name_length))
		return false;
	skip_white(scanner);
	*scanner->to++ = '>';
	scanner->depth--;
	if (tag == element->body) {
		/* No content: "/>" replaces ">". */
		scanner->to = tag - 1;
		put(scanner, "/>", 2);
	}
	return take(scanner, '>');
}

/* At '<': copies one element with its content to scanner->to. */
static bool scan_element(struct scanner *scanner)
{
	unsigned outside = scanner->depth;
	bool empty;

	do {
		struct open_element *element;

		if (scanner->next[1] == '/' && scanner->depth > outside) {
			if (!scan_end(scanner))
				return false;
		} else {
			if (!scan_start(scanner, &empty))
				return false;
			if (scanner->depth > outside)
				scanner->elements[scanner->depth - 1]
				    .has_children = true;
			if (!empty)
				scanner->depth++;
		}
		if (scanner->depth == outside)
			return true;
		element = &scanner->elements[scanner->depth - 1];
		if (!scan_text(scanner, element))
			return false;
	} while (true);
}

/* At '<' of a tag that is not an end tag, after white space. */
static bool at_element(struct scanner *scanner)
{
	skip_white(scanner);
	return scanner->end - scanner->next >= 2 && *scanner->next == '<';
}

static bool at_end(struct scanner *scanner)
{
	skip_white(scanner);
	return scanner->next == scanner->end;
}

static struct wf_value *make_value(const struct scanner *scanner)
{
	size_t length = (size_t)(scanner->to - scanner->output);

	/* The output gets ahead of the input by at most the slack. */
	wf_assert((size_t)(scanner->next - scanner->start) + ROOM >= length);
	return wf_value_new_canonical(scanner->output, length,
	    scanner->elements[scanner->depth].name_length);
}

static bool scan_document(struct scanner *scanner, struct wf_value **value_out)
{
	if (!at_element(scanner) || !scan_element(scanner) || !at_end(scanner))
		return false;
	*value_out = make_value(scanner);
	return true;
}

/* The elements in the root element. */
static bool scan_children(struct scanner *scanner, struct wf_value_list *list)
{
	bool empty;

	if (!at_element(scanner) || !scan_start(scanner, &empty))
		return false;
	list->root = wf_strndup(
	    scanner->elements[0].name, scanner->elements[0].name_length);
	if (empty)
		return at_end(scanner);
	/* The name stays before the output, for the end tag. */
	scanner->depth = 1;
	scanner->output = scanner->to;
	while (at_element(scanner) && scanner->next[1] != '/') {
		scanner->to = scanner->output;
		scanner->slack = SLACK;
		if (list->count == WF_VALUE_CHILDREN || !scan_element(scanner))
			return false;
		wf_value_list_add(list, make_value(scanner));
	}
	return scanner->end - scanner->next >= 2 && *scanner->next == '<' &&
	       scan_end(scanner) && at_end(scanner);
}

/*
 * Into *value_out; when value_out is NULL, the children of the root into list.
 */
static bool scan(struct wf_value **value_out, struct wf_value_list *list,
    const char *xml, size_t length)
{
	char small[ON_STACK + ROOM];
	struct scanner scanner;
	char *output = small;
	bool done;

	if (length > ON_STACK)
		output = wf_malloc(length + ROOM);
	scanner.start = xml;
	scanner.next = xml;
	scanner.end = xml + length;
	scanner.output = output;
	scanner.to = output;
	scanner.slack = SLACK;
	scanner.depth = 0;
	if (value_out == NULL)
		done = scan_children(&scanner, list);
	else
		done = scan_document(&scanner, value_out);
	if (length > ON_STACK)
		wf_free(output);
	return done;
}

static enum wf_rc too_large(struct wf_error *err)
{
	return wf_fail(err, WF_LIMIT,
	    "the XML text is larger than the limit of %u bytes",
	    WF_VALUE_BYTES);
}

enum wf_rc wf_value_parse(struct wf_value **value_out, const char *xml,
    size_t length, struct wf_error *err)
{
	struct wf_value_list list = { NULL, NULL, 0 };
	enum wf_rc rc;

	*value_out = NULL;
	if (length > WF_VALUE_BYTES)
		return too_large(err);
	if (length <= WF_VALUE_BYTES - SLACK &&
	    scan(value_out, NULL, xml, length))
		return WF_OK;
	rc = wf_canonical_read(&list, false, xml, length, err);
	if (rc != WF_OK)
		return rc;
	*value_out = wf_value_ref(list.values[0]);
	wf_value_list_free(&list);
	return WF_OK;
}

enum wf_rc wf_value_parse_content(struct wf_value **value_out, const char *name,
    const char *content, size_t length, struct wf_error *err)
{
	struct wf_error mine = { .rc = WF_OK };
	struct wf_buffer buffer;
	enum wf_rc rc;

	*value_out = NULL;
	if (length > WF_VALUE_BYTES)
		return too_large(err);
	wf_buffer_init(&buffer, SIZE_MAX / 2);
	wf_buffer_printf(&buffer, "<%s>", name);
	wf_buffer_append(&buffer, content, length);
	wf_buffer_printf(&buffer, "</%s>", name);
	rc = wf_value_parse(value_out, buffer.data, buffer.length, &mine);
	wf_buffer_free(&buffer);
	if (rc == WF_OK)
		return rc;
	/* The place must be relative to the content. */
	if (mine.place.line == 1)
		mine.place.column -= (int)strlen(name) + 2;
	if (mine.place.column < 0)
		mine.place.column = 0;
	if (err != NULL && err->rc == WF_OK)
		*err = mine;
	return rc;
}

enum wf_rc wf_value_list_parse(struct wf_value_list *list_out, const char *xml,
    size_t length, struct wf_error *err)
{
	memset(list_out, 0, sizeof(*list_out));
	if (length > WF_VALUE_BYTES)
		return too_large(err);
	if (length <= WF_VALUE_BYTES - SLACK &&
	    scan(NULL, list_out, xml, length))
		return WF_OK;
	wf_value_list_free(list_out);
	return wf_canonical_read(list_out, true, xml, length, err);
}

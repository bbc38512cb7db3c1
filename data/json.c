/* SPDX-License-Identifier: Apache-2.0 */
#include "data/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/tree.h>

#include "base/memory.h"
#include "base/panic.h"
#include "data/shape.h"
#include "data/tree.h"
#include "xquery/atomic/atomic.h"
#include "xquery/atomic/decimal.h"
#include "xquery/text/unicode.h"

/* A decimal of so many digits is the same after it was a double. */
#define EXACT_DIGITS 15U
#define DIGITS_SIZE 64
static_assert(DIGITS_SIZE >= WF_DECIMAL_TEXT && DIGITS_SIZE >= WF_NUMBER_TEXT,
    "any number fits");
#define DEPTH_MAXIMUM 512U

/* --- to JSON -------------------------------------------------------------- */

static json_t *must(json_t *json)
{
	if (json == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	return json;
}

static json_t *string_of(const char *text)
{
	json_t *json = json_string(text);

	return json != NULL ? json : must(json_string(""));
}

/* The XML of the content of the element. */
static json_t *content_of(xmlNode *node)
{
	xmlBuffer *buffer = xmlBufferCreate();
	json_t *json;

	for (xmlNode *child = node->children; child != NULL;
	     child = child->next)
		xmlNodeDump(buffer, node->doc, child, 0, 0);
	json = string_of((const char *)xmlBufferContent(buffer));
	xmlBufferFree(buffer);
	return json;
}

/* The digits of text are those of a number, not hexadecimal or a word. */
static bool is_numeral(struct wf_string text)
{
	for (size_t i = 0; i < text.length; i++)
		if (strchr("+-.0123456789eE", text.text[i]) == NULL)
			return false;
	return true;
}

static size_t count_digits(const char *text)
{
	size_t count = 0;

	for (; *text != '\0'; text++)
		count += *text >= '0' && *text <= '9';
	return count;
}

/* A decimal would be rounded to WF_DECIMAL_SCALE of them. */
static size_t fraction_digits(struct wf_string number)
{
	const char *point = memchr(number.text, '.', number.length);

	return point == NULL
		   ? 0
		   : (size_t)(number.text + number.length - point - 1);
}

/* A JSON number if every reader gets the same value. */
static json_t *number_of(const struct wf_shape *shape, const char *content)
{
	struct wf_string trimmed = wf_atomic_trim(content, strlen(content));
	char digits[DIGITS_SIZE];
	struct wf_decimal decimal;
	bool exact;
	char *end;
	double real;

	if (trimmed.length == 0)
		return string_of(content);
	if (fraction_digits(trimmed) <= WF_DECIMAL_SCALE &&
	    wf_decimal_parse(trimmed.text, trimmed.length, false, &decimal) ==
		WF_LEXICAL_OK) {
		wf_decimal_text(decimal, digits);
		exact = count_digits(digits) <= EXACT_DIGITS;
		/* Of a double, zero has a sign. */
		if (shape->kind == WF_SHAPE_DOUBLE && *trimmed.text == '-' &&
		    strcmp(digits, "0") == 0)
			return must(json_real(-0.0));
		if (exact && strchr(digits, '.') == NULL)
			return must(json_integer(strtoll(digits, NULL, 10)));
		if (exact)
			return must(json_real(strtod(digits, NULL)));
	}
	real = strtod(trimmed.text, &end);
	if (shape->kind == WF_SHAPE_DECIMAL || !is_numeral(trimmed) ||
	    !isfinite(real) || end != trimmed.text + trimmed.length)
		return string_of(content);
	return must(json_real(real));
}

static json_t *boolean_of(const char *content)
{
	struct wf_string word = wf_atomic_trim(content, strlen(content));

	if (word.length == 4 && memcmp(word.text, "true", 4) == 0)
		return must(json_true());
	if (word.length == 5 && memcmp(word.text, "false", 5) == 0)
		return must(json_false());
	if (word.length == 1 && (word.text[0] == '0' || word.text[0] == '1'))
		return must(json_boolean(word.text[0] == '1'));
	return string_of(content);
}

static json_t *simple_of(const struct wf_shape *shape, xmlNode *node)
{
	xmlChar *content;
	json_t *json;

	for (xmlNode *child = node->children; child != NULL;
	     child = child->next)
		if (child->type == XML_ELEMENT_NODE)
			return content_of(node);
	content = xmlNodeGetContent(node);
	if (content == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	if (shape->kind == WF_SHAPE_BOOLEAN)
		json = boolean_of((const char *)content);
	else if (shape->kind == WF_SHAPE_TEXT)
		json = string_of((const char *)content);
	else
		json = number_of(shape, (const char *)content);
	xmlFree(content);
	return json;
}

static json_t *json_of(const struct wf_shape *shape, xmlNode *node);

/* NULL when the value has something that the record does not. */
static json_t *record_of(const struct wf_shape *shape, xmlNode *node)
{
	json_t *object = must(json_object());

	for (xmlNode *child = node->children; child != NULL;
	     child = child->next) {
		const char *name = (const char *)child->name;
		const struct wf_member *member = NULL;
		json_t *before;

		if (child->type == XML_ELEMENT_NODE)
			member = wf_shape_find(shape, name);
		else if (xmlIsBlankNode(child))
			continue;
		before = member == NULL ? NULL : json_object_get(object, name);
		if (member == NULL || (before != NULL && !member->is_many)) {
			json_decref(object);
			return NULL;
		}
		if (member->is_many && before == NULL) {
			before = must(json_array());
			json_object_set_new(object, name, before);
		}
		if (before != NULL)
			json_array_append_new(
			    before, json_of(member->shape, child));
		else
			json_object_set_new(
			    object, name, json_of(member->shape, child));
	}
	return object;
}

static json_t *json_of(const struct wf_shape *shape, xmlNode *node)
{
	json_t *json = NULL;

	if (shape->kind < WF_SHAPE_RECORD)
		return simple_of(shape, node);
	if (shape->kind == WF_SHAPE_RECORD)
		json = record_of(shape, node);
	return json != NULL ? json : content_of(node);
}

json_t *wf_json_of_value(
    const struct wf_type *type, const struct wf_value *value)
{
	struct wf_value *one = (struct wf_value *)(uintptr_t)value;
	xmlDoc *tree = wf_tree_build(&one, 1, NULL);
	json_t *json = json_of(wf_type_shape(type), xmlDocGetRootElement(tree));

	xmlFreeDoc(tree);
	return json;
}

/* --- from JSON ------------------------------------------------------------ */

/* The path to the current member, for messages. */
struct place {
	const struct place *outer;
	const char *name; /* NULL: an entry of an array */
	size_t index;
	unsigned depth;
};

static void put_place(const struct place *place, struct wf_buffer *path)
{
	if (place->outer != NULL)
		put_place(place->outer, path);
	if (place->name == NULL)
		wf_buffer_printf(path, "[%zu]", place->index);
	else
		wf_buffer_printf(path, "%s%.80s",
		    place->outer == NULL ? "" : ".", place->name);
}

static enum wf_rc unexpected(
    const struct place *place, const char *what, struct wf_error *err)
{
	struct wf_buffer path;
	enum wf_rc rc;

	wf_buffer_init(&path, 400);
	put_place(place, &path);
	rc = wf_fail(
	    err, WF_DATA, "%s: expected %s", wf_buffer_text(&path), what);
	wf_buffer_free(&path);
	return rc;
}

/* A finite number in XQuery's form, such as -1.5E-20, without exponent. */
static void put_plain(const char *number, struct wf_buffer *xml)
{
	size_t length = strcspn(number, "E");
	long exponent =
	    number[length] == 'E' ? strtol(number + length + 1, NULL, 10) : 0;
	size_t sign = *number == '-';
	char digits[DIGITS_SIZE];
	long count = 0;
	long before = 0; /* digits before the point */

	for (size_t i = sign; i < length; i++)
		if (number[i] == '.')
			before = count;
		else
			digits[count++] = number[i];
	before =
	    (memchr(number, '.', length) == NULL ? count : before) + exponent;
	if (strchr(number, 'E') != NULL)
		while (count > 1 && digits[count - 1] == '0')
			count--;
	wf_buffer_puts(xml, sign == 1 ? "-" : "");
	if (before <= 0)
		wf_buffer_puts(xml, "0.");
	for (long i = before; i < 0; i++)
		wf_buffer_putc(xml, '0');
	for (long i = 0; i < count || i < before; i++) {
		if (i == before && i > 0)
			wf_buffer_putc(xml, '.');
		wf_buffer_putc(xml, i < count ? digits[i] : '0');
	}
}

/*
 * As written: clients write a double with as few digits as give the same double
 * again, and jansson gives no more than the double.
 */
static void put_number(
    const struct wf_shape *shape, const json_t *json, struct wf_buffer *xml)
{
	char digits[DIGITS_SIZE];

	if (json_is_integer(json)) {
		wf_buffer_printf(
		    xml, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
		return;
	}
	wf_number_text(json_real_value(json), false, digits);
	if (shape->kind == WF_SHAPE_DOUBLE)
		wf_buffer_puts(xml, digits);
	else
		put_plain(digits, xml);
}

/* XML excludes most control characters, even as references. */
static bool is_xml_text(const char *text, size_t length)
{
	for (const char *end = text + length; text < end;)
		if (!wf_is_xml_char(wf_utf8_next(&text, end)))
			return false;
	return true;
}

static enum wf_rc put_text(const struct place *place, const json_t *json,
    struct wf_buffer *xml, struct wf_error *err)
{
	const char *text = json_string_value(json);
	size_t length = json_string_length(json);

	if (!is_xml_text(text, length))
		return unexpected(place,
		    "no character that XML does not have, such as \\u0008",
		    err);
	wf_buffer_escape(xml, text, length, false);
	return WF_OK;
}

/* The content of an element, given as XML; checked before it is used. */
static enum wf_rc put_content(const struct place *place, const char *name,
    const json_t *json, struct wf_buffer *xml, struct wf_error *err)
{
	const char *content;
	struct wf_value *value;
	size_t length;
	enum wf_rc rc = wf_value_parse_content(&value, name,
	    json_string_value(json), json_string_length(json), NULL);

	if (rc != WF_OK)
		return unexpected(place, "well-formed XML", err);
	content = wf_value_content(value, &length, NULL);
	wf_buffer_append(xml, content, length);
	wf_value_unref(&value);
	return WF_OK;
}

static enum wf_rc put_element(const struct wf_shape *shape,
    const struct place *place, const char *name, const json_t *json,
    struct wf_buffer *xml, struct wf_error *err);

/* One member: each entry of an array, or the single value. */
static enum wf_rc put_member(const struct wf_member *member,
    const struct place *outer, const json_t *json, struct wf_buffer *xml,
    struct wf_error *err)
{
	struct place place = { outer, member->name, 0, outer->depth + 1 };
	enum wf_rc rc = WF_OK;

	if (!member->is_many || !json_is_array(json))
		return put_element(
		    member->shape, &place, member->name, json, xml, err);
	for (size_t i = 0; i < json_array_size(json) && rc == WF_OK; i++) {
		struct place entry = { &place, NULL, i, outer->depth + 1 };

		rc = put_element(member->shape, &entry, member->name,
		    json_array_get(json, i), xml, err);
	}
	return rc;
}

static enum wf_rc put_record(const struct wf_shape *shape,
    const struct place *place, const json_t *json, struct wf_buffer *xml,
    struct wf_error *err)
{
	json_t *object = (json_t *)(uintptr_t)json; /* only read */
	const char *name;
	json_t *child;
	enum wf_rc rc = WF_OK;

	json_object_foreach(object, name, child)
	{
		struct place unknown = { place, name, 0, 0 };

		if (wf_shape_find(shape, name) == NULL)
			return unexpected(&unknown,
			    "another name: its type has no such element", err);
	}
	for (size_t i = 0; i < shape->count && rc == WF_OK; i++) {
		child = json_object_get(json, shape->members[i].name);
		if (child != NULL)
			rc = put_member(
			    &shape->members[i], place, child, xml, err);
	}
	return rc;
}

static const char *const expected[] = {
	[WF_SHAPE_TEXT] = "a string",
	[WF_SHAPE_BOOLEAN] = "true or false",
	[WF_SHAPE_DECIMAL] = "a number, or a string with one",
	[WF_SHAPE_DOUBLE] = "a number, or a string with one",
	[WF_SHAPE_RECORD] =
	    "an object, or a string with the XML of its content",
	[WF_SHAPE_XML] = "a string with the XML of its content",
};

static enum wf_rc put_inside(const struct wf_shape *shape,
    const struct place *place, const char *name, const json_t *json,
    struct wf_buffer *xml, struct wf_error *err)
{
	bool is_simple = shape->kind < WF_SHAPE_RECORD;

	if (place->depth > DEPTH_MAXIMUM)
		return unexpected(place, "less depth", err);
	if (json_is_string(json) && is_simple)
		return put_text(place, json, xml, err);
	if (json_is_string(json))
		return put_content(place, name, json, xml, err);
	else if (json_is_object(json) && shape->kind == WF_SHAPE_RECORD)
		return put_record(shape, place, json, xml, err);
	else if (json_is_boolean(json) && shape->kind != WF_SHAPE_RECORD)
		wf_buffer_puts(xml, json_is_true(json) ? "true" : "false");
	else if (json_is_number(json) && shape->kind != WF_SHAPE_RECORD)
		put_number(shape, json, xml);
	else
		return unexpected(place, expected[shape->kind], err);
	return WF_OK;
}

static enum wf_rc put_element(const struct wf_shape *shape,
    const struct place *place, const char *name, const json_t *json,
    struct wf_buffer *xml, struct wf_error *err)
{
	enum wf_rc rc;

	if (json_is_null(json))
		return WF_OK;
	wf_buffer_printf(xml, "<%s>", name);
	rc = put_inside(shape, place, name, json, xml, err);
	wf_buffer_printf(xml, "</%s>", name);
	if (rc == WF_OK && xml->full)
		rc = wf_fail(err, WF_LIMIT, "the data is too large");
	return rc;
}

enum wf_rc wf_json_put_xml(const struct wf_type *type, const char *name,
    const json_t *json, struct wf_buffer *xml, struct wf_error *err)
{
	struct place place = { NULL, name, 0, 0 };

	return put_element(wf_type_shape(type), &place, name, json, xml, err);
}

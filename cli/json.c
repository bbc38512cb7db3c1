/* SPDX-License-Identifier: Apache-2.0 */
/* One function per kind of value; depth is bounded. */
#include "cli/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAXIMUM 100

struct reader {
	struct wf_arena *arena;
	const char *at;
	const char *end;
	int line;
	int depth;
	struct wf_error *err;
};

static enum wf_rc fail(struct reader *r, const char *expected)
{
	enum wf_rc rc =
	    wf_fail(r->err, WF_INVALID, "no JSON: expected %s", expected);

	if (r->err != NULL)
		r->err->place.line = r->line;
	return rc;
}

static void skip_space(struct reader *r)
{
	for (; r->at < r->end; r->at++) {
		if (*r->at == '\n')
			r->line++;
		else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r')
			return;
	}
}

/* The next character, or NUL at the end; a NUL in the text is no JSON. */
static char peek(const struct reader *r)
{
	return r->at < r->end ? *r->at : '\0';
}

static bool accept(struct reader *r, char c)
{
	if (peek(r) != c || c == '\0')
		return false;
	r->at++;
	return true;
}

/* --- Strings --- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Four digits; UINT32_MAX when they are not there. */
static uint32_t read_hex(struct reader *r)
{
	uint32_t code = 0;

	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(peek(r));

		if (digit < 0)
			return UINT32_MAX;
		code = code << 4 | (uint32_t)digit;
		r->at++;
	}
	return code;
}

static char *put_character(char *to, uint32_t code)
{
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	}
	return to;
}

/* After "\u"; false when it is no character, or NUL. */
static bool read_unicode(struct reader *r, char **to)
{
	uint32_t code = read_hex(r);
	uint32_t low;

	if (code >= 0xd800 && code < 0xdc00) {
		if (!accept(r, '\\') || !accept(r, 'u'))
			return false;
		low = read_hex(r);
		if (low < 0xdc00 || low > 0xdfff)
			return false;
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	} else if (code == 0 || code > 0xffff ||
		   (code >= 0xdc00 && code < 0xe000)) {
		return false;
	}
	*to = put_character(*to, code);
	return true;
}

static bool read_escape(struct reader *r, char **to)
{
	static const char names[] = "\"\\/bfnrt";
	static const char values[] = "\"\\/\b\f\n\r\t";
	const char *name;

	if (accept(r, 'u'))
		return read_unicode(r, to);
	name = peek(r) == '\0' ? NULL : strchr(names, peek(r));
	if (name == NULL)
		return false;
	*(*to)++ = values[name - names];
	r->at++;
	return true;
}

/* The closing quote ends the search; escaped ones do not. */
static const char *string_end(const struct reader *r)
{
	const char *at = r->at;

	while (at < r->end && *at != '"')
		at += *at == '\\' ? 2 : 1;
	return at < r->end ? at : NULL;
}

static enum wf_rc read_string(struct reader *r, const char **text_out)
{
	const char *end;
	char *text;
	char *to;

	if (!accept(r, '"'))
		return fail(r, "a string");
	end = string_end(r);
	if (end == NULL)
		return fail(r, "a closing quote");
	text = to = wf_arena_alloc(r->arena, (size_t)(end - r->at) + 1);
	while (r->at < end) {
		if ((unsigned char)*r->at < 0x20)
			return fail(r, "no control character in a string");
		if (accept(r, '\\')) {
			if (!read_escape(r, &to))
				return fail(r, "an escape sequence of JSON");
		} else {
			*to++ = *r->at++;
		}
	}
	r->at = end + 1;
	*text_out = text;
	return WF_OK;
}

/* --- The others --- */

static enum wf_rc read_value(struct reader *r, struct wf_json *json);

static enum wf_rc read_word(struct reader *r, struct wf_json *json,
    const char *word, enum wf_json_kind kind)
{
	size_t length = strlen(word);

	if ((size_t)(r->end - r->at) < length ||
	    memcmp(r->at, word, length) != 0)
		return fail(r, "a value");
	r->at += length;
	json->kind = kind;
	return WF_OK;
}

static bool skip_digits(struct reader *r)
{
	const char *start = r->at;

	while (peek(r) >= '0' && peek(r) <= '9')
		r->at++;
	return r->at > start;
}

static enum wf_rc read_number(struct reader *r, struct wf_json *json)
{
	const char *start = r->at;
	bool good;

	accept(r, '-');
	good = accept(r, '0') || skip_digits(r);
	if (good && accept(r, '.'))
		good = skip_digits(r);
	if (good && (accept(r, 'e') || accept(r, 'E'))) {
		if (!accept(r, '+'))
			accept(r, '-');
		good = skip_digits(r);
	}
	if (!good)
		return fail(r, "a value");
	json->kind = WF_JSON_NUMBER;
	json->text = wf_arena_strndup(r->arena, start, (size_t)(r->at - start));
	return WF_OK;
}

static enum wf_rc read_member(
    struct reader *r, struct wf_json *item, bool named)
{
	enum wf_rc rc = WF_OK;

	skip_space(r);
	if (named) {
		rc = read_string(r, &item->name);
		skip_space(r);
		if (rc == WF_OK && !accept(r, ':'))
			rc = fail(r, "a colon");
	}
	return rc == WF_OK ? read_value(r, item) : rc;
}

/* The opening bracket was read. */
static enum wf_rc read_items(struct reader *r, struct wf_json *json, char close)
{
	size_t capacity = 0;
	enum wf_rc rc = WF_OK;

	skip_space(r);
	if (accept(r, close))
		return WF_OK;
	while (rc == WF_OK) {
		struct wf_json item = { .kind = WF_JSON_NULL };

		rc = read_member(r, &item, close == '}');
		if (rc != WF_OK)
			break;
		json->items = wf_arena_grow(r->arena, json->items, json->count,
		    &capacity, sizeof(item));
		json->items[json->count++] = item;
		skip_space(r);
		if (accept(r, close))
			return WF_OK;
		if (!accept(r, ','))
			rc = fail(r, "a comma or the closing bracket");
	}
	return rc;
}

static enum wf_rc read_nested(
    struct reader *r, struct wf_json *json, enum wf_json_kind kind, char close)
{
	enum wf_rc rc;

	if (r->depth == DEPTH_MAXIMUM)
		return fail(r, "fewer brackets within one another");
	r->depth++;
	json->kind = kind;
	rc = read_items(r, json, close);
	r->depth--;
	return rc;
}

static enum wf_rc read_value(struct reader *r, struct wf_json *json)
{
	skip_space(r);
	json->line = r->line;
	switch (peek(r)) {
	case '{':
		r->at++;
		return read_nested(r, json, WF_JSON_OBJECT, '}');
	case '[':
		r->at++;
		return read_nested(r, json, WF_JSON_ARRAY, ']');
	case '"':
		json->kind = WF_JSON_STRING;
		return read_string(r, &json->text);
	case 't':
		return read_word(r, json, "true", WF_JSON_TRUE);
	case 'f':
		return read_word(r, json, "false", WF_JSON_FALSE);
	case 'n':
		return read_word(r, json, "null", WF_JSON_NULL);
	default:
		return read_number(r, json);
	}
}

enum wf_rc wf_json_read(struct wf_json *json_out, struct wf_arena *arena,
    const char *text, size_t length, struct wf_error *err)
{
	struct reader r = { arena, text, text + length, 1, 0, err };
	enum wf_rc rc;

	*json_out = (struct wf_json){ .kind = WF_JSON_NULL };
	rc = read_value(&r, json_out);
	skip_space(&r);
	if (rc == WF_OK && r.at != r.end)
		rc = fail(&r, "nothing more");
	return rc;
}

const struct wf_json *wf_json_member(
    const struct wf_json *json, const char *name)
{
	const struct wf_json *found = NULL;

	if (json != NULL && json->kind == WF_JSON_OBJECT)
		for (size_t i = 0; i < json->count; i++)
			if (strcmp(json->items[i].name, name) == 0)
				found = &json->items[i];
	return found;
}

bool wf_json_whole(
    const struct wf_json *json, uint32_t maximum, uint32_t *number_out)
{
	unsigned long long number;

	if (json == NULL || json->kind != WF_JSON_NUMBER ||
	    json->text[strspn(json->text, "0123456789")] != '\0')
		return false;
	errno = 0;
	number = strtoull(json->text, NULL, 10);
	if (errno != 0 || number > maximum)
		return false;
	*number_out = (uint32_t)number;
	return true;
}

size_t wf_json_character(const unsigned char *text)
{
	size_t size = text[0] < 0x80	? 1
		      : text[0] >= 0xf0 ? 4
		      : text[0] >= 0xe0 ? 3
		      : text[0] >= 0xc2 ? 2
					: 0;

	for (size_t i = 1; i < size; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return size;
}

void wf_json_put_string(struct wf_buffer *buffer, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	wf_buffer_putc(buffer, '"');
	while (*at != '\0') {
		size_t size = wf_json_character(at);

		if (size == 0)
			wf_buffer_puts(buffer, "\\ufffd");
		else if (*at == '"' || *at == '\\')
			wf_buffer_printf(buffer, "\\%c", *at);
		else if (*at == '\n')
			wf_buffer_puts(buffer, "\\n");
		else if (*at < 0x20 || *at == 0x7f)
			wf_buffer_printf(buffer, "\\u%04x", *at);
		else
			wf_buffer_append(buffer, at, size);
		at += size == 0 ? 1 : size;
	}
	wf_buffer_putc(buffer, '"');
}

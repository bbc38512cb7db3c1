/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions on strings.  Lengths and positions count characters, not bytes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/panic.h"
#include "xquery/functions/functions_priv.h"
#include "xquery/text/unicode.h"

WF_BUILT_IN(codepoints_to_string)
{
	struct wf_buffer *text = wf_text_begin(dynamic);
	char bytes[4];

	(void)count;
	wf_charge(dynamic, arguments[0].count);
	for (size_t i = 0; i < arguments[0].count; i++) {
		wf_int128 code =
		    arguments[0].items[i].as.atomic.as.decimal.coefficient;

		if (code < 0 || code >= WF_UNICODE_END ||
		    !wf_is_xml_char((uint32_t)code))
			return wf_atomic_fail(dynamic, "FOCH0001",
			    "%lld is not the code of a character",
			    (long long)code);
		wf_buffer_append(
		    text, bytes, wf_utf8_put((uint32_t)code, bytes));
	}
	return wf_return_text(dynamic, result);
}

WF_BUILT_IN(string_to_codepoints)
{
	struct wf_string text = wf_argument_string(dynamic, arguments, 0);
	const char *next = text.text;
	const char *end = next + text.length;

	(void)count;
	wf_charge_characters(dynamic, 6 * text.length);
	while (next < end) {
		enum wf_rc rc = wf_return_integer(
		    dynamic, result, wf_utf8_next(&next, end));

		if (rc != WF_OK)
			return rc;
	}
	return WF_OK;
}

WF_BUILT_IN(compare)
{
	enum wf_rc rc = wf_argument_collation(dynamic, arguments, count, 2);

	if (rc != WF_OK)
		return rc;
	if (!wf_argument(arguments, 0) || !wf_argument(arguments, 1))
		return WF_OK;
	return wf_return_integer(dynamic, result,
	    wf_string_compare(wf_argument_string(dynamic, arguments, 0),
		wf_argument_string(dynamic, arguments, 1)));
}

WF_BUILT_IN(codepoint_equal)
{
	wf_assert(count == 2);
	if (!wf_argument(arguments, 0) || !wf_argument(arguments, 1))
		return WF_OK;
	return wf_return_boolean(dynamic, result,
	    wf_string_compare(wf_argument_string(dynamic, arguments, 0),
		wf_argument_string(dynamic, arguments, 1)) == 0);
}

WF_BUILT_IN(default_collation)
{
	(void)arguments;
	(void)count;
	return wf_return_string(dynamic, result, WF_CODEPOINT_COLLATION,
	    strlen(WF_CODEPOINT_COLLATION));
}

/* The texts of count strings, with a separator between them, in one. */
static enum wf_rc join(struct wf_dynamic *dynamic,
    const struct wf_string *strings, size_t count, struct wf_string separator,
    struct wf_sequence *result)
{
	size_t length = 0;
	size_t at = 0;
	char *text;

	for (size_t i = 0; i < count; i++)
		length += strings[i].length + (i > 0 ? separator.length : 0);
	wf_charge_text(dynamic, length);
	wf_charge(dynamic, count);
	text = wf_atomic_room(dynamic, length);
	if (!text)
		return WF_LIMIT;
	for (size_t i = 0; i < count; i++) {
		if (i > 0) {
			memcpy(text + at, separator.text, separator.length);
			at += separator.length;
		}
		memcpy(text + at, strings[i].text, strings[i].length);
		at += strings[i].length;
	}
	return wf_return_string(dynamic, result, text, length);
}

static struct wf_string *room_for_strings(
    struct wf_dynamic *dynamic, size_t count)
{
	return (struct wf_string *)(void *)wf_atomic_room(
	    dynamic, count * sizeof(struct wf_string));
}

WF_BUILT_IN(concat)
{
	struct wf_string *strings = room_for_strings(dynamic, count);

	if (!strings)
		return WF_LIMIT;
	for (size_t i = 0; i < count; i++) {
		const struct wf_atomic *a = wf_argument(arguments, i);

		strings[i] = a ? wf_atomic_text(dynamic, a)
			       : (struct wf_string){ "", 0 };
	}
	return join(
	    dynamic, strings, count, (struct wf_string){ "", 0 }, result);
}

WF_BUILT_IN(string_join)
{
	size_t parts = arguments[0].count;
	struct wf_string *strings = room_for_strings(dynamic, parts);
	struct wf_string separator = { "", 0 };

	if (!strings)
		return WF_LIMIT;
	for (size_t i = 0; i < parts; i++)
		strings[i] =
		    wf_atomic_text(dynamic, &arguments[0].items[i].as.atomic);
	if (count > 1)
		separator = wf_argument_string(dynamic, arguments, 1);
	return join(dynamic, strings, parts, separator, result);
}

/* fn:round(), as precise as positions need. */
static double round_position(double number)
{
	double below = floor(number);

	/*
	 * Adding a half and rounding down would round 0.49999999999999994 up.
	 */
	return number - below < 0.5 ? below : below + 1;
}

WF_BUILT_IN(substring)
{
	struct wf_string text = wf_argument_string(dynamic, arguments, 0);
	double start = round_position(wf_argument(arguments, 1)->as.number);
	double stop = INFINITY;
	size_t from;
	size_t to;

	if (count > 2)
		stop = start +
		       round_position(wf_argument(arguments, 2)->as.number);
	/* Written so that NaN gives an empty string. */
	if (!(stop > 1 && start < stop && start <= (double)text.length))
		return wf_return_string(dynamic, result, "", 0);
	from = start <= 1
		   ? 0
		   : wf_utf8_offset(text.text, text.length, (size_t)start - 1);
	to = stop > (double)text.length
		 ? text.length
		 : wf_utf8_offset(text.text, text.length, (size_t)stop - 1);
	return wf_return_string(dynamic, result, text.text + from, to - from);
}

WF_BUILT_IN(string_length)
{
	struct wf_string text = wf_argument_string(dynamic, arguments, 0);

	(void)count;
	return wf_return_integer(
	    dynamic, result, (int64_t)wf_utf8_count(text.text, text.length));
}

WF_BUILT_IN(normalize_space)
{
	struct wf_string text = wf_argument_string(dynamic, arguments, 0);
	struct wf_atomic token;
	enum wf_rc rc = wf_atomic_parse(
	    dynamic, WF_XS_TOKEN, text.text, text.length, &token);

	(void)count;
	if (rc != WF_OK)
		return rc;
	return wf_return_string(
	    dynamic, result, token.as.string.text, token.as.string.length);
}

/* Compares without regard to case. */
static bool is_word(struct wf_string text, const char *word)
{
	return text.length == strlen(word) &&
	       strncasecmp(text.text, word, text.length) == 0;
}

WF_BUILT_IN(normalize_unicode)
{
	struct wf_string text = wf_argument_string(dynamic, arguments, 0);
	struct wf_string form = { "NFC", 3 };
	struct wf_buffer *out = wf_text_begin(dynamic);

	if (count > 1) {
		form = wf_argument_string(dynamic, arguments, 1);
		form = wf_atomic_trim(form.text, form.length);
	}
	if (form.length == 0)
		return wf_return_string(
		    dynamic, result, text.text, text.length);
	if (!is_word(form, "NFC") && !is_word(form, "NFD"))
		return wf_atomic_fail(dynamic, "FOCH0003",
		    "the normalization form \"%.*s\" is not supported",
		    WF_SHOWN(form.text, form.length));
	/* Marks are expensive. */
	for (size_t i = 0; i < text.length; i++)
		wf_charge(dynamic, (unsigned char)text.text[i] < 0x80 ? 1 : 16);
	wf_unicode_normalize(out, text.text, text.length, is_word(form, "NFC"));
	return wf_return_text(dynamic, result);
}

static enum wf_rc map_text(struct wf_dynamic *dynamic,
    const struct wf_sequence *arguments, struct wf_sequence *result,
    void (*map)(struct wf_buffer *, const char *, size_t))
{
	struct wf_string text = wf_argument_string(dynamic, arguments, 0);
	struct wf_buffer *out = wf_text_begin(dynamic);

	wf_charge_characters(dynamic, 2 * text.length);
	map(out, text.text, text.length);
	return wf_return_text(dynamic, result);
}

WF_BUILT_IN(upper_case)
{
	(void)count;
	return map_text(dynamic, arguments, result, wf_unicode_upper);
}

WF_BUILT_IN(lower_case)
{
	(void)count;
	return map_text(dynamic, arguments, result, wf_unicode_lower);
}

/* The replacement of one character by translate(). */
struct translation {
	uint32_t from;
	uint32_t place; /* in the second argument: the first one counts */
	uint32_t to;	/* WF_UNICODE_END: removed */
};

static int compare_translation(const void *a, const void *b)
{
	const struct translation *x = a;
	const struct translation *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Sorted, for binary search. */
static struct translation *make_translations(struct wf_dynamic *dynamic,
    struct wf_string from, struct wf_string to, size_t *count_out)
{
	size_t count = wf_utf8_count(from.text, from.length);
	struct translation *list = (struct translation *)(void *)wf_atomic_room(
	    dynamic, count * sizeof(*list));
	const char *next = from.text;
	const char *next_to = to.text;

	*count_out = 0;
	wf_charge(dynamic, 4 * count);
	if (!list)
		return NULL;
	for (size_t i = 0; i < count && next < from.text + from.length; i++) {
		list[i].from = wf_utf8_next(&next, from.text + from.length);
		list[i].place = (uint32_t)i;
		list[i].to = next_to < to.text + to.length
				 ? wf_utf8_next(&next_to, to.text + to.length)
				 : WF_UNICODE_END;
		*count_out = i + 1;
	}
	qsort(list, *count_out, sizeof(*list), compare_translation);
	return list;
}

/* The first entry of the sorted list for the character; NULL: it stays. */
static const struct translation *translation_of(
    const struct translation *list, size_t count, uint32_t character)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list[middle].from < character)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && list[low].from == character ? &list[low] : NULL;
}

WF_BUILT_IN(translate)
{
	struct wf_string text = wf_argument_string(dynamic, arguments, 0);
	const char *next = text.text;
	const char *end = next + text.length;
	size_t known;
	const struct translation *list = make_translations(dynamic,
	    wf_argument_string(dynamic, arguments, 1),
	    wf_argument_string(dynamic, arguments, 2), &known);
	struct wf_buffer *out = wf_text_begin(dynamic);
	char bytes[4];

	(void)count;
	if (!list)
		return WF_LIMIT;
	wf_charge_characters(dynamic, 2 * text.length);
	while (next < end) {
		uint32_t character = wf_utf8_next(&next, end);
		const struct translation *translation =
		    translation_of(list, known, character);

		if (translation)
			character = translation->to;
		if (character != WF_UNICODE_END)
			wf_buffer_append(
			    out, bytes, wf_utf8_put(character, bytes));
	}
	return wf_return_text(dynamic, result);
}

/* The position of needle in text; NULL: there is none. */
static const char *find(struct wf_string text, struct wf_string needle)
{
	return memmem(text.text, text.length, needle.text, needle.length);
}

WF_BUILT_IN(contains)
{
	enum wf_rc rc = wf_argument_collation(dynamic, arguments, count, 2);

	if (rc != WF_OK)
		return rc;
	return wf_return_boolean(dynamic, result,
	    find(wf_argument_string(dynamic, arguments, 0),
		wf_argument_string(dynamic, arguments, 1)) != NULL);
}

static bool has_token(struct wf_string text, struct wf_string token)
{
	const char *end = text.text + text.length;
	const char *start;

	for (const char *next = text.text; next < end; next++) {
		start = next;
		while (next < end && !wf_is_xml_space(*next))
			next++;
		if ((size_t)(next - start) == token.length &&
		    memcmp(start, token.text, token.length) == 0)
			return true;
	}
	return false;
}

WF_BUILT_IN(contains_token)
{
	struct wf_string token = wf_argument_string(dynamic, arguments, 1);
	enum wf_rc rc = wf_argument_collation(dynamic, arguments, count, 2);
	bool found = false;

	token = wf_atomic_trim(token.text, token.length);
	for (size_t i = 0; i < arguments[0].count && rc == WF_OK && !found &&
			   token.length > 0;
	     i++) {
		struct wf_string text =
		    arguments[0].items[i].as.atomic.as.string;

		rc = wf_spend(dynamic, 1 + text.length / 16);
		found = has_token(text, token);
	}
	return rc == WF_OK ? wf_return_boolean(dynamic, result, found) : rc;
}

WF_BUILT_IN(default_language)
{
	(void)arguments;
	(void)count;
	return wf_return_atomic(
	    dynamic, result, wf_atomic_string(WF_XS_LANGUAGE, "en", 2));
}

WF_BUILT_IN(starts_with)
{
	struct wf_string text = wf_argument_string(dynamic, arguments, 0);
	struct wf_string start = wf_argument_string(dynamic, arguments, 1);
	enum wf_rc rc = wf_argument_collation(dynamic, arguments, count, 2);

	if (rc != WF_OK)
		return rc;
	return wf_return_boolean(dynamic, result,
	    start.length <= text.length &&
		memcmp(text.text, start.text, start.length) == 0);
}

WF_BUILT_IN(ends_with)
{
	struct wf_string text = wf_argument_string(dynamic, arguments, 0);
	struct wf_string end = wf_argument_string(dynamic, arguments, 1);
	enum wf_rc rc = wf_argument_collation(dynamic, arguments, count, 2);

	if (rc != WF_OK)
		return rc;
	return wf_return_boolean(dynamic, result,
	    end.length <= text.length &&
		memcmp(text.text + text.length - end.length, end.text,
		    end.length) == 0);
}

WF_BUILT_IN(substring_before)
{
	struct wf_string text = wf_argument_string(dynamic, arguments, 0);
	const char *at = find(text, wf_argument_string(dynamic, arguments, 1));
	enum wf_rc rc = wf_argument_collation(dynamic, arguments, count, 2);

	if (rc != WF_OK)
		return rc;
	return wf_return_string(
	    dynamic, result, text.text, at ? (size_t)(at - text.text) : 0);
}

WF_BUILT_IN(substring_after)
{
	struct wf_string text = wf_argument_string(dynamic, arguments, 0);
	struct wf_string needle = wf_argument_string(dynamic, arguments, 1);
	const char *at = find(text, needle);
	enum wf_rc rc = wf_argument_collation(dynamic, arguments, count, 2);

	if (rc != WF_OK)
		return rc;
	if (!at)
		return wf_return_string(dynamic, result, "", 0);
	at += needle.length;
	return wf_return_string(
	    dynamic, result, at, text.length - (size_t)(at - text.text));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Splitting first, unescaping afterwards: see the header. */
#include "http/target.h"

#include <string.h>
#include <strings.h>

#include "base/panic.h"
#include "xquery/text/unicode.h"

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* plus: "+" means a space, as in queries and forms. */
static enum wf_rc unescape(const char *text, size_t length, bool plus,
    struct wf_arena *arena, const char **out, struct wf_error *err)
{
	char *plain = wf_arena_alloc(arena, length + 1);
	size_t used = 0;

	for (size_t i = 0; i < length; i++) {
		int high = 0;
		int low = 0;

		plain[used] = plus && text[i] == '+' ? ' ' : text[i];
		if (text[i] == '%') {
			high = i + 2 < length ? digit(text[i + 1]) : -1;
			low = i + 2 < length ? digit(text[i + 2]) : -1;
			plain[used] = (char)(high * 16 + low);
			i += 2;
		}
		if (high < 0 || low < 0 || plain[used] == '\0')
			return wf_fail(err, WF_INVALID,
			    "the request has a %% that is no escape");
		used++;
	}
	wf_assert(used <= length); /* an escape is longer than its byte */
	*out = plain;
	if (!wf_is_utf8(plain, used))
		return wf_fail(err, WF_INVALID, "the request is not UTF-8");
	return WF_OK;
}

static enum wf_rc read_path(struct wf_target *target, const char *path,
    size_t length, struct wf_arena *arena, struct wf_error *err)
{
	const char *end = path + length;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && path < end && *path == '/') {
		size_t part;

		path++;
		part = strcspn(path, "/?#");
		if (path + part > end)
			part = (size_t)(end - path);
		if (target->segment_count == WF_TARGET_SEGMENTS)
			return wf_fail(
			    err, WF_NOT_FOUND, "there is nothing at this path");
		wf_assert(target->segment_count < WF_TARGET_SEGMENTS);
		rc = unescape(path, part, false, arena,
		    &target->segments[target->segment_count++], err);
		path += part;
	}
	return rc;
}

static enum wf_rc read_argument(struct wf_target *target, const char *text,
    size_t length, struct wf_arena *arena, struct wf_error *err)
{
	struct wf_argument *argument =
	    &target->arguments[target->argument_count];
	const char *equals = memchr(text, '=', length);
	size_t name = equals == NULL ? length : (size_t)(equals - text);
	size_t value = equals == NULL ? length : name + 1;
	enum wf_rc rc;

	if (target->argument_count == WF_TARGET_ARGUMENTS)
		return wf_fail(err, WF_INVALID,
		    "the request has more than %u arguments",
		    WF_TARGET_ARGUMENTS);
	rc = unescape(text, name, true, arena, &argument->name, err);
	if (rc == WF_OK)
		rc = unescape(text + value, length - value, true, arena,
		    &argument->value, err);
	if (rc != WF_OK)
		return rc;
	if (wf_target_argument(target, argument->name) != NULL)
		return wf_fail(
		    err, WF_INVALID, "%.100s: given twice", argument->name);
	target->argument_count++;
	wf_assert(target->argument_count <= WF_TARGET_ARGUMENTS);
	return WF_OK;
}

enum wf_rc wf_target_read(struct wf_target *target, const char *text,
    struct wf_arena *arena, struct wf_error *err)
{
	size_t length;
	enum wf_rc rc;

	memset(target, 0, sizeof(*target));
	if (strncasecmp(text, "http://", 7) == 0 ||
	    strncasecmp(text, "https://", 8) == 0) {
		text = strchr(text, ':') + 3;
		text += strcspn(text, "/?#");
	}
	length = strcspn(text, "?#");
	rc = read_path(target, text, length, arena, err);
	text += length;
	while (rc == WF_OK && (*text == '?' || *text == '&')) {
		text++;
		length = strcspn(text, "&#");
		if (length > 0)
			rc = read_argument(target, text, length, arena, err);
		text += length;
	}
	return rc;
}

enum wf_rc wf_target_add_form(struct wf_target *target, const char *text,
    size_t length, struct wf_arena *arena, struct wf_error *err)
{
	const char *end = text + length;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && text < end) {
		const char *next = memchr(text, '&', (size_t)(end - text));

		if (next == NULL)
			next = end;
		if (next > text)
			rc = read_argument(
			    target, text, (size_t)(next - text), arena, err);
		text = next + 1;
	}
	return rc;
}

const char *wf_target_argument(const struct wf_target *target, const char *name)
{
	for (size_t i = 0; i < target->argument_count; i++)
		if (strcmp(target->arguments[i].name, name) == 0)
			return target->arguments[i].value;
	return NULL;
}

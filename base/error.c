/* SPDX-License-Identifier: Apache-2.0 */
/* The table of result codes, and the functions that record a failure. */
#include "base/error.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	int http;
	int exit;
} rc_table[] = {
#define WF_RC(name, http, exit, meaning) { #name, http, exit },
#include "base/rc.def"
#undef WF_RC
};

#define RC_COUNT (sizeof(rc_table) / sizeof(rc_table[0]))

/* Characters that were cut in two become "?", so that text stays UTF-8. */
static void mend_characters(char *text)
{
	unsigned char *at = (unsigned char *)text;

	while (*at != '\0') {
		size_t length = *at < 0x80   ? 1
				: *at < 0xC0 ? 0
				: *at < 0xE0 ? 2
				: *at < 0xF0 ? 3
					     : 4;
		size_t i = 1;

		while (i < length && (at[i] & 0xC0) == 0x80)
			i++;
		if (i != length) {
			*at = '?';
			length = 1;
		}
		at += length;
	}
}

void wf_write_sentence(
    char *text, size_t size, const char *format, va_list arguments)
{
	vsnprintf(text, size, format, arguments);
	mend_characters(text);
}

static enum wf_rc fail_va(struct wf_error *err, enum wf_rc rc, const char *code,
    const char *format, va_list arguments)
{
	if (err == NULL)
		return rc;
	if (err->rc != WF_OK)
		return err->rc;
	err->rc = rc;
	snprintf(err->code, sizeof(err->code), "%s", code);
	wf_write_sentence(
	    err->message, sizeof(err->message), format, arguments);
	return rc;
}

enum wf_rc wf_fail(struct wf_error *err, enum wf_rc rc, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	rc = fail_va(err, rc, "", format, arguments);
	va_end(arguments);
	return rc;
}

enum wf_rc wf_fail_code(struct wf_error *err, enum wf_rc rc, const char *code,
    const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	rc = fail_va(err, rc, code, format, arguments);
	va_end(arguments);
	return rc;
}

void wf_error_prefix(struct wf_error *err, const char *format, ...)
{
	char context[sizeof(err->message)];
	char message[sizeof(err->message)];
	va_list arguments;
	size_t length;

	if (err == NULL)
		return;
	va_start(arguments, format);
	wf_write_sentence(context, sizeof(context), format, arguments);
	va_end(arguments);
	memcpy(message, err->message, sizeof(message));
	length = strlen(context);
	if (length > sizeof(message) - 3)
		length = sizeof(message) - 3;
	memcpy(err->message, context, length);
	memcpy(err->message + length, ": ", 3);
	strncat(err->message, message, sizeof(err->message) - length - 3);
	mend_characters(err->message);
}

void wf_error_clear(struct wf_error *err)
{
	memset(err, 0, sizeof(*err));
}

const char *wf_rc_name(enum wf_rc rc)
{
	return (size_t)rc < RC_COUNT ? rc_table[rc].name : "UNKNOWN";
}

enum wf_rc wf_rc_by_name(const char *name)
{
	for (size_t i = 0; i < RC_COUNT; i++) {
		if (strcmp(rc_table[i].name, name) == 0)
			return (enum wf_rc)i;
	}
	return WF_BUG;
}

int wf_rc_http(enum wf_rc rc)
{
	return (size_t)rc < RC_COUNT ? rc_table[rc].http : 500;
}

int wf_rc_exit(enum wf_rc rc)
{
	return (size_t)rc < RC_COUNT ? rc_table[rc].exit : 1;
}

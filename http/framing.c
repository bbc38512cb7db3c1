/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd takes the first Content-Length, keeps a blank before the colon
 * as a part of the name, and appends a folded line to the name of its field:
 * "X: y", " Content-Length: 5" is "XContent-Length: 5" with the value "y".  So
 * a name that is no token shows a field that a folded line hides, and a name
 * that only begins with one of the two below shows a folded length.
 *
 * A line without a name, ": y", ends the head for libmicrohttpd 0.9.75, unless
 * it is the first one: what follows would be read as a second request.  It is
 * found by its place: the bytes of the head stay where they were received, with
 * each end of a line set to zero, so two ends of lines stand after the last
 * value, and nothing else.  (":\n" after "\r\n" looks like "\r\n"; a proxy does
 * not send ends of both kinds.)
 */
#include "http/framing.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char one_line[] =
    "expected names of headers without blanks, and each header on one line";

static bool is_token(const char *text)
{
	static const char allowed[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "!#$%&'*+-.^_`|~";

	return *text != '\0' && text[strspn(text, allowed)] == '\0';
}

/* Control characters, without the tab. */
static bool has_control(const char *text)
{
	for (; *text != '\0'; text++)
		if (((unsigned char)*text < ' ' && *text != '\t') ||
		    *text == 0x7f)
			return true;
	return false;
}

/* The characters of a host and a port (RFC 3986, section 3.2). */
static bool is_host(const char *text)
{
	static const char allowed[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "-._~!$&'()*+;=%:[]";

	return text[strspn(text, allowed)] == '\0';
}

static bool begins_with(const char *name, const char *prefix)
{
	return strncasecmp(name, prefix, strlen(prefix)) == 0;
}

static void fail(struct wf_framing *framing, const char *expected)
{
	if (framing->fault == NULL)
		framing->fault = expected;
}

void wf_framing_take(
    struct wf_framing *framing, const char *name, const char *value)
{
	framing->last = value + strlen(value);
	if (!is_token(name))
		fail(framing, one_line);
	if (has_control(value))
		fail(framing, "expected headers without control characters");
	if (strcasecmp(name, "Host") == 0) {
		framing->hosts++;
		if (!is_host(value))
			fail(framing, "Host: expected HOST or HOST:PORT");
	} else if (strcasecmp(name, "Content-Length") == 0) {
		framing->lengths++;
	} else if (strcasecmp(name, "Transfer-Encoding") == 0) {
		framing->encodings++;
		if (strcasecmp(value, "chunked") != 0)
			fail(framing, "Transfer-Encoding: expected chunked");
	} else if (begins_with(name, "Content-Length") ||
		   begins_with(name, "Transfer-Encoding")) {
		fail(framing, one_line);
	}
}

/* Twice "\n", or twice "\r\n". */
void wf_framing_end(struct wf_framing *framing, const char *end)
{
	ptrdiff_t gap = framing->last == NULL ? 2 : end - framing->last;

	if (gap != 2 && gap != 4)
		fail(framing, one_line);
}

const char *wf_framing_fault(
    const struct wf_framing *framing, const char *version, const char *target)
{
	bool is_1_0 = strcmp(version, "HTTP/1.0") == 0;

	if (framing->fault != NULL)
		return framing->fault;
	if (framing->lengths + framing->encodings > 1)
		return "expected one header of Content-Length or "
		       "Transfer-Encoding";
	if (is_1_0 && framing->encodings > 0)
		return "HTTP/1.0 has no Transfer-Encoding";
	if (framing->hosts > 1 || (framing->hosts == 0 && !is_1_0))
		return "expected one header Host";
	if (strpbrk(target, " \t") != NULL || has_control(target))
		return "expected a target without blanks";
	return NULL;
}

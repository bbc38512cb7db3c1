/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as RFC 8259 has it: a strict reader that makes a tree, and what is
 * needed to write strings.
 */
#ifndef WF_CLI_JSON_H
#define WF_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

enum wf_json_kind {
	WF_JSON_NULL,
	WF_JSON_FALSE,
	WF_JSON_TRUE,
	WF_JSON_NUMBER,
	WF_JSON_STRING,
	WF_JSON_ARRAY,
	WF_JSON_OBJECT
};

struct wf_json {
	enum wf_json_kind kind;
	int line;
	const char *name; /* of a member of an object */
	/*
	 * A string's text (UTF-8, without NUL inside), a number's digits.
	 */
	const char *text;
	struct wf_json *items; /* of an array, members of an object */
	size_t count;
};

/* Reads one value into the arena; WF_INVALID says in which line it is not. */
enum wf_rc wf_json_read(struct wf_json *json_out, struct wf_arena *arena,
    const char *text, size_t length, struct wf_error *err) WF_MUSTCHECK;

/* The member of an object, the last of that name; NULL when there is none. */
const struct wf_json *wf_json_member(
    const struct wf_json *json, const char *name);

/* False when it is no whole number from 0 to maximum. */
bool wf_json_whole(
    const struct wf_json *json, uint32_t maximum, uint32_t *number_out);

/* The bytes of the character at text; 0 when they are not UTF-8. */
size_t wf_json_character(const unsigned char *text);
/* Text as a JSON string, with its quotes; what is not UTF-8 is replaced. */
void wf_json_put_string(struct wf_buffer *buffer, const char *text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The target of a request, "/v1/items/7:A%2FB/start?limit=5", in parts.
 *
 * The text is split before it is unescaped, so an escaped slash belongs to its
 * segment.  All parts are UTF-8 without NUL, in the arena.
 */
#ifndef WF_HTTP_TARGET_H
#define WF_HTTP_TARGET_H

#include <stddef.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"

struct wf_argument {
	const char *name;
	const char *value; /* "" when there is no "=" */
};

struct wf_target {
	const char *segments[WF_TARGET_SEGMENTS]; /* of "/": one, "" */
	size_t segment_count;
	struct wf_argument arguments[WF_TARGET_ARGUMENTS];
	size_t argument_count;
};

/*
 * text: the target, with or without scheme and host.  WF_INVALID: a wrong
 * escape, not UTF-8, an argument given twice or too many; WF_NOT_FOUND: more
 * segments than any path has.
 */
enum wf_rc wf_target_read(struct wf_target *target, const char *text,
    struct wf_arena *arena, struct wf_error *err) WF_MUSTCHECK;
/*
 * Adds the arguments of a form (application/x-www-form-urlencoded) of that
 * length.  WF_INVALID as above.
 */
enum wf_rc wf_target_add_form(struct wf_target *target, const char *text,
    size_t length, struct wf_arena *arena, struct wf_error *err) WF_MUSTCHECK;
/* NULL: there is no such argument. */
const char *wf_target_argument(
    const struct wf_target *target, const char *name);

#endif

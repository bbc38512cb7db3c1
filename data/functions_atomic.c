/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of the built-in functions on atomic values, and how they take
 * arguments and give results.
 */
#include "data/functions_priv.h"

#include <string.h>

const struct wf_function wf_atomic_functions[] = {
#define WF_FUNCTION(space, name, minimum, maximum, signature, c_name)          \
	{ space, name, minimum, maximum, signature, wf_fn_##c_name },
#include "data/functions_atomic.def"
#undef WF_FUNCTION
};

const size_t wf_atomic_function_count =
    sizeof(wf_atomic_functions) / sizeof(wf_atomic_functions[0]);

const struct wf_atomic *wf_argument(
    const struct wf_sequence *arguments, size_t i)
{
	return arguments[i].count == 0 ? NULL
				       : &arguments[i].items[0].as.atomic;
}

struct wf_string wf_argument_string(
    const struct wf_sequence *arguments, size_t i)
{
	const struct wf_atomic *atomic = wf_argument(arguments, i);

	return atomic ? atomic->as.string : (struct wf_string){ "", 0 };
}

enum wf_rc wf_argument_collation(struct wf_dynamic *dynamic,
    const struct wf_sequence *arguments, size_t count, size_t i)
{
	struct wf_string uri;

	if (count <= i)
		return WF_OK;
	uri = wf_argument_string(arguments, i);
	if (uri.length == strlen(WF_CODEPOINT_COLLATION) &&
	    memcmp(uri.text, WF_CODEPOINT_COLLATION, uri.length) == 0)
		return WF_OK;
	return wf_atomic_fail(dynamic, "FOCH0002",
	    "there is no collation \"%.*s\"", WF_SHOWN(uri.text, uri.length));
}

enum wf_rc wf_return_atomic(struct wf_dynamic *dynamic,
    struct wf_sequence *result, struct wf_atomic atomic)
{
	return wf_sequence_add_atomic(dynamic, result, atomic);
}

enum wf_rc wf_return_boolean(
    struct wf_dynamic *dynamic, struct wf_sequence *result, bool boolean)
{
	return wf_return_atomic(dynamic, result, wf_atomic_boolean(boolean));
}

enum wf_rc wf_return_integer(
    struct wf_dynamic *dynamic, struct wf_sequence *result, int64_t integer)
{
	return wf_return_atomic(dynamic, result, wf_atomic_integer(integer));
}

enum wf_rc wf_return_string(struct wf_dynamic *dynamic,
    struct wf_sequence *result, const char *text, size_t length)
{
	return wf_return_atomic(
	    dynamic, result, wf_atomic_string(WF_XS_STRING, text, length));
}

void wf_text_init(struct wf_dynamic *dynamic, struct wf_buffer *buffer)
{
	size_t held = wf_arena_size(dynamic->arena);

	wf_buffer_init(buffer,
	    held < dynamic->memory_limit ? dynamic->memory_limit - held : 0);
}

enum wf_rc wf_return_buffer(struct wf_dynamic *dynamic,
    struct wf_sequence *result, struct wf_buffer *buffer)
{
	size_t length = buffer->length;
	char *text = buffer->full ? wf_atomic_room(dynamic, SIZE_MAX - 1)
				  : wf_atomic_room(dynamic, length);

	if (text)
		memcpy(text, wf_buffer_text(buffer), length);
	wf_buffer_free(buffer);
	if (!text)
		return WF_LIMIT;
	return wf_return_string(dynamic, result, text, length);
}

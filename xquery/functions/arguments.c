/* SPDX-License-Identifier: Apache-2.0 */
/* How built-in functions take their arguments and return their results. */
#include <string.h>

#include "xquery/functions/functions_priv.h"

const struct wf_atomic *wf_argument(
    const struct wf_sequence *arguments, size_t i)
{
	return arguments[i].count == 0 ? NULL
				       : &arguments[i].items[0].as.atomic;
}

struct wf_string wf_argument_string(
    struct wf_dynamic *dynamic, const struct wf_sequence *arguments, size_t i)
{
	const struct wf_atomic *atomic = wf_argument(arguments, i);

	if (!atomic)
		return (struct wf_string){ "", 0 };
	wf_charge_text(dynamic, atomic->as.string.length);
	return atomic->as.string;
}

enum wf_rc wf_argument_collation(struct wf_dynamic *dynamic,
    const struct wf_sequence *arguments, size_t count, size_t i)
{
	struct wf_string uri;

	if (count <= i)
		return WF_OK;
	uri = wf_argument_string(dynamic, arguments, i);
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

enum wf_rc wf_return_text(
    struct wf_dynamic *dynamic, struct wf_sequence *result)
{
	const struct wf_buffer *buffer = &dynamic->text;
	size_t length = buffer->length;
	char *text =
	    wf_atomic_room(dynamic, buffer->full ? SIZE_MAX - 1 : length);

	if (!text)
		return WF_LIMIT;
	memcpy(text, wf_buffer_text(buffer), length);
	wf_charge_text(dynamic, length);
	return wf_return_string(dynamic, result, text, length);
}

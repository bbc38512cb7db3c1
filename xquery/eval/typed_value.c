/* SPDX-License-Identifier: Apache-2.0 */
/* Typed values of items, effective boolean values, and text made of them. */
#include <math.h>
#include <string.h>

#include "xquery/eval/eval.h"
#include "xquery/tree/node.h"

struct wf_atomic wf_atomize(
    struct wf_dynamic *dynamic, const struct wf_item *item)
{
	enum wf_atomic_type type = WF_XS_UNTYPED;
	struct wf_string text;

	if (!item->is_node)
		return item->as.atomic;
	text = wf_node_string(dynamic, item->as.node);
	if (item->as.node->type == XML_COMMENT_NODE ||
	    item->as.node->type == XML_PI_NODE ||
	    item->as.node->type == XML_NAMESPACE_DECL)
		type = WF_XS_STRING;
	return wf_atomic_string(type, text.text, text.length);
}

enum wf_rc wf_convert(struct wf_dynamic *dynamic, struct wf_atomic *atomic,
    enum wf_atomic_type type)
{
	struct wf_atomic before = *atomic;

	return wf_atomic_cast(dynamic, &before, type, atomic);
}

enum wf_rc wf_sequence_atomize(struct wf_dynamic *dynamic,
    const struct wf_sequence *items, struct wf_sequence *result)
{
	for (size_t i = 0; i < items->count; i++)
		WF_TRY(wf_sequence_add_atomic(
		    dynamic, result, wf_atomize(dynamic, &items->items[i])));
	return WF_OK;
}

enum wf_rc wf_sequence_join(struct wf_dynamic *dynamic,
    const struct wf_sequence *items, struct wf_string *text_out)
{
	struct wf_string *parts;
	size_t length = 0;
	char *text;

	text_out->text = "";
	text_out->length = 0;
	if (items->count == 0)
		return WF_OK;
	WF_TRY(wf_spend(dynamic, items->count));
	parts = wf_arena_array(dynamic->arena, items->count, sizeof(*parts));
	for (size_t i = 0; i < items->count; i++) {
		struct wf_atomic atomic = wf_atomize(dynamic, &items->items[i]);

		parts[i] = wf_atomic_text(dynamic, &atomic);
		length += parts[i].length + 1;
	}
	text = wf_arena_alloc(dynamic->arena, length);
	text_out->text = text;
	text_out->length = length - 1;
	for (size_t i = 0; i < items->count; i++) {
		memcpy(text, parts[i].text, parts[i].length);
		text += parts[i].length;
		*text++ = i + 1 < items->count ? ' ' : '\0';
	}
	return wf_spend(dynamic, 1);
}

enum wf_rc wf_sequence_boolean(struct wf_dynamic *dynamic,
    const struct wf_sequence *sequence, bool *result_out)
{
	const struct wf_atomic *atomic;

	*result_out = false;
	if (sequence->count == 0)
		return WF_OK;
	if (sequence->items[0].is_node) {
		*result_out = true;
		return WF_OK;
	}
	atomic = &sequence->items[0].as.atomic;
	if (sequence->count == 1) {
		switch (wf_atomic_primitive(atomic->type)) {
		case WF_XS_BOOLEAN:
			*result_out = atomic->as.boolean;
			return WF_OK;
		case WF_XS_STRING:
		case WF_XS_UNTYPED:
		case WF_XS_ANY_URI:
			*result_out = atomic->as.string.length > 0;
			return WF_OK;
		case WF_XS_FLOAT:
		case WF_XS_DOUBLE:
			*result_out = !isnan(atomic->as.number) &&
				      fpclassify(atomic->as.number) != FP_ZERO;
			return WF_OK;
		case WF_XS_DECIMAL:
			*result_out = atomic->as.decimal.coefficient != 0;
			return WF_OK;
		default:
			break;
		}
	}
	return wf_fail_code(dynamic->err, WF_DATA, "FORG0006",
	    "this value is neither true nor false");
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a value and as a list of values. Text that the scanner accepts
 * libxml2 must accept too, with the same result, and canonical text must stay
 * the same when it is parsed again.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/panic.h"
#include "data/canonical.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const struct wf_value *value)
{
	struct wf_value *again;
	size_t length;

	wf_assert(wf_value_parse(&again, wf_value_text(value), value->length,
		      NULL) == WF_OK);
	wf_assert(wf_value_equal(value, again));
	wf_value_unref(&again);
	wf_assert(wf_value_from_canonical(&again, wf_value_text(value),
		      value->length, NULL) == WF_OK);
	wf_value_content(again, &length, NULL);
	wf_assert(wf_value_is_empty(again) == (length == 0));
	wf_value_unref(&again);
}

static void check_equal(
    const struct wf_value_list *a, const struct wf_value_list *b)
{
	wf_assert(a->count == b->count);
	for (size_t i = 0; i < a->count; i++) {
		wf_assert(wf_value_equal(a->values[i], b->values[i]));
		check_again(a->values[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *xml = (const char *)data;
	struct wf_value_list list;
	struct wf_value_list other = { NULL, NULL, 0 };
	struct wf_value *value;
	enum wf_rc rc = wf_value_parse(&value, xml, size, NULL);

	wf_assert(wf_canonical_read(&other, false, xml, size, NULL) == rc);
	if (rc == WF_OK) {
		list = (struct wf_value_list){ NULL, &value, 1 };
		check_equal(&list, &other);
	}
	wf_value_list_free(&other);
	wf_value_unref(&value);
	rc = wf_value_list_parse(&list, xml, size, NULL);
	wf_assert(wf_canonical_read(&other, true, xml, size, NULL) == rc);
	check_equal(&list, &other);
	wf_value_list_free(&other);
	wf_value_list_free(&list);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reading large values: a row of the store, its checksum, the value. */
#include "runtime/value_source.h"

#include "runtime/checksum.h"

static enum wf_rc fetch_value(void *context, uint32_t number,
    struct wf_value **value_out, struct wf_error *err)
{
	const struct wf_value_place *place = context;
	struct wf_value_row row = { .number = place->number, .value = number };
	struct wf_bytes text;
	enum wf_rc rc = wf_store_value(
	    place->store, place->number, number, place->arena, &row.text, err);

	if (rc == WF_OK)
		rc = wf_checksum_check_value(&row, &text, err);
	if (rc == WF_OK)
		rc = wf_value_from_canonical(
		    value_out, text.data, text.size, err);
	return rc;
}

struct wf_value_source wf_value_source(struct wf_value_place *place)
{
	return (struct wf_value_source){ place, fetch_value };
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/change/row_specs.h"

enum wf_rc wf_row_spec(struct row_specs *rows, uint64_t key,
    const struct wf_spec **spec_out, struct wf_error *err)
{
	struct kept_spec *kept = NULL;
	enum wf_rc rc;

	for (size_t i = rows->count; i-- > 0;)
		if (rows->kept[i]->key == key) {
			*spec_out = rows->kept[i]->spec;
			return WF_OK;
		}
	rc = wf_specs_use(
	    rows->specs, rows->store, rows->namespace_id, key, &kept, err);
	if (rc != WF_OK)
		return rc;
	rows->kept = wf_realloc(
	    rows->kept, (rows->count + 1) * sizeof(struct kept_spec *));
	rows->kept[rows->count++] = kept;
	*spec_out = kept->spec;
	return WF_OK;
}

void wf_row_specs_free(struct row_specs *rows)
{
	while (rows->count > 0)
		wf_specs_drop(rows->specs, &rows->kept[--rows->count]);
	wf_free(rows->kept);
	rows->kept = NULL;
}

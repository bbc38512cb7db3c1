/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The specifications that the steps of one case were made as, for a replay of
 * steps before and after a migration; private to runtime/.
 */
#ifndef WF_RUNTIME_CHANGE_ROW_SPECS_H
#define WF_RUNTIME_CHANGE_ROW_SPECS_H

#include "runtime/specs.h"

struct row_specs {
	struct specs *specs;
	struct wf_store *store; /* a handle for reading */
	uint32_t namespace_id;
	/* All that were used stay until the end: a case refers to one. */
	struct kept_spec **kept;
	size_t count;
};

/* The one of a step; valid until wf_row_specs_free().  As wf_specs_use(). */
enum wf_rc wf_row_spec(struct row_specs *rows, uint64_t key,
    const struct wf_spec **spec_out, struct wf_error *err) WF_MUSTCHECK;
void wf_row_specs_free(struct row_specs *rows);

#endif

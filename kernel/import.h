/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The description of a case that was begun elsewhere (in another engine).
 *
 * The description is a list of rows that name elements of the specification;
 * it is the data of a command LAUNCH with "described" set.  Each row is checked
 * and becomes events, so the case has a history like any other.  The kernel
 * determines which tasks are enabled, as after any step.
 *
 * Order of rows: the root net first; an instance of a composite task before
 * its net; the instances of a net by ascending number; offered items behind all
 * tokens and instances of their net.
 */
#ifndef WF_KERNEL_IMPORT_H
#define WF_KERNEL_IMPORT_H

#include <stdint.h>

#include "base/buffer.h"

enum wf_import_kind {
#define WF_IMPORT(code, name, meaning) WF_IMPORT_##name = code,
#include "kernel/import.def"
#undef WF_IMPORT
};

#define WF_IMPORT_LAST WF_IMPORT_CASE_SUSPENDED

/* Texts that are NULL mean "". */
struct wf_import_row {
	enum wf_import_kind kind;
	const char *net;  /* id without that of the case: "" (root), "1.2" */
	const char *name; /* of a task or condition */
	uint32_t instance;
	uint32_t status; /* enum wf_item_status */
	uint32_t number;
	int64_t time;	  /* milliseconds since 1970, UTC; not 0 if needed */
	const char *data; /* XML, or NULL */
	size_t length;	  /* of data */
};

/* Appends a row to a description. */
void wf_import_put(
    struct wf_buffer *description, const struct wf_import_row *row);

#endif

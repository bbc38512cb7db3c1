/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A case that was begun elsewhere, described by names.
 *
 * The description is a list of rows, the data of a command LAUNCH that says
 * "described".  Each row is checked against the specification and becomes
 * events, so the case that comes of it has a history like any other.  What is
 * enabled the kernel finds out itself, as after any step.
 *
 * Rows come in an order in which each can be understood: the root net first,
 * an instance of a composite task before the net that runs for it, instances
 * of a net ascending by number, and what is offered behind all tokens and
 * instances of its net.
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
	const char *net;  /* its id behind the case's: "" (the root), "1.2" */
	const char *name; /* of a task or condition */
	uint32_t instance;
	uint32_t status; /* enum wf_item_status */
	uint32_t number;
	int64_t time; /* milliseconds since 1970, UTC; not 0 where it counts */
	const char *data; /* XML, or NULL */
	size_t length;	  /* of data */
};

/* Adds a row to a description. */
void wf_import_put(
    struct wf_buffer *description, const struct wf_import_row *row);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Filling in texts with places, "${...}"; private to kernel/. */
#ifndef WF_KERNEL_PLACES_H
#define WF_KERNEL_PLACES_H

#include "kernel/case.h"
#include "spec/spec.h"

/* The objects that places can refer to. */
struct wf_known {
	const struct wf_evaluation *how;
	struct wf_document document; /* what its queries see */
	const struct wf_spec *spec;
	const struct wf_decomposition *decomposition; /* NULL: there is none */
	const struct wf_variable *parameter;	      /* NULL: about none */
	const struct wf_item *item;		      /* NULL: about none */
	const char *timer; /* the state of the item's; NULL: it has none */
};

/*
 * Appends the text.  A place that is unknown, or whose query fails, becomes
 * "n/a": texts for people never refuse a command.
 */
void wf_fill_in(const struct wf_pattern *pattern, const struct wf_known *known,
    struct wf_buffer *text);

#endif

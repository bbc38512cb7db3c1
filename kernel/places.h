/* SPDX-License-Identifier: Apache-2.0 */
/* Fills in texts with placeholders, "${...}"; private to kernel/. */
#ifndef WF_KERNEL_PLACES_H
#define WF_KERNEL_PLACES_H

#include "kernel/case.h"
#include "spec/spec.h"

/* The objects that placeholders can name. */
struct wf_known {
	const struct wf_evaluation *how;
	struct wf_document document; /* the context of its queries */
	const struct wf_spec *spec;
	const struct wf_decomposition *decomposition; /* NULL: there is none */
	const struct wf_variable *parameter;	      /* NULL: no parameter */
	const struct wf_item *item;		      /* NULL: no item */
	const char *timer; /* the state of the item's timer; NULL: no timer */
};

/*
 * Appends the text.  An unknown placeholder, or one whose query fails, becomes
 * "n/a": texts for people never refuse a command.
 */
void wf_fill_in(const struct wf_pattern *pattern, const struct wf_known *known,
    struct wf_buffer *text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Texts with places, "${...}", filled in; private to engine/. */
#ifndef WF_KERNEL_PLACES_H
#define WF_KERNEL_PLACES_H

#include "kernel/case.h"
#include "spec/spec.h"

/* What the places of a text can ask for. */
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
 * Appends the text.  What is unknown, and a query that fails, is "n/a": a text
 * for people refuses nothing.
 */
void wf_fill_in(const struct wf_pattern *pattern, const struct wf_known *known,
    struct wf_buffer *text);

#endif

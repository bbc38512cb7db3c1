/* SPDX-License-Identifier: Apache-2.0 */
/* The page for browsers, which is part of the program. */
#ifndef WF_REST_PAGE_REST_PAGE_H
#define WF_REST_PAGE_REST_PAGE_H

#include "rest/rest.h"

/* False: the program was built without it. */
bool wf_rest_has_page(void);
/*
 * Whether a request that no route fits asks for the page; false also if the
 * program was built without it.  Adds the header Vary if a client that accepts
 * HTML would get the page.
 */
bool wf_rest_is_page(struct wf_rest *rest);
/*
 * Adds the headers that bound what a browser does with an answer; allowed: its
 * Content-Security-Policy.
 */
void wf_rest_guard_page(struct wf_rest *rest, const char *allowed);

#endif

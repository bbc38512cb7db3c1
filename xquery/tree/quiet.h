/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets libxml2 up, and keeps it from writing to standard error.
 *
 * libxml2 sets itself up at first use, but not safely with several threads:
 * whoever makes a parser begins here before.
 *
 * Most of its messages go to the handler of a context; some (about encodings
 * and regular expressions) go to a handler of the thread. Between begin and end
 * that handler is a function that does nothing.
 */
#ifndef WF_XQUERY_TREE_QUIET_H
#define WF_XQUERY_TREE_QUIET_H

#include <libxml/xmlerror.h>

struct wf_quiet {
	xmlStructuredErrorFunc function;
	void *argument;
};

void wf_quiet_begin(struct wf_quiet *before);
void wf_quiet_end(const struct wf_quiet *before);

#endif

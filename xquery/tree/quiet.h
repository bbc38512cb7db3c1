/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps libxml2 from writing to standard error.
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

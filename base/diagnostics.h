/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of errors and warnings about one input, each with its place.
 *
 * Used where a caller wants all errors at once (a specification), not only the
 * first.
 */
#ifndef WF_BASE_DIAGNOSTICS_H
#define WF_BASE_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum wf_severity { WF_WARNING, WF_ERROR };

struct wf_diagnostic {
	enum wf_severity severity;
	int line;	     /* 0 when not known */
	const char *element; /* such as "task Pay"; "" when not known */
	const char *message; /* what is wrong, what was expected */
};

struct wf_diagnostics; /* opaque */

/* file: the name that stands in front of each line printed. */
struct wf_diagnostics *wf_diagnostics_new(const char *file);
void wf_diagnostics_free(struct wf_diagnostics **list);
/* Past a thousand entries further ones are counted but not kept. */
void wf_diagnostics_add(struct wf_diagnostics *list, enum wf_severity severity,
    int line, const char *element, const char *format, ...) WF_PRINTF(5, 6);
size_t wf_diagnostics_count(const struct wf_diagnostics *list);
size_t wf_diagnostics_errors(const struct wf_diagnostics *list);
const struct wf_diagnostic *wf_diagnostics_at(
    const struct wf_diagnostics *list, size_t i);
/* NULL: no error was kept. */
const struct wf_diagnostic *wf_diagnostics_first_error(
    const struct wf_diagnostics *list);
/* One line each: "weft: FILE:LINE: [warning: ][element: ]message". */
void wf_diagnostics_print(const struct wf_diagnostics *list, FILE *out);

#ifdef __cplusplus
}
#endif

#endif

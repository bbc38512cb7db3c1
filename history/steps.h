/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of the history as JSON, for REST and the live stream.
 *
 * A stream yields steps of many cases in turn.  Net instances of a case can be
 * named only when its earlier steps are known (history/case_reader.h), so the
 * readers of the cases met most recently are kept.  A case that was forgotten
 * is read again from its first step.
 */
#ifndef WF_HISTORY_STEPS_H
#define WF_HISTORY_STEPS_H

#include <jansson.h>

#include "runtime/engine.h"

struct wf_steps; /* opaque; for one thread at a time */

/* cases: how many are remembered at most. */
struct wf_steps *wf_steps_new(struct wf_engine *engine, size_t cases);
void wf_steps_free(struct wf_steps **steps);

/*
 * A step as schemas/openapi.yaml describes it, a new reference.  When it is
 * damaged or earlier steps were retired, its member "error" says so.  NULL
 * with err filled when the store cannot be read now.  retirements: of the
 * cursor that the row was read with.
 */
json_t *wf_steps_describe(struct wf_steps *steps, struct wf_store *store,
    const struct wf_history_row *row, uint64_t retirements,
    struct wf_error *err);

/* A place in the stream as text, and back; false when the text is not one. */
#define WF_CURSOR_TEXT 96
void wf_cursor_text(const struct wf_cursor *cursor, char text[WF_CURSOR_TEXT]);
bool wf_cursor_parse(const char *text, struct wf_cursor *cursor_out);

#endif

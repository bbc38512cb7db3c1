/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of the history in words: what their events say, with names instead of
 * numbers.
 *
 * Events number net instances in the order in which they began, so to name one
 * the earlier steps of its case have to be known.  They are remembered for the
 * cases that were met lately, and read again for others.
 */
#ifndef WF_HISTORY_STEPS_H
#define WF_HISTORY_STEPS_H

#include <jansson.h>

#include "runtime/engine.h"

struct wf_steps; /* opaque; for one thread at a time */

/* cases: so many are remembered. */
struct wf_steps *wf_steps_new(struct wf_engine *engine, size_t cases);
void wf_steps_free(struct wf_steps **steps);

/*
 * A step as schemas/openapi.yaml has it, a new reference.  What is damaged, or
 * not kept any more, is said in it.  NULL with err filled when the store
 * cannot be read now.  retirements: of the cursor that the row was read with.
 */
json_t *wf_steps_describe(struct wf_steps *steps, struct wf_store *store,
    const struct wf_history_row *row, uint64_t retirements,
    struct wf_error *err);

/* A place in the stream, as text and back; false when it is none. */
#define WF_CURSOR_TEXT 96
void wf_cursor_text(const struct wf_cursor *cursor, char text[WF_CURSOR_TEXT]);
bool wf_cursor_parse(const char *text, struct wf_cursor *cursor_out);
bool wf_cursor_is_before(const struct wf_cursor *a, const struct wf_cursor *b);

#endif

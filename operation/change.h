/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The changes of a repair as JSON, a list of objects:
 *
 *   { "change": "add" or "remove", "condition": "p", "tokens": 2 }
 *   { "change": "move", "from": "p", "to": "q" }
 *   { "change": "cancel", "task": "B" }      a busy task
 *   { "change": "empty" }                    all of the net
 *   { "change": "enter", "task": "C" }       the inputs of the task are marked
 *   { "change": "skip_to", "task": "C" }     empty, then enter
 *   { "change": "finish" }                   the net completes
 *   { "change": "set", "data": { "n": 7 } }  variables, or "xml": "<N>..</N>"
 *
 * "net" is the id of a net of the case ("7.1"); without it the root net is
 * meant.
 */
#ifndef WF_OPERATION_CHANGE_H
#define WF_OPERATION_CHANGE_H

#include <jansson.h>

#include "runtime/engine.h"

/*
 * Appends the data of a command REPAIR for that case; number 0: checks what can
 * be checked without one.  May wait for the store.
 * WF_INVALID with the place that is wrong; WF_NOT_FOUND: no such net or case;
 * WF_DATA.
 */
enum wf_rc wf_changes_read(struct wf_engine *engine, uint64_t number,
    json_t *changes, struct wf_buffer *data, struct wf_error *err) WF_MUSTCHECK;

#endif

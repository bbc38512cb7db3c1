/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the records of the worklist have in common: their values are JSON, and
 * those that people enter (absences, deputies) have a number as their name.
 */
#ifndef WF_WORKLIST_ENTRY_PRIV_H
#define WF_WORKLIST_ENTRY_PRIV_H

#include <jansson.h>
#include <stdint.h>

#include "base/memory.h"
#include "persistence/rows.h"

/* A random number, not 0, that every reader of JSON sees exactly. */
uint64_t wf_entry_new_id(void);
/* The name of the record with that number. */
const char *wf_entry_name(uint64_t id, struct wf_arena *arena);
/* The object as the value of a record; releases it. */
struct wf_bytes wf_entry_value(json_t *object, struct wf_arena *arena);
/* "" where there is no such member, or it is no text. */
const char *wf_entry_text(
    const json_t *object, const char *member, struct wf_arena *arena);

#endif

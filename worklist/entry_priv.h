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
#include "persistence/record_cache.h"

/* Of absences. */
#define WF_ABSENCE_KIND "absence"

/* A random number, not 0, that every reader of JSON sees exactly. */
uint64_t wf_entry_new_id(void);
/* The name of the record with that number. */
const char *wf_entry_name(uint64_t id, struct wf_arena *arena);
/*
 * WF_CONFLICT: the row replaces a record that is not the one whose change was
 * read (0: it may be any).  word: what the entry is called.
 */
enum wf_rc wf_entry_expect(const struct wf_record_row *row, const char *word,
    uint64_t read, struct wf_error *err) WF_MUSTCHECK;
/* The object as the value of a record; releases it. */
struct wf_bytes wf_entry_value(json_t *object, struct wf_arena *arena);
/* "" where there is no such member, or it is no text. */
const char *wf_entry_text(
    const json_t *object, const char *member, struct wf_arena *arena);

#endif

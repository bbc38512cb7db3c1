/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that many ask for and that take long to make: each is kept for a
 * moment, so that two hundred open pages cost no more than one.
 *
 *   missing ──put──► fresh ──keep_ms──► old ──get──► renewed ──put──► fresh
 *                                        ▲              │
 *                                        └── keep_ms ───┘
 *
 * Who asks first for one that is old gets none, and makes it anew; meanwhile
 * the others get the old text, unless it was made four times keep_ms ago or
 * longer.  While there is no text or only such a one, each who asks makes it.
 *
 * A text is a copy in the arena of who asks.  At most 64 answers of at most 1
 * MB are kept; when there is no room, all are dropped.
 */
#ifndef WF_SERVER_ANSWER_CACHE_H
#define WF_SERVER_ANSWER_CACHE_H

#include <stdint.h>

#include "base/memory.h"

struct wf_answer_cache; /* opaque; safe for all threads */

struct wf_answer_cache *wf_answer_cache_new(int64_t keep_ms);
void wf_answer_cache_free(struct wf_answer_cache **cache);
/* NULL: who asks makes it, and puts it. */
const char *wf_answer_cache_get(struct wf_answer_cache *cache, const char *key,
    int64_t now, struct wf_arena *arena);
void wf_answer_cache_put(struct wf_answer_cache *cache, const char *key,
    int64_t now, const char *text);

#endif

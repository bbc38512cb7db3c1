/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that many ask for and that take long to make: each is kept for a
 * moment, so that two hundred open pages cost no more than one.
 *
 *   missing ──put──► fresh ──keep_ms──► old ──put──► fresh
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
/* NULL: there is none that is fresh. */
const char *wf_answer_cache_get(struct wf_answer_cache *cache, const char *key,
    int64_t now, struct wf_arena *arena);
void wf_answer_cache_put(struct wf_answer_cache *cache, const char *key,
    int64_t now, const char *text);

#endif

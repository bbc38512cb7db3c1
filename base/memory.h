/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocation that never returns NULL, and arenas.
 *
 * When memory runs out, wf_panic() leaves the innermost guarded call
 * (base/panic.h), so callers need no path for it.  An arena frees all its
 * objects at once; they are never freed singly.
 */
#ifndef WF_BASE_MEMORY_H
#define WF_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

void *wf_malloc(size_t size);
/* Zeroed. */
void *wf_calloc(size_t count, size_t size);
void *wf_realloc(void *memory, size_t size);
void wf_free(void *memory);
/* A copy of length bytes, with a NUL behind them. */
char *wf_strndup(const char *text, size_t length);
char *wf_strdup(const char *text);

/* Gives all free memory back to the system; takes milliseconds. */
void wf_memory_trim(void);

/*
 * For tests: the n-th allocation from now on (1 is the next one) fails, and
 * so do all after it; 0 ends that.
 */
void wf_memory_fail_after(uint64_t n);

struct wf_arena; /* opaque */

struct wf_arena *wf_arena_new(void);
/* Frees the arena and all that was allocated from it; sets *arena to NULL. */
void wf_arena_free(struct wf_arena **arena);
/* Frees all that was allocated, but keeps one block for what comes next. */
void wf_arena_reset(struct wf_arena *arena);
/* Zeroed, aligned for any type. */
void *wf_arena_alloc(struct wf_arena *arena, size_t size);
/* An array of count zeroed elements of that size. */
void *wf_arena_array(struct wf_arena *arena, size_t count, size_t size);
char *wf_arena_strdup(struct wf_arena *arena, const char *text);
char *wf_arena_strndup(struct wf_arena *arena, const char *text, size_t length);
char *wf_arena_printf(struct wf_arena *arena, const char *format, ...)
    WF_PRINTF(2, 3);
/* Bytes held, for budgets. */
size_t wf_arena_size(const struct wf_arena *arena);

/*
 * Makes room for one more element in a growing array that lives in an arena:
 * returns the array, moved when it was full.  *capacity is doubled then.
 */
void *wf_arena_grow(struct wf_arena *arena, void *array, size_t count,
    size_t *capacity, size_t size);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* That somebody has paused something: since when, who, and why. */
#ifndef WF_BASE_PAUSE_H
#define WF_BASE_PAUSE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wf_arena;
struct wf_buffer;
struct wf_reader;

struct wf_pause {
	int64_t since;	    /* milliseconds since 1970; 0: it is not paused */
	const char *by;	    /* the account; NULL or "": nobody */
	const char *reason; /* NULL or "": none was given */
};

/* The maximum length of a reason. */
#define WF_PAUSE_REASON_BYTES 1000U

void wf_pause_encode(const struct wf_pause *pause, struct wf_buffer *bytes);
void wf_pause_decode(struct wf_reader *reader, struct wf_arena *arena,
    struct wf_pause *pause_out);
void wf_pause_copy(const struct wf_pause *from, struct wf_arena *arena,
    struct wf_pause *copy_out);
/* "since 2026-01-31T09:30:00Z by admin: the reason", in the arena. */
const char *wf_pause_text(const struct wf_pause *pause, struct wf_arena *arena);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of YAWL's interfaces: a handle stands for a user until it expires.
 * Sessions are in the memory of this node.
 */
#ifndef WF_YAWL_SESSION_H
#define WF_YAWL_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct wf_yawl_sessions; /* opaque; safe for all threads */

/* A handle, a UUID as text, with its NUL. */
#define WF_HANDLE_SIZE 37

/*
 * idle: milliseconds until an unused session expires; maximum: number of
 * sessions, above which the least recently used one is dropped.
 */
struct wf_yawl_sessions *wf_yawl_sessions_new(int64_t idle, size_t maximum);
void wf_yawl_sessions_free(struct wf_yawl_sessions **sessions);

void wf_yawl_session_open(struct wf_yawl_sessions *sessions, const char *user,
    char handle_out[WF_HANDLE_SIZE]);
/*
 * The user of a session, in the arena, and it counts as used; NULL when there
 * is none.  handle may be NULL.
 */
const char *wf_yawl_session_use(struct wf_yawl_sessions *sessions,
    const char *handle, struct wf_arena *arena);
void wf_yawl_session_close(
    struct wf_yawl_sessions *sessions, const char *handle);
/*
 * Drops the sessions of unknown users that were opened before since, the time
 * (wf_monotonic_ms) at which the known users were read.
 */
void wf_yawl_sessions_check(struct wf_yawl_sessions *sessions,
    bool (*is_known)(const void *context, const char *user),
    const void *context, int64_t since);
/* Calls visit for the user of each session; it must not call this module. */
void wf_yawl_sessions_visit(struct wf_yawl_sessions *sessions,
    void (*visit)(void *context, const char *user), void *context);
/* All of a user's. */
void wf_yawl_sessions_drop(struct wf_yawl_sessions *sessions, const char *user);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept of failed attempts, for the incident that they become: of the
 * last one the request and the answer, of those before it, if this node made
 * them, when and why.  JSON, at most some 40 kB; shown as rest/ shows it.
 *
 * No headers are kept, and no user, password or query of a URL: they may be
 * secret.
 */
#ifndef WF_WORK_STATE_ATTEMPTS_H
#define WF_WORK_STATE_ATTEMPTS_H

#include <jansson.h>

#include "work/message.h"

/* The last failed attempts of this node; of the sender's thread. */
struct wf_attempts; /* opaque */

struct wf_attempts *wf_attempts_new(void);
void wf_attempts_free(struct wf_attempts **attempts);

/*
 * An attempt failed, for the message's reason.  What was kept of an attempt of
 * the same number is replaced.
 */
void wf_attempts_add(struct wf_attempts *attempts,
    const struct wf_message *message, int64_t took_us);
/* All that is known, in the arena of the message. */
const char *wf_attempts_describe(struct wf_attempts *attempts,
    struct wf_message *message, int64_t took_us, bool has_body);

/* One attempt that ended, with its request and its answer; owned. */
json_t *wf_attempt_describe(
    const struct wf_message *message, int64_t took_us, bool has_body);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a case can complete from where it stands: each of its nets is asked
 * alone (verify/completion.h), because a net within a net is a busy task of the
 * net around it.  Only control flow counts, not data.
 */
#ifndef WF_OPERATION_PROSPECT_H
#define WF_OPERATION_PROSPECT_H

#include <jansson.h>

#include "kernel/case.h"
#include "verify/verify.h"

/*
 * Answers by net and marking.  One thread asks; others may ask for what is
 * known. NULL stays allowed below.
 */
struct wf_prospects;

struct wf_prospects *wf_prospects_new(void);
void wf_prospects_free(struct wf_prospects **prospects);
/* How many markings were examined, for measuring. */
size_t wf_prospects_count(const struct wf_prospects *prospects);
/* Microseconds of a processor that this took. */
int64_t wf_prospects_spent(const struct wf_prospects *prospects);

/*
 * WF_NO: some net cannot complete; text (may be NULL) gets a sentence with the
 * witness.  WF_OPEN: that is not known of some net.  prospects: remembers.
 */
enum wf_soundness wf_prospect(struct wf_prospects *prospects,
    const struct wf_case *instance, struct wf_buffer *text);
/*
 * The same from what is known, without examining anything.  False: a marking is
 * not known.
 */
bool wf_prospect_known(struct wf_prospects *prospects,
    const struct wf_case *instance, enum wf_soundness *answer_out,
    struct wf_buffer *text);
/*
 * For each net: "net", "name", "possible" and "endangered" ("yes", "no",
 * "unknown"), and in words "ending" and "failing" where there are such.  A new
 * reference.
 */
json_t *wf_prospect_json(
    struct wf_prospects *prospects, const struct wf_case *instance);

#endif

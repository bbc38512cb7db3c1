/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations about the whole share; private to rest/overview/. */
#ifndef WF_REST_OVERVIEW_H
#define WF_REST_OVERVIEW_H

#include "rest/rest.h"

/* What there is more of is counted so far: "at least". */
#define WF_OVERVIEW_COUNTED 10000U

/*
 * Answers with what was kept by that key, if it is young enough; false: there
 * is no such answer, and the request makes one (server/answer_cache.h).
 */
bool wf_rest_answer_kept(struct wf_rest *rest, const char *key);
/* Keeps an answer for a moment; the caller still owns it. */
void wf_rest_keep_answer(
    struct wf_rest *rest, const char *key, const json_t *answer);

#endif

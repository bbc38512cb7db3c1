/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to people/: the calls of kernel/assignment/ that are not in
 * decision.c; their context is a struct wf_deciding.
 */
#ifndef WF_PEOPLE_DECISION_PRIV_H
#define WF_PEOPLE_DECISION_PRIV_H

#include "people/decision.h"

enum wf_rc wf_people_check(void *context, enum wf_command_kind command,
    const struct wf_people_question *question,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * permission.c: whether separation of duties keeps the participant from doing
 * the item.
 */
bool wf_people_is_separated(
    const struct wf_people_question *question, const char *participant);

/* urgency.c */
enum wf_rc wf_people_urge(void *context,
    const struct wf_people_question *question,
    const struct wf_document *document, const struct wf_evaluation *how,
    uint32_t *priority_out, int64_t *due_out,
    struct wf_error *err) WF_MUSTCHECK;
bool wf_people_next(void *context, const struct wf_people_question *question,
    uint32_t *step_out, int64_t *at_out);
void wf_people_ring(void *context, const struct wf_people_question *question,
    uint32_t step, struct wf_arena *arena, struct wf_people_ring *ring_out);

/* decision.c: the audience of a set of participants, which is offered it. */
const char *wf_people_offer_to_set(const struct wf_deciding *deciding,
    const uint64_t *set, struct wf_arena *arena);

#endif

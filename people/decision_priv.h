/* SPDX-License-Identifier: Apache-2.0 */
/* Private to people/: the call that checks a command; its context is a struct
 * wf_deciding. */
#ifndef WF_PEOPLE_DECISION_PRIV_H
#define WF_PEOPLE_DECISION_PRIV_H

#include "people/decision.h"

enum wf_rc wf_people_check(void *context, enum wf_command_kind command,
    const struct wf_people_question *question,
    struct wf_error *err) WF_MUSTCHECK;

#endif

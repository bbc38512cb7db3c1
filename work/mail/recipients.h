/* SPDX-License-Identifier: Apache-2.0 */
/* Who gets mail about an event. */
#ifndef WF_WORK_MAIL_RECIPIENTS_H
#define WF_WORK_MAIL_RECIPIENTS_H

#include <jansson.h>

#include "persistence/store.h"
#include "work/mail/mail_text.h"
#include "worklist/audiences.h"

/* What is to be sent about one event. */
struct wf_mail_task {
	enum wf_mail_kind kind;
	uint64_t *people; /* a set of participants, in the arena */
	struct wf_item_row item;
	const char *action; /* of an escalation; else "" */
};

/*
 * Whether anybody gets mail about the event, as it is described in the history
 * (history/steps.h), of the case with that number, and who.  Nobody, when the
 * item has moved on since.  A failure of the store is to be tried again.
 */
enum wf_rc wf_mail_recipients(const json_t *event, uint64_t number,
    struct wf_store *store, const struct wf_organisation *organisation,
    struct wf_audiences *audiences, struct wf_arena *arena,
    struct wf_mail_task *task_out, bool *any_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Whether an event of that name may lead to mail. */
bool wf_mail_hears(const char *event);

#endif

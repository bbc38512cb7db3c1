/* SPDX-License-Identifier: Apache-2.0 */
/* The values that stand in mails: of the person, and of a work item. */
#ifndef WF_WORK_MAIL_WORDING_H
#define WF_WORK_MAIL_WORDING_H

#include "people/organisation/record.h"
#include "runtime/engine.h"
#include "work/mail/mail_text.h"

/* Values of a person; those of items and digests are "".  In the arena. */
struct wf_mail_words wf_mail_words_of(
    const struct wf_participant *person, struct wf_arena *arena);
/*
 * Fills in those of an item, in the arena.  public_url: of the server, or "".
 * What the specification says is "-" when it cannot be read.
 */
void wf_mail_words_item(struct wf_mail_words *words, struct wf_engine *engine,
    const struct wf_item_row *item, const char *public_url,
    struct wf_arena *arena);
/* The URL of a path of the server, whose last part is escaped; "" without a
 * public URL. */
const char *wf_mail_link(const char *public_url, const char *path,
    const char *last, struct wf_arena *arena);

#endif

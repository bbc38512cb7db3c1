/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit: sign-ins, and what administrators do.
 *
 *   wf_audit_add(), wf_audit_sign_in() ──► queue ──each second──► store
 *
 * Whoever adds an act waits for nothing.  The queue and what floods can fill
 * are bounded: equal sign-ins are written once, and then their number once a
 * minute; of sign-ins of too many names and addresses only the number is.
 */
#ifndef WF_IDENTITY_AUDIT_H
#define WF_IDENTITY_AUDIT_H

#include "persistence/store.h"

struct wf_audit; /* opaque; safe for all threads */

/* kept_ms: rows that are older are removed. */
struct wf_audit *wf_audit_new(int64_t kept_ms);
/* From now on rows are kept for that time. */
void wf_audit_keep(struct wf_audit *audit, int64_t kept_ms);
/* What was not written is lost: call wf_audit_write() before. */
void wf_audit_free(struct wf_audit **audit);

#define WF_AUDIT_DONE "done" /* the result of what succeeded */
#define WF_AUDIT_SIGN_IN "sign-in"

/* The id of act is not read.  Texts are copied, and cut if they are long. */
void wf_audit_add(struct wf_audit *audit, const struct wf_audit_row *act);
/* The same for a sign-in, or an attempt. */
void wf_audit_sign_in(struct wf_audit *audit, const struct wf_audit_row *act);

/*
 * Writes what was added so far, and removes a bounded number of old rows.  What
 * cannot be written is kept for the next call.
 */
enum wf_rc wf_audit_write(struct wf_audit *audit, struct wf_store *store,
    int64_t now, struct wf_error *err) WF_MUSTCHECK;

#endif

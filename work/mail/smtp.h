/* SPDX-License-Identifier: Apache-2.0 */
/* One mail to one person, by SMTP. */
#ifndef WF_WORK_MAIL_SMTP_H
#define WF_WORK_MAIL_SMTP_H

#include <stdatomic.h>

#include "base/buffer.h"
#include "base/error.h"

struct wf_smtp; /* opaque; of one thread */

enum wf_smtp_outcome {
	WF_SMTP_SENT,
	WF_SMTP_REFUSED,    /* for good */
	WF_SMTP_LATER,	    /* the server answers, but not well */
	WF_SMTP_UNREACHABLE /* it does not answer */
};

/*
 * url: smtp:// (with STARTTLS if the server offers it, and always with a
 * password) or smtps://.  user: "USER:PASSWORD", or "".  ca: a file of
 * certificates, or "" for those of the system.  stopping: when it becomes true,
 * a mail on its way is given up.
 */
struct wf_smtp *wf_smtp_new(const char *url, const char *user, const char *ca,
    const atomic_bool *stopping);
void wf_smtp_free(struct wf_smtp **smtp);
enum wf_smtp_outcome wf_smtp_send(struct wf_smtp *smtp, const char *from,
    const char *to, const struct wf_buffer *mail);

#endif

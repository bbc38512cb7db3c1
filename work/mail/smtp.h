/* SPDX-License-Identifier: Apache-2.0 */
/* One mail to one person, by SMTP. */
#ifndef WF_WORK_MAIL_SMTP_H
#define WF_WORK_MAIL_SMTP_H

#include <curl/curl.h>
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

/* A server of mail, and who uses it. */
struct wf_smtp_account {
	/* smtp:// (with STARTTLS if the server offers it, and always with a
	 * password) or smtps:// */
	const char *url;
	const char *user; /* "USER:PASSWORD", or "" */
	const char *ca;	  /* a file of certificates, or "": the system's */
	const char *from; /* the address of the sender */
};

/* The account must outlive it.  stopping: when it becomes true, a mail on its
 * way is given up. */
struct wf_smtp *wf_smtp_new(
    const struct wf_smtp_account *account, const atomic_bool *stopping);
void wf_smtp_free(struct wf_smtp **smtp);
enum wf_smtp_outcome wf_smtp_send(
    struct wf_smtp *smtp, const char *to, const struct wf_buffer *mail);

/* For a handle of one's own: all but what reads the mail, and how it ended. */
void wf_smtp_set_options(CURL *curl, const struct wf_smtp_account *account,
    struct curl_slist *recipients);
enum wf_smtp_outcome wf_smtp_judge(CURL *curl, CURLcode code);

#endif

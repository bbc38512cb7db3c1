/* SPDX-License-Identifier: Apache-2.0 */
#include "work/mail/smtp.h"

#include <string.h>

#include "base/memory.h"
#include "base/panic.h"

#define CONNECT_MAXIMUM_MS 10000L
#define MAIL_MAXIMUM_MS 60000L
/* The server ends the connection, whatever the mail is. */
#define SERVICE_CLOSES 421

struct wf_smtp {
	CURL *curl; /* keeps the connection; NULL: none could be made */
	const struct wf_smtp_account *account;
	const atomic_bool *stopping;
	const struct wf_buffer *mail;
	size_t sent;
};

static size_t give_bytes(char *to, size_t size, size_t count, void *context)
{
	struct wf_smtp *smtp = context;
	size_t left = smtp->mail->length - smtp->sent;
	size_t length = size * count < left ? size * count : left;

	memcpy(to, smtp->mail->data + smtp->sent, length);
	smtp->sent += length;
	return length;
}

static size_t drop_bytes(char *bytes, size_t size, size_t count, void *context)
{
	(void)bytes;
	(void)context;
	return size * count;
}

static int may_go_on(
    void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct wf_smtp *smtp = context;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return atomic_load(smtp->stopping) ? 1 : 0;
}

struct wf_smtp *wf_smtp_new(
    const struct wf_smtp_account *account, const atomic_bool *stopping)
{
	struct wf_smtp *smtp = wf_calloc(1, sizeof(*smtp));

	smtp->account = account;
	smtp->stopping = stopping;
	smtp->curl = curl_easy_init();
	return smtp;
}

void wf_smtp_free(struct wf_smtp **smtp)
{
	struct wf_smtp *old = *smtp;

	*smtp = NULL;
	if (old == NULL)
		return;
	curl_easy_cleanup(old->curl);
	wf_free(old);
}

void wf_smtp_set_options(CURL *curl, const struct wf_smtp_account *account,
    struct curl_slist *recipients)
{
	curl_easy_setopt(curl, CURLOPT_URL, account->url);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, MAIL_MAXIMUM_MS);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MAXIMUM_MS);
	if (account->ca[0] != '\0')
		curl_easy_setopt(curl, CURLOPT_CAINFO, account->ca);
	/* A password is never sent in the clear. */
	curl_easy_setopt(curl, CURLOPT_USE_SSL,
	    (long)(account->user[0] != '\0' ? CURLUSESSL_ALL : CURLUSESSL_TRY));
	if (account->user[0] != '\0')
		curl_easy_setopt(curl, CURLOPT_USERPWD, account->user);
	curl_easy_setopt(curl, CURLOPT_MAIL_FROM, account->from);
	curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, recipients);
	curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop_bytes);
}

static void set_options(struct wf_smtp *smtp, struct curl_slist *recipients)
{
	CURL *curl = smtp->curl;

	wf_smtp_set_options(curl, smtp->account, recipients);
	curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_bytes);
	curl_easy_setopt(curl, CURLOPT_READDATA, smtp);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, may_go_on);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, smtp);
}

enum wf_smtp_outcome wf_smtp_judge(CURL *curl, CURLcode code)
{
	long status = 0;

	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	if (code == CURLE_OK)
		return WF_SMTP_SENT;
	/* A login that fails is mended by whoever runs the server. */
	if (code == CURLE_LOGIN_DENIED || code == CURLE_USE_SSL_FAILED ||
	    status < 400 || status == SERVICE_CLOSES)
		return WF_SMTP_UNREACHABLE;
	return status >= 500 ? WF_SMTP_REFUSED : WF_SMTP_LATER;
}

enum wf_smtp_outcome wf_smtp_send(
    struct wf_smtp *smtp, const char *to, const struct wf_buffer *mail)
{
	struct curl_slist *recipients = NULL;
	enum wf_smtp_outcome outcome;

	if (smtp->curl == NULL)
		return WF_SMTP_UNREACHABLE;
	wf_assert(mail->length > 0 && to[0] != '\0');
	recipients = curl_slist_append(NULL, to);
	smtp->mail = mail;
	smtp->sent = 0;
	set_options(smtp, recipients);
	outcome = wf_smtp_judge(smtp->curl, curl_easy_perform(smtp->curl));
	curl_slist_free_all(recipients);
	return outcome;
}

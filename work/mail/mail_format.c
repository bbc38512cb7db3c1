/* SPDX-License-Identifier: Apache-2.0 */
#include "work/mail/mail_format.h"

#include <sodium.h>
#include <string.h>
#include <time.h>

/* Bytes of text per line of a mail, and the size of that line in base64. */
#define LINE 57U
#define LINE_SIZE 77U

bool wf_mail_is_address(const char *text)
{
	const char *at = strchr(text, '@');

	for (const char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c <= ' ' || (unsigned char)*c > 126 ||
		    strchr("<>,;:\"\\()", *c) != NULL)
			return false;
	return at != NULL && at != text && at[1] != '\0' && strlen(text) < 255;
}

/* In lines that end with end. */
static void put_base64(
    struct wf_buffer *out, const char *text, size_t length, const char *end)
{
	char line[LINE_SIZE + 8];

	for (size_t at = 0; at < length; at += LINE) {
		size_t size = length - at < LINE ? length - at : LINE;

		sodium_bin2base64(line, sizeof(line),
		    (const unsigned char *)text + at, size,
		    sodium_base64_VARIANT_ORIGINAL);
		wf_buffer_puts(out, line);
		wf_buffer_puts(out, end);
	}
}

/* In encoded words (RFC 2047) of at most 45 bytes, of whole characters. */
static void put_subject(struct wf_buffer *mail, const char *text)
{
	wf_buffer_puts(mail, "Subject:");
	while (*text != '\0') {
		size_t length = strnlen(text, 45);

		while (
		    length > 1 && ((unsigned char)text[length] & 0xC0) == 0x80)
			length--;
		wf_buffer_puts(mail, " =?UTF-8?B?");
		put_base64(mail, text, length, "");
		wf_buffer_puts(mail, "?=\r\n");
		text += length;
	}
	if (mail->data[mail->length - 1] != '\n')
		wf_buffer_puts(mail, "\r\n");
}

void wf_mail_write(struct wf_buffer *mail, const char *from,
    const char *const *to, const char *subject, const char *text,
    const char *key, int64_t now)
{
	time_t seconds = (time_t)(now / 1000);
	char date[64];
	struct tm when;

	gmtime_r(&seconds, &when);
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S +0000", &when);
	wf_buffer_printf(mail, "Date: %s\r\nFrom: <%s>\r\nTo: ", date, from);
	for (size_t i = 0; to[i] != NULL; i++)
		wf_buffer_printf(mail, "%s<%s>", i == 0 ? "" : ",\r\n ", to[i]);
	wf_buffer_puts(mail, "\r\n");
	put_subject(mail, subject);
	wf_buffer_printf(mail,
	    "Message-ID: <%s@weft>\r\nMIME-Version: 1.0\r\n"
	    "Content-Type: text/plain; charset=utf-8\r\n"
	    "Content-Transfer-Encoding: base64\r\n\r\n",
	    key);
	put_base64(mail, text, strlen(text), "\r\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a mail: headers that nobody can add a line to, text in base64.
 */
#ifndef WF_WORK_MAIL_MAIL_FORMAT_H
#define WF_WORK_MAIL_MAIL_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/* Whether the text is an address that can stand in a header as it is. */
bool wf_mail_is_address(const char *text);
/*
 * Appends a whole mail to one or more addresses (the last one is NULL), which
 * must be wf_mail_is_address().  now: milliseconds since 1970, UTC.  key: for
 * the Message-ID, without blanks and brackets.
 */
void wf_mail_write(struct wf_buffer *mail, const char *from,
    const char *const *to, const char *subject, const char *text,
    const char *key, int64_t now);

#endif

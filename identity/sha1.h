/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1, which YAWL's clients hash their passwords with. */
#ifndef WF_IDENTITY_SHA1_H
#define WF_IDENTITY_SHA1_H

#include <stddef.h>

/* A hash in base64, with its NUL. */
#define WF_SHA1_TEXT 29

/* Base64 of SHA-1 of the bytes. */
void wf_sha1_text(const char *bytes, size_t length, char text[WF_SHA1_TEXT]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Base64url without padding (RFC 4648, 5), as tokens and keys use it. */
#ifndef WF_IDENTITY_PROVIDER_BASE64URL_H
#define WF_IDENTITY_PROVIDER_BASE64URL_H

#include <sodium.h>
#include <stdbool.h>
#include <stddef.h>

/* False: it is something else, or has more than maximum bytes. */
static inline bool wf_base64url_decode(const char *text, size_t length,
    unsigned char *bytes, size_t maximum, size_t *size_out)
{
	return sodium_base642bin(bytes, maximum, text, length, NULL, size_out,
		   NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0;
}

/* The text of so many bytes, with its NUL. */
#define WF_BASE64URL_SIZE(bytes) (((bytes)*4U + 2U) / 3U + 1U)

/* text: room for WF_BASE64URL_SIZE(size). */
static inline void wf_base64url_encode(
    char *text, size_t room, const unsigned char *bytes, size_t size)
{
	sodium_bin2base64(
	    text, room, bytes, size, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

#endif

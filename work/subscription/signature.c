/* SPDX-License-Identifier: Apache-2.0 */
#include "work/subscription/signature.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

void wf_sign(const char *secret, int64_t now, const char *body, size_t length,
    char time_out[WF_SIGNATURE_TIME_SIZE], char text_out[WF_SIGNATURE_SIZE])
{
	crypto_auth_hmacsha256_state state;
	unsigned char mac[crypto_auth_hmacsha256_BYTES];
	char hex[2 * sizeof(mac) + 1];

	snprintf(
	    time_out, WF_SIGNATURE_TIME_SIZE, "%lld", (long long)(now / 1000));
	crypto_auth_hmacsha256_init(
	    &state, (const unsigned char *)secret, strlen(secret));
	crypto_auth_hmacsha256_update(
	    &state, (const unsigned char *)time_out, strlen(time_out));
	crypto_auth_hmacsha256_update(&state, (const unsigned char *)".", 1);
	crypto_auth_hmacsha256_update(
	    &state, (const unsigned char *)body, length);
	crypto_auth_hmacsha256_final(&state, mac);
	sodium_bin2hex(hex, sizeof(hex), mac, sizeof(mac));
	snprintf(text_out, WF_SIGNATURE_SIZE, "sha256=%s", hex);
}

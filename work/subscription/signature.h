/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The signature of a request to a service or a subscriber: HMAC-SHA256 with the
 * secret that both know, of the time in its header, a full stop and the body.
 * Whoever gets it checks the time as well, so that nobody sends it again later.
 */
#ifndef WF_WORK_SUBSCRIPTION_SIGNATURE_H
#define WF_WORK_SUBSCRIPTION_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

#define WF_SIGNATURE_SIZE 72U /* "sha256=" and 64 digits */
#define WF_SIGNATURE_TIME_SIZE 24U

/* The headers Weft-Timestamp and Weft-Signature; now: ms since 1970. */
void wf_sign(const char *secret, int64_t now, const char *body, size_t length,
    char time_out[WF_SIGNATURE_TIME_SIZE], char text_out[WF_SIGNATURE_SIZE]);

#endif

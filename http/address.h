/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which addresses may be called.
 *
 * Public addresses may.  Addresses of this machine, of private networks and
 * reserved ones may only if a configured range contains them: an account that
 * may register an address must not reach what the firewall protects.
 */
#ifndef WF_HTTP_ADDRESS_H
#define WF_HTTP_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/limits.h"

/* A range such as 127.0.0.0/8; IPv4 is kept as ::ffff:a.b.c.d. */
struct wf_address_range {
	unsigned char bytes[16];
	unsigned bits; /* of the prefix, 0 to 128 */
};

struct wf_address_ranges {
	struct wf_address_range rows[WF_ADDRESS_RANGES];
	size_t count;
};

/* "10.0.0.0/8", "::1/128", "127.0.0.1"; false: no range. */
bool wf_address_parse(const char *text, struct wf_address_range *range_out);

/* Whether the address is public or in one of the ranges. */
bool wf_address_is_allowed(
    const struct sockaddr *address, const struct wf_address_ranges *ranges);

#endif

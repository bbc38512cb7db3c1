/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which addresses of the network may be called.
 *
 * Those of the public internet may; those of this machine, of private networks
 * and of none at all only when somebody has said so, because who can choose an
 * address must not reach what stands behind the firewall.
 */
#ifndef WF_HTTP_ADDRESS_H
#define WF_HTTP_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#define WF_ALLOWED_MAXIMUM 64U

/* A range such as 127.0.0.0/8; as an IPv6 address, whichever it is. */
struct wf_address_range {
	unsigned char bytes[16];
	unsigned bits; /* of them that count */
};

struct wf_address_ranges {
	struct wf_address_range rows[WF_ALLOWED_MAXIMUM];
	size_t count;
};

/* "10.0.0.0/8", "::1/128", "127.0.0.1"; false for anything else. */
bool wf_address_parse(const char *text, struct wf_address_range *range_out);

/* Whether it is public, or in one of these ranges. */
bool wf_address_is_allowed(
    const struct sockaddr *address, const struct wf_address_ranges *ranges);

#endif

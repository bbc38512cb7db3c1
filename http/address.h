/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which addresses may be called.
 *
 * Public addresses may.  Addresses of this machine, of private networks and
 * reserved ones may only if a configured range contains them: an account that
 * may register an address must not reach what the firewall protects.  A name
 * may resolve to any address, so a call has a guard, which checks the address
 * itself when the socket is opened.
 */
#ifndef WF_HTTP_ADDRESS_H
#define WF_HTTP_ADDRESS_H

#include <curl/curl.h>
#include <netinet/in.h>
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

/* One address, as a range of its own; false: neither IPv4 nor IPv6. */
bool wf_address_of(
    const struct sockaddr *address, struct wf_address_range *range_out);
/* Its first address; IPv4 also where it is mapped into IPv6. */
void wf_address_print(
    const struct wf_address_range *range, char text[INET6_ADDRSTRLEN]);
bool wf_address_is_in(const struct wf_address_range *address,
    const struct wf_address_ranges *ranges);
/* Whether it is an address of this machine only. */
bool wf_address_is_loopback(const struct wf_address_range *address);

/* Whether the address is public or in one of the ranges. */
bool wf_address_is_allowed(
    const struct sockaddr *address, const struct wf_address_ranges *ranges);

/* Of one call; it must not move or be freed before the call is over. */
struct wf_address_guard {
	const struct wf_address_ranges *allowed; /* NULL: any may be called */
	bool refused;	/* an address may not be called */
	bool permitted; /* another one may */
};

/*
 * Sets the options of a call: the guard, the protocols ("http,https"), and what
 * would lead past the guard: no redirect, no proxy.
 */
void wf_address_guard_set(
    CURL *curl, struct wf_address_guard *guard, const char *protocols);
/* Whether the call has failed because of its addresses. */
bool wf_address_guard_refused(const struct wf_address_guard *guard);

#endif

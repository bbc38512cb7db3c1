/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whom a request is from, behind proxies that are trusted: each proxy appends
 * the address that it got the request from to X-Forwarded-For, or to Forwarded
 * (RFC 7239).  What stands before the last address that is no proxy's may be
 * invented by the client.
 */
#ifndef WF_HTTP_FORWARDED_H
#define WF_HTTP_FORWARDED_H

#include <netinet/in.h>

#include "http/address.h"

/* What the fields of a head say; NULL: nothing. */
struct wf_forwarded {
	const char *addresses; /* all of X-Forwarded-For, joined by commas */
	const char *elements;  /* all of Forwarded, likewise */
};

/*
 * The address of the client, as a text.  peer: the other end of the connection;
 * it is the client unless it is in proxies.  The rightmost address that is not
 * in proxies is the client; an element that is no address ends the search at
 * the proxy that appended it.  Where the two headers disagree neither is used.
 */
void wf_forwarded_client(const struct wf_forwarded *forwarded,
    const struct wf_address_range *peer,
    const struct wf_address_ranges *proxies, char text[INET6_ADDRSTRLEN]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Cookies of a request (RFC 6265): "name=value; name=\"value\"; ..". */
#ifndef WF_HTTP_COOKIE_H
#define WF_HTTP_COOKIE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Finds the one cookie of that name in the value of a header Cookie, which may
 * be NULL; quotes around the value are left out.  False: there is none, or
 * there are two with different values (which of them is the server's own is not
 * known), or it has size bytes or more, or bytes that no cookie has.
 */
bool wf_cookie_find(
    const char *header, const char *name, char *value_out, size_t size);

#endif

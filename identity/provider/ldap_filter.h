/* SPDX-License-Identifier: Apache-2.0 */
/* Search filters of directories (RFC 4515) from patterns and values. */
#ifndef WF_IDENTITY_PROVIDER_LDAP_FILTER_H
#define WF_IDENTITY_PROVIDER_LDAP_FILTER_H

#include "base/buffer.h"

/*
 * Whether the pattern is one filter with %u, of groups with either %u or %d
 * exactly once, has no other % but %%, and its parentheses match.
 */
bool wf_ldap_filter_check(const char *pattern, bool is_group);

/*
 * Appends the pattern with name in place of %u and dn in place of %d.  NULL:
 * "*", any value.  Every other value is escaped whole, so it can only be
 * compared and never changes the filter.
 */
void wf_ldap_filter_put(struct wf_buffer *out, const char *pattern,
    const char *name, const char *dn);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/provider/ldap_filter.h"

#include <string.h>

bool wf_ldap_filter_check(const char *pattern, bool is_group)
{
	unsigned values = 0;
	unsigned depth = 0;

	if (pattern[0] != '(')
		return false;
	for (const char *at = pattern; *at != '\0'; at++) {
		if (*at == '%') {
			at++;
			if (*at == 'u' || (*at == 'd' && is_group))
				values++;
			else if (*at != '%')
				return false;
		} else if (*at == '(') {
			depth++;
		} else if (*at == ')' &&
			   (depth-- == 0 || (depth == 0 && at[1] != '\0'))) {
			return false;
		}
	}
	return depth == 0 && (is_group ? values == 1 : values >= 1);
}

/* Letters and digits stay, each other byte becomes \XX. */
static void put_value(struct wf_buffer *out, const char *value)
{
	for (const char *at = value; *at != '\0'; at++) {
		char c = *at;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (c >= '0' && c <= '9'))
			wf_buffer_putc(out, c);
		else
			wf_buffer_printf(
			    out, "\\%02x", (unsigned)(unsigned char)c);
	}
}

void wf_ldap_filter_put(struct wf_buffer *out, const char *pattern,
    const char *name, const char *dn)
{
	for (const char *at = pattern; *at != '\0'; at++) {
		const char *value;

		if (*at != '%') {
			wf_buffer_putc(out, *at);
			continue;
		}
		if (*++at == '%') {
			wf_buffer_putc(out, '%');
			continue;
		}
		value = *at == 'u' ? name : dn;
		if (value == NULL)
			wf_buffer_putc(out, '*');
		else
			put_value(out, value);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse of wf_buffer_escape() (base/buffer.h). */
#ifndef WF_BASE_ESCAPE_H
#define WF_BASE_ESCAPE_H

#include <stddef.h>

/*
 * Writes text with its character references replaced, and a NUL, to `to`,
 * which has room for length + 1 bytes.  text is canonical: its references are
 * the five that XML predefines, &#9;, &#10; and &#13;.
 */
void wf_unescape(char *to, const char *text, size_t length);

#endif

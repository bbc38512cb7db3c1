/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are cut. */
#ifndef WF_BASE_CLIP_H
#define WF_BASE_CLIP_H

#include <stddef.h>
#include <string.h>

/* The bytes of a text in UTF-8, at most maximum, in whole characters. */
static inline size_t wf_clipped_length(const char *text, size_t maximum)
{
	size_t length = strnlen(text, maximum);

	while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
		length--;
	return length;
}

#endif

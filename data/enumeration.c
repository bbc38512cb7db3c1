/* SPDX-License-Identifier: Apache-2.0 */
#include "data/enumeration.h"

#include <string.h>

#include "base/buffer.h"
#include "base/map.h"
#include "base/memory.h"

#define SHOWN_BYTES 200U

struct wf_enumeration {
	struct wf_map *values;
	struct wf_buffer shown;
	bool is_cut; /* shown lacks values */
};

struct wf_enumeration *wf_enumeration_new(void)
{
	struct wf_enumeration *enumeration = wf_calloc(1, sizeof(*enumeration));

	enumeration->values = wf_map_new();
	wf_buffer_init(&enumeration->shown, 2 * SHOWN_BYTES);
	return enumeration;
}

void wf_enumeration_free(struct wf_enumeration **enumeration)
{
	struct wf_enumeration *old = *enumeration;

	*enumeration = NULL;
	if (old == NULL)
		return;
	wf_map_free(&old->values);
	wf_buffer_free(&old->shown);
	wf_free(old);
}

void wf_enumeration_add(struct wf_enumeration *enumeration, const char *value)
{
	struct wf_buffer *shown = &enumeration->shown;
	const char *separator = shown->length == 0 ? "" : ", ";

	/* Only that there is a value counts. */
	if (!wf_map_add(enumeration->values, value, enumeration) ||
	    enumeration->is_cut)
		return;
	enumeration->is_cut = shown->length + strlen(value) > SHOWN_BYTES;
	if (enumeration->is_cut)
		wf_buffer_printf(shown, "%s...", separator);
	else
		wf_buffer_printf(shown, "%s'%s'", separator, value);
}

bool wf_enumeration_has(
    const struct wf_enumeration *enumeration, const char *text)
{
	return wf_map_get(enumeration->values, text) != NULL;
}

const char *wf_enumeration_shown(const struct wf_enumeration *enumeration)
{
	return wf_buffer_text(&enumeration->shown);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "worklist/entry_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/panic.h"

#define ID_BITS 48U

uint64_t wf_entry_new_id(void)
{
	uint64_t id = 0;

	while (id == 0) {
		if (getrandom(&id, sizeof(id), 0) != (ssize_t)sizeof(id))
			wf_panic(
			    __FILE__, __LINE__, "there are no random numbers");
		id &= (1ULL << ID_BITS) - 1;
	}
	return id;
}

const char *wf_entry_name(uint64_t id, struct wf_arena *arena)
{
	return wf_arena_printf(arena, "%" PRIu64, id);
}

enum wf_rc wf_entry_expect(const struct wf_record_row *row, const char *word,
    uint64_t read, struct wf_error *err)
{
	return read == 0 || read == row->change
		   ? WF_OK
		   : wf_fail(err, WF_CONFLICT,
			 "the %s %.40s was changed in the meantime: read it "
			 "again",
			 word, row->name);
}

struct wf_bytes wf_entry_value(json_t *object, struct wf_arena *arena)
{
	char *text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
	struct wf_bytes bytes;

	if (text == NULL)
		wf_panic(__FILE__, __LINE__, "an entry is no JSON");
	bytes.size = strlen(text);
	bytes.data = wf_arena_strdup(arena, text);
	free(text);
	json_decref(object);
	return bytes;
}

const char *wf_entry_text(
    const json_t *object, const char *member, struct wf_arena *arena)
{
	const char *text = json_string_value(json_object_get(object, member));

	return wf_arena_strdup(arena, text == NULL ? "" : text);
}

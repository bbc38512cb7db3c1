/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pause.h"

#include "base/codec.h"
#include "base/time_text.h"

static const char *text_of(const char *text)
{
	return text == NULL ? "" : text;
}

void wf_pause_encode(const struct wf_pause *pause, struct wf_buffer *bytes)
{
	wf_put_signed(bytes, pause->since);
	wf_put_string(bytes, text_of(pause->by));
	wf_put_string(bytes, text_of(pause->reason));
}

void wf_pause_decode(struct wf_reader *reader, struct wf_arena *arena,
    struct wf_pause *pause_out)
{
	pause_out->since = wf_get_signed(reader);
	pause_out->by = wf_get_string(reader, arena);
	pause_out->reason = wf_get_string(reader, arena);
}

void wf_pause_copy(const struct wf_pause *from, struct wf_arena *arena,
    struct wf_pause *copy_out)
{
	copy_out->since = from->since;
	copy_out->by = wf_arena_strdup(arena, text_of(from->by));
	copy_out->reason = wf_arena_strdup(arena, text_of(from->reason));
}

const char *wf_pause_text(const struct wf_pause *pause, struct wf_arena *arena)
{
	const char *by = text_of(pause->by);
	const char *reason = text_of(pause->reason);
	char since[WF_TIME_TEXT_BYTES];

	wf_time_text_seconds(pause->since, since);
	return wf_arena_printf(arena, "since %s%s%s%s%s", since,
	    by[0] == '\0' ? "" : " by ", by, reason[0] == '\0' ? "" : ": ",
	    reason);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Due commands: their stored form, their copy in memory, names of launches. */
#include "runtime/due_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "runtime/checksum.h"

#define FORMAT 1
#define START_PREFIX "launch "
#define PAYLOAD_MAXIMUM_BYTES ((size_t)256 << 20)

struct wf_bytes wf_due_command_payload(const struct wf_due_attempts *earlier,
    struct wf_bytes body, struct wf_arena *arena)
{
	static const struct wf_due_attempts none;
	struct wf_buffer buffer;
	struct wf_bytes payload;

	if (earlier == NULL)
		earlier = &none;
	wf_buffer_init(&buffer, PAYLOAD_MAXIMUM_BYTES);
	wf_put_number(&buffer, FORMAT);
	wf_put_number(&buffer, earlier->incident);
	wf_put_number(&buffer, earlier->attempts);
	wf_put_signed(&buffer, earlier->first_at);
	wf_put_number(&buffer, earlier->isolated);
	wf_put_bytes(&buffer, body.data, body.size);
	wf_checksum_add(&buffer);
	payload.data = wf_arena_strndup(arena, buffer.data, buffer.length);
	payload.size = buffer.length;
	wf_buffer_free(&buffer);
	return payload;
}

enum wf_rc wf_due_command_decode(struct wf_bytes payload,
    struct wf_due_attempts *earlier_out, struct wf_bytes *body_out,
    struct wf_error *err)
{
	struct wf_reader reader;

	memset(earlier_out, 0, sizeof(*earlier_out));
	memset(body_out, 0, sizeof(*body_out));
	if (!wf_checksum_check(&payload))
		return wf_fail(
		    err, WF_CORRUPT, "a due command has a wrong checksum");
	wf_reader_init(&reader, payload.data, payload.size);
	if (wf_get_number(&reader) != FORMAT)
		return wf_fail(
		    err, WF_CORRUPT, "a due command has an unknown format");
	earlier_out->incident = wf_get_number(&reader);
	earlier_out->attempts = wf_get_bounded(&reader, UINT32_MAX);
	earlier_out->first_at = wf_get_signed(&reader);
	earlier_out->isolated = wf_get_bounded(&reader, UINT32_MAX);
	body_out->data = wf_get_bytes(&reader, &body_out->size);
	if (reader.bad || reader.next != reader.end)
		return wf_fail(err, WF_CORRUPT, "a due command is damaged");
	return WF_OK;
}

struct due_command *wf_due_command_new(
    const struct wf_due_row *row, int64_t until)
{
	size_t name = strlen(row->name) + 1;
	size_t size = sizeof(struct due_command) + name + row->payload.size;
	struct due_command *due = wf_calloc(1, size);
	char *at = (char *)(due + 1);
	enum wf_rc rc;

	due->size = size;
	due->until = until;
	due->row = *row;
	due->row.name = memcpy(at, row->name, name);
	if (row->payload.size > 0)
		due->row.payload.data =
		    memcpy(at + name, row->payload.data, row->payload.size);
	rc = wf_due_command_decode(
	    due->row.payload, &due->earlier, &due->body, &due->refusal);
	(void)rc; /* it stands in the refusal */
	due->attempts = due->earlier.attempts + row->attempts;
	return due;
}

void wf_due_command_free(struct due_command **due)
{
	wf_free(*due);
	*due = NULL;
}

/*
 * More than one claim, or an isolated attempt before: the engine that had the
 * row may have been crashed by it.
 */
bool wf_due_command_may_be_deadly(const struct due_command *due)
{
	return due->row.attempts > 1 || due->earlier.isolated > 0;
}

/* --- names of launches that are put off ----------------------------------- */

void wf_start_name(uint64_t number, char name[WF_START_NAME_BYTES])
{
	int length = snprintf(name, WF_START_NAME_BYTES, START_PREFIX "%020llu",
	    (unsigned long long)number);

	wf_assert(length == (int)WF_START_NAME_BYTES - 1);
}

uint64_t wf_start_number(const char *name)
{
	size_t length = strlen(START_PREFIX);

	return strncmp(name, START_PREFIX, length) == 0
		   ? strtoull(name + length, NULL, 10)
		   : 0;
}

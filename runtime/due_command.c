/* SPDX-License-Identifier: Apache-2.0 */
/* Errands: as bytes, and in memory. */
#include "runtime/due_command.h"

#include <string.h>

#include "base/codec.h"
#include "runtime/checksum.h"

#define FORMAT 1
#define PAYLOAD_MAXIMUM ((size_t)256 << 20)

struct wf_bytes wf_errand_payload(
    const struct wf_past *past, struct wf_bytes body, struct wf_arena *arena)
{
	static const struct wf_past none;
	struct wf_buffer buffer;
	struct wf_bytes payload;

	if (past == NULL)
		past = &none;
	wf_buffer_init(&buffer, PAYLOAD_MAXIMUM);
	wf_put_number(&buffer, FORMAT);
	wf_put_number(&buffer, past->incident);
	wf_put_number(&buffer, past->attempts);
	wf_put_signed(&buffer, past->first_at);
	wf_put_number(&buffer, past->trials);
	wf_put_bytes(&buffer, body.data, body.size);
	wf_seal(&buffer);
	payload.data = wf_arena_strndup(arena, buffer.data, buffer.length);
	payload.size = buffer.length;
	wf_buffer_free(&buffer);
	return payload;
}

enum wf_rc wf_errand_decode(struct wf_bytes payload, struct wf_past *past_out,
    struct wf_bytes *body_out, struct wf_error *err)
{
	struct wf_reader reader;

	memset(past_out, 0, sizeof(*past_out));
	memset(body_out, 0, sizeof(*body_out));
	if (!wf_unseal(&payload))
		return wf_fail(
		    err, WF_CORRUPT, "a due command has a wrong checksum");
	wf_reader_init(&reader, payload.data, payload.size);
	if (wf_get_number(&reader) != FORMAT)
		return wf_fail(
		    err, WF_CORRUPT, "a due command has an unknown format");
	past_out->incident = wf_get_number(&reader);
	past_out->attempts = wf_get_bounded(&reader, UINT32_MAX);
	past_out->first_at = wf_get_signed(&reader);
	past_out->trials = wf_get_bounded(&reader, UINT32_MAX);
	body_out->data = wf_get_bytes(&reader, &body_out->size);
	if (reader.bad || reader.next != reader.end)
		return wf_fail(err, WF_CORRUPT, "a due command is damaged");
	return WF_OK;
}

struct errand *wf_errand_new(const struct wf_due_row *row, int64_t until)
{
	size_t name = strlen(row->name) + 1;
	size_t size = sizeof(struct errand) + name + row->payload.size;
	struct errand *errand = wf_calloc(1, size);
	char *at = (char *)(errand + 1);
	enum wf_rc rc;

	errand->size = size;
	errand->until = until;
	errand->row = *row;
	errand->row.name = memcpy(at, row->name, name);
	if (row->payload.size > 0)
		errand->row.payload.data =
		    memcpy(at + name, row->payload.data, row->payload.size);
	rc = wf_errand_decode(errand->row.payload, &errand->past, &errand->body,
	    &errand->refusal);
	(void)rc; /* it stands in the refusal */
	errand->attempts = errand->past.attempts + row->attempts;
	return errand;
}

void wf_errand_free(struct errand **errand)
{
	wf_free(*errand);
	*errand = NULL;
}

bool wf_errand_is_suspect(const struct errand *errand)
{
	return errand->row.attempts > 1 || errand->past.trials > 0;
}

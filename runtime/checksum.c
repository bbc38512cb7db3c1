/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums of stored bytes: CRC-32C, four bytes, the lowest first. */
#include "runtime/checksum.h"

#include <string.h>

#include "base/codec.h"

#define CHECKSUM_BYTES 4U

static uint32_t add_number(uint32_t crc, uint64_t number)
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(number >> (8 * i));
	return wf_crc32c(crc, bytes, sizeof(bytes));
}

/* With its NUL, so that it cannot be mistaken for a part of the next. */
static uint32_t add_text(uint32_t crc, const char *text)
{
	text = text == NULL ? "" : text;
	return wf_crc32c(crc, text, strlen(text) + 1);
}

/* Of what stands beside the events. */
static uint32_t start_history(const struct wf_history_row *row)
{
	uint32_t crc = add_number(0, row->number);

	crc = add_number(crc, row->sequence);
	crc = add_number(crc, (uint64_t)row->at);
	crc = add_number(crc, row->format);
	crc = add_text(crc, row->actor);
	crc = add_text(crc, row->origin);
	return add_text(crc, row->command);
}

static uint32_t start_value(const struct wf_value_row *row)
{
	return add_number(add_number(0, row->number), row->value);
}

static void put(unsigned char *at, uint32_t crc)
{
	for (unsigned i = 0; i < CHECKSUM_BYTES; i++)
		at[i] = (unsigned char)(crc >> (8 * i));
}

static void append_checksum(
    struct wf_bytes *bytes, uint32_t start, struct wf_arena *arena)
{
	unsigned char *copy =
	    wf_arena_alloc(arena, bytes->size + CHECKSUM_BYTES);

	if (bytes->size > 0)
		memcpy(copy, bytes->data, bytes->size);
	put(copy + bytes->size, wf_crc32c(start, copy, bytes->size));
	bytes->data = copy;
	bytes->size += CHECKSUM_BYTES;
}

static bool check_checksum(struct wf_bytes *bytes, uint32_t start)
{
	unsigned char expected[CHECKSUM_BYTES];
	const unsigned char *data = bytes->data;

	if (data == NULL || bytes->size < CHECKSUM_BYTES)
		return false;
	bytes->size -= CHECKSUM_BYTES;
	put(expected, wf_crc32c(start, data, bytes->size));
	return memcmp(expected, data + bytes->size, CHECKSUM_BYTES) == 0;
}

void wf_checksum_add_history(struct wf_history_row *row, struct wf_arena *arena)
{
	append_checksum(&row->events, start_history(row), arena);
}

void wf_checksum_add_value(struct wf_value_row *row, struct wf_arena *arena)
{
	append_checksum(&row->text, start_value(row), arena);
}

enum wf_rc wf_checksum_check_history(const struct wf_history_row *row,
    struct wf_bytes *events_out, struct wf_error *err)
{
	*events_out = row->events;
	if (check_checksum(events_out, start_history(row)))
		return WF_OK;
	return wf_fail(err, WF_CORRUPT,
	    "step %llu of the history has a wrong checksum",
	    (unsigned long long)row->sequence);
}

enum wf_rc wf_checksum_check_value(const struct wf_value_row *row,
    struct wf_bytes *text_out, struct wf_error *err)
{
	*text_out = row->text;
	if (check_checksum(text_out, start_value(row)))
		return WF_OK;
	return wf_fail(err, WF_CORRUPT,
	    "the large value %u has a wrong checksum", row->value);
}

void wf_checksum_add(struct wf_buffer *bytes)
{
	unsigned char checksum[CHECKSUM_BYTES];

	put(checksum, wf_crc32c(0, wf_buffer_text(bytes), bytes->length));
	wf_buffer_append(bytes, checksum, CHECKSUM_BYTES);
}

bool wf_checksum_check(struct wf_bytes *bytes)
{
	return check_checksum(bytes, 0);
}

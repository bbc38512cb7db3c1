/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of time zones (TZif, RFC 9636).  A file has a block with times of 32
 * bits, then one with times of 64 bits and a rule; only files of the first
 * version lack the second.  Names of local times and leap seconds are not used.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "data/calendar/zone.h"
#include "data/calendar/zone_priv.h"

#define FOLDER "/usr/share/zoneinfo"
#define NAME_BYTES 64U
#define FILE_BYTES 65536U
#define HEADER_BYTES 44U
#define MOST_TYPES 256U
/* No clock differs from UTC by more. */
#define MOST_OFFSET_S 93600

/* --- blocks --------------------------------------------------------------- */

struct block {
	const uint8_t *bytes; /* behind the header */
	size_t time_bytes;    /* of one time */
	size_t counts[6];     /* in the order of the header */
	size_t length;
	unsigned version;
};

enum { UT_COUNT, STANDARD_COUNT, LEAP_COUNT, TIME_COUNT, TYPE_COUNT, CHARS };

static int64_t read_number(const uint8_t *bytes, size_t size)
{
	uint64_t number = bytes[0] >= 0x80 ? UINT64_MAX : 0;

	for (size_t i = 0; i < size; i++)
		number = number << 8 | bytes[i];
	return (int64_t)number;
}

static bool read_header(
    const uint8_t *bytes, size_t length, size_t time_bytes, struct block *block)
{
	if (length < HEADER_BYTES || memcmp(bytes, "TZif", 4) != 0)
		return false;
	block->version = bytes[4] == '\0' ? 1 : (unsigned)(bytes[4] - '0');
	block->bytes = bytes + HEADER_BYTES;
	block->time_bytes = time_bytes;
	for (size_t i = 0; i < 6; i++) {
		int64_t count = read_number(bytes + 20 + 4 * i, 4);

		if (count < 0 || (size_t)count > length)
			return false;
		block->counts[i] = (size_t)count;
	}
	block->length = block->counts[TIME_COUNT] * (time_bytes + 1) +
			block->counts[TYPE_COUNT] * 6 + block->counts[CHARS] +
			block->counts[LEAP_COUNT] * (time_bytes + 4) +
			block->counts[STANDARD_COUNT] + block->counts[UT_COUNT];
	return block->length <= length - HEADER_BYTES &&
	       block->counts[TYPE_COUNT] > 0 &&
	       block->counts[TYPE_COUNT] <= MOST_TYPES;
}

/* Milliseconds; false: no clock differs from UTC by that. */
static bool read_offset(const uint8_t *types, size_t number, int64_t *offset)
{
	int64_t seconds = read_number(types + 6 * number, 4);

	*offset = seconds * 1000;
	return seconds >= -MOST_OFFSET_S && seconds <= MOST_OFFSET_S;
}

/* Times beyond this are kept as this: some files begin with the Big Bang. */
#define FARTHEST_S (INT64_MAX / 4000)

static bool read_transitions(
    struct wf_arena *arena, const struct block *block, struct wf_zone *zone)
{
	size_t count = block->counts[TIME_COUNT];
	const uint8_t *numbers = block->bytes + count * block->time_bytes;
	const uint8_t *types = numbers + count;
	int64_t *times = wf_arena_array(arena, count, sizeof(*times));
	int64_t *offsets = wf_arena_array(arena, count, sizeof(*offsets));

	if (!read_offset(types, 0, &zone->first))
		return false;
	for (size_t i = 0; i < count; i++) {
		int64_t at = read_number(
		    block->bytes + i * block->time_bytes, block->time_bytes);

		if (at < -FARTHEST_S)
			at = -FARTHEST_S;
		if (at > FARTHEST_S ||
		    numbers[i] >= block->counts[TYPE_COUNT] ||
		    !read_offset(types, numbers[i], &offsets[i]))
			return false;
		times[i] = at * 1000;
		if (i > 0 && times[i] <= times[i - 1])
			return false;
	}
	zone->times = times;
	zone->offsets = offsets;
	zone->count = count;
	return true;
}

/* The line behind the block; a file without a rule has an empty one. */
static bool read_footer(
    struct wf_zone *zone, const uint8_t *bytes, size_t length)
{
	const uint8_t *end;
	char text[128];
	size_t size;

	if (length == 0 || bytes[0] != '\n')
		return false;
	end = memchr(bytes + 1, '\n', length - 1);
	if (end == NULL)
		return false;
	size = (size_t)(end - bytes - 1);
	if (size == 0)
		return true;
	if (size >= sizeof(text) || memchr(bytes + 1, '\0', size) != NULL)
		return false;
	memcpy(text, bytes + 1, size);
	text[size] = '\0';
	zone->has_rule = true;
	return wf_zone_read_rule(zone, text);
}

static bool read_blocks(struct wf_arena *arena, const uint8_t *bytes,
    size_t length, struct wf_zone *zone, bool *has_leaps)
{
	struct block block;

	if (!read_header(bytes, length, 4, &block))
		return false;
	if (block.version >= 2) {
		const uint8_t *next = block.bytes + block.length;

		length -= (size_t)(next - bytes);
		if (!read_header(next, length, 8, &block))
			return false;
		bytes = next;
	}
	*has_leaps = block.counts[LEAP_COUNT] > 0;
	length -= HEADER_BYTES + block.length;
	return read_transitions(arena, &block, zone) &&
	       (block.version < 2 ||
		   read_footer(zone, block.bytes + block.length, length));
}

enum wf_rc wf_zone_read(struct wf_arena *arena, const char *name,
    const void *bytes, size_t length, const struct wf_zone **zone_out,
    struct wf_error *err)
{
	struct wf_zone *zone = wf_arena_alloc(arena, sizeof(*zone));
	bool has_leaps = false;

	if (!read_blocks(arena, bytes, length, zone, &has_leaps))
		return wf_fail(err, WF_DATA,
		    "the file of the time zone \"%.64s\" is damaged", name);
	if (has_leaps)
		return wf_fail(err, WF_INVALID,
		    "the time zone \"%.64s\" counts leap seconds; expected one "
		    "that does not, such as Europe/Berlin",
		    name);
	*zone_out = zone;
	return WF_OK;
}

/* --- names ---------------------------------------------------------------- */

const struct wf_zone *wf_zone_fixed(struct wf_arena *arena, int32_t minutes)
{
	struct wf_zone *zone = wf_arena_alloc(arena, sizeof(*zone));

	zone->first = (int64_t)minutes * 60000;
	return zone;
}

/* "Z", "UTC", "+01:00". */
static bool read_fixed(const char *name, int32_t *minutes_out)
{
	int32_t minutes;

	*minutes_out = 0;
	if (strcmp(name, "Z") == 0 || strcmp(name, "UTC") == 0)
		return true;
	if ((name[0] != '+' && name[0] != '-') || strlen(name) != 6 ||
	    strspn(name + 1, "0123456789") != 2 || name[3] != ':' ||
	    strspn(name + 4, "0123456789") != 2)
		return false;
	minutes = atoi(name + 1) * 60 + atoi(name + 4);
	*minutes_out = name[0] == '-' ? -minutes : minutes;
	return minutes <= 14 * 60 && atoi(name + 4) < 60;
}

/* A name that stays in the folder: parts of letters, digits and "_+-". */
static bool is_name(const char *name)
{
	size_t part = 0;

	if (strlen(name) > NAME_BYTES)
		return false;
	for (; *name != '\0'; name++) {
		bool is_letter = (*name >= 'a' && *name <= 'z') ||
				 (*name >= 'A' && *name <= 'Z');

		if (*name == '/') {
			if (part == 0)
				return false;
			part = 0;
		} else if (is_letter ||
			   (part > 0 && strchr("0123456789_+-", *name))) {
			part++;
		} else {
			return false;
		}
	}
	return part > 0;
}

enum wf_rc wf_zone_load(struct wf_arena *arena, const char *name,
    const struct wf_zone **zone_out, struct wf_error *err)
{
	const char *folder = getenv("TZDIR");
	struct wf_buffer bytes;
	int32_t minutes;
	char path[4096];
	enum wf_rc rc;

	if (read_fixed(name, &minutes)) {
		*zone_out = wf_zone_fixed(arena, minutes);
		return WF_OK;
	}
	if (folder == NULL || folder[0] == '\0')
		folder = FOLDER;
	wf_buffer_init(&bytes, FILE_BYTES);
	if (!is_name(name) ||
	    (size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >=
		sizeof(path) ||
	    wf_buffer_read_file(&bytes, path, NULL) != WF_OK ||
	    bytes.length < 4 || memcmp(bytes.data, "TZif", 4) != 0)
		rc = wf_fail(err, WF_INVALID,
		    "\"%.64s\" is no time zone; expected a name such as "
		    "Europe/Berlin (files in %.200s), UTC, or such as +01:00",
		    name, folder);
	else
		rc = wf_zone_read(
		    arena, name, bytes.data, bytes.length, zone_out, err);
	wf_buffer_free(&bytes);
	return rc;
}

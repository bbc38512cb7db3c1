/* SPDX-License-Identifier: Apache-2.0 */
/* Variable-length numbers, strings and checksums. */
#include "base/codec.h"

#include <string.h>

void wf_put_number(struct wf_buffer *buffer, uint64_t number)
{
	unsigned char bytes[10];
	size_t size = 0;

	while (number >= 0x80) {
		bytes[size++] = (unsigned char)(number | 0x80);
		number >>= 7;
	}
	bytes[size++] = (unsigned char)number;
	wf_buffer_append(buffer, bytes, size);
}

void wf_put_signed(struct wf_buffer *buffer, int64_t number)
{
	uint64_t sign = number < 0 ? UINT64_MAX : 0;

	wf_put_number(buffer, ((uint64_t)number << 1) ^ sign);
}

void wf_put_bytes(struct wf_buffer *buffer, const void *bytes, size_t size)
{
	wf_put_number(buffer, size);
	wf_buffer_append(buffer, bytes, size);
}

void wf_put_string(struct wf_buffer *buffer, const char *text)
{
	wf_put_bytes(buffer, text, strlen(text));
}

void wf_reader_init(struct wf_reader *reader, const void *bytes, size_t size)
{
	reader->next = bytes;
	reader->end = reader->next + size;
	reader->bad = false;
}

uint64_t wf_get_number(struct wf_reader *reader)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		unsigned char byte;

		if (reader->next == reader->end)
			break;
		byte = *reader->next++;
		/* Only the shortest form, and only 64 bits, are accepted. */
		if ((shift == 63 && byte > 1) || (shift > 0 && byte == 0))
			break;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	reader->bad = true;
	reader->next = reader->end;
	return 0;
}

uint32_t wf_get_bounded(struct wf_reader *reader, uint32_t maximum)
{
	uint64_t number = wf_get_number(reader);

	if (number > maximum) {
		reader->bad = true;
		reader->next = reader->end;
		return 0;
	}
	return (uint32_t)number;
}

int64_t wf_get_signed(struct wf_reader *reader)
{
	uint64_t number = wf_get_number(reader);

	return (int64_t)((number >> 1) ^ (UINT64_C(0) - (number & 1)));
}

const char *wf_get_bytes(struct wf_reader *reader, size_t *size_out)
{
	uint64_t size = wf_get_number(reader);
	const char *bytes = (const char *)reader->next;

	if (size > (size_t)(reader->end - reader->next)) {
		reader->bad = true;
		reader->next = reader->end;
		size = 0;
	}
	*size_out = (size_t)size;
	reader->next += size;
	return bytes;
}

const char *wf_get_string(struct wf_reader *reader, struct wf_arena *arena)
{
	size_t size;
	const char *text = wf_get_bytes(reader, &size);

	return text == NULL ? "" : wf_arena_strndup(arena, text, size);
}

uint64_t wf_hash(uint64_t seed, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;
	uint64_t hash = seed ^ UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* One entry a half byte: small, and quick enough where nothing else is. */
static uint32_t crc_by_table(uint32_t crc, const unsigned char *bytes, size_t n)
{
	static const uint32_t table[16] = {
		0x00000000,
		0x105ec76f,
		0x20bd8ede,
		0x30e349b1,
		0x417b1dbc,
		0x5125dad3,
		0x61c69362,
		0x7198540d,
		0x82f63b78,
		0x92a8fc17,
		0xa24bb5a6,
		0xb21572c9,
		0xc38d26c4,
		0xd3d3e1ab,
		0xe330a81a,
		0xf36e6f75,
	};

	for (size_t i = 0; i < n; i++) {
		crc ^= bytes[i];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return crc;
}

#ifdef __x86_64__
/* Nearly every processor of this kind has it: eight bytes at once. */
__attribute__((target("sse4.2"))) static uint32_t crc_of_words(
    uint32_t crc, const unsigned char *bytes, size_t words)
{
	uint64_t wide = crc;
	uint64_t word;

	for (size_t i = 0; i < words; i++) {
		memcpy(&word, bytes + i * sizeof(word), sizeof(word));
		wide = __builtin_ia32_crc32di(wide, word);
	}
	return (uint32_t)wide;
}
#endif

uint32_t wf_crc32c(uint32_t seed, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint32_t crc = ~seed;

#ifdef __x86_64__
	if (size >= 8 && __builtin_cpu_supports("sse4.2")) {
		crc = crc_of_words(crc, at, size / 8);
		at += size / 8 * 8;
		size %= 8;
	}
#endif
	return ~crc_by_table(crc, at, size);
}

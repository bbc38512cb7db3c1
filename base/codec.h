/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compact bytes: variable-length numbers (LEB128, seven bits a byte, lowest
 * first), length-prefixed strings, and a CRC-32C checksum (Castagnoli, as in
 * RFC 3720) over all of it.
 */
#ifndef WF_BASE_CODEC_H
#define WF_BASE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/memory.h"

void wf_put_number(struct wf_buffer *buffer, uint64_t number);
/* Zigzag: small magnitudes of either sign are short. */
void wf_put_signed(struct wf_buffer *buffer, int64_t number);
/* The length, then the bytes. */
void wf_put_bytes(struct wf_buffer *buffer, const void *bytes, size_t size);
void wf_put_string(struct wf_buffer *buffer, const char *text);

/*
 * Reads what the functions above wrote.  Past the end, or on a number that
 * is too long, "bad" is set and zeros are returned, so a caller checks once.
 */
struct wf_reader {
	const unsigned char *next;
	const unsigned char *end;
	bool bad;
};

void wf_reader_init(struct wf_reader *reader, const void *bytes, size_t size);
uint64_t wf_get_number(struct wf_reader *reader);
/* A number of at most maximum; more is bad. */
uint32_t wf_get_bounded(struct wf_reader *reader, uint32_t maximum);
int64_t wf_get_signed(struct wf_reader *reader);
/* The bytes stay in the reader's memory and are not NUL-terminated. */
const char *wf_get_bytes(struct wf_reader *reader, size_t *size_out);
/* A string, copied to the arena; "" when the reader is bad. */
const char *wf_get_string(struct wf_reader *reader, struct wf_arena *arena);

/* FNV-1a, for tables; seed: 0, or the hash of what comes before. */
uint64_t wf_hash(uint64_t seed, const void *bytes, size_t size);

uint32_t wf_crc32c(uint32_t seed, const void *bytes, size_t size);

#endif

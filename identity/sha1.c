/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-1 as in FIPS 180-4. */
#include "identity/sha1.h"

#include <sodium.h>
#include <stdint.h>
#include <string.h>

#define BLOCK 64U
#define HASH 20U

static uint32_t rotate(uint32_t word, unsigned bits)
{
	return word << bits | word >> (32 - bits);
}

/* Which bits of b, c and d a round mixes, and its constant. */
static uint32_t mix(unsigned round, uint32_t b, uint32_t c, uint32_t d)
{
	if (round < 20)
		return ((b & c) | (~b & d)) + UINT32_C(0x5A827999);
	if (round < 40)
		return (b ^ c ^ d) + UINT32_C(0x6ED9EBA1);
	if (round < 60)
		return ((b & c) | (b & d) | (c & d)) + UINT32_C(0x8F1BBCDC);
	return (b ^ c ^ d) + UINT32_C(0xCA62C1D6);
}

static void add_block(uint32_t state[5], const unsigned char *bytes)
{
	uint32_t words[80];
	uint32_t v[5];

	for (unsigned i = 0; i < 16; i++)
		words[i] = (uint32_t)bytes[i * 4] << 24 |
			   (uint32_t)bytes[i * 4 + 1] << 16 |
			   (uint32_t)bytes[i * 4 + 2] << 8 | bytes[i * 4 + 3];
	for (unsigned i = 16; i < 80; i++)
		words[i] = rotate(
		    words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16],
		    1);
	memcpy(v, state, sizeof(v));
	for (unsigned i = 0; i < 80; i++) {
		uint32_t next = rotate(v[0], 5) + mix(i, v[1], v[2], v[3]) +
				v[4] + words[i];

		v[4] = v[3];
		v[3] = v[2];
		v[2] = rotate(v[1], 30);
		v[1] = v[0];
		v[0] = next;
	}
	for (unsigned i = 0; i < 5; i++)
		state[i] += v[i];
}

static void put_length(unsigned char *end, uint64_t bits)
{
	for (unsigned i = 0; i < 8; i++)
		end[i] = (unsigned char)(bits >> (56 - 8 * i));
}

void wf_sha1_text(const char *bytes, size_t length, char text[WF_SHA1_TEXT])
{
	uint32_t state[5] = { UINT32_C(0x67452301), UINT32_C(0xEFCDAB89),
		UINT32_C(0x98BADCFE), UINT32_C(0x10325476),
		UINT32_C(0xC3D2E1F0) };
	unsigned char last[2 * BLOCK] = { 0 };
	unsigned char hash[HASH];
	size_t rest = length % BLOCK;
	size_t padded = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;

	for (size_t at = 0; at + BLOCK <= length; at += BLOCK)
		add_block(state, (const unsigned char *)bytes + at);
	memcpy(last, bytes + (length - rest), rest);
	last[rest] = 0x80;
	put_length(last + padded - 8, (uint64_t)length * 8);
	for (size_t at = 0; at < padded; at += BLOCK)
		add_block(state, last + at);
	for (unsigned i = 0; i < HASH; i++)
		hash[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
	sodium_bin2base64(
	    text, WF_SHA1_TEXT, hash, HASH, sodium_base64_VARIANT_ORIGINAL);
}

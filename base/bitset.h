/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of small numbers, as arrays of 64-bit words that the caller owns.
 * A set for n numbers has wf_bitset_words(n) words.
 */
#ifndef WF_BASE_BITSET_H
#define WF_BASE_BITSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t wf_bitset_words(size_t n)
{
	return (n + 63) / 64;
}

static inline bool wf_bitset_has(const uint64_t *set, size_t i)
{
	return (set[i / 64] >> (i % 64) & 1) != 0;
}

static inline void wf_bitset_add(uint64_t *set, size_t i)
{
	set[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void wf_bitset_remove(uint64_t *set, size_t i)
{
	set[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

static inline void wf_bitset_put(uint64_t *set, size_t i, bool member)
{
	if (member)
		wf_bitset_add(set, i);
	else
		wf_bitset_remove(set, i);
}

/* The smallest member that is at least from, or SIZE_MAX. */
static inline size_t wf_bitset_next(
    const uint64_t *set, size_t words, size_t from)
{
	size_t word = from / 64;
	uint64_t bits;

	if (word >= words)
		return SIZE_MAX;
	bits = set[word] & (UINT64_MAX << (from % 64));
	while (bits == 0) {
		if (++word == words)
			return SIZE_MAX;
		bits = set[word];
	}
	return word * 64 + (size_t)__builtin_ctzll(bits);
}

static inline bool wf_bitset_empty(const uint64_t *set, size_t words)
{
	return wf_bitset_next(set, words, 0) == SIZE_MAX;
}

static inline size_t wf_bitset_count(const uint64_t *set, size_t words)
{
	size_t count = 0;

	for (size_t i = 0; i < words; i++)
		count += (size_t)__builtin_popcountll(set[i]);
	return count;
}

/* Loops over the members in ascending order. */
#define WF_BITSET_EACH(i, set, words)                                          \
	for (size_t i = wf_bitset_next(set, words, 0); i != SIZE_MAX;          \
	     i = wf_bitset_next(set, words, i + 1))

#endif

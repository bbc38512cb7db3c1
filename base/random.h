/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one generator of pseudo-random numbers: a 64-bit linear congruential
 * one (multiplier by Knuth), so that a printed seed reproduces a run on any
 * machine.
 */
#ifndef WF_BASE_RANDOM_H
#define WF_BASE_RANDOM_H

#include <stdint.h>

struct wf_random {
	uint64_t state;
};

/* A number from 0 to n - 1; n is at least 1. */
static inline uint32_t wf_random_below(struct wf_random *random, uint32_t n)
{
	random->state = random->state * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
	return (uint32_t)((random->state >> 33) % n);
}

#endif

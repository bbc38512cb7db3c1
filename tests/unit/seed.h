/* SPDX-License-Identifier: Apache-2.0 */
/* The number of random cases of a suite, and their seed. */
#ifndef WF_TESTS_SEED_H
#define WF_TESTS_SEED_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* WEFT_SEED, or the usual one; printed, so that the run can be repeated. */
static inline uint64_t test_seed(const char *suite, uint64_t usual)
{
	const char *text = getenv("WEFT_SEED");
	uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : usual;

	printf("%s: WEFT_SEED=%" PRIu64 "\n", suite, seed);
	return seed;
}

/* A hundred times the usual number with WEFT_SOAK=1. */
static inline unsigned test_rounds(unsigned usual)
{
	const char *text = getenv("WEFT_SOAK");

	return text != NULL && strcmp(text, "1") == 0 ? usual * 100 : usual;
}

#endif

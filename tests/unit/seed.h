/* SPDX-License-Identifier: Apache-2.0 */
/* The number of random cases of a suite, and their seed. */
#ifndef WF_TESTS_SEED_H
#define WF_TESTS_SEED_H

#include <inttypes.h>
#include <stdbool.h>
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

static inline bool test_variable_is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value != NULL && strcmp(value, "1") == 0;
}

/* Whether nothing is sampled. */
static inline bool test_soaks(void)
{
	return test_variable_is_set("WEFT_SOAK");
}

/* A hundred times the usual number with WEFT_SOAK=1. */
static inline unsigned test_rounds(unsigned usual)
{
	return test_soaks() ? usual * 100 : usual;
}

/* Whether rounds are expensive and sampled: with sanitizers. */
static inline bool test_is_dear(void)
{
	return !test_soaks() && test_variable_is_set("WEFT_SANITIZED");
}

/* .. and a third of it with sanitizers. */
static inline unsigned test_dear_rounds(unsigned usual)
{
	return test_is_dear() ? (usual + 2) / 3 : test_rounds(usual);
}

#endif

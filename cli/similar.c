/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/similar.h"

#include <string.h>

/*
 * Levenshtein's distance: the number of characters that are added, removed or
 * changed.  Of b the first 63 characters count.
 */
static size_t distance(const char *a, const char *b)
{
	size_t row[64];
	size_t length = strnlen(b, 63);

	for (size_t j = 0; j <= length; j++)
		row[j] = j;
	for (size_t i = 1; *a != '\0'; i++, a++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= length; j++) {
			size_t best = corner + (*a != b[j - 1]);

			corner = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[length];
}

void wf_similar_try(struct wf_similar *similar, const char *candidate)
{
	size_t found = distance(similar->word, candidate);

	if (similar->best != NULL && found >= similar->distance)
		return;
	similar->best = candidate;
	similar->distance = found;
}

const char *wf_similar_found(const struct wf_similar *similar)
{
	return similar->best != NULL &&
		       similar->distance <= strlen(similar->best) / 2
		   ? similar->best
		   : NULL;
}

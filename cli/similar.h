/* SPDX-License-Identifier: Apache-2.0 */
/* What is meant by a word that is misspelt. */
#ifndef WF_CLI_SIMILAR_H
#define WF_CLI_SIMILAR_H

#include <stddef.h>

/* Of several words, the most similar one so far; starts as { .word = W }. */
struct wf_similar {
	const char *word; /* as it was typed */
	const char *best; /* NULL: none was compared */
	size_t distance;
};

/* Compares one more word, which must remain valid. */
void wf_similar_try(struct wf_similar *similar, const char *candidate);

/* The word that is meant; NULL: none is similar enough. */
const char *wf_similar_found(const struct wf_similar *similar);

#endif

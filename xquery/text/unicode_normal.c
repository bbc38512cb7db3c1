/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unicode normalisation forms C and D.
 *
 * Text is taken in runs: a character of combining class 0 and the combining
 * ones behind it, decomposed, sorted by class, and (form C) composed again.
 * Hangul syllables are calculated, all else is xquery/text/unicode_normal.def.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "xquery/text/unicode.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Hangul: first syllable, and first and number of the three parts. */
#define SYLLABLE 0xAC00U
#define LEAD 0x1100U
#define VOWEL 0x1161U
#define TRAIL 0x11A7U
#define LEADS 19U
#define VOWELS 21U
#define TRAILS 28U
#define SYLLABLES (LEADS * VOWELS * TRAILS)

struct combining {
	uint32_t first;
	uint32_t last;
	uint8_t class;
};

struct pair {
	uint32_t whole;
	uint32_t first;
	uint32_t second; /* 0 when there is none */
	bool composed;
};

#define WF_PAIR(whole, first, second)
#define WF_DECOMPOSED(whole, first, second)
static const struct combining combining[] = {
#define WF_COMBINING(first, last, class) { first, last, class },
#include "xquery/text/unicode_normal.def"
#undef WF_COMBINING
};
#undef WF_PAIR
#undef WF_DECOMPOSED

#define WF_COMBINING(first, last, class)
static const struct pair pairs[] = {
#define WF_PAIR(whole, first, second) { whole, first, second, true },
#define WF_DECOMPOSED(whole, first, second) { whole, first, second, false },
#include "xquery/text/unicode_normal.def"
#undef WF_PAIR
#undef WF_DECOMPOSED
};
#undef WF_COMBINING

static int class_of(uint32_t character)
{
	size_t low = 0;
	size_t high = COUNT(combining);

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (combining[middle].last < character)
			low = middle + 1;
		else
			high = middle;
	}
	return low < COUNT(combining) && combining[low].first <= character
		   ? combining[low].class
		   : 0;
}

static int compare_whole(const void *key, const void *entry)
{
	uint32_t character = *(const uint32_t *)key;
	const struct pair *pair = entry;

	return (character > pair->whole) - (character < pair->whole);
}

/* Characters of one run; they are few unless somebody makes them many. */
struct run {
	uint32_t *characters;
	size_t count;
	size_t capacity;
};

static void push(struct run *run, uint32_t character)
{
	if (run->count == run->capacity) {
		run->capacity = run->capacity == 0 ? 16 : 2 * run->capacity;
		run->characters = wf_realloc(
		    run->characters, run->capacity * sizeof(uint32_t));
	}
	run->characters[run->count++] = character;
}

static void decompose(struct run *run, uint32_t character)
{
	const struct pair *pair;
	uint32_t index = character - SYLLABLE;

	if (character < 0xC0) {
		push(run, character);
	} else if (index < SYLLABLES) {
		push(run, LEAD + index / (VOWELS * TRAILS));
		push(run, VOWEL + index / TRAILS % VOWELS);
		if (index % TRAILS != 0)
			push(run, TRAIL + index % TRAILS);
	} else {
		pair = bsearch(&character, pairs, COUNT(pairs),
		    sizeof(pairs[0]), compare_whole);
		if (!pair) {
			push(run, character);
			return;
		}
		decompose(run, pair->first);
		if (pair->second != 0)
			decompose(run, pair->second);
	}
}

static int compare_class(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Sorts the combining characters between two of class 0, stably: the keys are
 * class, place and character in one number.
 */
static void sort_marks(uint32_t *characters, size_t count)
{
	uint64_t *keys;

	if (count < 2)
		return;
	keys = wf_malloc(count * sizeof(*keys));
	for (size_t i = 0; i < count; i++)
		keys[i] = (uint64_t)class_of(characters[i]) << 56 |
			  (uint64_t)i << 24 | characters[i];
	qsort(keys, count, sizeof(*keys), compare_class);
	for (size_t i = 0; i < count; i++)
		characters[i] = (uint32_t)(keys[i] & 0xFFFFFF);
	wf_free(keys);
}

static void sort_run(struct run *run)
{
	size_t start = 0;

	if (run->count == 0)
		return;

	for (size_t i = 0; i <= run->count; i++)
		if (i == run->count || class_of(run->characters[i]) == 0) {
			sort_marks(run->characters + start, i - start);
			start = i + 1;
		}
}

/* The character that the two compose, or 0. */
static uint32_t compose_two(uint32_t first, uint32_t second)
{
	if (first - LEAD < LEADS && second - VOWEL < VOWELS)
		return SYLLABLE +
		       ((first - LEAD) * VOWELS + second - VOWEL) * TRAILS;
	if (first - SYLLABLE < SYLLABLES && (first - SYLLABLE) % TRAILS == 0 &&
	    second > TRAIL && second - TRAIL < TRAILS)
		return first + second - TRAIL;
	/* Among those of class 0 only some vowel signs compose. */
	if (second < 0x300 ||
	    ((second < 0x9BE || (second >= 0x1B36 && second < 0x11000)) &&
		class_of(second) == 0))
		return 0;
	for (size_t i = 0; i < COUNT(pairs); i++)
		if (pairs[i].composed && pairs[i].first == first &&
		    pairs[i].second == second)
			return pairs[i].whole;
	return 0;
}

static void compose_run(struct run *run)
{
	size_t starter = SIZE_MAX;
	size_t kept = 0;
	int last_class = 0;

	for (size_t i = 0; i < run->count; i++) {
		uint32_t character = run->characters[i];
		int class = class_of(character);
		bool blocked = starter == SIZE_MAX ||
			       (kept > starter + 1 && last_class >= class);
		uint32_t whole =
		    blocked ? 0
			    : compose_two(run->characters[starter], character);

		if (whole != 0) {
			run->characters[starter] = whole;
			continue;
		}
		if (class == 0)
			starter = kept;
		last_class = class;
		run->characters[kept++] = character;
	}
	run->count = kept;
}

static void flush(struct wf_buffer *out, struct run *run, bool compose)
{
	char bytes[4];

	sort_run(run);
	if (compose)
		compose_run(run);
	for (size_t i = 0; i < run->count; i++)
		wf_buffer_append(
		    out, bytes, wf_utf8_put(run->characters[i], bytes));
	run->count = 0;
}

void wf_unicode_normalize(
    struct wf_buffer *out, const char *text, size_t length, bool compose)
{
	const char *end = text + length;
	struct run run = { 0 };

	while (text < end) {
		uint32_t character = wf_utf8_next(&text, end);

		/* Nothing composes across a plain letter or blank. */
		if (character < 0x300)
			flush(out, &run, compose);
		decompose(&run, character);
	}
	flush(out, &run, compose);
	wf_free(run.characters);
}

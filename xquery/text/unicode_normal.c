/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unicode normalisation forms C and D.
 *
 * Text is handled in runs: a character that composes with nothing before it,
 * and the characters up to the next such one.  utf8proc decomposes each
 * character and composes the run again.  The marks of a run are sorted here,
 * because utf8proc's own sort takes the square of their number, and hostile
 * text can have a million of them.
 */
#include <stdlib.h>
#include <utf8proc.h>

#include "base/memory.h"
#include "base/panic.h"
#include "xquery/text/unicode.h"

/*
 * The maximum number of characters in a decomposition, in any version of
 * Unicode.
 */
#define DECOMPOSED 18

/* The characters of one run, decomposed. */
struct run {
	utf8proc_int32_t *characters;
	size_t count;
	size_t capacity;
};

static unsigned class_of(utf8proc_int32_t character)
{
	return (unsigned)utf8proc_get_property(character)->combining_class;
}

static void decompose(struct run *run, uint32_t character)
{
	utf8proc_ssize_t count;
	int boundary = 0;

	if (run->capacity - run->count < DECOMPOSED) {
		run->capacity = 2 * run->capacity + DECOMPOSED;
		run->characters = wf_realloc(run->characters,
		    run->capacity * sizeof(run->characters[0]));
	}
	count = utf8proc_decompose_char((utf8proc_int32_t)character,
	    run->characters + run->count, DECOMPOSED, UTF8PROC_DECOMPOSE,
	    &boundary);
	wf_assert(count > 0 && count <= DECOMPOSED);
	run->count += (size_t)count;
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
static void sort_marks(utf8proc_int32_t *characters, size_t count)
{
	uint64_t *keys;

	if (count < 2)
		return;
	keys = wf_malloc(count * sizeof(*keys));
	for (size_t i = 0; i < count; i++)
		keys[i] = (uint64_t)class_of(characters[i]) << 56 |
			  (uint64_t)i << 24 | (uint32_t)characters[i];
	qsort(keys, count, sizeof(*keys), compare_class);
	for (size_t i = 0; i < count; i++)
		characters[i] = (utf8proc_int32_t)(keys[i] & 0xFFFFFF);
	wf_free(keys);
}

static void sort_run(struct run *run)
{
	size_t start = 0;

	if (run->count < 2)
		return;
	for (size_t i = 0; i <= run->count; i++)
		if (i == run->count || class_of(run->characters[i]) == 0) {
			sort_marks(run->characters + start, i - start);
			start = i + 1;
		}
}

static void flush(struct wf_buffer *out, struct run *run, bool compose)
{
	utf8proc_ssize_t count = (utf8proc_ssize_t)run->count;
	char bytes[4];

	sort_run(run);
	if (compose && count > 1)
		count = utf8proc_normalize_utf32(
		    run->characters, count, UTF8PROC_COMPOSE | UTF8PROC_STABLE);
	wf_assert(count >= 0 && (size_t)count <= run->count);
	for (utf8proc_ssize_t i = 0; i < count; i++)
		wf_buffer_append(out, bytes,
		    wf_utf8_put((uint32_t)run->characters[i], bytes));
	run->count = 0;
}

/*
 * Nothing before it composes with this character, and it is no mark.  U+11A7,
 * the place before the trailing consonants of Hangul, is named because utf8proc
 * (2.8) loses it behind a syllable that it could complete.
 */
static bool begins_run(uint32_t character)
{
	return character < 0x300 || character == 0x11A7;
}

void wf_unicode_normalize(
    struct wf_buffer *out, const char *text, size_t length, bool compose)
{
	const char *end = text + length;
	struct run run = { 0 };

	while (text < end) {
		uint32_t character = wf_utf8_next(&text, end);

		if (begins_run(character))
			flush(out, &run, compose);
		decompose(&run, character);
	}
	flush(out, &run, compose);
	wf_free(run.characters);
}

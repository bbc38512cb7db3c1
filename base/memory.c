/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas are lists of blocks; a request larger than a block gets its own. */
#include "base/memory.h"

#include <malloc.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"

#define BLOCK_SIZE 4096U
#define ALIGNMENT alignof(max_align_t)

static _Thread_local uint64_t fail_after;

void wf_memory_fail_after(uint64_t n)
{
	fail_after = n;
}

static void check_failure(void)
{
	if (fail_after == 0)
		return;
	if (fail_after == 1)
		wf_panic(__FILE__, __LINE__, "out of memory");
	fail_after--;
}

void *wf_malloc(size_t size)
{
	void *memory;

	check_failure();
	memory = malloc(size == 0 ? 1 : size);
	if (memory == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	return memory;
}

void *wf_calloc(size_t count, size_t size)
{
	void *memory;

	check_failure();
	memory = calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
	if (memory == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	return memory;
}

void *wf_realloc(void *memory, size_t size)
{
	check_failure();
	memory = realloc(memory, size == 0 ? 1 : size);
	if (memory == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	return memory;
}

void wf_free(void *memory)
{
	free(memory);
}

char *wf_strndup(const char *text, size_t length)
{
	char *copy = wf_malloc(length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *wf_strdup(const char *text)
{
	return wf_strndup(text, strlen(text));
}

void wf_memory_trim(void)
{
	(void)malloc_trim(0);
}

struct block {
	struct block *next;
	size_t size;
	size_t used;
	alignas(max_align_t) unsigned char bytes[];
};

struct wf_arena {
	struct block *blocks; /* the newest first */
	size_t size;
};

static struct block *add_block(struct wf_arena *arena, size_t size)
{
	struct block *block = wf_malloc(sizeof(*block) + size);

	block->size = size;
	block->used = 0;
	block->next = arena->blocks;
	arena->blocks = block;
	arena->size += size;
	return block;
}

struct wf_arena *wf_arena_new(void)
{
	return wf_calloc(1, sizeof(struct wf_arena));
}

void wf_arena_free(struct wf_arena **arena)
{
	if (*arena == NULL)
		return;
	for (struct block *block = (*arena)->blocks; block != NULL;) {
		struct block *next = block->next;

		wf_free(block);
		block = next;
	}
	wf_free(*arena);
	*arena = NULL;
}

void wf_arena_reset(struct wf_arena *arena)
{
	struct block *kept = NULL;

	if (arena->blocks == NULL)
		return;
	for (struct block *block = arena->blocks; block != NULL;) {
		struct block *next = block->next;

		if (kept == NULL && block->size == BLOCK_SIZE)
			kept = block;
		else
			wf_free(block);
		block = next;
	}
	arena->blocks = kept;
	arena->size = 0;
	if (kept != NULL) {
		kept->next = NULL;
		kept->used = 0;
		arena->size = kept->size;
	}
}

void *wf_arena_alloc(struct wf_arena *arena, size_t size)
{
	struct block *block = arena->blocks;
	void *memory;

	wf_assert(size <= SIZE_MAX - ALIGNMENT);
	size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (block == NULL || block->size - block->used < size)
		block = add_block(arena, size > BLOCK_SIZE ? size : BLOCK_SIZE);
	memory = block->bytes + block->used;
	block->used += size;
	return memset(memory, 0, size);
}

void *wf_arena_array(struct wf_arena *arena, size_t count, size_t size)
{
	wf_assert(size == 0 || count <= SIZE_MAX / 2 / size);
	return wf_arena_alloc(arena, count * size);
}

char *wf_arena_strndup(struct wf_arena *arena, const char *text, size_t length)
{
	char *copy = wf_arena_alloc(arena, length + 1);

	memcpy(copy, text, length);
	return copy;
}

char *wf_arena_strdup(struct wf_arena *arena, const char *text)
{
	return wf_arena_strndup(arena, text, strlen(text));
}

char *wf_arena_printf(struct wf_arena *arena, const char *format, ...)
{
	va_list arguments;
	int length;
	char *text;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	wf_assert(length >= 0);
	text = wf_arena_alloc(arena, (size_t)length + 1);
	va_start(arguments, format);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	va_end(arguments);
	return text;
}

size_t wf_arena_size(const struct wf_arena *arena)
{
	return arena->size;
}

void *wf_arena_grow(struct wf_arena *arena, void *array, size_t count,
    size_t *capacity, size_t size)
{
	void *larger;

	if (count < *capacity)
		return array;
	*capacity = *capacity == 0 ? 8 : *capacity * 2;
	larger = wf_arena_array(arena, *capacity, size);
	if (count > 0)
		memcpy(larger, array, count * size);
	return larger;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Maps from strings to pointers. */
#include "base/map.h"

#include <string.h>

#include "base/memory.h"
#include "base/panic.h"

/* uthash runs out of memory through the same door as everything else. */
#define uthash_malloc(size) wf_malloc(size)
#define uthash_free(memory, size) wf_free(memory)
/* FNV-1a is the shortest for short keys; its low bits alone are too alike. */
#define HASH_FUNCTION(key, length, hash)                                       \
	do {                                                                   \
		HASH_FNV(key, length, hash);                                   \
		(hash) ^= (hash) >> 16;                                        \
	} while (0)
#include <uthash.h>
/* Shorter chains: what is added once is looked up often. */
#undef HASH_BKT_CAPACITY_THRESH
#define HASH_BKT_CAPACITY_THRESH 4U

struct entry {
	UT_hash_handle hh;
	void *value;
	char key[];
};

struct wf_map {
	struct entry *entries;
};

struct wf_map *wf_map_new(void)
{
	return wf_calloc(1, sizeof(struct wf_map));
}

void wf_map_free(struct wf_map **map)
{
	struct entry *entry;
	struct entry *next;

	if (*map == NULL)
		return;
	HASH_ITER (hh, (*map)->entries, entry, next) {
		HASH_DEL((*map)->entries, entry);
		wf_free(entry);
	}
	wf_free(*map);
	*map = NULL;
}

bool wf_map_add(struct wf_map *map, const char *key, void *value)
{
	size_t length = strlen(key);
	struct entry *entry;

	HASH_FIND(hh, map->entries, key, length, entry);
	if (entry != NULL)
		return false;
	entry = wf_calloc(1, sizeof(*entry) + length + 1);
	memcpy(entry->key, key, length);
	entry->value = value;
	HASH_ADD_KEYPTR(hh, map->entries, entry->key, length, entry);
	return true;
}

void *wf_map_get_n(const struct wf_map *map, const char *key, size_t length)
{
	struct entry *entry;

	HASH_FIND(hh, map->entries, key, length, entry);
	return entry == NULL ? NULL : entry->value;
}

void *wf_map_get(const struct wf_map *map, const char *key)
{
	return wf_map_get_n(map, key, strlen(key));
}

void *wf_map_remove(struct wf_map *map, const char *key)
{
	struct entry *entry;
	void *value;

	HASH_FIND(hh, map->entries, key, strlen(key), entry);
	if (entry == NULL)
		return NULL;
	value = entry->value;
	HASH_DEL(map->entries, entry);
	wf_free(entry);
	return value;
}

size_t wf_map_count(const struct wf_map *map)
{
	return HASH_COUNT(map->entries);
}

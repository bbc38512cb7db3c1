/* SPDX-License-Identifier: Apache-2.0 */
/* Maps from strings to pointers, over uthash; keys are copied. */
#ifndef WF_BASE_MAP_H
#define WF_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

struct wf_map; /* opaque */

struct wf_map *wf_map_new(void);
/* Frees the map, not what it points to; sets *map to NULL. */
void wf_map_free(struct wf_map **map);
/* False, and nothing changed, when the key is there already. */
bool wf_map_add(struct wf_map *map, const char *key, void *value);
/* NULL when there is no such key. */
void *wf_map_get(const struct wf_map *map, const char *key);
void *wf_map_get_n(const struct wf_map *map, const char *key, size_t length);
/* Returns the value, which is no longer there; NULL: there was no such key. */
void *wf_map_remove(struct wf_map *map, const char *key);
size_t wf_map_count(const struct wf_map *map);

#endif

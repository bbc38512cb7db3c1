/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash tables of keys, for distinct-values and group by: a key is a list of
 * atomic values, each of which may be missing.
 */
#ifndef WF_XQUERY_EVAL_KEYS_H
#define WF_XQUERY_EVAL_KEYS_H

#include "xquery/item/item.h"

struct wf_key {
	bool present;
	struct wf_atomic atomic;
};

struct wf_keys {
	size_t width; /* number of values of a key */
	const struct wf_key **list;
	size_t count;
	size_t capacity;
	uint64_t *hashes; /* one per key of the list */
	size_t hash_capacity;
	uint32_t *slots; /* indexes in the list, from 1; 0: free */
	size_t slot_count;
	bool has_float; /* a float among numbers: see wf_keys_add() */
};

/*
 * The index of key in the list, from 0; the key is added when there is no equal
 * one (*added_out).  key belongs to the evaluation and is not copied.
 */
enum wf_rc wf_keys_add(struct wf_dynamic *dynamic, struct wf_keys *keys,
    const struct wf_key *key, size_t *place_out, bool *added_out) WF_MUSTCHECK;

#endif

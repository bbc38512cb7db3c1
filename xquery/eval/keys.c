/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashing atomic values so that equal values have equal hashes.
 *
 * Numbers of all types can be equal, so they are hashed as doubles. A float is
 * the exception: 0.1 as a decimal equals both the float and the double 0.1,
 * which differ. From the first float on all numbers are hashed as floats.
 */
#include "xquery/eval/keys.h"

#include <math.h>
#include <string.h>

#include "base/panic.h"
#include "xquery/atomic/atomic_priv.h"
#include "xquery/atomic/moment.h"
#include "xquery/item/evaluation.h"

#define SLOTS_AT_FIRST 16

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
	return hash ^ (hash >> 29);
}

static uint64_t hash_text(
    struct wf_dynamic *dynamic, const char *text, size_t length)
{
	uint64_t hash = length;

	wf_charge_text(dynamic, length);
	for (; length >= sizeof(uint64_t); length -= sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, text, sizeof(word));
		hash = mix(hash, word);
		text += sizeof(word);
	}
	for (; length > 0; length--)
		hash = mix(hash, (unsigned char)*text++);
	return hash;
}

static uint64_t hash_number(struct wf_dynamic *dynamic,
    const struct wf_keys *keys, const struct wf_atomic *atomic)
{
	double number = wf_atomic_to_double(dynamic, atomic);
	uint64_t bits = 0;

	if (keys->has_float)
		number = (double)(float)number;
	if (isnan(number) || fpclassify(number) == FP_ZERO)
		return 0;
	memcpy(&bits, &number, sizeof(bits));
	return mix(1, bits);
}

static uint64_t hash_atomic(struct wf_dynamic *dynamic,
    const struct wf_keys *keys, const struct wf_atomic *atomic)
{
	if (wf_atomic_is_numeric(atomic->type))
		return hash_number(dynamic, keys, atomic);
	switch ((int)wf_atomic_primitive(atomic->type)) {
	case WF_XS_STRING:
	case WF_XS_UNTYPED:
	case WF_XS_ANY_URI:
	case WF_XS_HEX_BINARY:
	case WF_XS_BASE64_BINARY:
		return hash_text(
		    dynamic, atomic->as.string.text, atomic->as.string.length);
	case WF_XS_BOOLEAN:
		return mix(2, atomic->as.boolean);
	case WF_XS_DURATION:
		return mix((uint64_t)atomic->as.duration.months,
		    (uint64_t)atomic->as.duration.seconds);
	case WF_XS_QNAME:
	case WF_XS_NOTATION:
		return hash_text(dynamic, atomic->as.qname.local,
		    strlen(atomic->as.qname.local));
	default:
		return mix(3, (uint64_t)wf_moment_instant(
				  &atomic->as.moment, dynamic->timezone));
	}
}

static uint64_t hash_key(struct wf_dynamic *dynamic, const struct wf_keys *keys,
    const struct wf_key *key)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < keys->width; i++) {
		if (key[i].present)
			hash = mix(
			    hash, hash_atomic(dynamic, keys, &key[i].atomic));
		else
			hash = mix(hash, 4);
	}
	return hash;
}

static bool same_key(struct wf_dynamic *dynamic, const struct wf_keys *keys,
    const struct wf_key *a, const struct wf_key *b)
{
	for (size_t i = 0; i < keys->width; i++) {
		if (a[i].present != b[i].present)
			return false;
		if (a[i].present &&
		    !wf_atomic_same(dynamic, &a[i].atomic, &b[i].atomic))
			return false;
	}
	return true;
}

static void put(struct wf_keys *keys, size_t place)
{
	size_t mask = keys->slot_count - 1;
	size_t slot = keys->hashes[place] & mask;

	while (keys->slots[slot] != 0)
		slot = (slot + 1) & mask;
	keys->slots[slot] = (uint32_t)place + 1;
}

/* Allocates slot_count slots and enters the existing keys. */
static enum wf_rc spread(
    struct wf_dynamic *dynamic, struct wf_keys *keys, size_t slot_count)
{
	enum wf_rc rc = wf_spend(dynamic, keys->count);

	if (rc != WF_OK)
		return rc;
	/* A power of two with a free slot, so that each search ends. */
	wf_assert(
	    (slot_count & (slot_count - 1)) == 0 && slot_count > keys->count);
	keys->slots =
	    wf_arena_array(dynamic->arena, slot_count, sizeof(uint32_t));
	keys->slot_count = slot_count;
	for (size_t i = 0; i < keys->count; i++)
		put(keys, i);
	return WF_OK;
}

static enum wf_rc hash_as_floats(
    struct wf_dynamic *dynamic, struct wf_keys *keys)
{
	keys->has_float = true;
	for (size_t i = 0; i < keys->count; i++)
		keys->hashes[i] = hash_key(dynamic, keys, keys->list[i]);
	return spread(dynamic, keys, keys->slot_count);
}

static bool has_float(const struct wf_keys *keys, const struct wf_key *key)
{
	for (size_t i = 0; i < keys->width; i++)
		if (key[i].present && key[i].atomic.type == WF_XS_FLOAT)
			return true;
	return false;
}

static enum wf_rc append(struct wf_dynamic *dynamic, struct wf_keys *keys,
    const struct wf_key *key, uint64_t hash)
{
	keys->list = wf_arena_grow(dynamic->arena, keys->list, keys->count,
	    &keys->capacity, sizeof(struct wf_key *));
	keys->hashes = wf_arena_grow(dynamic->arena, keys->hashes, keys->count,
	    &keys->hash_capacity, sizeof(uint64_t));
	keys->list[keys->count] = key;
	keys->hashes[keys->count++] = hash;
	if (2 * keys->count > keys->slot_count)
		return spread(dynamic, keys, 2 * keys->slot_count);
	put(keys, keys->count - 1);
	return WF_OK;
}

enum wf_rc wf_keys_add(struct wf_dynamic *dynamic, struct wf_keys *keys,
    const struct wf_key *key, size_t *place_out, bool *added_out)
{
	enum wf_rc rc = WF_OK;
	uint64_t hash;
	size_t slot;

	if (keys->slot_count == 0)
		rc = spread(dynamic, keys, SLOTS_AT_FIRST);
	if (rc == WF_OK && !keys->has_float && has_float(keys, key))
		rc = hash_as_floats(dynamic, keys);
	hash = hash_key(dynamic, keys, key);
	slot = hash & (keys->slot_count - 1);
	for (; rc == WF_OK && keys->slots[slot] != 0;
	     slot = (slot + 1) & (keys->slot_count - 1)) {
		size_t place = keys->slots[slot] - 1;

		wf_assert(place < keys->count);
		rc = wf_spend(dynamic, 1);
		if (keys->hashes[place] != hash ||
		    !same_key(dynamic, keys, keys->list[place], key))
			continue;
		*place_out = place;
		*added_out = false;
		return rc;
	}
	*place_out = keys->count;
	*added_out = true;
	return rc == WF_OK ? append(dynamic, keys, key, hash) : rc;
}

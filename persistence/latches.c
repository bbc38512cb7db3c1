/* SPDX-License-Identifier: Apache-2.0 */
/* Latches in a hash table with chains; a key begins with a letter for its kind.
 */
#include "persistence/latches.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/memory.h"
#include "base/panic.h"

#define CHAINS 1024U

struct latch {
	struct latch *next;
	const void *owner;
	uint64_t hash;
	char key[];
};

struct wf_latches {
	struct latch *chains[CHAINS];
};

/* Long enough for a name and for the id of a command, with their prefixes. */
#define KEY_SIZE 320

struct wf_latches *wf_latches_new(void)
{
	return wf_calloc(1, sizeof(struct wf_latches));
}

void wf_latches_free(struct wf_latches **latches)
{
	if (*latches == NULL)
		return;
	wf_latches_release(*latches, NULL);
	wf_free(*latches);
	*latches = NULL;
}

static uint64_t hash_of(const char *key)
{
	return wf_hash(0, key, strlen(key));
}

static struct latch *find(const struct wf_latches *latches, const char *key)
{
	uint64_t hash = hash_of(key);
	struct latch *latch = latches->chains[hash % CHAINS];

	while (latch != NULL &&
	       (latch->hash != hash || strcmp(latch->key, key) != 0))
		latch = latch->next;
	return latch;
}

static bool take(struct wf_latches *latches, const void *owner, const char *key)
{
	struct latch *latch = find(latches, key);
	size_t size = strlen(key) + 1;

	if (latch != NULL)
		return latch->owner == owner;
	wf_assert(owner != NULL);
	latch = wf_malloc(sizeof(*latch) + size);
	latch->owner = owner;
	latch->hash = hash_of(key);
	memcpy(latch->key, key, size);
	latch->next = latches->chains[latch->hash % CHAINS];
	latches->chains[latch->hash % CHAINS] = latch;
	return true;
}

static bool has(
    const struct wf_latches *latches, const void *owner, const char *key)
{
	const struct latch *latch = find(latches, key);

	return latch != NULL && latch->owner == owner;
}

static const char *case_key(char key[KEY_SIZE], uint64_t number)
{
	snprintf(key, KEY_SIZE, "%llu", (unsigned long long)number);
	return key;
}

static const char *name_key(
    char key[KEY_SIZE], uint32_t namespace_id, const char *name)
{
	snprintf(key, KEY_SIZE, "n%u %s", namespace_id, name);
	return key;
}

bool wf_latch_case(
    struct wf_latches *latches, const void *owner, uint64_t number)
{
	char key[KEY_SIZE];

	return take(latches, owner, case_key(key, number));
}

bool wf_latch_name(struct wf_latches *latches, const void *owner,
    uint32_t namespace_id, const char *name)
{
	char key[KEY_SIZE];

	return take(latches, owner, name_key(key, namespace_id, name));
}

bool wf_latch_command(
    struct wf_latches *latches, const void *owner, const char *id)
{
	char key[KEY_SIZE];

	snprintf(key, sizeof key, "c%s", id);
	return take(latches, owner, key);
}

bool wf_latches_has_case(
    const struct wf_latches *latches, const void *owner, uint64_t number)
{
	char key[KEY_SIZE];

	return has(latches, owner, case_key(key, number));
}

bool wf_latches_has_name(const struct wf_latches *latches, const void *owner,
    uint32_t namespace_id, const char *name)
{
	char key[KEY_SIZE];

	return has(latches, owner, name_key(key, namespace_id, name));
}

void wf_latches_release(struct wf_latches *latches, const void *owner)
{
	for (size_t i = 0; i < CHAINS; i++) {
		struct latch **link = &latches->chains[i];

		while (*link != NULL) {
			struct latch *latch = *link;

			if (owner != NULL && latch->owner != owner) {
				link = &latch->next;
				continue;
			}
			*link = latch->next;
			wf_free(latch);
		}
	}
}

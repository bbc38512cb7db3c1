/* SPDX-License-Identifier: Apache-2.0 */
#include "server/answer_cache.h"

#include <pthread.h>
#include <string.h>

#include "base/panic.h"

#define ANSWERS 64U
/* An old text is given so many times keep_ms after it was made, at most. */
#define OLD_TIMES 4
#define ANSWER_BYTES ((size_t)1 << 20)

struct answer {
	char *key;
	char *text;
	int64_t at;
	int64_t renewed_at; /* when somebody began to make it anew */
};

struct wf_answer_cache {
	int64_t keep_ms;
	pthread_mutex_t lock; /* of what follows */
	struct answer answers[ANSWERS];
	size_t count;
};

struct wf_answer_cache *wf_answer_cache_new(int64_t keep_ms)
{
	struct wf_answer_cache *cache = wf_calloc(1, sizeof(*cache));

	cache->keep_ms = keep_ms;
	pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

static void drop_all(struct wf_answer_cache *cache)
{
	while (cache->count > 0) {
		struct answer *answer = &cache->answers[--cache->count];

		wf_free(answer->key);
		wf_free(answer->text);
	}
}

void wf_answer_cache_free(struct wf_answer_cache **cache)
{
	struct wf_answer_cache *old = *cache;

	*cache = NULL;
	if (old == NULL)
		return;
	drop_all(old);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

static struct answer *find(struct wf_answer_cache *cache, const char *key)
{
	for (size_t i = 0; i < cache->count; i++)
		if (strcmp(cache->answers[i].key, key) == 0)
			return &cache->answers[i];
	return NULL;
}

/* A clock that was set back makes none fresh for ever. */
static bool is_within(int64_t now, int64_t from, int64_t ms)
{
	return now >= from && now < from + ms;
}

/* It is fresh, or somebody else makes it anew. */
static bool is_given(const struct wf_answer_cache *cache,
    const struct answer *answer, int64_t now)
{
	int64_t keep_ms = cache->keep_ms;

	return is_within(now, answer->at, keep_ms) ||
	       (is_within(now, answer->renewed_at, keep_ms) &&
		   is_within(now, answer->at, OLD_TIMES * keep_ms));
}

const char *wf_answer_cache_get(struct wf_answer_cache *cache, const char *key,
    int64_t now, struct wf_arena *arena)
{
	struct answer *answer;
	const char *text = NULL;

	pthread_mutex_lock(&cache->lock);
	answer = find(cache, key);
	if (answer != NULL && is_given(cache, answer, now))
		text = wf_arena_strdup(arena, answer->text);
	else if (answer != NULL)
		answer->renewed_at = now;
	pthread_mutex_unlock(&cache->lock);
	return text;
}

void wf_answer_cache_put(struct wf_answer_cache *cache, const char *key,
    int64_t now, const char *text)
{
	struct answer *answer;

	if (strlen(text) > ANSWER_BYTES)
		return;
	pthread_mutex_lock(&cache->lock);
	answer = find(cache, key);
	if (answer == NULL && cache->count == ANSWERS)
		drop_all(cache);
	if (answer == NULL) {
		answer = &cache->answers[cache->count++];
		*answer = (struct answer){ .key = wf_strdup(key) };
	}
	wf_assert(cache->count <= ANSWERS);
	wf_free(answer->text);
	answer->text = wf_strdup(text);
	answer->at = now;
	pthread_mutex_unlock(&cache->lock);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sessions that a node knows: a map by key, and a list by last use, from
 * whose end the table forgets when it is full.
 */
#include <string.h>

#include "base/panic.h"
#include "identity/session_priv.h"

/* What is forgotten is read again when it is needed. */
#define KEPT 32768U

struct wf_sessions *wf_sessions_new(void)
{
	struct wf_sessions *sessions = wf_calloc(1, sizeof(*sessions));

	sessions->by_key = wf_map_new();
	return sessions;
}

static void unlink_session(
    struct wf_sessions *sessions, struct wf_kept_session *kept)
{
	if (kept->newer != NULL)
		kept->newer->older = kept->older;
	else
		sessions->newest = kept->older;
	if (kept->older != NULL)
		kept->older->newer = kept->newer;
	else
		sessions->oldest = kept->newer;
	kept->newer = NULL;
	kept->older = NULL;
}

static void link_first(
    struct wf_sessions *sessions, struct wf_kept_session *kept)
{
	wf_assert(kept->newer == NULL);
	kept->older = sessions->newest;
	if (sessions->newest != NULL)
		sessions->newest->newer = kept;
	else
		sessions->oldest = kept;
	sessions->newest = kept;
}

static void forget(struct wf_sessions *sessions, struct wf_kept_session *kept)
{
	wf_assert(wf_map_get(sessions->by_key, kept->key) == kept);
	(void)wf_map_remove(sessions->by_key, kept->key);
	unlink_session(sessions, kept);
	wf_free(kept);
}

void wf_sessions_free(struct wf_sessions **sessions)
{
	struct wf_sessions *old = *sessions;

	*sessions = NULL;
	if (old == NULL)
		return;
	while (old->newest != NULL)
		forget(old, old->newest);
	wf_map_free(&old->by_key);
	wf_free(old);
}

struct wf_kept_session *wf_sessions_find(
    struct wf_sessions *sessions, const char *key)
{
	struct wf_kept_session *kept = wf_map_get(sessions->by_key, key);

	if (kept == NULL || kept == sessions->newest)
		return kept;
	unlink_session(sessions, kept);
	link_first(sessions, kept);
	return kept;
}

struct wf_kept_session *wf_sessions_make(
    struct wf_sessions *sessions, const char *key)
{
	struct wf_kept_session *kept = wf_sessions_find(sessions, key);

	if (kept != NULL)
		return kept;
	wf_assert(strlen(key) == WF_HASH_TEXT - 1);
	if (wf_map_count(sessions->by_key) >= KEPT)
		forget(sessions, sessions->oldest);
	kept = wf_calloc(1, sizeof(*kept));
	strcpy(kept->key, key);
	(void)wf_map_add(sessions->by_key, key, kept);
	link_first(sessions, kept);
	wf_assert(wf_map_count(sessions->by_key) <= KEPT);
	return kept;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions are in lists by the hash of their handle, and in one list by last
 * use: the least recently used one is at its end, so expired sessions are found
 * there.
 */
#include "yawl/session.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/codec.h"
#include "base/panic.h"

#define LISTS 4096U

struct session {
	struct session *next; /* of its list */
	struct session *newer;
	struct session *older;
	int64_t opened;
	int64_t used;
	char handle[WF_HANDLE_SIZE];
	char user[];
};

struct wf_yawl_sessions {
	pthread_mutex_t lock;
	int64_t idle;
	size_t maximum;
	size_t count;
	struct session *newest;
	struct session *oldest;
	struct session *lists[LISTS];
};

struct wf_yawl_sessions *wf_yawl_sessions_new(int64_t idle, size_t maximum)
{
	struct wf_yawl_sessions *sessions = wf_calloc(1, sizeof(*sessions));

	pthread_mutex_init(&sessions->lock, NULL);
	sessions->idle = idle;
	sessions->maximum = maximum;
	return sessions;
}

/* --- the lists; under the lock -------------------------------------------- */

static struct session **list_of(
    struct wf_yawl_sessions *sessions, const char *handle)
{
	return &sessions->lists[wf_hash(0, handle, strlen(handle)) % LISTS];
}

static void put_newest(
    struct wf_yawl_sessions *sessions, struct session *session)
{
	/* The list is sorted: callers read the clock under the lock. */
	wf_assert(sessions->newest == NULL ||
		  sessions->newest->used <= session->used);
	session->newer = NULL;
	session->older = sessions->newest;
	*(session->older != NULL ? &session->older->newer : &sessions->oldest) =
	    session;
	sessions->newest = session;
}

static void take_out(struct wf_yawl_sessions *sessions, struct session *session)
{
	*(session->older != NULL ? &session->older->newer : &sessions->oldest) =
	    session->newer;
	*(session->newer != NULL ? &session->newer->older : &sessions->newest) =
	    session->older;
}

static void drop(struct wf_yawl_sessions *sessions, struct session *session)
{
	struct session **at = list_of(sessions, session->handle);

	wf_assert(sessions->count > 0);
	while (*at != session)
		at = &(*at)->next;
	*at = session->next;
	take_out(sessions, session);
	sessions->count--;
	wf_free(session);
}

static void drop_idle(struct wf_yawl_sessions *sessions, int64_t now)
{
	while (sessions->oldest != NULL &&
	       now - sessions->oldest->used > sessions->idle)
		drop(sessions, sessions->oldest);
}

static struct session *find(
    struct wf_yawl_sessions *sessions, const char *handle)
{
	struct session *session = *list_of(sessions, handle);

	while (session != NULL && strcmp(session->handle, handle) != 0)
		session = session->next;
	return session;
}

/* --- calls ---------------------------------------------------------------- */

void wf_yawl_sessions_free(struct wf_yawl_sessions **sessions)
{
	if (*sessions == NULL)
		return;
	while ((*sessions)->oldest != NULL)
		drop(*sessions, (*sessions)->oldest);
	pthread_mutex_destroy(&(*sessions)->lock);
	wf_free(*sessions);
	*sessions = NULL;
}

static void make_handle(char handle[WF_HANDLE_SIZE])
{
	unsigned char b[16];

	randombytes_buf(b, sizeof(b));
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	snprintf(handle, WF_HANDLE_SIZE,
	    "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
	    "%02x%02x%02x%02x%02x%02x",
	    b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10],
	    b[11], b[12], b[13], b[14], b[15]);
}

void wf_yawl_session_open(struct wf_yawl_sessions *sessions, const char *user,
    char handle_out[WF_HANDLE_SIZE])
{
	size_t length = strlen(user);
	struct session *session = wf_calloc(1, sizeof(*session) + length + 1);
	struct session **list;

	memcpy(session->user, user, length);
	make_handle(session->handle);
	memcpy(handle_out, session->handle, WF_HANDLE_SIZE);
	pthread_mutex_lock(&sessions->lock);
	session->opened = wf_monotonic_ms();
	session->used = session->opened;
	drop_idle(sessions, session->used);
	if (sessions->count == sessions->maximum)
		drop(sessions, sessions->oldest);
	list = list_of(sessions, session->handle);
	session->next = *list;
	*list = session;
	put_newest(sessions, session);
	sessions->count++;
	pthread_mutex_unlock(&sessions->lock);
}

const char *wf_yawl_session_use(struct wf_yawl_sessions *sessions,
    const char *handle, struct wf_arena *arena)
{
	struct session *session;
	const char *user = NULL;
	int64_t now;

	if (handle == NULL)
		return NULL;
	pthread_mutex_lock(&sessions->lock);
	now = wf_monotonic_ms();
	drop_idle(sessions, now);
	session = find(sessions, handle);
	if (session != NULL) {
		session->used = now;
		take_out(sessions, session);
		put_newest(sessions, session);
		user = wf_arena_strdup(arena, session->user);
	}
	pthread_mutex_unlock(&sessions->lock);
	return user;
}

void wf_yawl_session_close(
    struct wf_yawl_sessions *sessions, const char *handle)
{
	struct session *session;

	pthread_mutex_lock(&sessions->lock);
	session = find(sessions, handle);
	if (session != NULL)
		drop(sessions, session);
	pthread_mutex_unlock(&sessions->lock);
}

void wf_yawl_sessions_drop(struct wf_yawl_sessions *sessions, const char *user)
{
	pthread_mutex_lock(&sessions->lock);
	for (struct session *at = sessions->oldest; at != NULL;) {
		struct session *newer = at->newer;

		if (strcmp(at->user, user) == 0)
			drop(sessions, at);
		at = newer;
	}
	pthread_mutex_unlock(&sessions->lock);
}

void wf_yawl_sessions_check(struct wf_yawl_sessions *sessions,
    bool (*is_known)(const void *context, const char *user),
    const void *context, int64_t since)
{
	pthread_mutex_lock(&sessions->lock);
	for (struct session *at = sessions->oldest; at != NULL;) {
		struct session *newer = at->newer;

		if (at->opened < since && !is_known(context, at->user))
			drop(sessions, at);
		at = newer;
	}
	pthread_mutex_unlock(&sessions->lock);
}

void wf_yawl_sessions_visit(struct wf_yawl_sessions *sessions,
    void (*visit)(void *context, const char *user), void *context)
{
	pthread_mutex_lock(&sessions->lock);
	drop_idle(sessions, wf_monotonic_ms());
	for (struct session *at = sessions->oldest; at != NULL; at = at->newer)
		visit(context, at->user);
	pthread_mutex_unlock(&sessions->lock);
}

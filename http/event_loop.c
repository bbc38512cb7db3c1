/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This file polls, not libmicrohttpd, which reads 128 events at a time: when
 * exactly 128 are ready it waits for further ones before it handles any, for
 * as long as the other connections are idle.  So the loop waits until the
 * daemon's epoll descriptor is ready, and runs the daemon without waiting.
 *
 * Only its own thread touches a daemon.  Other threads set a flag or push a
 * resumption onto a stack and wake the thread; only the push onto an empty
 * stack needs to wake it.
 */
#include "http/event_loop.h"

#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/panic.h"

#define MAGIC 0x6c6f6f70U

struct wf_http_loop {
	uint32_t magic;
	struct MHD_Daemon *daemon;
	int events; /* the daemon's epoll descriptor */
	int wake;   /* an eventfd */
	_Atomic(struct wf_resumption *) resumptions;
	atomic_bool serving;
	atomic_bool draining;
	atomic_bool ending;
	pthread_t thread;
};

/* The loop whose daemon this thread may touch. */
static _Thread_local const struct wf_http_loop *mine;

bool wf_http_loop_is_mine(const struct wf_http_loop *loop)
{
	return loop == mine;
}

static void wake(struct wf_http_loop *loop)
{
	const uint64_t one = 1;
	ssize_t written;

	do
		written = write(loop->wake, &one, sizeof(one));
	while (written < 0 && errno == EINTR);
}

void wf_http_loop_resume(
    struct wf_http_loop *loop, struct wf_resumption *resumption)
{
	struct wf_resumption *first = atomic_load(&loop->resumptions);

	wf_assert(loop->magic == MAGIC);
	wf_assert(resumption->connection != NULL);
	/* Once pushed, it may be resumed and freed at any moment. */
	do
		resumption->next = first;
	while (!atomic_compare_exchange_weak(
	    &loop->resumptions, &first, resumption));
	if (first == NULL)
		wake(loop);
}

static void resume_all(struct wf_http_loop *loop)
{
	struct wf_resumption *next = atomic_exchange(&loop->resumptions, NULL);

	wf_assert(wf_http_loop_is_mine(loop));
	while (next != NULL) {
		struct MHD_Connection *connection = next->connection;

		next = next->next;
		MHD_resume_connection(connection);
	}
}

/* Milliseconds until a connection times out; 0: there is work; -1: never. */
static int longest_wait(struct wf_http_loop *loop)
{
	MHD_UNSIGNED_LONG_LONG wait;

	if (MHD_get_timeout(loop->daemon, &wait) != MHD_YES)
		return -1;
	return wait < INT_MAX ? (int)wait : INT_MAX;
}

static void wait_for_events(struct wf_http_loop *loop)
{
	struct pollfd files[] = {
		{ .fd = loop->wake, .events = POLLIN },
		{ .fd = loop->events, .events = POLLIN },
	};
	bool serving = atomic_load(&loop->serving);
	int wait = serving ? longest_wait(loop) : -1;
	uint64_t woken;

	if (wait != 0 && poll(files, serving ? 2 : 1, wait) > 0 &&
	    files[0].revents != 0)
		(void)!read(loop->wake, &woken, sizeof(woken));
}

static unsigned connections(struct wf_http_loop *loop)
{
	return MHD_get_daemon_info(
	    loop->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)
	    ->num_connections;
}

/*
 * After connections were closed there is room for new ones: the daemon accepts
 * again when it runs the next time.  It must also run before it is asked how
 * long to wait, because it does not count resumed connections.
 */
static void serve(struct wf_http_loop *loop)
{
	unsigned before;

	wf_assert(wf_http_loop_is_mine(loop));
	do {
		resume_all(loop);
		before = connections(loop);
		(void)MHD_run_wait(loop->daemon, 0);
	} while (connections(loop) < before);
}

static void stop_listening(struct wf_http_loop *loop)
{
	MHD_socket listening = MHD_quiesce_daemon(loop->daemon);

	if (listening != MHD_INVALID_SOCKET)
		close(listening);
}

static void *run(void *argument)
{
	struct wf_http_loop *loop = argument;
	bool listens = true;
	bool ending;

	wf_assert(loop->magic == MAGIC);
	mine = loop;
	do {
		ending = atomic_load(&loop->ending);
		if (listens && atomic_load(&loop->draining)) {
			stop_listening(loop);
			listens = false;
		}
		if (atomic_load(&loop->serving))
			serve(loop);
		if (!ending)
			wait_for_events(loop);
	} while (!ending);
	return NULL;
}

static void free_loop(struct wf_http_loop *loop)
{
	mine = loop; /* its thread has ended, or was never made */
	MHD_stop_daemon(loop->daemon);
	mine = NULL;
	loop->magic = 0;
	if (loop->wake >= 0)
		close(loop->wake);
	wf_free(loop);
}

enum wf_rc wf_http_loop_open(struct wf_http_loop **loop_out,
    struct MHD_Daemon *daemon, struct wf_error *err)
{
	struct wf_http_loop *loop = wf_calloc(1, sizeof(*loop));

	*loop_out = NULL;
	loop->magic = MAGIC;
	loop->daemon = daemon;
	loop->events =
	    MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	loop->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (loop->wake < 0 ||
	    pthread_create(&loop->thread, NULL, run, loop) != 0) {
		free_loop(loop);
		return wf_fail(err, WF_IO,
		    "the threads that serve connections cannot be made");
	}
	*loop_out = loop;
	return WF_OK;
}

void wf_http_loop_serve(struct wf_http_loop *loop)
{
	wf_assert(loop->magic == MAGIC && !atomic_load(&loop->serving));
	atomic_store(&loop->serving, true);
	wake(loop);
}

void wf_http_loop_drain(struct wf_http_loop *loop)
{
	atomic_store(&loop->draining, true);
	wake(loop);
}

void wf_http_loop_close(struct wf_http_loop **loop)
{
	struct wf_http_loop *old = *loop;

	if (old == NULL)
		return;
	wf_assert(old->magic == MAGIC);
	wf_assert(!wf_http_loop_is_mine(old)); /* it waits for its thread */
	atomic_store(&old->draining, true);
	atomic_store(&old->ending, true);
	wake(old);
	/* Until it has ended, requests that arrive read *loop. */
	pthread_join(old->thread, NULL);
	*loop = NULL;
	free_loop(old);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a connection, plain or by TLS; for one thread. */
#ifndef WF_BENCH_BENCH_TLS_H
#define WF_BENCH_BENCH_TLS_H

#include <stdbool.h>
#include <sys/types.h>

/* All zero: plain. */
struct wf_channel {
	int fd;
	void *session; /* of TLS; NULL: plain */
};

/*
 * Does the handshake with a server on a connection that blocks.  ca: the file
 * of certificates that are trusted; NULL: those of the system.  False: it
 * failed, or is not built in.
 */
bool wf_channel_secure(
    struct wf_channel *channel, const char *host, const char *ca);
void wf_channel_close(struct wf_channel *channel);
/* As send() and recv(); -1 with EAGAIN: not now. */
ssize_t wf_channel_send(
    struct wf_channel *channel, const char *bytes, size_t size);
ssize_t wf_channel_receive(
    struct wf_channel *channel, char *bytes, size_t size);
/* Whether bytes are left that poll() does not see. */
bool wf_channel_has_more(const struct wf_channel *channel);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A socket that accepts connections. */
#ifndef WF_HTTP_LISTENING_H
#define WF_HTTP_LISTENING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Listens on an address or the name of a host; port 0: a free one.  The caller
 * closes the socket.  WF_INVALID: there is no such address; WF_IO: the system
 * refused, and why.
 */
enum wf_rc wf_listen(int *socket_out, const char *address, uint16_t port,
    struct wf_error *err) WF_MUSTCHECK;

/* Whether only programs of this machine can connect. */
bool wf_listening_is_local(int socket);

#endif

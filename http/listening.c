/* SPDX-License-Identifier: Apache-2.0 */
/* Binding and listening, with the options that a server needs. */
#include "http/listening.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/address.h"

#define BACKLOG 1024 /* connections that are not accepted yet */

static int listen_at(const struct addrinfo *address)
{
	const int yes = 1;
	int s = socket(
	    address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int failed;

	if (s < 0)
		return -1;
	/* A restart need not wait until old connections have timed out. */
	(void)setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	/* An IPv6 address does not open IPv4 addresses as well. */
	if (address->ai_family == AF_INET6)
		(void)setsockopt(
		    s, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
	if (bind(s, address->ai_addr, address->ai_addrlen) == 0 &&
	    listen(s, BACKLOG) == 0)
		return s;
	failed = errno;
	close(s);
	errno = failed;
	return -1;
}

enum wf_rc wf_listen(
    int *socket_out, const char *address, uint16_t port, struct wf_error *err)
{
	struct addrinfo hints = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM };
	struct addrinfo *found;
	char service[8];
	int code;

	snprintf(service, sizeof(service), "%u", port);
	code = getaddrinfo(address, service, &hints, &found);
	if (code != 0)
		return wf_fail(err, WF_INVALID, "cannot listen on %s: %s",
		    address, gai_strerror(code));
	*socket_out = listen_at(found);
	code = errno;
	freeaddrinfo(found);
	return *socket_out >= 0
		   ? WF_OK
		   : wf_fail(err, WF_IO, "cannot listen on %s, port %u: %s",
			 address, port, strerror(code));
}

bool wf_listening_is_local(int socket)
{
	struct sockaddr_storage address = { .ss_family = AF_UNSPEC };
	struct sockaddr *any = (struct sockaddr *)(void *)&address;
	socklen_t length = sizeof(address);
	struct wf_address_range range;

	return getsockname(socket, any, &length) == 0 &&
	       (address.ss_family == AF_UNIX ||
		   (wf_address_of(any, &range) &&
		       wf_address_is_loopback(&range)));
}

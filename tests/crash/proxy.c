/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between clients and a PostgreSQL server: passes messages on, and cuts
 * connections at the worst instants.
 *
 *   proxy PORT SEED NAME=NUMBER...
 *
 * It listens on a free port of 127.0.0.1, which it prints, and connects to
 * PORT there.  It ends with its standard input.
 *
 *   messages=N   of both directions together: after a random number of
 *                messages, up to N, one is passed on in part, or not at all,
 *                and its connection is cut
 *   commits=N    each N-th answer to a COMMIT is withheld, and its connection
 *                cut: the transaction is done, its outcome unknown
 *
 * Connections must not be encrypted (sslmode=disable&gssencmode=disable).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"

#define LINKS 200U
#define READ_SIZE 65536U

/* One direction: bytes that were received and are not passed on yet. */
struct stream {
	int from;
	int to;
	bool typed; /* messages have a type; a client's first has none */
	bool server;
	unsigned char *data;
	size_t size;
	size_t capacity;
};

/* A client's connection and the one to the server. */
struct link {
	struct stream up;
	struct stream down;
	bool open;
};

static struct link links[LINKS];
static struct wf_random chance;
static uint16_t server_port;
static uint32_t messages; /* 0: no such cuts */
static uint32_t left;	  /* messages before the next */
static uint32_t commits;
static uint32_t committed;
static uint64_t cuts;

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "proxy: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* --- connections ---------------------------------------------------------- */

static struct sockaddr_in local(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_port = htons(port) };

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return address;
}

static int listen_somewhere(void)
{
	struct sockaddr_in address = local(0);
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 ||
	    listen(fd, 64) != 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &size) != 0)
		fail("cannot listen");
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	return fd;
}

static void accept_one(int listener)
{
	struct sockaddr_in address = local(server_port);
	int client = accept(listener, NULL, NULL);
	int server = socket(AF_INET, SOCK_STREAM, 0);
	struct link *link = links;
	int on = 1;

	while (link < links + LINKS && link->open)
		link++;
	if (client < 0 || server < 0 || link == links + LINKS ||
	    connect(server, (struct sockaddr *)&address, sizeof(address)) !=
		0) {
		/*
		 * The server is unavailable: the proxy closes the connection,
		 * too.
		 */
		close(client);
		close(server);
		return;
	}
	/* Small messages are sent at once. */
	setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	*link = (struct link){ .open = true };
	link->up.from = link->down.to = client;
	link->up.to = link->down.from = server;
	link->down.typed = link->down.server = true;
}

static void close_link(struct link *link)
{
	close(link->up.from);
	close(link->up.to);
	wf_free(link->up.data);
	wf_free(link->down.data);
	link->open = false;
}

/* --- messages ------------------------------------------------------------- */

/* The length of the first message; 0 when it is incomplete. */
static size_t message_size(const struct stream *stream)
{
	size_t head = stream->typed ? 1 : 0;
	const unsigned char *at = stream->data + head;
	size_t size;

	if (stream->size < head + 4)
		return 0;
	size = head + ((size_t)at[0] << 24 | (size_t)at[1] << 16 |
			  (size_t)at[2] << 8 | (size_t)at[3]);
	return size <= stream->size ? size : 0;
}

static bool is_commit(const struct stream *stream, size_t size)
{
	static const char text[] = "COMMIT";

	return stream->server && stream->data[0] == 'C' &&
	       size == 5 + sizeof(text) &&
	       memcmp(stream->data + 5, text, sizeof(text)) == 0;
}

/* How much of a message is passed on before its connection is cut. */
static bool must_cut(const struct stream *stream, size_t size, size_t *part_out)
{
	*part_out = 0;
	if (commits > 0 && is_commit(stream, size) && ++committed >= commits) {
		committed = 0;
		return true;
	}
	if (messages == 0 || --left > 0)
		return false;
	left = 1 + wf_random_below(&chance, messages);
	if (wf_random_below(&chance, 2) == 0)
		*part_out = wf_random_below(&chance, (uint32_t)size);
	return true;
}

static bool pass(struct stream *stream, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = send(
		    stream->to, stream->data + done, size - done, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	memmove(stream->data, stream->data + size, stream->size - size);
	stream->size -= size;
	return true;
}

/* False: the connection is to be closed. */
static bool pass_messages(struct stream *stream)
{
	size_t size;
	size_t part;

	while ((size = message_size(stream)) > 0) {
		if (must_cut(stream, size, &part)) {
			cuts++;
			pass(stream, part);
			return false;
		}
		if (!pass(stream, size))
			return false;
		stream->typed = true;
	}
	return true;
}

static bool take(struct stream *stream)
{
	ssize_t n;

	if (stream->capacity - stream->size < READ_SIZE) {
		stream->capacity = stream->capacity * 2 + 2 * READ_SIZE;
		stream->data = wf_realloc(stream->data, stream->capacity);
	}
	n = recv(stream->from, stream->data + stream->size, READ_SIZE, 0);
	if (n <= 0)
		return false;
	stream->size += (size_t)n;
	return pass_messages(stream);
}

/* --- all ------------------------------------------------------------------ */

static void turn(int listener)
{
	struct pollfd fds[2 + 2 * LINKS];
	struct stream *streams[2 + 2 * LINKS];
	struct link *owners[2 + 2 * LINKS];
	nfds_t count = 2;

	fds[0] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = listener, .events = POLLIN };
	for (struct link *link = links; link < links + LINKS; link++)
		for (int i = 0; link->open && i < 2; i++) {
			streams[count] = i == 0 ? &link->up : &link->down;
			owners[count] = link;
			fds[count] =
			    (struct pollfd){ .fd = streams[count]->from,
				    .events = POLLIN };
			count++;
		}
	if (poll(fds, count, -1) < 0)
		fail("poll");
	for (nfds_t i = 2; i < count; i++)
		if (fds[i].revents != 0 && owners[i]->open && !take(streams[i]))
			close_link(owners[i]);
	if (fds[1].revents != 0)
		accept_one(listener);
	if (fds[0].revents != 0) {
		fprintf(stderr, "%llu cuts\n", (unsigned long long)cuts);
		exit(0);
	}
}

static uint32_t number_of(int count, char **words, const char *name)
{
	size_t length = strlen(name);

	for (int i = 0; i < count; i++)
		if (strncmp(words[i], name, length) == 0 &&
		    words[i][length] == '=')
			return (uint32_t)strtoul(
			    words[i] + length + 1, NULL, 10);
	return 0;
}

int main(int argc, char **argv)
{
	int listener;

	if (argc < 3) {
		fputs("usage: proxy PORT SEED [NAME=NUMBER]...\n", stderr);
		return 2;
	}
	server_port = (uint16_t)strtoul(argv[1], NULL, 10);
	chance.state = strtoull(argv[2], NULL, 10);
	messages = number_of(argc - 3, argv + 3, "messages");
	commits = number_of(argc - 3, argv + 3, "commits");
	left = messages;
	listener = listen_somewhere();
	for (;;)
		turn(listener);
}

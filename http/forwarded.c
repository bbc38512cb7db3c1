/* SPDX-License-Identifier: Apache-2.0 */
/* Both headers are read from their end, one element after the other. */
#include "http/forwarded.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define ELEMENT_BYTES 128U

/* "1.2.3.4", "1.2.3.4:80", "::1", "[::1]" or "[::1]:80". */
static bool read_address(
    const char *text, size_t length, struct wf_address_range *address_out)
{
	char host[ELEMENT_BYTES];
	char *colon;

	if (length >= sizeof(host))
		return false;
	memcpy(host, text, length);
	host[length] = '\0';
	colon = strchr(host, ':');
	if (host[0] == '[') {
		char *end = strchr(host, ']');

		if (end == NULL || (end[1] != '\0' && end[1] != ':'))
			return false;
		*end = '\0';
		memmove(host, host + 1, strlen(host));
	} else if (colon != NULL && strchr(colon + 1, ':') == NULL) {
		*colon = '\0';
	}
	return strchr(host, '/') == NULL && wf_address_parse(host, address_out);
}

/* The value of "for" in 'proto=https;for="[::1]:80"'. */
static bool read_element(
    const char *text, size_t length, struct wf_address_range *address_out)
{
	while (length > 0) {
		size_t size = 0;
		const char *value = text + 4;

		while (size < length && text[size] != ';')
			size++;
		if (size > 4 && strncasecmp(text, "for=", 4) == 0) {
			size_t rest = size - 4;

			if (rest >= 2 && value[0] == '"' &&
			    value[rest - 1] == '"') {
				value++;
				rest -= 2;
			}
			return read_address(value, rest, address_out);
		}
		size += size < length;
		text += size;
		length -= size;
		while (length > 0 && (*text == ' ' || *text == '\t')) {
			text++;
			length--;
		}
	}
	return false;
}

typedef bool (*read_f)(
    const char *text, size_t length, struct wf_address_range *address_out);

static struct wf_address_range find_client(const char *list, read_f read,
    struct wf_address_range client, const struct wf_address_ranges *proxies)
{
	size_t end = strlen(list);

	while (end > 0 && wf_address_is_in(&client, proxies)) {
		size_t begin = end;
		size_t stop = end;

		while (begin > 0 && list[begin - 1] != ',')
			begin--;
		end = begin > 0 ? begin - 1 : 0;
		while (begin < stop && strchr(" \t", list[begin]) != NULL)
			begin++;
		while (stop > begin && strchr(" \t", list[stop - 1]) != NULL)
			stop--;
		if (!read(list + begin, stop - begin, &client))
			break;
	}
	return client;
}

void wf_forwarded_client(const struct wf_forwarded *forwarded,
    const struct wf_address_range *peer,
    const struct wf_address_ranges *proxies, char text[INET6_ADDRSTRLEN])
{
	struct wf_address_range clients[2] = { *peer, *peer };
	bool first = forwarded->addresses != NULL;

	if (forwarded->addresses != NULL)
		clients[0] = find_client(
		    forwarded->addresses, read_address, *peer, proxies);
	if (forwarded->elements != NULL)
		clients[1] = find_client(
		    forwarded->elements, read_element, *peer, proxies);
	if (first && forwarded->elements != NULL &&
	    memcmp(clients[0].bytes, clients[1].bytes, 16) != 0)
		wf_address_print(peer, text);
	else
		wf_address_print(&clients[first ? 0 : 1], text);
}

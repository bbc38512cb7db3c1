/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a request's head, "NAME:VALUE" in each line.  Whether the end
 * of the request is clear does not depend on the order of the fields; and
 * whatever a client writes into the headers of proxies, the client is the
 * address that the last proxy appends.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/panic.h"
#include "http/cookie.h"
#include "http/forwarded.h"
#include "http/framing.h"

#define FIELDS 64U
#define LIST_BYTES ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct field {
	const char *name;
	const char *value;
};

struct head {
	struct field fields[FIELDS];
	size_t count;
};

/* Cuts the text, a NUL ends it. */
static void cut(struct head *head, char *text)
{
	char *line;

	while (head->count < FIELDS && (line = strsep(&text, "\n")) != NULL) {
		char *colon = strchr(line, ':');

		if (colon == NULL)
			continue;
		*colon = '\0';
		head->fields[head->count++] =
		    (struct field){ line, colon + 1 + (colon[1] == ' ') };
	}
}

static void check_framing(const struct head *head)
{
	struct wf_framing forth = { .fault = NULL };
	struct wf_framing back = { .fault = NULL };
	const char *fault;

	for (size_t i = 0; i < head->count; i++) {
		const struct field *first = &head->fields[i];
		const struct field *last = &head->fields[head->count - 1 - i];

		wf_framing_take(&forth, first->name, first->value);
		wf_framing_take(&back, last->name, last->value);
	}
	fault = wf_framing_fault(&forth, "HTTP/1.1", "/");
	wf_assert((fault == NULL) ==
		  (wf_framing_fault(&back, "HTTP/1.1", "/") == NULL));
	if (fault != NULL)
		return;
	wf_assert(forth.hosts == 1 && forth.lengths + forth.encodings <= 1);
	for (size_t i = 0; i < head->count; i++)
		wf_assert(strpbrk(head->fields[i].name, " \t\r") == NULL &&
			  strchr(head->fields[i].value, '\r') == NULL);
}

/* All values of the header, then this one. */
static void join(struct wf_buffer *list, const struct head *head,
    const char *name, const char *last)
{
	wf_buffer_init(list, LIST_BYTES);
	for (size_t i = 0; i < head->count; i++)
		if (strcasecmp(head->fields[i].name, name) == 0)
			wf_buffer_printf(list, "%s,", head->fields[i].value);
	wf_buffer_printf(list, "%s", last);
}

static void check_client(const struct wf_forwarded *forwarded,
    const char *peer_text, const char *expected)
{
	struct wf_address_ranges proxies = { .count = 1 };
	struct wf_address_range peer;
	char client[INET6_ADDRSTRLEN];

	wf_assert(wf_address_parse("10.0.0.0/8", &proxies.rows[0]));
	wf_assert(wf_address_parse(peer_text, &peer));
	wf_forwarded_client(forwarded, &peer, &proxies, client);
	wf_assert(expected == NULL || strcmp(client, expected) == 0);
	wf_assert(wf_address_parse(client, &peer));
}

static void check_forwarded(const struct head *head)
{
	struct wf_buffer lists[2];
	struct wf_forwarded forwarded;

	join(&lists[0], head, "X-Forwarded-For", "192.0.2.1, 10.0.0.2");
	join(&lists[1], head, "Forwarded", "for=192.0.2.1");
	forwarded = (struct wf_forwarded){ wf_buffer_text(&lists[0]), NULL };
	check_client(&forwarded, "10.0.0.1", "192.0.2.1");
	forwarded.elements = wf_buffer_text(&lists[1]);
	check_client(&forwarded, "10.0.0.1", "192.0.2.1");
	check_client(&forwarded, "2001:db8::1", "2001:db8::1");
	for (int i = 0; i < 2; i++)
		wf_buffer_free(&lists[i]);
	join(&lists[0], head, "X-Forwarded-For", "");
	join(&lists[1], head, "Forwarded", "");
	forwarded = (struct wf_forwarded){ wf_buffer_text(&lists[0]),
		wf_buffer_text(&lists[1]) };
	check_client(&forwarded, "10.0.0.1", NULL);
	for (int i = 0; i < 2; i++)
		wf_buffer_free(&lists[i]);
}

/* What is found is one cookie of the header, and can be in no other place. */
static void check_cookies(const struct head *head)
{
	char value[44];

	for (size_t i = 0; i < head->count; i++) {
		const char *text = head->fields[i].value;

		if (!wf_cookie_find(text, "weft", value, sizeof(value))) {
			wf_assert(value[0] == '\0');
			continue;
		}
		wf_assert(strlen(value) < sizeof(value));
		wf_assert(strstr(text, value) != NULL);
		wf_assert(strstr(text, "weft=") != NULL);
		wf_assert(strpbrk(value, " \t\",;\\") == NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = wf_calloc(1, size + 1);
	struct head head = { .count = 0 };

	memcpy(text, data, size);
	cut(&head, text);
	check_framing(&head);
	check_forwarded(&head);
	check_cookies(&head);
	wf_free(text);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* IPv4 and IPv6 are compared alike, as 16 bytes. */
#include "http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"

static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff,
	0xff };

/* Not public: RFC 6890 and its successors. */
static const char *const reserved[] = {
	"0.0.0.0/8",
	"10.0.0.0/8",
	"100.64.0.0/10",
	"127.0.0.0/8",
	"169.254.0.0/16",
	"172.16.0.0/12",
	"192.0.0.0/24",
	"192.0.2.0/24",
	"192.168.0.0/16",
	"198.18.0.0/15",
	"198.51.100.0/24",
	"203.0.113.0/24",
	"224.0.0.0/3",
	"::/96",
	"64:ff9b::/96",
	"64:ff9b:1::/48",
	"100::/64",
	"2001::/23",
	"2001:db8::/32",
	"2002::/16",
	"fc00::/7",
	"fe80::/9",
	"ff00::/8",
};

bool wf_address_parse(const char *text, struct wf_address_range *range_out)
{
	const char *slash = strchr(text, '/');
	size_t length = slash == NULL ? strlen(text) : (size_t)(slash - text);
	char host[INET6_ADDRSTRLEN];
	unsigned long bits;
	unsigned most = 128;
	char *end;

	if (length >= sizeof(host))
		return false;
	memcpy(host, text, length);
	host[length] = '\0';
	if (inet_pton(AF_INET, host, range_out->bytes + 12) == 1) {
		memcpy(range_out->bytes, mapped, sizeof(mapped));
		most = 32;
	} else if (inet_pton(AF_INET6, host, range_out->bytes) != 1) {
		return false;
	}
	range_out->bits = 128;
	if (slash == NULL)
		return true;
	bits = strtoul(slash + 1, &end, 10);
	if (slash[1] < '0' || slash[1] > '9' || *end != '\0' || bits > most)
		return false;
	range_out->bits = 128 - most + (unsigned)bits;
	return true;
}

static bool is_in(
    const unsigned char bytes[16], const struct wf_address_range *range)
{
	unsigned whole = range->bits / 8;
	unsigned rest = range->bits % 8;

	wf_assert(range->bits <= 128);
	return memcmp(bytes, range->bytes, whole) == 0 &&
	       (rest == 0 ||
		   (bytes[whole] ^ range->bytes[whole]) >> (8 - rest) == 0);
}

static bool is_reserved(const unsigned char bytes[16])
{
	struct wf_address_range range;

	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
		bool parsed = wf_address_parse(reserved[i], &range);

		wf_assert(parsed);
		if (is_in(bytes, &range))
			return true;
	}
	return false;
}

bool wf_address_of(
    const struct sockaddr *address, struct wf_address_range *range_out)
{
	range_out->bits = 128;
	if (address->sa_family == AF_INET) {
		memcpy(range_out->bytes, mapped, sizeof(mapped));
		memcpy(range_out->bytes + 12,
		    &((const struct sockaddr_in *)(const void *)address)
			 ->sin_addr,
		    4);
		return true;
	}
	if (address->sa_family != AF_INET6)
		return false;
	memcpy(range_out->bytes,
	    &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr,
	    16);
	return true;
}

void wf_address_print(
    const struct wf_address_range *range, char text[INET6_ADDRSTRLEN])
{
	bool is_v4 = memcmp(range->bytes, mapped, sizeof(mapped)) == 0;

	text[0] = '\0';
	(void)inet_ntop(is_v4 ? AF_INET : AF_INET6,
	    range->bytes + (is_v4 ? 12 : 0), text, INET6_ADDRSTRLEN);
}

bool wf_address_is_in(const struct wf_address_range *address,
    const struct wf_address_ranges *ranges)
{
	wf_assert(ranges->count <= WF_ADDRESS_RANGES);
	for (size_t i = 0; i < ranges->count; i++)
		if (is_in(address->bytes, &ranges->rows[i]))
			return true;
	return false;
}

bool wf_address_is_loopback(const struct wf_address_range *address)
{
	/* Not parsed: each request over plain HTTP asks. */
	static const struct wf_address_ranges loopback = {
		.rows = { { .bytes = { [10] = 0xff, [11] = 0xff, [12] = 127 },
			      .bits = 96 + 8 },
		    { .bytes = { [15] = 1 }, .bits = 128 } },
		.count = 2,
	};

	return wf_address_is_in(address, &loopback);
}

bool wf_address_is_allowed(
    const struct sockaddr *address, const struct wf_address_ranges *ranges)
{
	struct wf_address_range range;

	return wf_address_of(address, &range) &&
	       (wf_address_is_in(&range, ranges) || !is_reserved(range.bytes));
}

/* --- guards of calls ------------------------------------------------------ */

static curl_socket_t open_socket(
    void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct wf_address_guard *guard = context;

	(void)purpose;
	if (guard->allowed != NULL &&
	    !wf_address_is_allowed(&address->addr, guard->allowed)) {
		guard->refused = true;
		return CURL_SOCKET_BAD;
	}
	guard->permitted = true;
	return socket(address->family, address->socktype | SOCK_CLOEXEC,
	    address->protocol);
}

void wf_address_guard_set(
    CURL *curl, struct wf_address_guard *guard, const char *protocols)
{
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, protocols);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, guard);
}

bool wf_address_guard_refused(const struct wf_address_guard *guard)
{
	return guard->refused && !guard->permitted;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The address is checked when the socket is opened, after the name was
 * resolved: a name may resolve to any address.
 */
#include "http/probe.h"

#include <curl/curl.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/panic.h"

static size_t ignore(char *bytes, size_t size, size_t count, void *context)
{
	(void)bytes;
	(void)context;
	return size * count;
}

static curl_socket_t open_socket(
    void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	(void)purpose;
	if (!wf_address_is_allowed(&address->addr, context))
		return CURL_SOCKET_BAD;
	return socket(address->family, address->socktype | SOCK_CLOEXEC,
	    address->protocol);
}

bool wf_http_probe(
    const char *uri, const struct wf_address_ranges *allowed, unsigned seconds)
{
	CURL *curl = curl_easy_init();
	long status = 0;
	bool good;

	wf_assert(seconds > 0); /* 0 would wait for ever */
	if (curl == NULL)
		return false;
	curl_easy_setopt(curl, CURLOPT_URL, uri);
	curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)seconds);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(
	    curl, CURLOPT_OPENSOCKETDATA, (void *)(uintptr_t)allowed);
	good = curl_easy_perform(curl) == CURLE_OK &&
	       curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status) ==
		   CURLE_OK &&
	       status < 300;
	curl_easy_cleanup(curl);
	return good;
}

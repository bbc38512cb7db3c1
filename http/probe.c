/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The address is checked when the socket is opened, after the name was
 * resolved: a name may resolve to any address.
 */
#include "http/probe.h"

#include <curl/curl.h>
#include <sys/socket.h>

#include "base/panic.h"

static size_t ignore(char *bytes, size_t size, size_t count, void *context)
{
	(void)bytes;
	(void)context;
	return size * count;
}

struct probe {
	const struct wf_address_ranges *allowed;
	bool refused; /* an address is not among them */
};

static curl_socket_t open_socket(
    void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct probe *probe = context;

	(void)purpose;
	if (!wf_address_is_allowed(&address->addr, probe->allowed)) {
		probe->refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC,
	    address->protocol);
}

static const char *why_not(
    const struct probe *probe, CURLcode code, long status)
{
	if (code == CURLE_OK)
		return status < 300 ? NULL : "it answers HEAD with an error";
	return probe->refused ? "its address may not be called "
				"(--allow-address)"
			      : "it does not answer yet";
}

const char *wf_http_probe(
    const char *uri, const struct wf_address_ranges *allowed, unsigned seconds)
{
	struct probe probe = { .allowed = allowed };
	CURL *curl = curl_easy_init();
	long status = 0;
	CURLcode code;

	wf_assert(seconds > 0); /* 0 would wait for ever */
	if (curl == NULL)
		return "there is no memory to call it";
	curl_easy_setopt(curl, CURLOPT_URL, uri);
	curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)seconds);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, &probe);
	code = curl_easy_perform(curl);
	if (code == CURLE_OK)
		code = curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_cleanup(curl);
	return why_not(&probe, code, status);
}

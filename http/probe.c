/* SPDX-License-Identifier: Apache-2.0 */
#include "http/probe.h"

#include "http/fetch.h"

const char *wf_http_probe(
    const char *uri, const struct wf_address_ranges *allowed, unsigned seconds)
{
	struct wf_fetch fetch = { .url = uri,
		.method = "HEAD",
		.allowed = allowed,
		.timeout_ms = (int64_t)seconds * 1000 };
	struct wf_buffer body; /* empty: it is an answer to HEAD */
	unsigned status;
	enum wf_rc rc;

	wf_buffer_init(&body, 0);
	rc = wf_http_fetch(&fetch, &body, &status, NULL);
	wf_buffer_free(&body);
	if (rc == WF_OK)
		return status < 300 ? NULL : "it answers HEAD with an error";
	return rc == WF_DENIED ? "its address may not be called "
				 "(--allow-address)"
			       : "it does not answer yet";
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether all readers of a request's head find the same end of the request.
 * Where a proxy and the server find different ends, the rest of one request is
 * answered as a second one (request smuggling, RFC 9112, sections 5 and 6).
 */
#ifndef WF_HTTP_FRAMING_H
#define WF_HTTP_FRAMING_H

/* All zero: no field was taken yet. */
struct wf_framing {
	const char *fault; /* the first one; NULL: none */
	const char *last;  /* the end of the last value; NULL: no field */
	unsigned hosts;
	unsigned lengths;
	unsigned encodings;
};

/* Takes each field of the head, in any order. */
void wf_framing_take(
    struct wf_framing *framing, const char *name, const char *value);

/*
 * After the fields, where these and the head are in the same memory as they
 * were received: end is the end of the head.
 */
void wf_framing_end(struct wf_framing *framing, const char *end);

/*
 * After all fields: what was expected instead, as a text that lives for ever;
 * NULL: the head has one meaning.  version: "HTTP/1.1".
 */
const char *wf_framing_fault(
    const struct wf_framing *framing, const char *version, const char *target);

#endif

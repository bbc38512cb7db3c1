/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page for browsers: files that npm has made of console/, as part of the
 * program (rest/page/embed.sh).
 *
 *   /, /work, /cases/7, ..  index.html, read anew each time
 *   /assets/NAME-HASH.js    what it names, kept by the browser for a year
 *
 * The page decides itself what an address shows.  So each address that has no
 * route, except of /v1 and /assets, is the page, for whoever asks for HTML as
 * browsers do; for programs there is nothing.
 */
#include "rest/page/rest_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct page_file {
	const char *name; /* below the folder of the page */
	const char *type;
	const char *tag;
	const unsigned char *bytes;
	size_t size;
	const unsigned char *packed; /* by gzip; NULL: that saves nothing */
	size_t packed_size;
};

#include "rest/page/page.inc"

#define INDEX "index.html"
#define TAG_BYTES 64U

/* What the page may do: load from and ask this server, and nothing inline. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'";

static const struct page_file *find(const char *folder, const char *name)
{
	size_t length = strlen(folder);
	const struct page_file *file = files;

	while (
	    file->name != NULL && (strncmp(file->name, folder, length) != 0 ||
				      strcmp(file->name + length, name) != 0))
		file++;
	return file->name == NULL ? NULL : file;
}

bool wf_rest_has_page(void)
{
	return find("", INDEX) != NULL;
}

/* --- what the client takes ------------------------------------------------ */

/* The next element of a list such as "gzip;q=0.5, br"; false: there is none. */
static bool next_element(
    const char **list, const char **element_out, size_t *length_out)
{
	*list += strspn(*list, ", \t");
	*element_out = *list;
	*length_out = strcspn(*list, ",");
	*list += *length_out;
	return *length_out > 0;
}

/* Whether the element is this word, and not with the quality 0. */
static bool allows(const char *element, size_t length, const char *word)
{
	size_t name = strcspn(element, ";, \t");
	const char *quality;

	if (name != strlen(word) || strncasecmp(element, word, name) != 0)
		return false;
	quality = memchr(element, ';', length);
	if (quality == NULL)
		return true;
	quality += 1 + strspn(quality + 1, " \t");
	return (*quality != 'q' && *quality != 'Q') || quality[1] != '=' ||
	       strtod(quality + 2, NULL) > 0;
}

static bool takes(struct wf_rest *rest, const char *header, const char *word)
{
	const char *list = wf_exchange_joined_header(rest->exchange, header);
	const char *element;
	size_t length;

	while (list != NULL && next_element(&list, &element, &length))
		if (allows(element, length, word))
			return true;
	return false;
}

bool wf_rest_is_page(struct wf_rest *rest)
{
	const struct wf_target *target = &rest->invocation.target;
	const char *method = wf_exchange_method(rest->exchange);
	const char *first =
	    target->segment_count > 0 ? target->segments[0] : "";

	if ((strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) ||
	    strcmp(first, "v1") == 0 || strcmp(first, "assets") == 0 ||
	    !wf_rest_has_page())
		return false;
	if (takes(rest, "Accept", "text/html"))
		return true;
	wf_exchange_add_header(rest->exchange, "Vary", "Accept");
	return false;
}

/* --- answers -------------------------------------------------------------- */

void wf_rest_guard_page(struct wf_rest *rest, const char *allowed)
{
	struct wf_exchange *exchange = rest->exchange;

	wf_exchange_add_header(exchange, "Content-Security-Policy", allowed);
	wf_exchange_add_header(exchange, "X-Content-Type-Options", "nosniff");
	wf_exchange_add_header(exchange, "Referrer-Policy", "same-origin");
	wf_exchange_add_header(
	    exchange, "Cross-Origin-Opener-Policy", "same-origin");
}

/* Compressed, if the client takes that; each form has a tag of its own. */
static void answer(
    struct wf_rest *rest, const struct page_file *file, bool is_kept)
{
	bool packed =
	    file->packed != NULL && takes(rest, "Accept-Encoding", "gzip");
	char tag[TAG_BYTES];

	snprintf(
	    tag, sizeof(tag), "\"%s%s\"", file->tag, packed ? "-gzip" : "");
	wf_exchange_add_header(rest->exchange, "Cache-Control",
	    is_kept ? "public, max-age=31536000, immutable" : "no-store");
	/* At the address of the page there is nothing for programs. */
	wf_exchange_add_header(rest->exchange, "Vary",
	    is_kept ? "Accept-Encoding" : "Accept, Accept-Encoding");
	if (is_kept)
		wf_exchange_add_header(rest->exchange, "ETag", tag);
	if (is_kept && wf_rest_has_tag(rest, tag)) {
		wf_exchange_answer(rest->exchange, 304, NULL, "", 0);
		return;
	}
	if (packed)
		wf_exchange_add_header(
		    rest->exchange, "Content-Encoding", "gzip");
	wf_exchange_answer(rest->exchange, 200, file->type,
	    (const char *)(packed ? file->packed : file->bytes),
	    packed ? file->packed_size : file->size);
}

void wf_rest_show_page(struct wf_rest *rest)
{
	if (!wf_rest_has_page()) {
		wf_rest_welcome(rest);
		return;
	}
	wf_rest_guard_page(rest, policy);
	answer(rest, find("", INDEX), false);
}

void wf_rest_show_asset(struct wf_rest *rest)
{
	const struct page_file *file = find("assets/", rest->parts[0]);

	if (file == NULL) {
		wf_rest_problem(rest, 404, "not_found",
		    "There is no such thing",
		    "the page of this server has no such file");
		return;
	}
	wf_rest_guard_page(rest, policy);
	answer(rest, file, true);
}

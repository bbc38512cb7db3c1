/* SPDX-License-Identifier: Apache-2.0 */
/* What a server says of itself without an account: /about and openapi.yaml. */
#include <string.h>

#include "rest/openapi.inc"
#include "rest/page/rest_page.h"

#define HOST_MAXIMUM_BYTES 200U
/* SHA-256 of what is between <style> and </style>; tests compute it, too. */
#define STYLE_HASH "pUuaL16GsZQVhBW1gVfrhW9SK9NNW9ASIb0o8yoSBXI="

static const char page[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<title>Weft " PACKAGE_VERSION "</title>\n"
    "<style>body{max-width:50rem;margin:2rem auto;padding:0 1rem;"
    "font-family:sans-serif;line-height:1.5}"
    "pre{padding:1rem;border:1px solid;overflow:auto}</style>\n"
    "</head>\n"
    "<body>\n"
    "<main>\n"
    "<h1>Weft " PACKAGE_VERSION "</h1>\n"
    "<p>A workflow engine for processes written in YAWL. This server is "
    "used over REST and from the command line.</p>\n"
    "<ul>\n"
    "<li><a href=\"/openapi.yaml\">The description of the interface</a>"
    " (OpenAPI)</li>\n"
    "<li><a href=\"/healthz\">Whether the server runs</a></li>\n"
    "<li><a href=\"/readyz\">Whether it takes commands</a></li>\n"
    "<li><a href=\"/metrics\">Counts and times for Prometheus</a>"
    " (needs an account)</li>\n"
    "</ul>\n"
    "<h2>With the command line</h2>\n"
    "<p>The server has written the token of its first account to the file "
    "<code>weft.token</code>, beside its database.</p>\n"
    "<pre><code>export WEFT_SERVER=%s\n"
    "export WEFT_TOKEN=$(cat weft.token)\n"
    "weft new order\n"
    "weft spec load order.yawl\n"
    "weft case start order\n"
    "weft item list</code></pre>\n"
    "<h2>With curl</h2>\n"
    "<pre><code>curl -H \"Authorization: Bearer $WEFT_TOKEN\" "
    "-H \"Content-Type: application/xml\" --data-binary @order.yawl "
    "%s/v1/specifications\n"
    "curl -H \"Authorization: Bearer $WEFT_TOKEN\" "
    "-d '{\"specification\": \"order\"}' %s/v1/cases\n"
    "curl -H \"Authorization: Bearer $WEFT_TOKEN\" "
    "%s/v1/items</code></pre>\n"
    "<p>What else there is: <code>weft --help</code>, "
    "<code>man weft</code>.</p>\n"
    "</main>\n"
    "</body>\n"
    "</html>\n";

/* The header Host, if it can be written into a page. */
static const char *host_of(const struct wf_rest *rest)
{
	const char *host = wf_exchange_header(rest->exchange, "Host");
	size_t length;

	if (host == NULL)
		return "SERVER";
	length = strspn(host, "abcdefghijklmnopqrstuvwxyz"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]");
	return length > 0 && length <= HOST_MAXIMUM_BYTES &&
		       host[length] == '\0'
		   ? host
		   : "SERVER";
}

void wf_rest_welcome(struct wf_rest *rest)
{
	const char *server = wf_arena_printf(rest->arena, "http%s://%s",
	    wf_exchange_is_https(rest->exchange) ? "s" : "", host_of(rest));
	struct wf_buffer text;

	wf_buffer_init(
	    &text, sizeof(page) + (size_t)4 * (HOST_MAXIMUM_BYTES + 8));
	wf_buffer_printf(&text, page, server, server, server, server);
	wf_rest_guard_page(rest,
	    "default-src 'none'; style-src 'sha256-" STYLE_HASH
	    "'; base-uri 'none'; frame-ancestors 'none'");
	wf_exchange_answer(rest->exchange, 200, "text/html; charset=utf-8",
	    text.data, text.length);
	wf_buffer_free(&text);
}

void wf_rest_openapi(struct wf_rest *rest)
{
	wf_exchange_answer(rest->exchange, 200, "application/yaml", openapi,
	    sizeof(openapi) - 1);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions on URIs and on qualified names.
 */
#include <libxml/uri.h>
#include <string.h>

#include "base/panic.h"
#include "xquery/functions/functions_priv.h"
#include "xquery/text/unicode.h"

/* Appends text; each byte outside the kept set becomes %XX. */
static enum wf_rc escape(struct wf_dynamic *dynamic,
    const struct wf_sequence *arguments, struct wf_sequence *result,
    bool (*kept)(unsigned char))
{
	static const char hex[] = "0123456789ABCDEF";
	struct wf_string text = wf_argument_string(dynamic, arguments, 0);
	struct wf_buffer *out = wf_text_begin(dynamic);

	wf_charge_characters(dynamic, text.length);
	for (size_t i = 0; i < text.length; i++) {
		unsigned char byte = (unsigned char)text.text[i];

		if (kept(byte)) {
			wf_buffer_putc(out, (char)byte);
			continue;
		}
		wf_buffer_putc(out, '%');
		wf_buffer_putc(out, hex[byte >> 4]);
		wf_buffer_putc(out, hex[byte & 15]);
	}
	return wf_return_text(dynamic, result);
}

static bool is_unreserved(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("-_.~", c) != NULL);
}

static bool is_uri_character(unsigned char c)
{
	return c > 0x20 && c < 0x7F && strchr("<>\"{}|\\^`", c) == NULL;
}

static bool is_printable(unsigned char c)
{
	return c >= 0x20 && c < 0x7F;
}

WF_BUILT_IN(encode_for_uri)
{
	(void)count;
	return escape(dynamic, arguments, result, is_unreserved);
}

WF_BUILT_IN(iri_to_uri)
{
	(void)count;
	return escape(dynamic, arguments, result, is_uri_character);
}

WF_BUILT_IN(escape_html_uri)
{
	(void)count;
	return escape(dynamic, arguments, result, is_printable);
}

static enum wf_rc bad_uri(struct wf_dynamic *dynamic, const char *uri)
{
	return wf_atomic_fail(dynamic, "FORG0002",
	    "\"%.60s\" is not a URI that can be resolved", uri);
}

/*
 * Whether text is a URI reference, whether it has a scheme, and whether it can
 * be a base: hierarchical and without a fragment.
 */
static bool parse_uri(const char *text, bool *absolute_out, bool *base_out)
{
	xmlURI *uri = xmlParseURI(text);

	*absolute_out = uri && uri->scheme;
	*base_out = *absolute_out && !uri->opaque && !uri->fragment &&
		    strchr(text, ':')[1] == '/';
	if (!uri)
		return false;
	xmlFreeURI(uri);
	return true;
}

WF_BUILT_IN(resolve_uri)
{
	struct wf_string relative = wf_argument_string(dynamic, arguments, 0);
	struct wf_string base = wf_argument_string(dynamic, arguments, 1);
	char *relative_text;
	char *base_text;
	xmlChar *resolved;
	bool absolute;
	bool is_base;
	size_t length;
	char *text;

	wf_assert(count == 2);
	wf_charge_characters(dynamic, 4 * (relative.length + base.length));
	if (!wf_argument(arguments, 0))
		return WF_OK;
	relative_text =
	    wf_arena_strndup(dynamic->arena, relative.text, relative.length);
	base_text = wf_arena_strndup(dynamic->arena, base.text, base.length);
	if (!parse_uri(relative_text, &absolute, &is_base))
		return bad_uri(dynamic, relative_text);
	if (absolute)
		return wf_return_atomic(dynamic, result,
		    wf_atomic_string(
			WF_XS_ANY_URI, relative_text, relative.length));
	if (!parse_uri(base_text, &absolute, &is_base) || !is_base)
		return bad_uri(dynamic, base_text);
	resolved = xmlBuildURI(BAD_CAST relative_text, BAD_CAST base_text);
	if (!resolved)
		return bad_uri(dynamic, relative_text);
	length = strlen((const char *)resolved);
	text = wf_arena_strndup(dynamic->arena, (const char *)resolved, length);
	xmlFree(resolved);
	return wf_return_atomic(
	    dynamic, result, wf_atomic_string(WF_XS_ANY_URI, text, length));
}

WF_BUILT_IN(qname)
{
	struct wf_string uri = wf_argument_string(dynamic, arguments, 0);
	struct wf_string name = wf_argument_string(dynamic, arguments, 1);
	const char *colon = memchr(name.text, ':', name.length);
	size_t prefix = colon ? (size_t)(colon - name.text) : 0;
	size_t local = colon ? prefix + 1 : 0;
	struct wf_atomic atomic = { .type = WF_XS_QNAME };

	(void)count;
	if ((colon && !wf_is_ncname(name.text, prefix)) ||
	    !wf_is_ncname(name.text + local, name.length - local))
		return wf_atomic_fail(dynamic, "FOCA0002",
		    "\"%.*s\" is not a qualified name",
		    WF_SHOWN(name.text, name.length));
	if (colon && uri.length == 0)
		return wf_atomic_fail(dynamic, "FOCA0002",
		    "a name without a namespace has no prefix");
	atomic.as.qname.prefix =
	    wf_arena_strndup(dynamic->arena, name.text, prefix);
	atomic.as.qname.local = wf_arena_strndup(
	    dynamic->arena, name.text + local, name.length - local);
	atomic.as.qname.uri =
	    wf_arena_strndup(dynamic->arena, uri.text, uri.length);
	return wf_return_atomic(dynamic, result, atomic);
}

static enum wf_rc return_part(struct wf_dynamic *dynamic,
    enum wf_atomic_type type, const char *text, struct wf_sequence *result)
{
	return wf_return_atomic(
	    dynamic, result, wf_atomic_string(type, text, strlen(text)));
}

WF_BUILT_IN(local_name_from_qname)
{
	const struct wf_atomic *a = wf_argument(arguments, 0);

	(void)count;
	if (!a)
		return WF_OK;
	return return_part(dynamic, WF_XS_NCNAME, a->as.qname.local, result);
}

WF_BUILT_IN(prefix_from_qname)
{
	const struct wf_atomic *a = wf_argument(arguments, 0);

	(void)count;
	if (!a || a->as.qname.prefix[0] == '\0')
		return WF_OK;
	return return_part(dynamic, WF_XS_NCNAME, a->as.qname.prefix, result);
}

WF_BUILT_IN(namespace_uri_from_qname)
{
	const struct wf_atomic *a = wf_argument(arguments, 0);

	(void)count;
	if (!a)
		return WF_OK;
	return return_part(dynamic, WF_XS_ANY_URI, a->as.qname.uri, result);
}

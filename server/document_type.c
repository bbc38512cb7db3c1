/* SPDX-License-Identifier: Apache-2.0 */
#include "server/document_type.h"

#include <ctype.h>
#include <string.h>

#include "base/panic.h"
#include "spec/document_limits.h"
#include "xquery/text/unicode.h"

/* --- names ---------------------------------------------------------------- */

/* Controls, line ends, and what changes the direction of text or is unseen. */
static bool is_hidden(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || c == 0x61c;
}

static bool has_hidden(const char *text)
{
	const char *end = text + strlen(text);

	while (text < end)
		if (is_hidden(wf_utf8_next(&text, end)))
			return true;
	return false;
}

enum wf_rc wf_document_name(const char *text, struct wf_arena *arena,
    const char **name_out, struct wf_error *err)
{
	const char *name = text;

	for (const char *at = text; *at != '\0'; at++)
		if (*at == '/' || *at == '\\')
			name = at + 1;
	*name_out = wf_arena_strdup(arena, name);
	if (*name == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return wf_fail(
		    err, WF_INVALID, "name: expected the name of a file");
	if (strlen(name) > WF_DOCUMENT_NAME_BYTES)
		return wf_fail(err, WF_INVALID,
		    "name: expected at most %u bytes", WF_DOCUMENT_NAME_BYTES);
	if (has_hidden(text))
		return wf_fail(err, WF_INVALID,
		    "name: it has a character that is not shown");
	return WF_OK;
}

/* RFC 8187: what stands for itself in an extended value. */
static bool is_plain(unsigned char c)
{
	return isalnum(c) || strchr("!#$&+-.^_`|~", c) != NULL;
}

static void put_encoded(struct wf_buffer *header, const char *name)
{
	for (; *name != '\0'; name++) {
		unsigned char c = (unsigned char)*name;

		if (c < 0x80 && is_plain(c))
			wf_buffer_putc(header, *name);
		else
			wf_buffer_printf(header, "%%%02X", c);
	}
}

/* For clients that know no extended value: others are "_". */
static void put_ascii(struct wf_buffer *header, const char *name)
{
	const char *end = name + strlen(name);

	while (name < end) {
		uint32_t c = wf_utf8_next(&name, end);
		bool good = c >= 0x20 && c < 0x7f && c != '"' && c != '\\' &&
			    c != '%' && c != '/';

		wf_buffer_putc(header, good ? (char)c : '_');
	}
}

void wf_document_put_disposition(struct wf_buffer *header, const char *name)
{
	wf_buffer_puts(header, "attachment; filename=\"");
	put_ascii(header, name);
	wf_buffer_puts(header, "\"; filename*=UTF-8''");
	put_encoded(header, name);
	wf_assert(strpbrk(wf_buffer_text(header), "\r\n") == NULL);
}

/* --- types ---------------------------------------------------------------- */

static bool is_token(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) &&
		    strchr("!#$&-^_.+", text[i]) == NULL)
			return false;
	return length > 0;
}

enum wf_rc wf_document_type(const char *text, struct wf_arena *arena,
    const char **type_out, struct wf_error *err)
{
	size_t length;
	const char *slash;
	char *type;

	*type_out = WF_DOCUMENT_BYTES_TYPE;
	if (text == NULL || *text == '\0')
		return WF_OK;
	length = strcspn(text, "; \t");
	slash = memchr(text, '/', length);
	if (slash == NULL || length > WF_DOCUMENT_TYPE_BYTES ||
	    !is_token(text, (size_t)(slash - text)) ||
	    !is_token(slash + 1, length - (size_t)(slash + 1 - text)))
		return wf_fail(err, WF_INVALID,
		    "Content-Type: expected a type such as application/pdf");
	type = wf_arena_strndup(arena, text, length);
	for (char *at = type; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	*type_out = type;
	return WF_OK;
}

/* Files that begin with these bytes, "?" being any. */
static const struct magic {
	const char *type;
	const char *bytes;
	size_t size;
	bool is_frame; /* of other types, too: documents of offices in a zip */
} magics[] = {
	{ "application/pdf", "%PDF-", 5, false },
	{ "image/png", "\x89PNG\r\n\x1a\n", 8, false },
	{ "image/jpeg", "\xff\xd8\xff", 3, false },
	{ "image/gif", "GIF87a", 6, false },
	{ "image/gif", "GIF89a", 6, false },
	{ "image/webp", "RIFF????WEBP", 12, false },
	{ "image/tiff", "II*\0", 4, false },
	{ "image/tiff", "MM\0*", 4, false },
	{ "application/zip", "PK\x03\x04", 4, true },
	{ "application/zip", "PK\x05\x06", 4, true },
	{ "application/gzip", "\x1f\x8b", 2, true },
	{ "application/x-ole-storage", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8,
	    true },
	{ "application/x-executable",
	    "\x7f"
	    "ELF",
	    4, false },
	{ "application/vnd.microsoft.portable-executable", "MZ", 2, true },
};

#define MAGIC_COUNT (sizeof(magics) / sizeof(magics[0]))

static bool begins(const struct magic *magic, const char *bytes, size_t size)
{
	if (size < magic->size)
		return false;
	for (size_t i = 0; i < magic->size; i++)
		if (magic->bytes[i] != '?' && magic->bytes[i] != bytes[i])
			return false;
	return true;
}

static const struct magic *find_magic(const void *bytes, size_t size)
{
	for (size_t i = 0; i < MAGIC_COUNT; i++)
		if (begins(&magics[i], bytes, size))
			return &magics[i];
	return NULL;
}

/* Whether files of that type always begin with bytes of the table. */
static bool is_marked(const char *type)
{
	for (size_t i = 0; i < MAGIC_COUNT; i++)
		if (strcmp(magics[i].type, type) == 0)
			return !magics[i].is_frame;
	return false;
}

enum wf_rc wf_document_sniff(const char *declared, const void *bytes,
    size_t size, const char **type_out, struct wf_error *err)
{
	const struct magic *magic = find_magic(bytes, size);

	*type_out = declared;
	if (strcmp(declared, WF_DOCUMENT_BYTES_TYPE) == 0) {
		if (magic != NULL)
			*type_out = magic->type;
		return WF_OK;
	}
	if (magic != NULL && strcmp(magic->type, declared) == 0)
		return WF_OK;
	if (is_marked(declared))
		return wf_fail(err, WF_UNSUPPORTED,
		    "Content-Type: the file does not begin like one of type "
		    "%s%s%s",
		    declared, magic == NULL ? "" : ", but like ",
		    magic == NULL ? "" : magic->type);
	if (magic != NULL && !magic->is_frame)
		return wf_fail(err, WF_UNSUPPORTED,
		    "Content-Type: the file is declared as %s, but begins like "
		    "%s",
		    declared, magic->type);
	return WF_OK;
}

const char *wf_document_safe_type(const char *type)
{
	static const char safe[] =
	    "application/pdf image/png image/jpeg image/gif image/webp "
	    "image/tiff application/zip application/gzip text/plain text/csv "
	    "application/json application/msword application/rtf "
	    "application/vnd.ms-excel application/vnd.ms-powerpoint audio/mpeg "
	    "audio/ogg audio/wav audio/mp4 video/mp4 video/ogg video/webm";
	static const char *const offices[] = {
		"application/vnd.openxmlformats-officedocument.",
		"application/vnd.oasis.opendocument."
	};

	for (size_t i = 0; i < sizeof(offices) / sizeof(offices[0]); i++)
		if (strncmp(type, offices[i], strlen(offices[i])) == 0)
			return type;
	return wf_document_type_is_in(type, safe) ? type
						  : WF_DOCUMENT_BYTES_TYPE;
}

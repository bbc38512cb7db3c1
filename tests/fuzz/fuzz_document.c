/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a request to the document store; as the name and the type of a
 * file, and as its first bytes.  No header that is made of a name ends a line,
 * and no browser runs what is served.
 */
#include <stdint.h>
#include <string.h>

#include "base/panic.h"
#include "server/document_type.h"
#include "spec/document_limits.h"
#include "xquery/text/unicode.h"
#include "yawl/document_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_name(struct wf_arena *arena, const char *text)
{
	struct wf_buffer header;
	const char *name;
	const char *value;

	/* As the target of a request is. */
	if (!wf_is_utf8(text, strlen(text)) ||
	    wf_document_name(text, arena, &name, NULL) != WF_OK)
		return;
	wf_assert(*name != '\0' && strlen(name) <= WF_DOCUMENT_NAME_BYTES);
	wf_assert(strpbrk(name, "/\\\r\n") == NULL);
	wf_buffer_init(&header, 4096);
	wf_document_put_disposition(&header, name);
	value = wf_buffer_text(&header);
	wf_assert(!header.full && strncmp(value, "attachment; ", 12) == 0);
	for (const char *at = value; *at != '\0'; at++)
		wf_assert(*at >= ' ' && *at < 0x7f);
	wf_buffer_free(&header);
}

static void check_type(
    struct wf_arena *arena, const char *text, const uint8_t *data, size_t size)
{
	const char *type;
	const char *safe;

	if (wf_document_type(text, arena, &type, NULL) != WF_OK)
		return;
	wf_assert(strlen(type) <= WF_DOCUMENT_TYPE_BYTES);
	wf_assert(wf_document_type_is_in(type, "x/y */*"));
	if (wf_document_sniff(type, data, size, &type, NULL) != WF_OK)
		return;
	safe = wf_document_safe_type(type);
	wf_assert(!wf_document_type_is_in(safe,
	    "text/html text/xml application/xml application/xhtml+xml "
	    "image/svg+xml text/javascript application/javascript"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wf_arena *arena = wf_arena_new();
	const char *text = wf_arena_strndup(arena, (const char *)data, size);
	struct wf_document_request request;

	if (wf_document_request_read(&request, data, size, arena))
		wf_assert(request.size <= size && request.action != NULL);
	check_name(arena, text);
	check_type(arena, text, data, size);
	wf_arena_free(&arena);
	return 0;
}

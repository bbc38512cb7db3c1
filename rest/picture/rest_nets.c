/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pictures of the nets of a specification as data.  A specification never
 * changes, so a client that has its picture is told so, and nothing is drawn.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json.h"
#include "data/json_fields.h"
#include "draw/draw.h"
#include "rest/rest.h"

#define NETS_MAXIMUM_BYTES ((size_t)64 << 20)
#define TAG_BYTES 96

struct drawing {
	uint64_t key;
	struct wf_buffer text;
	struct wf_error err;
	enum wf_rc rc;
};

/* The members before the nets; the object stays open. */
static void put_head(struct drawing *drawing, const struct wf_spec *spec)
{
	json_t *head = json_object();
	char *text;

	wf_json_put_key(head, "specification", drawing->key);
	json_object_set_new(head, "uri", json_string(spec->uri));
	json_object_set_new(
	    head, "version", json_string(spec->metadata.version));
	json_object_set_new(head, "decorator", json_integer(WF_DRAW_DECORATOR));
	json_object_set_new(head, "stack", json_integer(WF_DRAW_STACK));
	text = wf_json_dump(head, JSON_COMPACT | JSON_EMBED);
	json_decref(head);
	wf_buffer_printf(&drawing->text, "{%s,\"nets\":", text);
	free(text);
}

static void draw(void *context, const struct wf_spec *spec)
{
	struct drawing *drawing = context;

	put_head(drawing, spec);
	drawing->rc = wf_draw_nets(spec, &drawing->text, &drawing->err);
	wf_buffer_putc(&drawing->text, '}');
}

/* Another program may draw it otherwise. */
static void make_tag(uint64_t key, char tag[TAG_BYTES])
{
	snprintf(tag, TAG_BYTES, "\"%016" PRIx64 "-%s\"", key, PACKAGE_VERSION);
}

static bool is_known(const struct wf_rest *rest, const char *tag)
{
	const char *known = wf_exchange_header(rest->exchange, "If-None-Match");

	return known != NULL &&
	       (strcmp(known, "*") == 0 || strstr(known, tag) != NULL);
}

static void answer(struct wf_rest *rest, const char *tag, unsigned status,
    const struct wf_buffer *text)
{
	wf_exchange_add_header(rest->exchange, "ETag", tag);
	wf_exchange_add_header(
	    rest->exchange, "Cache-Control", "private, no-cache");
	wf_exchange_answer(rest->exchange, status,
	    status == 304 ? NULL : "application/json", wf_buffer_text(text),
	    text->length);
}

void wf_rest_show_nets(struct wf_rest *rest)
{
	struct drawing drawing = { .rc = WF_OK };
	char tag[TAG_BYTES];
	bool known;

	if (!wf_rest_specification(rest, rest->parts[0], &drawing.key))
		return;
	make_tag(drawing.key, tag);
	known = is_known(rest, tag);
	wf_buffer_init(&drawing.text, NETS_MAXIMUM_BYTES);
	if (!known && wf_engine_inspect_spec(rest->server->engine,
			  rest->account.namespace_id, drawing.key, false, draw,
			  &drawing, &drawing.err) != WF_OK)
		drawing.rc = drawing.err.rc;
	if (drawing.rc == WF_OK)
		answer(rest, tag, known ? 304 : 200, &drawing.text);
	else
		wf_rest_fail(rest, &drawing.err);
	wf_buffer_free(&drawing.text);
}

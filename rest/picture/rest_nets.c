/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pictures of the nets of a specification as data.  A specification never
 * changes, so nothing is drawn for a client that has its picture.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json.h"
#include "data/json_fields.h"
#include "draw/draw.h"
#include "rest/picture/rest_picture.h"

#define TAG_BYTES 96

/* --- writing -------------------------------------------------------------- */

static void put(struct wf_buffer *text, json_t *json, size_t flags)
{
	char *dump = wf_json_dump(json, JSON_COMPACT | flags);

	json_decref(json);
	if (dump == NULL)
		text->full = true;
	else
		wf_buffer_puts(text, dump);
	free(dump);
}

void wf_answer_put(struct wf_buffer *text, json_t *json)
{
	put(text, json, 0);
}

void wf_answer_open(struct wf_buffer *text, json_t *json)
{
	wf_buffer_putc(text, '{');
	put(text, json, JSON_EMBED);
}

enum wf_rc wf_answer_check(const struct wf_buffer *text, struct wf_error *err)
{
	return text->full ? wf_fail(err, WF_LIMIT,
				"the answer would have more than %u MiB",
				(unsigned)(WF_DERIVED_BYTES >> 20))
			  : WF_OK;
}

void wf_rest_put_specification(struct wf_buffer *text, uint64_t key,
    const struct wf_spec *spec, json_t *more)
{
	json_t *head = json_object();

	if (key != 0)
		wf_json_put_key(head, "specification", key);
	json_object_set_new(head, "uri", json_string(spec->uri));
	json_object_set_new(
	    head, "version", json_string(spec->metadata.version));
	if (more != NULL)
		json_object_update(head, more);
	json_decref(more);
	wf_answer_open(text, head);
}

/* --- what the client may have --------------------------------------------- */

/* Another program may answer otherwise. */
static void make_tag(const struct wf_derived_answer *answer, char *tag)
{
	snprintf(tag, TAG_BYTES, "\"%016" PRIx64 "-%" PRIu64 "-%s\"",
	    answer->key, answer->number, PACKAGE_VERSION);
}

static void give(
    const struct wf_derived_answer *answer, const char *tag, bool known)
{
	struct wf_exchange *exchange = answer->rest->exchange;

	wf_exchange_add_header(exchange, "ETag", tag);
	wf_exchange_add_header(exchange, "Cache-Control", "private, no-cache");
	wf_exchange_answer(exchange, known ? 304 : 200,
	    known ? NULL : "application/json", wf_buffer_text(&answer->text),
	    answer->text.length);
}

static void make(void *context, const struct wf_spec *spec)
{
	struct wf_derived_answer *answer = context;

	answer->make(answer, spec);
}

void wf_rest_derive(struct wf_derived_answer *answer)
{
	struct wf_rest *rest = answer->rest;
	char tag[TAG_BYTES];
	enum wf_rc rc;
	bool known;

	if (!wf_rest_specification(rest, rest->parts[0], &answer->key))
		return;
	make_tag(answer, tag);
	known = wf_rest_has_tag(rest, tag);
	wf_buffer_init(&answer->text, WF_DERIVED_BYTES);
	rc = wf_engine_inspect_spec(rest->server->engine,
	    rest->account.namespace_id, answer->key, false, known ? NULL : make,
	    answer, &answer->err);
	if (rc == WF_OK)
		rc = wf_answer_check(&answer->text, &answer->err);
	if (rc == WF_OK)
		give(answer, tag, known);
	else
		wf_rest_fail(rest, &answer->err);
	wf_buffer_free(&answer->text);
}

/* --- pictures ------------------------------------------------------------- */

static void draw(struct wf_derived_answer *answer, const struct wf_spec *spec)
{
	uint32_t flows = WF_GRAPHVIZ_FLOWS;
	struct wf_error err = { .rc = WF_OK };

	wf_rest_put_specification(&answer->text, answer->key, spec,
	    json_pack("{s:i, s:i}", "decorator", WF_DRAW_DECORATOR, "stack",
		WF_DRAW_STACK));
	wf_buffer_puts(&answer->text, ",\"nets\":");
	if (wf_draw_nets(spec, &flows, &answer->text, &err) != WF_OK)
		answer->text.full = true;
	wf_buffer_puts(&answer->text, "}\n");
}

void wf_rest_show_nets(struct wf_rest *rest)
{
	struct wf_derived_answer answer = { .rest = rest, .make = draw };

	wf_rest_derive(&answer);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "work/mail/wording.h"

#include <string.h>

#include "base/clip.h"
#include "base/time_text.h"
#include "http/http_client.h"
#include "spec/spec.h"

/* What of a name is shown. */
#define SHOWN_BYTES 200U

struct wf_mail_words wf_mail_words_of(
    const struct wf_participant *person, struct wf_arena *arena)
{
	const char *name = wf_arena_printf(
	    arena, "%s %s", person->first_name, person->last_name);
	struct wf_mail_words words = {
#define WF_MAIL_WORD(member, name, meaning) .member = "",
#include "work/mail/mail_words.def"
#undef WF_MAIL_WORD
	};

	words.name = strcmp(name, " ") == 0 ? person->user : name;
	words.user = person->user;
	words.first = person->first_name;
	words.last = person->last_name;
	return words;
}

const char *wf_mail_link(const char *public_url, const char *path,
    const char *last, struct wf_arena *arena)
{
	size_t length = strlen(public_url);
	struct wf_buffer url;
	const char *copy;

	if (length == 0)
		return "";
	wf_buffer_init(
	    &url, length + strlen(path) + strlen(last) * 3 + sizeof("/"));
	while (length > 0 && public_url[length - 1] == '/')
		length--;
	wf_buffer_append(&url, public_url, length);
	wf_buffer_puts(&url, path);
	wf_client_escape(&url, last);
	copy = wf_arena_strdup(arena, wf_buffer_text(&url));
	wf_buffer_free(&url);
	return copy;
}

/* --- what the specification says ------------------------------------------ */

struct naming {
	struct wf_mail_words *words;
	struct wf_arena *arena;
};

/* Whole characters. */
static const char *shown(const char *text, struct wf_arena *arena)
{
	return wf_arena_strndup(
	    arena, text, wf_clipped_length(text, SHOWN_BYTES));
}

static void put_names(void *context, const struct wf_spec *spec)
{
	struct naming *naming = context;
	struct wf_mail_words *words = naming->words;
	uint32_t at = 0;
	const struct wf_task *task = wf_spec_next_task(spec, words->task, &at);
	const char *title = spec->metadata.title;

	words->process =
	    shown(title == NULL ? spec->uri : title, naming->arena);
	words->version = shown(spec->metadata.version, naming->arena);
	if (task != NULL && task->name != NULL)
		words->label = shown(task->name, naming->arena);
}

static const char *time_of(int64_t time, struct wf_arena *arena)
{
	char text[WF_TIME_TEXT_BYTES];

	wf_time_text_seconds(time, text);
	return wf_arena_strdup(arena, text);
}

void wf_mail_words_item(struct wf_mail_words *words, struct wf_engine *engine,
    const struct wf_item_row *item, const char *public_url,
    struct wf_arena *arena)
{
	struct naming naming = { words, arena };

	words->item = item->id;
	words->task = item->task;
	words->label = shown(item->task, arena);
	words->process = "-";
	words->version = "-";
	words->enabled = time_of(item->enabled_at, arena);
	words->priority = wf_arena_printf(arena, "%u", 100 - item->rank);
	words->due = item->due_at == WF_ITEM_NOT_DUE
			 ? "-"
			 : time_of(item->due_at, arena);
	words->link = wf_mail_link(public_url, "/v1/items/", item->id, arena);
	/* Without the specification the mail goes without its names. */
	(void)(wf_engine_inspect_spec(engine, item->namespace_id,
		   item->specification, false, put_names, &naming,
		   NULL) == WF_OK);
}

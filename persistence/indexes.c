/* SPDX-License-Identifier: Apache-2.0 */
#include "persistence/indexes.h"

#include <string.h>

#include "base/codec.h"
#include "base/limits.h"
#include "persistence/record_cache.h"

#define RECORD_KIND "index"
#define RECORD_FORMAT 1U
#define RECORD_BYTES 8192U

struct wf_indexes {
	struct wf_record_cache *cache;
};

/* Of no variable: words are of all cases of the store. */
static const struct wf_index words_index = { .specification = "*",
	.variable = ":" };

bool wf_index_is_words(const struct wf_index *index)
{
	return index->variable[0] == WF_WORD_MARK;
}

bool wf_index_is_of(const struct wf_index *index, const char *uri)
{
	return strcmp(index->specification, "*") == 0 ||
	       strcmp(index->specification, uri) == 0;
}

const char *wf_index_state_name(enum wf_index_state state)
{
	static const char *const names[] = { "filling", "ready", "removing" };

	return names[state];
}

/* --- records -------------------------------------------------------------- */

/* A path has no blank. */
static const char *name_of(const struct wf_index *index, struct wf_arena *arena)
{
	return wf_arena_printf(
	    arena, "%s %s", index->variable, index->specification);
}

static struct wf_bytes write_record(
    const struct wf_index *index, struct wf_arena *arena)
{
	struct wf_buffer buffer;
	struct wf_bytes bytes;

	wf_buffer_init(&buffer, RECORD_BYTES);
	wf_put_number(&buffer, RECORD_FORMAT);
	wf_put_string(&buffer, index->specification);
	wf_put_string(&buffer, index->variable);
	wf_put_number(&buffer, index->type);
	wf_put_number(&buffer, index->state);
	wf_put_signed(&buffer, index->since);
	wf_put_number(&buffer, index->filled);
	bytes.size = buffer.length;
	bytes.data =
	    wf_arena_strndup(arena, wf_buffer_text(&buffer), buffer.length);
	wf_buffer_free(&buffer);
	return bytes;
}

static bool read_record(
    const struct wf_record_row *row, void *entry, struct wf_arena *arena)
{
	struct wf_index *index = entry;
	struct wf_reader reader;

	wf_reader_init(&reader, row->value.data, row->value.size);
	if (wf_get_number(&reader) != RECORD_FORMAT)
		return false;
	index->namespace_id = row->namespace_id;
	index->specification = wf_get_string(&reader, arena);
	index->variable = wf_get_string(&reader, arena);
	index->type = wf_get_bounded(&reader, WF_TERM_TYPES - 1);
	index->state = wf_get_bounded(&reader, WF_INDEX_REMOVING);
	index->since = wf_get_signed(&reader);
	index->filled = wf_get_number(&reader);
	return !reader.bad;
}

static void copy(const void *from, void *to, struct wf_arena *arena)
{
	const struct wf_index *index = from;
	struct wf_index *copied = to;

	*copied = *index;
	copied->specification = wf_arena_strdup(arena, index->specification);
	copied->variable = wf_arena_strdup(arena, index->variable);
}

static const struct wf_record_kind index_kind = { .kind = RECORD_KIND,
	.size = sizeof(struct wf_index),
	.read = read_record,
	.copy = copy };

struct wf_indexes *wf_indexes_new(void)
{
	struct wf_indexes *indexes = wf_calloc(1, sizeof(*indexes));

	indexes->cache = wf_record_cache_new(&index_kind);
	return indexes;
}

void wf_indexes_free(struct wf_indexes **indexes)
{
	struct wf_indexes *old = *indexes;

	*indexes = NULL;
	if (old == NULL)
		return;
	wf_record_cache_free(&old->cache);
	wf_free(old);
}

enum wf_rc wf_indexes_refresh(
    struct wf_indexes *indexes, struct wf_store *store, struct wf_error *err)
{
	return wf_record_cache_refresh(indexes->cache, store, err);
}

/* --- reading -------------------------------------------------------------- */

static bool is_variable_of(void *context, const void *entry)
{
	const uint32_t *namespace_id = context;
	const struct wf_index *index = entry;

	return !wf_index_is_words(index) &&
	       (*namespace_id == 0 || index->namespace_id == *namespace_id);
}

struct wf_index_list wf_indexes_of(
    struct wf_indexes *indexes, uint32_t namespace_id, struct wf_arena *arena)
{
	const struct wf_record_choice choice = { .fits = is_variable_of,
		.context = &namespace_id };
	struct wf_index_list list;

	list.rows =
	    wf_record_cache_choose(indexes->cache, &choice, arena, &list.count);
	return list;
}

uint64_t wf_indexes_version(struct wf_indexes *indexes)
{
	return wf_record_cache_version(indexes->cache);
}

bool wf_indexes_words(struct wf_indexes *indexes, struct wf_arena *arena,
    struct wf_index *index_out)
{
	return wf_record_cache_find(
	    indexes->cache, 0, name_of(&words_index, arena), arena, index_out);
}

/* --- writing -------------------------------------------------------------- */

struct changing {
	struct wf_indexes *indexes;
	struct wf_index index;	   /* as it is to be */
	enum wf_index_state state; /* in which it must be, for a note */
	bool done;
};

/* Prepares the row of the index.  False: there is none. */
static bool find(struct changing *changing, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_index *found)
{
	const struct wf_index *index = &changing->index;
	struct wf_record_cache *cache = changing->indexes->cache;
	struct wf_record_row *row = wf_arena_alloc(arena, sizeof(*row));

	*row = (struct wf_record_row){ .namespace_id = index->namespace_id,
		.kind = RECORD_KIND,
		.name = name_of(index, arena) };
	row->change =
	    wf_record_cache_change(cache, index->namespace_id, row->name);
	edit->rows = row;
	return wf_record_cache_find(
	    cache, index->namespace_id, row->name, arena, found);
}

static enum wf_rc fail_indexed(
    const struct wf_index *other, struct wf_error *err)
{
	bool is_any = strcmp(other->specification, "*") == 0;

	return wf_fail(err, WF_CONFLICT,
	    "the variable %.100s of %.100s is %s already", other->variable,
	    is_any ? "any specification" : other->specification,
	    other->state == WF_INDEX_REMOVING ? "indexed, and being removed,"
					      : "indexed");
}

/* Of one specification, those of any count too. */
static enum wf_rc judge(const struct changing *changing,
    const struct wf_index_list *list, struct wf_error *err)
{
	const struct wf_index *index = &changing->index;
	bool is_any = strcmp(index->specification, "*") == 0;
	size_t most = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct wf_index *row = &list->rows[i];
		size_t shared = 0;

		if (strcmp(row->variable, index->variable) == 0 &&
		    (is_any || wf_index_is_of(row, index->specification)))
			return fail_indexed(row, err);
		for (size_t k = 0; k < list->count; k++)
			shared += wf_index_is_of(&list->rows[k],
			    is_any ? row->specification : index->specification);
		most = shared > most ? shared : most;
	}
	if (most >= WF_CASE_INDEXES)
		return wf_fail(err, WF_LIMIT,
		    "there are %zu indexes of one specification, and more than "
		    "%u are not possible",
		    most, WF_CASE_INDEXES);
	if (list->count >= WF_NAMESPACE_INDEXES)
		return wf_fail(err, WF_LIMIT,
		    "there are %zu indexes, and more than %u are not possible",
		    list->count, WF_NAMESPACE_INDEXES);
	return WF_OK;
}

static enum wf_rc decide_add(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct changing *changing = context;
	const struct wf_index_list list = wf_indexes_of(
	    changing->indexes, changing->index.namespace_id, arena);
	struct wf_index found;
	enum wf_rc rc = judge(changing, &list, err);

	if (rc != WF_OK)
		return rc;
	(void)find(changing, arena, edit, &found);
	edit->rows[0].value = write_record(&changing->index, arena);
	edit->count = 1;
	edit->alone = true;
	return WF_OK;
}

enum wf_rc wf_index_add(struct wf_indexes *indexes, struct wf_store *store,
    const struct wf_index *index, struct wf_error *err)
{
	struct changing changing = { .indexes = indexes, .index = *index };

	changing.index.state = WF_INDEX_FILLING;
	changing.index.filled = 0;
	return wf_record_cache_edit(
	    indexes->cache, store, decide_add, &changing, err);
}

static enum wf_rc decide_remove(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct changing *changing = context;
	struct wf_index found;

	if (!find(changing, arena, edit, &found))
		return wf_fail(err, WF_NOT_FOUND,
		    "the variable %.100s of %.200s is not indexed",
		    changing->index.variable, changing->index.specification);
	if (found.state == WF_INDEX_REMOVING)
		return WF_OK;
	found.state = WF_INDEX_REMOVING;
	found.since = changing->index.since;
	found.filled = 0;
	edit->rows[0].value = write_record(&found, arena);
	edit->count = 1;
	return WF_OK;
}

enum wf_rc wf_index_remove(struct wf_indexes *indexes, struct wf_store *store,
    const struct wf_index *index, int64_t now, struct wf_error *err)
{
	struct changing changing = { .indexes = indexes, .index = *index };

	changing.index.since = now;
	return wf_record_cache_edit(
	    indexes->cache, store, decide_remove, &changing, err);
}

static enum wf_rc decide_note(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct changing *changing = context;
	const struct wf_index *index = &changing->index;
	struct wf_index found;

	(void)err;
	if (!find(changing, arena, edit, &found) ||
	    found.state != changing->state ||
	    (!changing->done && found.filled >= index->filled))
		return WF_OK;
	edit->count = 1;
	if (changing->done && found.state == WF_INDEX_REMOVING)
		return WF_OK;
	found.filled = index->filled;
	if (changing->done) {
		found.state = WF_INDEX_READY;
		found.since = index->since;
	}
	edit->rows[0].value = write_record(&found, arena);
	return WF_OK;
}

enum wf_rc wf_index_note(struct wf_indexes *indexes, struct wf_store *store,
    const struct wf_index *index, uint64_t filled, bool done, int64_t now,
    struct wf_error *err)
{
	struct changing changing = { .indexes = indexes,
		.index = *index,
		.state = index->state,
		.done = done };

	changing.index.filled = filled;
	changing.index.since = now;
	return wf_record_cache_edit(
	    indexes->cache, store, decide_note, &changing, err);
}

static enum wf_rc decide_words(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct changing *changing = context;
	struct wf_index found;

	(void)err;
	if (find(changing, arena, edit, &found))
		return WF_OK;
	edit->rows[0].value = write_record(&changing->index, arena);
	edit->count = 1;
	return WF_OK;
}

enum wf_rc wf_index_add_words(struct wf_indexes *indexes,
    struct wf_store *store, bool ready, int64_t now, struct wf_error *err)
{
	struct changing changing = { .indexes = indexes, .index = words_index };

	changing.index.state = ready ? WF_INDEX_READY : WF_INDEX_FILLING;
	changing.index.since = now;
	return wf_record_cache_edit(
	    indexes->cache, store, decide_words, &changing, err);
}

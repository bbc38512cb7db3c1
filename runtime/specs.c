/* SPDX-License-Identifier: Apache-2.0 */
/* Specifications kept compiled: a list by use, with counts of users. */
#include "runtime/specs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "persistence/record_cache.h"
#include "runtime/engine.h"

#define NUMBERING_MAXIMUM_BYTES ((size_t)64 << 20)

/* Estimate of a compiled one: a constant, and a multiple of its source. */
#define COMPILED_BYTES ((size_t)100 << 10)
#define COMPILED_PER_BYTE 8U

struct specs {
	struct wf_record_cache *suspensions;
	pthread_mutex_t lock; /* of what follows */
	struct kept_spec *first;
	atomic_size_t size;
	size_t maximum;
	uint64_t change; /* of the store, when it was last asked */
};

/* --- suspensions, as records ---------------------------------------------- */

#define SUSPENSION_KIND "suspension"
#define SUSPENSION_MAXIMUM_BYTES ((size_t)4 << 10)
#define KEY_NAME_BYTES 17U

/* Of the specification whose key is the name of the record. */
static bool read_suspension(
    const struct wf_record_row *row, void *entry, struct wf_arena *arena)
{
	struct wf_reader reader;

	wf_reader_init(&reader, row->value.data, row->value.size);
	wf_pause_decode(&reader, arena, entry);
	return !reader.bad && reader.next == reader.end;
}

static void copy_suspension(const void *from, void *to, struct wf_arena *arena)
{
	wf_pause_copy(from, arena, to);
}

static const struct wf_record_kind suspensions = {
	.kind = SUSPENSION_KIND,
	.size = sizeof(struct wf_pause),
	.read = read_suspension,
	.copy = copy_suspension,
};

static const char *name_of_key(uint64_t key, char name[KEY_NAME_BYTES])
{
	snprintf(name, KEY_NAME_BYTES, "%016llx", (unsigned long long)key);
	return name;
}

bool wf_specs_suspension(struct specs *specs, uint32_t namespace_id,
    uint64_t key, struct wf_arena *arena, struct wf_pause *pause_out)
{
	char name[KEY_NAME_BYTES];

	return wf_record_cache_find(specs->suspensions, namespace_id,
	    name_of_key(key, name), arena, pause_out);
}

struct suspending {
	struct specs *specs;
	uint32_t namespace_id;
	uint64_t key;
	const struct wf_pause *pause;
};

static struct wf_bytes encode_suspension(
    const struct wf_pause *pause, struct wf_arena *arena)
{
	struct wf_buffer buffer;
	struct wf_bytes bytes;

	wf_buffer_init(&buffer, SUSPENSION_MAXIMUM_BYTES);
	wf_pause_encode(pause, &buffer);
	wf_assert(!buffer.full); /* the engine has checked the reason */
	bytes.size = buffer.length;
	bytes.data = wf_arena_strndup(arena, buffer.data, buffer.length);
	wf_buffer_free(&buffer);
	return bytes;
}

static enum wf_rc decide_suspension(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	const struct suspending *suspending = context;
	struct specs *specs = suspending->specs;
	uint64_t key = suspending->key;
	struct wf_record_row *row = wf_arena_alloc(arena, sizeof(*row));
	char *name = wf_arena_alloc(arena, KEY_NAME_BYTES);
	struct wf_pause pause;

	*row = (struct wf_record_row){ .namespace_id = suspending->namespace_id,
		.kind = SUSPENSION_KIND,
		.name = name_of_key(key, name) };
	row->change =
	    wf_record_cache_change(specs->suspensions, row->namespace_id, name);
	if (wf_specs_suspension(specs, row->namespace_id, key, arena, &pause) &&
	    suspending->pause != NULL)
		return wf_fail_code(err, WF_CONFLICT, WF_SUSPENDED_CODE,
		    "the specification %s is suspended %.300s", name,
		    wf_pause_text(&pause, arena));
	if (row->change == WF_RECORD_NEW && suspending->pause == NULL)
		return wf_fail(err, WF_CONFLICT,
		    "the specification %s is not suspended", name);
	if (suspending->pause != NULL)
		row->value = encode_suspension(suspending->pause, arena);
	*edit = (struct wf_record_edit){ .rows = row, .count = 1 };
	return WF_OK;
}

enum wf_rc wf_specs_suspend(struct specs *specs, struct wf_store *store,
    uint32_t namespace_id, uint64_t key, const struct wf_pause *pause,
    struct wf_error *err)
{
	struct suspending suspending = { specs, namespace_id, key, pause };

	return wf_record_cache_edit(
	    specs->suspensions, store, decide_suspension, &suspending, err);
}

/* --- the list ------------------------------------------------------------- */

struct specs *wf_specs_new(size_t maximum)
{
	struct specs *specs = wf_calloc(1, sizeof(*specs));

	specs->suspensions = wf_record_cache_new(&suspensions);
	pthread_mutex_init(&specs->lock, NULL);
	specs->maximum = maximum;
	return specs;
}

static void free_kept(struct kept_spec *kept)
{
	wf_spec_file_free(&kept->file);
	wf_free(kept);
}

void wf_specs_free(struct specs **specs)
{
	if (*specs == NULL)
		return;
	for (struct kept_spec *at = (*specs)->first; at != NULL;) {
		struct kept_spec *next = at->next;

		free_kept(at);
		at = next;
	}
	wf_record_cache_free(&(*specs)->suspensions);
	pthread_mutex_destroy(&(*specs)->lock);
	wf_free(*specs);
	*specs = NULL;
}

void wf_specs_numbering(const struct wf_spec *spec, struct wf_buffer *bytes)
{
	for (uint32_t d = 0; d < spec->decomposition_count; d++) {
		const struct wf_net *net = spec->decompositions[d].net;

		if (net == NULL)
			continue;
		wf_put_string(bytes, spec->decompositions[d].id);
		wf_put_number(bytes, net->condition_count);
		for (uint32_t i = 0; i < net->condition_count; i++)
			wf_put_string(bytes, net->conditions[i].id);
		wf_put_number(bytes, net->task_count);
		for (uint32_t i = 0; i < net->task_count; i++)
			wf_put_string(bytes, net->tasks[i].id);
	}
}

static bool same_numbering(const struct wf_spec *spec, struct wf_bytes stored)
{
	struct wf_buffer bytes;
	bool same;

	wf_buffer_init(&bytes, NUMBERING_MAXIMUM_BYTES);
	wf_specs_numbering(spec, &bytes);
	same = bytes.length == stored.size &&
	       (stored.size == 0 ||
		   memcmp(bytes.data, stored.data, stored.size) == 0);
	wf_buffer_free(&bytes);
	return same;
}

/* The first error of the diagnostics, if there is one. */
static enum wf_rc not_valid(const struct wf_specification_row *row,
    const struct wf_diagnostics *diagnostics, struct wf_error *err)
{
	const struct wf_diagnostic *d = wf_diagnostics_first_error(diagnostics);

	return wf_fail(err, WF_CORRUPT,
	    "the stored specification %016llx is not valid: line %d: %.300s",
	    (unsigned long long)row->key, d == NULL ? 0 : d->line,
	    d == NULL ? "" : d->message);
}

/* Reads the source of a stored row. */
static enum wf_rc compile(const struct wf_specification_row *row,
    struct kept_spec *kept, struct wf_error *err)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("");
	enum wf_rc rc = wf_spec_read(
	    &kept->file, row->source.data, row->source.size, diagnostics);

	if (rc != WF_OK)
		rc = not_valid(row, diagnostics, err);
	wf_diagnostics_free(&diagnostics);
	if (rc != WF_OK)
		return rc;
	for (uint32_t i = 0; i < kept->file->spec_count; i++)
		if (kept->file->specs[i]->key == row->key)
			kept->spec = kept->file->specs[i];
	if (kept->spec == NULL || !same_numbering(kept->spec, row->numbering))
		return wf_fail(err, WF_CORRUPT,
		    "the stored specification %016llx is not what it was",
		    (unsigned long long)row->key);
	return WF_OK;
}

static enum wf_rc fetch(struct wf_store *store, uint32_t namespace_id,
    uint64_t key, struct kept_spec **kept_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct kept_spec *kept = wf_calloc(1, sizeof(*kept));
	struct wf_specification_row row;
	enum wf_rc rc =
	    wf_store_specification(store, namespace_id, key, arena, &row, err);

	if (rc == WF_OK)
		rc = compile(&row, kept, err);
	if (rc == WF_OK) {
		kept->namespace_id = namespace_id;
		kept->key = key;
		kept->size =
		    COMPILED_BYTES + COMPILED_PER_BYTE * row.source.size;
		kept->removed = row.removed;
		*kept_out = kept;
	} else {
		free_kept(kept);
	}
	wf_arena_free(&arena);
	return rc;
}

/* The place of the one with that key; moved to the front when it is there. */
static struct kept_spec *find(
    struct specs *specs, uint32_t namespace_id, uint64_t key)
{
	for (struct kept_spec **at = &specs->first; *at != NULL;
	     at = &(*at)->next) {
		struct kept_spec *kept = *at;

		if (kept->key != key || kept->namespace_id != namespace_id)
			continue;
		*at = kept->next;
		kept->next = specs->first;
		specs->first = kept;
		return kept;
	}
	return NULL;
}

/* Frees unused ones, the least recently used first, down to the bound. */
static void shrink(struct specs *specs)
{
	while (wf_specs_are_many(specs)) {
		struct kept_spec **last = NULL;
		struct kept_spec *kept;

		for (struct kept_spec **at = &specs->first; *at != NULL;
		     at = &(*at)->next)
			if ((*at)->users == 0)
				last = at;
		if (last == NULL)
			return;
		kept = *last;
		wf_assert(kept->users == 0 && specs->size >= kept->size);
		*last = kept->next;
		specs->size -= kept->size;
		free_kept(kept);
	}
}

static void add(struct specs *specs, struct kept_spec *kept)
{
	wf_assert(kept->users == 0 && kept->spec != NULL);
	kept->next = specs->first;
	specs->first = kept;
	specs->size += kept->size;
	kept->users++;
	shrink(specs);
	kept->users--;
}

enum wf_rc wf_specs_use(struct specs *specs, struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct kept_spec **spec_out,
    struct wf_error *err)
{
	struct kept_spec *kept;
	enum wf_rc rc = WF_OK;

	pthread_mutex_lock(&specs->lock);
	kept = find(specs, namespace_id, key);
	if (kept == NULL && store == NULL) {
		rc = wf_fail(
		    err, WF_UNAVAILABLE, "the specification is not in memory");
	} else if (kept == NULL) {
		/* Read without the lock; another thread may add it first. */
		struct kept_spec *own = NULL;

		pthread_mutex_unlock(&specs->lock);
		rc = fetch(store, namespace_id, key, &own, err);
		pthread_mutex_lock(&specs->lock);
		kept = find(specs, namespace_id, key);
		if (kept == NULL && own != NULL)
			add(specs, kept = own);
		else if (own != NULL)
			free_kept(own);
	}
	if (kept != NULL) {
		kept->users++;
		if (rc != WF_OK && err != NULL)
			wf_error_clear(err);
		rc = WF_OK;
	}
	pthread_mutex_unlock(&specs->lock);
	*spec_out = kept;
	return rc;
}

void wf_specs_drop(struct specs *specs, struct kept_spec **spec)
{
	if (*spec == NULL)
		return;
	pthread_mutex_lock(&specs->lock);
	wf_assert((*spec)->users > 0);
	(*spec)->users--;
	shrink(specs);
	pthread_mutex_unlock(&specs->lock);
	*spec = NULL;
}

bool wf_specs_are_many(struct specs *specs)
{
	return atomic_load_explicit(&specs->size, memory_order_relaxed) >
	       specs->maximum;
}

/* all: the list has all that are not removed; else those that changed. */
static void note_changes(
    struct specs *specs, const struct wf_specification_list *list, bool all)
{
	for (struct kept_spec *at = specs->first; at != NULL; at = at->next) {
		at->removed |= all;
		for (size_t i = 0; i < list->count; i++)
			if (list->rows[i].key == at->key &&
			    list->rows[i].namespace_id == at->namespace_id)
				at->removed = list->rows[i].removed;
	}
}

enum wf_rc wf_specs_refresh(
    struct specs *specs, struct wf_store *store, struct wf_error *err)
{
	struct wf_specification_filter filter = { 0 };
	struct wf_specification_list list;
	struct wf_arena *arena;
	uint64_t change;
	enum wf_rc rc = wf_store_change(store, &change, err);

	pthread_mutex_lock(&specs->lock);
	filter.changed_after = specs->change;
	pthread_mutex_unlock(&specs->lock);
	if (rc != WF_OK || change == filter.changed_after)
		return rc;
	filter.removed = filter.changed_after > 0;
	arena = wf_arena_new();
	rc = wf_record_cache_refresh(specs->suspensions, store, err);
	if (rc == WF_OK)
		rc = wf_store_specifications(store, &filter, arena, &list, err);
	pthread_mutex_lock(&specs->lock);
	if (rc == WF_OK) {
		note_changes(specs, &list, filter.changed_after == 0);
		specs->change = change;
	}
	pthread_mutex_unlock(&specs->lock);
	wf_arena_free(&arena);
	return rc;
}

static bool is_removed(struct specs *specs, const struct kept_spec *spec)
{
	bool removed;

	pthread_mutex_lock(&specs->lock);
	removed = spec->removed;
	pthread_mutex_unlock(&specs->lock);
	return removed;
}

/* WF_CONFLICT when it is suspended. */
static enum wf_rc check_suspension(struct specs *specs,
    const struct kept_spec *spec, struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_pause pause;
	enum wf_rc rc = WF_OK;

	if (wf_specs_suspension(
		specs, spec->namespace_id, spec->key, arena, &pause))
		rc = wf_record_cache_refresh(specs->suspensions, store, err);
	if (rc == WF_OK && wf_specs_suspension(specs, spec->namespace_id,
			       spec->key, arena, &pause))
		rc = wf_fail_code(err, WF_CONFLICT, WF_SUSPENDED_CODE,
		    "no case of %.100s %.40s (%016llx) is started: it is "
		    "suspended %.300s",
		    spec->spec->uri, spec->spec->metadata.version,
		    (unsigned long long)spec->key,
		    wf_pause_text(&pause, arena));
	wf_arena_free(&arena);
	return rc;
}

/* That it was removed may be outdated: the store is asked again. */
enum wf_rc wf_specs_use_present(struct specs *specs, struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct kept_spec **spec_out,
    struct wf_error *err)
{
	enum wf_rc rc =
	    wf_specs_use(specs, store, namespace_id, key, spec_out, err);

	if (rc == WF_OK && is_removed(specs, *spec_out))
		rc = wf_specs_refresh(specs, store, err);
	if (rc == WF_OK && is_removed(specs, *spec_out))
		rc = wf_fail(err, WF_NOT_FOUND,
		    "the specification %016llx was removed",
		    (unsigned long long)key);
	if (rc != WF_OK)
		wf_specs_drop(specs, spec_out);
	return rc;
}

/* That it is suspended may be outdated, too. */
enum wf_rc wf_specs_use_new(struct specs *specs, struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct kept_spec **spec_out,
    struct wf_error *err)
{
	enum wf_rc rc = wf_specs_use_present(
	    specs, store, namespace_id, key, spec_out, err);

	wf_assert((rc == WF_OK) == (*spec_out != NULL));
	if (rc == WF_OK)
		rc = check_suspension(specs, *spec_out, store, err);
	if (rc != WF_OK)
		wf_specs_drop(specs, spec_out);
	return rc;
}

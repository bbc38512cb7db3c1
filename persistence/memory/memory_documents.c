/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: documents of cases, and their blocks. */
#include "persistence/memory/memory_priv.h"

#include <string.h>

static void remove_row(struct memory *m, const struct wf_document_row *row)
{
	struct wf_document_block_row first = { .id = row->id,
		.version = row->version };
	size_t at = wf_table_position(&m->document_blocks, &first);

	while (at < m->document_blocks.count) {
		const struct wf_document_block_row *block =
		    m->document_blocks.rows[at];

		if (block->id != first.id || block->version != first.version)
			break;
		wf_table_remove(&m->document_blocks, block);
	}
	wf_table_remove(&m->documents, row);
}

void wf_memory_retire_documents(struct memory *m, uint64_t number)
{
	for (size_t i = m->documents.count; i-- > 0;) {
		const struct wf_document_row *row = m->documents.rows[i];

		if (row->number == number)
			remove_row(m, row);
	}
}

void wf_memory_rename_documents(
    struct memory *m, const struct wf_item_rename *renames, size_t count)
{
	for (size_t i = 0; i < m->documents.count; i++) {
		struct wf_document_row row =
		    *(const struct wf_document_row *)m->documents.rows[i];
		size_t at = 0;

		while (at < count && (renames[at].number != row.number ||
					 strcmp(renames[at].id, row.item) != 0))
			at++;
		if (at == count)
			continue;
		row.item = renames[at].new_id;
		wf_table_put(&m->documents, &row);
	}
}

static struct wf_document_state state_of(
    const struct memory *m, const struct wf_document_row *about)
{
	struct wf_document_state state = {
		.has_case = wf_memory_case(m, about->number) != NULL
	};

	for (size_t i = 0; i < m->documents.count; i++) {
		const struct wf_document_row *row = m->documents.rows[i];

		if (row->number != about->number)
			continue;
		state.bytes += row->size;
		state.rows++;
		if (row->id == about->id && row->version > state.last)
			state.last = row->version;
	}
	return state;
}

enum wf_rc wf_memory_add_document(struct wf_store *store,
    struct wf_document_row *row, uint64_t maximum, struct wf_error *err)
{
	struct wf_document_state state;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	state = state_of(m, row);
	rc = wf_judge_document(&state, row, maximum, err);
	if (rc == WF_OK)
		wf_table_put(&m->documents, row);
	return wf_memory_leave(store, true, rc, err);
}

/* version 0: the newest that is whole. */
static const struct wf_document_row *find(
    const struct memory *m, uint64_t id, uint32_t version)
{
	const struct wf_document_row *found = NULL;

	for (size_t i = 0; i < m->documents.count; i++) {
		const struct wf_document_row *row = m->documents.rows[i];

		if (row->id == id && (version == 0 ? row->received == row->size
						   : row->version == version))
			found = row;
	}
	return found;
}

static enum wf_rc adopt(struct memory *m, uint64_t id, uint64_t number,
    uint64_t maximum, struct wf_error *err)
{
	const struct wf_document_row *found = find(m, id, 0);
	struct wf_document_state state;
	struct wf_document_row row;
	enum wf_rc rc;

	if (found == NULL)
		return wf_missing(err, "document", id);
	row = *found;
	row.number = number;
	state = state_of(m, &row);
	row.size = 0;
	for (size_t i = 0; i < m->documents.count; i++) {
		const struct wf_document_row *old = m->documents.rows[i];

		if (old->id != id || old->number != WF_NO_CASE)
			continue;
		row.size += old->size;
		state.rows += old != found;
	}
	rc = wf_judge_document(&state, &row, maximum, err);
	if (rc == WF_OK && found->number != WF_NO_CASE)
		rc = wf_fail_adoption(err, found);
	for (size_t i = 0; i < m->documents.count && rc == WF_OK; i++) {
		const struct wf_document_row *old = m->documents.rows[i];

		if (old->id != id)
			continue;
		row = *old;
		row.number = number;
		wf_table_put(&m->documents, &row);
	}
	return rc;
}

enum wf_rc wf_memory_adopt_document(struct wf_store *store, uint64_t id,
    uint64_t number, uint64_t maximum, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc == WF_OK)
		rc = wf_memory_leave(
		    store, true, adopt(m, id, number, maximum, err), err);
	return rc;
}

enum wf_rc wf_memory_document(struct wf_store *store, uint64_t id,
    uint32_t version, struct wf_arena *arena, struct wf_document_row *row_out,
    struct wf_error *err)
{
	const struct wf_document_row *row;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	row = find(m, id, version);
	if (row == NULL)
		rc = wf_missing(err, "document", id);
	else
		wf_row_copy_to(&wf_layout_document, row_out, row, arena);
	return wf_memory_leave(store, false, rc, err);
}

enum wf_rc wf_memory_documents(struct wf_store *store, uint64_t number,
    struct wf_arena *arena, struct wf_document_list *list_out,
    struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->documents.count; i++) {
		const struct wf_document_row *row = m->documents.rows[i];

		if (row->number == number && row->received == row->size)
			wf_memory_add(&found, row);
	}
	list_out->rows = wf_memory_give(
	    &found, &wf_layout_document, arena, &list_out->count);
	return wf_memory_leave(store, false, WF_OK, err);
}

static enum wf_rc put_block(struct memory *m,
    const struct wf_document_block_row *block, int64_t now,
    struct wf_error *err)
{
	const struct wf_document_row *old = find(m, block->id, block->version);
	struct wf_document_row row;

	if (old == NULL)
		return wf_missing(err, "document", block->id);
	if (old->received != block->place ||
	    old->size - old->received < block->bytes.size)
		return wf_fail_block(err, old, block);
	row = *old;
	row.received += block->bytes.size;
	row.at = now;
	wf_table_put(&m->documents, &row);
	wf_table_put(&m->document_blocks, block);
	return WF_OK;
}

enum wf_rc wf_memory_put_document_block(struct wf_store *store,
    const struct wf_document_block_row *block, int64_t now,
    struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc == WF_OK)
		rc = wf_memory_leave(
		    store, true, put_block(m, block, now, err), err);
	return rc;
}

enum wf_rc wf_memory_document_block(struct wf_store *store, uint64_t id,
    uint32_t version, uint64_t place, struct wf_arena *arena,
    struct wf_document_block_row *row_out, struct wf_error *err)
{
	struct wf_document_block_row key = {
		.id = id, .version = version, .place = place + 1
	};
	const struct wf_document_block_row *row = NULL;
	struct memory *m;
	size_t at;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	at = wf_table_position(&m->document_blocks, &key);
	if (at > 0)
		row = m->document_blocks.rows[at - 1];
	if (row == NULL || row->id != id || row->version != version)
		rc = wf_missing(err, "document", id);
	else
		wf_row_copy_to(&wf_layout_document_block, row_out, row, arena);
	return wf_memory_leave(store, false, rc, err);
}

enum wf_rc wf_memory_remove_document(
    struct wf_store *store, uint64_t id, uint32_t version, struct wf_error *err)
{
	struct memory *m;
	size_t removed = 0;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = m->documents.count; i-- > 0;) {
		const struct wf_document_row *row = m->documents.rows[i];

		if (row->id == id &&
		    (version == 0 || row->version == version)) {
			remove_row(m, row);
			removed++;
		}
	}
	if (removed == 0)
		rc = wf_missing(err, "document", id);
	return wf_memory_leave(store, true, rc, err);
}

static bool is_swept(
    const struct wf_document_row *row, int64_t before, int64_t kept)
{
	return (row->received < row->size && row->at < before) ||
	       (row->number == WF_NO_CASE && row->at < kept);
}

enum wf_rc wf_memory_sweep_documents(struct wf_store *store, int64_t before,
    int64_t kept, size_t limit, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = m->documents.count; i-- > 0 && limit > 0;) {
		const struct wf_document_row *row = m->documents.rows[i];

		if (is_swept(row, before, kept)) {
			remove_row(m, row);
			limit--;
		}
	}
	return wf_memory_leave(store, true, WF_OK, err);
}

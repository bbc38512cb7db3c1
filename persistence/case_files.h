/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the store contract for what people add to cases, beside the steps
 * of these: documents and comments.  A case has them when it has ended, too;
 * they go when it is retired.  Result codes as in persistence/store.h.
 *
 *   wf_store_add_document() ──► block, block, .. ──► whole: can be read
 *        of WF_NO_CASE: ──────── wf_store_adopt_document() ──► of a case
 */
#ifndef WF_PERSISTENCE_CASE_FILES_H
#define WF_PERSISTENCE_CASE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "persistence/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wf_store; /* persistence/store.h, which includes this */

/* --- documents: files ----------------------------------------------------- */

struct wf_document_list {
	struct wf_document_row *rows; /* by id, then version */
	size_t count;
};

/* Versions of documents that a case can have. */
#define WF_CASE_DOCUMENTS 1000U
/* The case of documents that were added before their case is started. */
#define WF_NO_CASE UINT64_C(0)

/*
 * Adds a document, which is there when all its blocks are.  row->version 0: the
 * next version of the document with that id, which is set; else 1, of a new
 * document.  received becomes 0.  maximum: bytes of all documents of the case.
 * WF_NOT_FOUND: no such case, live or ended, or it has no such document;
 * WF_LIMIT: too many documents, or bytes.  Those of WF_NO_CASE are limited as
 * if they were of a case.
 */
enum wf_rc wf_store_add_document(struct wf_store *store,
    struct wf_document_row *row, uint64_t maximum,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Gives a document of WF_NO_CASE, with all its versions, to a case.  maximum:
 * as above.  WF_NOT_FOUND: there is no such document that is whole, or no such
 * case; WF_CONFLICT: it is of a case; WF_LIMIT.
 */
enum wf_rc wf_store_adopt_document(struct wf_store *store, uint64_t id,
    uint64_t number, uint64_t maximum, struct wf_error *err) WF_MUSTCHECK;
/*
 * Adds the next block.  WF_CONFLICT: it does not begin at the bytes received so
 * far, or has more than are missing.
 */
enum wf_rc wf_store_put_document_block(struct wf_store *store,
    const struct wf_document_block_row *block, int64_t now,
    struct wf_error *err) WF_MUSTCHECK;
/* version 0: the newest that is whole; else also one that is not. */
enum wf_rc wf_store_document(struct wf_store *store, uint64_t id,
    uint32_t version, struct wf_arena *arena, struct wf_document_row *row_out,
    struct wf_error *err) WF_MUSTCHECK;
/* All versions of documents of the case that are whole. */
enum wf_rc wf_store_documents(struct wf_store *store, uint64_t number,
    struct wf_arena *arena, struct wf_document_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;
/* The block that has the byte at that place, or the last one before. */
enum wf_rc wf_store_document_block(struct wf_store *store, uint64_t id,
    uint32_t version, uint64_t place, struct wf_arena *arena,
    struct wf_document_block_row *row_out, struct wf_error *err) WF_MUSTCHECK;
/* version 0: all. */
enum wf_rc wf_store_remove_document(struct wf_store *store, uint64_t id,
    uint32_t version, struct wf_error *err) WF_MUSTCHECK;
/*
 * Removes documents that are not whole and had no block since before, and those
 * of WF_NO_CASE that had none since kept.
 */
enum wf_rc wf_store_sweep_documents(struct wf_store *store, int64_t before,
    int64_t kept, size_t limit, struct wf_error *err) WF_MUSTCHECK;

/* --- comments ------------------------------------------------------------- */

struct wf_comment_list {
	struct wf_comment_row *rows; /* by id: the oldest first */
	size_t count;
};

/* Comments that a case can have. */
#define WF_CASE_COMMENTS 1000U

/*
 * Adds one.  WF_NOT_FOUND: no such case, live or ended; WF_LIMIT: it has too
 * many; WF_CONFLICT: it has one with that id.
 */
enum wf_rc wf_store_add_comment(struct wf_store *store,
    const struct wf_comment_row *row, struct wf_error *err) WF_MUSTCHECK;
/* Those of a case with ids greater than after, at most limit. */
enum wf_rc wf_store_comments(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_comment_list *list_out, struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND. */
enum wf_rc wf_store_remove_comment(struct wf_store *store, uint64_t number,
    uint64_t id, struct wf_error *err) WF_MUSTCHECK;

#ifdef __cplusplus
}
#endif

#endif

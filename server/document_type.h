/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and types of files that people send: neither is believed.
 *
 * A type is what the client declares, unless the first bytes say otherwise.  It
 * is served as it is only if no browser runs anything of that type.
 */
#ifndef WF_SERVER_DOCUMENT_TYPE_H
#define WF_SERVER_DOCUMENT_TYPE_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

/* The name of a file, and its type. */
#define WF_DOCUMENT_NAME_BYTES 255U
#define WF_DOCUMENT_TYPE_BYTES 127U

/* Of what nobody knows more. */
#define WF_DOCUMENT_BYTES_TYPE "application/octet-stream"

/*
 * The last part of a path, "C:\a\b.txt": "b.txt", in the arena.  WF_INVALID:
 * nothing is left, it is too long, or it has characters that are not shown,
 * such as those of a header's end, or that change the direction of text.
 */
enum wf_rc wf_document_name(const char *text, struct wf_arena *arena,
    const char **name_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * The type without parameters, in lower case, in the arena; text NULL or "":
 * that of any bytes.  WF_INVALID: it is no type.
 */
enum wf_rc wf_document_type(const char *text, struct wf_arena *arena,
    const char **type_out, struct wf_error *err) WF_MUSTCHECK;
/*
 * The type of a file with these first bytes that is declared as that type.
 * WF_UNSUPPORTED: they are of another type.
 */
enum wf_rc wf_document_sniff(const char *declared, const void *bytes,
    size_t size, const char **type_out, struct wf_error *err) WF_MUSTCHECK;
/* The type to be served: its own, or that of any bytes. */
const char *wf_document_safe_type(const char *type);

/* Appends the value of Content-Disposition for that name (RFC 6266). */
void wf_document_put_disposition(struct wf_buffer *header, const char *name);

#endif

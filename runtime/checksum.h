/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checksums of what is stored beside the state of a case.
 *
 * The bytes of a step of the history, of a large value and of a request end
 * with a CRC-32C.  It covers what stands beside the bytes as well, so a row
 * that was changed, or that took the place of another, is noticed.
 */
#ifndef WF_RUNTIME_CHECKSUM_H
#define WF_RUNTIME_CHECKSUM_H

#include "base/buffer.h"
#include "base/memory.h"
#include "persistence/rows.h"

/* Replaces the row's bytes by a copy in arena with the checksum behind it. */
void wf_checksum_add_history(
    struct wf_history_row *row, struct wf_arena *arena);
void wf_checksum_add_value(struct wf_value_row *row, struct wf_arena *arena);

/* The bytes without the checksum, in place; WF_CORRUPT. */
enum wf_rc wf_checksum_check_history(const struct wf_history_row *row,
    struct wf_bytes *events_out, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_checksum_check_value(const struct wf_value_row *row,
    struct wf_bytes *text_out, struct wf_error *err) WF_MUSTCHECK;

/* The same for bytes with nothing beside them. */
void wf_checksum_add(struct wf_buffer *bytes);
/* False when they are damaged. */
bool wf_checksum_check(struct wf_bytes *bytes) WF_MUSTCHECK;

#endif

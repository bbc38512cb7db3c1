/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The large values of a case, read from its store, for whoever decodes the
 * case or its history.
 */
#ifndef WF_RUNTIME_VALUE_SOURCE_H
#define WF_RUNTIME_VALUE_SOURCE_H

#include "kernel/event.h"
#include "persistence/store.h"

struct wf_value_place {
	struct wf_store *store;
	struct wf_arena *arena; /* for the bytes that are read */
	uint64_t number;	/* of the case */
};

/*
 * Reads values there, which must outlive the source.  A value whose checksum
 * is wrong is WF_CORRUPT.
 */
struct wf_value_source wf_value_source(struct wf_value_place *place);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Specifications kept compiled, by namespace and key.
 *
 * A compiled one never changes and is shared by all shards.  What can change
 * is whether it may be launched: that is asked again when the store's change
 * number has moved.  Those in use are kept; of the others as many as the
 * bound in bytes allows, the latest used.
 *
 * A specification that a person has suspended is not launched: that is a record
 * of the store, by its key.
 */
#ifndef WF_RUNTIME_SPECS_H
#define WF_RUNTIME_SPECS_H

#include "base/diagnostics.h"
#include "base/pause.h"
#include "persistence/store.h"
#include "spec/spec.h"

struct specs; /* opaque */

struct kept_spec {
	struct kept_spec *next; /* the latest used first */
	uint32_t namespace_id;
	uint64_t key;
	struct wf_spec_file *file;
	const struct wf_spec *spec;
	size_t size; /* bytes of memory, about */
	size_t users;
	bool removed; /* no new cases */
};

struct specs *wf_specs_new(size_t maximum);
/* None of them may be in use. */
void wf_specs_free(struct specs **specs);

/*
 * The specification with that key, read from the store where needed (store
 * NULL: then WF_UNAVAILABLE).  Given back with wf_specs_drop().  WF_NOT_FOUND,
 * WF_CORRUPT.
 */
enum wf_rc wf_specs_use(struct specs *specs, struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct kept_spec **spec_out,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * The same for cases that are to become ones of it: WF_NOT_FOUND also when it
 * was removed.
 */
enum wf_rc wf_specs_use_present(struct specs *specs, struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct kept_spec **spec_out,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * The same for starts: WF_CONFLICT, with the code WF_SUSPENDED_CODE, when it is
 * suspended.
 */
enum wf_rc wf_specs_use_new(struct specs *specs, struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct kept_spec **spec_out,
    struct wf_error *err) WF_MUSTCHECK;
void wf_specs_drop(struct specs *specs, struct kept_spec **spec);

/* Whether more are kept than should be, because they are in use. */
bool wf_specs_are_many(struct specs *specs);

/* Asks the store for changes since the last time. */
enum wf_rc wf_specs_refresh(struct specs *specs, struct wf_store *store,
    struct wf_error *err) WF_MUSTCHECK;

/* As wf_engine_suspend(), with a store, and wf_engine_suspension(). */
enum wf_rc wf_specs_suspend(struct specs *specs, struct wf_store *store,
    uint32_t namespace_id, uint64_t key, const struct wf_pause *pause,
    struct wf_error *err) WF_MUSTCHECK;
bool wf_specs_suspension(struct specs *specs, uint32_t namespace_id,
    uint64_t key, struct wf_arena *arena, struct wf_pause *pause_out);

/* The numbering of a specification's elements, as it is stored with it. */
void wf_specs_numbering(const struct wf_spec *spec, struct wf_buffer *bytes);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Migrations outside of batches; private to runtime/. */
#ifndef WF_RUNTIME_CHANGE_MIGRATE_H
#define WF_RUNTIME_CHANGE_MIGRATE_H

#include "runtime/cache.h"
#include "runtime/engine.h"

/*
 * Makes a copy of a case, which is not stored, one of the specification that
 * the command MIGRATE names.  how: its bounds, and what problems are reported
 * to. After a failure the copy is only good for wf_cached_free().
 */
enum wf_rc wf_migrate_copy(struct wf_engine *engine, struct wf_store *store,
    struct cached *cached, const struct wf_command *command,
    struct wf_inspection *how, struct wf_error *err) WF_MUSTCHECK;

#endif

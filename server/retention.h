/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long ended cases are kept: a thread of one server of those on a store
 * drops what is older, exported first where that is asked.
 *
 *   WAITING ──each 10 s──► a round through all specifications ──► WAITING
 *                             │  ▲
 *                             ▼  │ 50 cases at a time, the oldest first
 *                          listed ──► exported ──► dropped
 *
 * A setting holds for all processes; a record for one, by its name.  What
 * cannot be exported is not dropped.
 */
#ifndef WF_SERVER_RETENTION_H
#define WF_SERVER_RETENTION_H

#include <stdatomic.h>

#include "runtime/engine.h"

struct wf_retention; /* opaque; safe for all threads */

struct wf_retention_settings {
	int64_t keep_ms;	   /* 0: for ever */
	const char *export_folder; /* "": nothing is exported */
};

struct wf_retention_counts {
	uint64_t dropped;
	uint64_t exported;
	uint64_t failed; /* exports */
};

/* What is said when an export has failed; valid during the call. */
typedef void (*wf_retention_failed_f)(
    void *context, const char *name, const struct wf_error *err);

struct wf_retention *wf_retention_new(struct wf_engine *engine,
    const struct wf_retention_settings *settings, wf_retention_failed_f failed,
    void *context);
/*
 * Makes the folder if it is not there.  WF_INVALID: it cannot be made or
 * written to.
 */
enum wf_rc wf_retention_start(
    struct wf_retention *retention, struct wf_error *err) WF_MUSTCHECK;
/* Ends the thread, before the engine is closed. */
void wf_retention_stop(struct wf_retention *retention);
void wf_retention_free(struct wf_retention **retention);

/* From now on.  If the folder cannot be used, exports fail. */
void wf_retention_reload(struct wf_retention *retention,
    const struct wf_retention_settings *settings);
void wf_retention_counts(
    struct wf_retention *retention, struct wf_retention_counts *counts_out);

/* The record of a process says nothing; else it has milliseconds, 0: for ever.
 */
#define WF_RETENTION_DEFAULT INT64_C(-1)
/* The longest time that can be said: a thousand years. */
#define WF_RETENTION_MS INT64_C(31536000000000)
/*
 * How long ended cases of a process, by its name (as in grants), are kept: as
 * the store has it now.
 */
enum wf_rc wf_retention_of(struct wf_retention *retention,
    struct wf_store *store, uint32_t namespace_id, const char *process,
    int64_t *keep_ms_out, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_retention_set(struct wf_retention *retention,
    struct wf_store *store, uint32_t namespace_id, const char *process,
    int64_t keep_ms, struct wf_error *err) WF_MUSTCHECK;

#endif

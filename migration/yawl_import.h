/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Importing running cases that YAWL has exported (exportCaseState,
 * exportAllCaseStates).
 *
 *   XML ──► list of cases ──► rows (kernel/import.h) ──► a dry run in memory
 *                                                     └► a launch in a store
 *
 * Tokens, busy tasks, items, data and timers are taken from the export; what is
 * enabled is computed, and compared with the export.
 */
#ifndef WF_MIGRATION_YAWL_IMPORT_H
#define WF_MIGRATION_YAWL_IMPORT_H

#include "petri/xml.h"
#include "runtime/engine.h"
#include "spec/spec.h"

#define WF_YAWL_IMPORT_ORIGIN "yawl-import"

/* One case of an export; missing texts are "". */
struct wf_yawl_export {
	const char *id;
	const char *identifier; /* of its specification */
	const char *version;
	const char *uri;
	/* The URI of the service that is notified of its end. */
	const char *observer;
	const struct wf_xml *element;
};

/*
 * The cases of an export, in the arena; xml must live as long as they are
 * used.  WF_INVALID: it is no export.
 */
enum wf_rc wf_yawl_export_read(struct wf_arena *arena, const char *xml,
    size_t length, struct wf_yawl_export **cases_out, size_t *count_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Appends the rows that describe a case of spec to rows, and a line to remarks
 * for each part of the export that is left out. WF_INVALID: the export is
 * incomplete or contradicts itself.
 */
enum wf_rc wf_yawl_export_describe(const struct wf_yawl_export *exported,
    const struct wf_spec *spec, struct wf_buffer *rows,
    struct wf_buffer *remarks, struct wf_error *err) WF_MUSTCHECK;

enum wf_yawl_taking {
	WF_YAWL_TAKEN, /* or would be, in a dry run */
	WF_YAWL_BEFORE /* it was imported earlier */
};

/*
 * Imports one case. engine: NULL for a dry run. store: searched for the case.
 * WF_CONFLICT: there is another case with its id, which is live, or renumbers
 * is false.
 */
struct wf_yawl_take {
	struct wf_engine *engine;
	struct wf_store *store;
	const struct wf_spec *spec; /* as loaded in that engine */
	const char *actor;
	int64_t now;
	/* A case whose id was that of a case that has ended gets a number. */
	bool renumbers;
	uint64_t number; /* set to that number; 0: the case keeps its id */
};

enum wf_rc wf_yawl_take_case(struct wf_yawl_take *take,
    const struct wf_yawl_export *exported, enum wf_yawl_taking *taking_out,
    struct wf_buffer *remarks, struct wf_error *err) WF_MUSTCHECK;

#endif

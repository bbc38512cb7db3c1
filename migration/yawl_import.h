/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running cases as YAWL exports them (exportCaseState, exportAllCaseStates),
 * taken over.
 *
 *   XML ──► list of cases ──► rows (kernel/import.h) ──► a trial in memory
 *                                                     └► a launch in a store
 *
 * What an export says of tokens, busy tasks, items, data and timers is taken;
 * what is enabled is found out, and compared with what it says.
 */
#ifndef WF_MIGRATION_YAWL_IMPORT_H
#define WF_MIGRATION_YAWL_IMPORT_H

#include "petri/xml.h"
#include "runtime/engine.h"
#include "spec/spec.h"

#define WF_YAWL_IMPORT_ORIGIN "yawl-import"

/* One case of an export; texts are "" where it says nothing. */
struct wf_yawl_export {
	const char *id;
	const char *identifier; /* of its specification */
	const char *version;
	const char *uri;
	const char *observer; /* URI of the service told of its end */
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
 * for each thing that is left out.  WF_INVALID: it says too little, or what
 * contradicts itself.
 */
enum wf_rc wf_yawl_export_describe(const struct wf_yawl_export *exported,
    const struct wf_spec *spec, struct wf_buffer *rows,
    struct wf_buffer *remarks, struct wf_error *err) WF_MUSTCHECK;

enum wf_yawl_taking {
	WF_YAWL_TAKEN, /* or would be, without an engine */
	WF_YAWL_BEFORE /* it is there already, taken over before */
};

/*
 * Takes one case over.  engine: NULL to try only.  store: to look whether it
 * is there.  WF_CONFLICT: there is another case with its id.
 */
struct wf_yawl_take {
	struct wf_engine *engine;
	struct wf_store *store;
	const struct wf_spec *spec; /* as it is loaded there */
	const char *actor;
	int64_t now;
};

enum wf_rc wf_yawl_take_case(const struct wf_yawl_take *take,
    const struct wf_yawl_export *exported, enum wf_yawl_taking *taking_out,
    struct wf_buffer *remarks, struct wf_error *err) WF_MUSTCHECK;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a move; private to migration/yawl_move*.c. */
#ifndef WF_MIGRATION_YAWL_MOVE_PRIV_H
#define WF_MIGRATION_YAWL_MOVE_PRIV_H

#include "migration/yawl_move.h"
#include "migration/yawl_remote.h"
#include "runtime/engine.h"
#include "spec/spec.h"

/* A specification of the YAWL engine. */
struct moved_spec {
	const char *identifier;
	const char *version;
	const char *uri;
	struct wf_spec_file *file; /* NULL: it was not taken */
};

struct moving {
	const struct wf_yawl_move *move;
	struct wf_yawl_remote *remote;
	struct wf_engine *engine; /* NULL in a dry run */
	struct wf_store *store;
	struct wf_arena *arena;
	struct moved_spec *specs;
	size_t spec_count;
};

/* --- yawl_move.c --- */

void wf_move_report(const struct moving *m, const char *what, const char *name,
    enum wf_yawl_moved moved, const char *text);
/* Reports that it was not moved, with the reason in err, and clears err. */
void wf_move_report_error(const struct moving *m, const char *what,
    const char *name, struct wf_error *err);
void wf_move_show(
    const struct moving *m, const char *what, uint64_t done, uint64_t total);
size_t wf_move_count(const struct wf_xml *parent);
enum wf_rc wf_move_ask(struct moving *m, enum wf_yawl_gate gate,
    const char *action, const char *const *parameters,
    const struct wf_xml **answer_out, struct wf_error *err) WF_MUSTCHECK;
/* Whether it is that version of that specification. */
bool wf_move_is_spec(const char *identifier, const char *uri,
    const char *version, const struct moved_spec *spec);

/* --- yawl_move_cases.c --- */

/* Numbers of cases, then cases. */
enum wf_rc wf_move_cases(struct moving *m, struct wf_error *err) WF_MUSTCHECK;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* An export that is being described; private to migration/yawl_import*.c. */
#ifndef WF_MIGRATION_YAWL_IMPORT_PRIV_H
#define WF_MIGRATION_YAWL_IMPORT_PRIV_H

#include "base/map.h"
#include "kernel/case.h"
#include "kernel/import.h"
#include "migration/yawl_import.h"

struct runner {
	const struct wf_xml *element;
	const char *id;
	const char *path; /* the id after that of the case: "1.2"; "" */
	const struct wf_net *net;
	size_t depth;
};

/* An instance of a task: a child of a runner's identifier. */
struct child {
	uint32_t number;
	const char *id;
	const struct wf_task *task;
	enum wf_item_status status;
};

struct item {
	const struct wf_xml *element;
	const char *id; /* without "!" and what follows it */
	const char *status;
};

struct describing {
	const struct wf_yawl_export *exported;
	const struct wf_spec *spec;
	struct wf_arena *arena;
	struct wf_buffer *rows;
	struct wf_buffer *remarks;
	struct wf_error *err;
	struct runner *runners;
	size_t runner_count;
	struct item *items; /* by id */
	size_t item_count;
	struct wf_map *choices; /* id of a deferred choice -> its item */
	/* The net that is being described. */
	const struct runner *runner;
	struct child *children;
	size_t child_count;
};

/* --- yawl_import.c -------------------------------------------------------- */

/* The text of a child, and the first of its children; "" and NULL: none. */
const char *wf_export_text(const struct wf_xml *parent, const char *name);
const struct wf_xml *wf_export_children(
    const struct wf_xml *parent, const char *name);
const struct wf_task *wf_export_task(const struct wf_net *net, const char *id);
/* Adds a line to the remarks. */
void wf_export_remark(struct describing *d, const char *format, ...)
    WF_PRINTF(2, 3);
/* A row of the net that is being described. */
void wf_export_put(struct describing *d, struct wf_import_row row);

/* --- yawl_import_items.c -------------------------------------------------- */

void wf_export_read_items(struct describing *d);
/* The instances with their input; last: the highest number ever used. */
void wf_export_put_instances(struct describing *d, uint32_t last);
/* Gives busy tasks their instances, and the output of completed ones. */
enum wf_rc wf_export_put_busy_tasks(struct describing *d) WF_MUSTCHECK;
/* Enabled tasks; times, suspension and timers. */
enum wf_rc wf_export_put_items(struct describing *d) WF_MUSTCHECK;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Automated tasks that name no service, where the server decides about people:
 * the server runs the codelet that the task names, as YAWL's resource service
 * does, and completes the item.  Without a codelet, or when it fails, the item
 * is completed with its input.  Only ShellExecution starts programs, and only
 * those that the settings allow (yawl/program.h).
 */
#ifndef WF_YAWL_CODELET_H
#define WF_YAWL_CODELET_H

#include "work/handler.h"
#include "worklist/org_cache.h"

/* The service that such items are for. */
#define WF_CODELET_URI "codelet:"

extern const struct wf_service_handler wf_codelet_handler;

/*
 * Whom codelets about people find; lasts until the sender is closed.  To be
 * called before the sender is opened.
 */
void wf_codelet_set_people(struct wf_org_cache *cache);
/*
 * Which programs ShellExecution may run, "" for none, and for how long.  To be
 * called before the sender is opened; the text lasts until the process ends.
 */
void wf_codelet_allow(const char *programs, int64_t milliseconds);
/*
 * The server ends: programs that run are ended, and run again when it starts
 * again.
 */
void wf_codelet_end_programs(void);

#endif

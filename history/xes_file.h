/* SPDX-License-Identifier: Apache-2.0 */
/* The event log of one case as a file in XES. */
#ifndef WF_HISTORY_XES_FILE_H
#define WF_HISTORY_XES_FILE_H

#include "runtime/engine.h"

/*
 * Writes the log of a case, with values and all events, into the file of that
 * path, which is complete and synced, or does not exist; one that is there is
 * replaced.  The name of the file must be on the disk by its folder: the caller
 * syncs that.  WF_GONE, WF_CORRUPT: the history cannot be read.
 */
enum wf_rc wf_xes_write_case(struct wf_engine *engine, struct wf_store *store,
    const struct wf_case_row *row, const struct wf_specification_row *of,
    const char *path, struct wf_error *err) WF_MUSTCHECK;

#endif

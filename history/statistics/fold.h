/* SPDX-License-Identifier: Apache-2.0 */
/* From the steps of cases to what is counted: history/statistics/tally.h. */
#ifndef WF_HISTORY_STATISTICS_FOLD_H
#define WF_HISTORY_STATISTICS_FOLD_H

#include "history/statistics/case_times.h"
#include "history/statistics/tally.h"
#include "runtime/engine.h"

/* What a step is folded with. */
struct wf_folding {
	struct wf_engine *engine;
	struct wf_store *store;
	struct wf_known_times *known;
	struct wf_tally *tally;
	int64_t from; /* hours before this one are not counted */
};

/*
 * Counts a step, which is counted whatever was before.  The steps of its case
 * before it are read if they are not known.  A step that cannot be read, since
 * its case was retired meanwhile or is damaged, is passed over.
 */
enum wf_rc wf_fold_step(const struct wf_folding *folding,
    const struct wf_history_row *step, struct wf_error *err) WF_MUSTCHECK;

#endif

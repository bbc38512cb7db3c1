/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bar on standard error for what takes long; nothing when that is no
 * terminal.
 */
#ifndef WF_CLI_REMOTE_PROGRESS_H
#define WF_CLI_REMOTE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct wf_progress {
	bool wanted;
	bool visible;
	const char *what;
	double began; /* what, in seconds */
	double shown;
};

/* quiet: no bar, wherever it would go. */
void wf_progress_init(struct wf_progress *progress, bool quiet);
/* So much of what is done; total 0: nobody knows.  what: a constant. */
void wf_progress_show(struct wf_progress *progress, const char *what,
    uint64_t done, uint64_t total);
/* Takes the bar away; the next call of the above brings it back. */
void wf_progress_hide(struct wf_progress *progress);

#endif

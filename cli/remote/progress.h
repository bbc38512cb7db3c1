/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A progress bar on standard error for commands that take long; nothing when
 * standard error is no terminal.
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

/* quiet: no bar, even on a terminal. */
void wf_progress_init(struct wf_progress *progress, bool quiet);
/*
 * Shows how much is done.  total: 0 when it is not known.  what: names the
 * things counted; a string that lives as long as progress.
 */
void wf_progress_show(struct wf_progress *progress, const char *what,
    uint64_t done, uint64_t total);
/* Removes the bar; the next wf_progress_show() draws it again. */
void wf_progress_hide(struct wf_progress *progress);

#endif

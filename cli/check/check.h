/* SPDX-License-Identifier: Apache-2.0 */
/* The result of weft check, and how it is printed for people and for tools. */
#ifndef WF_CLI_CHECK_CHECK_H
#define WF_CLI_CHECK_CHECK_H

#include "base/buffer.h"
#include "base/diagnostics.h"
#include "verify/verify.h"

struct wf_check {
	const char *path;
	const struct wf_diagnostics *diagnostics;
	bool valid;
	enum wf_soundness sound;    /* all specifications of the file are */
	struct wf_report **reports; /* one per specification */
	uint32_t report_count;
};

/* check_text.c, check_json.c: print to standard output. */
void wf_check_print_text(const struct wf_check *check);
void wf_check_print_json(const struct wf_check *check);

/* check_words.c */
/*
 * The witness as lines of a script.  is_launch: it begins with the launch of
 * the root net.  Composite tasks are completed as report knows how.
 */
void wf_check_script(const struct wf_report *report,
    const struct wf_witness *witness, bool is_launch, struct wf_buffer *text);
/* wf_net_report_limit(), with the option that raises it. */
void wf_check_limit(const struct wf_net_report *net, struct wf_buffer *text);

#endif

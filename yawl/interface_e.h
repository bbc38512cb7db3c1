/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interface E: what its actions share.  An action reads its parameters, shows
 * the logs of the cases in question, and answers with the elements written
 * meanwhile.
 */
#ifndef WF_YAWL_INTERFACE_E_H
#define WF_YAWL_INTERFACE_E_H

#include "yawl/log_keys.h"

/* --- answers -------------------------------------------------------------- */

/* <failure>text</failure>; unlike elsewhere there is no reason element. */
void wf_log_fail(struct wf_yawl_call *call, const char *text);
/* The failure for a store that cannot be read. */
void wf_log_fail_to_read(struct wf_yawl_call *call);
/*
 * Answers with the rows written so far, and the end tag of name.  any: whether
 * there are rows; when not, or when rc is not WF_OK, the answer is a failure.
 */
void wf_log_answer_rows(
    struct wf_yawl_call *call, bool any, const char *name, enum wf_rc rc);
/* Start tags with one attribute: <name of="key"> */
void wf_log_open_with_key(
    struct wf_yawl_call *call, const char *name, const char *of, uint64_t key);
void wf_log_open_with_text(struct wf_yawl_call *call, const char *name,
    const char *of, const char *text);

/* --- parameters ----------------------------------------------------------- */

/* The parameter "key"; 0 when it is missing or no number. */
uint64_t wf_log_key_asked(const struct wf_yawl_call *call);
/*
 * All specifications, those that were unloaded included, allocated in the
 * call's arena.  False: the call was answered with a failure.
 */
bool wf_log_list_specs(struct wf_yawl_call *call,
    struct wf_specification_row **rows_out, size_t *count_out);
/*
 * The specification with the key, or with identifier, version and URI, that
 * the parameters name.  False: the call was answered with a failure.
 */
bool wf_log_find_spec(
    struct wf_yawl_call *call, struct wf_specification_row *row_out);

/* --- logs ----------------------------------------------------------------- */

/* Visits all cases, running or ended, of one specification or (0) of all. */
enum wf_rc wf_log_each_case(struct wf_yawl_call *call, uint64_t specification,
    enum wf_rc (*visit)(void *context, const struct wf_case_row *row),
    void *context) WF_MUSTCHECK;
/*
 * wf_keyed_log_show(), but a case whose history cannot be read, because it was
 * retired or is damaged, is skipped: WF_OK.
 */
enum wf_rc wf_log_show(struct wf_yawl_call *call, const struct wf_case_row *row,
    bool first, wf_keyed_log_f how, void *context) WF_MUSTCHECK;
/* The same for the case with that number; skipped when there is none. */
enum wf_rc wf_log_show_case(struct wf_yawl_call *call, uint64_t number,
    wf_keyed_log_f how, void *context) WF_MUSTCHECK;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Interface E: what its actions share. */
#ifndef WF_YAWL_INTERFACE_E_H
#define WF_YAWL_INTERFACE_E_H

#include "yawl/log_keys.h"

/* --- answers: failures have no reason element -------------------------------
 */

void wf_log_fail(struct wf_yawl_call *call, const char *text);
void wf_log_fail_to_read(struct wf_yawl_call *call);
/* Ends the element around rows; any: there are some, else that is the answer.
 */
void wf_log_answer_rows(
    struct wf_yawl_call *call, bool any, const char *name, enum wf_rc rc);
/* <name of="key"> */
void wf_log_open_with_key(
    struct wf_yawl_call *call, const char *name, const char *of, uint64_t key);
void wf_log_open_with_text(struct wf_yawl_call *call, const char *name,
    const char *of, const char *text);

/* --- what is asked for ------------------------------------------------------
 */

/* The parameter key; 0: it is none. */
uint64_t wf_log_key_asked(const struct wf_yawl_call *call);
/* All specifications, also those that were unloaded; false: answered. */
bool wf_log_list_specs(struct wf_yawl_call *call,
    struct wf_specification_row **rows_out, size_t *count_out);
/* That of the key, or of identifier, version and URI; false: answered. */
bool wf_log_find_spec(
    struct wf_yawl_call *call, struct wf_specification_row *row_out);

/* All cases, running and over, of one specification or (0) of all. */
enum wf_rc wf_log_each_case(struct wf_yawl_call *call, uint64_t specification,
    enum wf_rc (*visit)(void *context, const struct wf_case_row *row),
    void *context) WF_MUSTCHECK;
/* wf_keyed_log_show(); of a case whose history is not kept any more, nothing.
 */
enum wf_rc wf_log_show(struct wf_yawl_call *call, const struct wf_case_row *row,
    bool first, wf_keyed_log_f how, void *context) WF_MUSTCHECK;
/* The same by number; nothing is shown when there is no such case. */
enum wf_rc wf_log_show_case(struct wf_yawl_call *call, uint64_t number,
    wf_keyed_log_f how, void *context) WF_MUSTCHECK;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of an item for a service, and the output that the service returns.
 */
#ifndef WF_WORK_ITEM_DATA_H
#define WF_WORK_ITEM_DATA_H

#include <jansson.h>

#include "work/message.h"

/*
 * Adds the members that describe an item: "data", its input if it were started
 * now, "outputs", the names of its output parameters, and "name" and
 * "documentation" of its task.  WF_NOT_FOUND: the item is gone or has been
 * started; WF_CONFLICT: it is suspended, or must wait (the message's at);
 * WF_DATA.
 */
enum wf_rc wf_item_data_describe(struct wf_message *message, json_t *object,
    struct wf_error *err) WF_MUSTCHECK;
/* The verdict when wf_item_data_describe() has failed. */
enum wf_verdict wf_item_data_verdict(
    struct wf_message *message, const struct wf_error *err);
/* Whether the output meets the postcondition of the task.  WF_DATA: not. */
enum wf_rc wf_item_data_accept(
    struct wf_message *message, struct wf_error *err) WF_MUSTCHECK;
/* Sets the message's output from a JSON object of output parameters. */
enum wf_rc wf_item_data_output(struct wf_message *message, json_t *object,
    struct wf_error *err) WF_MUSTCHECK;

#endif

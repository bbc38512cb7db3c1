/* SPDX-License-Identifier: Apache-2.0 */
/* The data of an item that is handed to a service, and what comes back. */
#ifndef WF_WORK_ITEM_DATA_H
#define WF_WORK_ITEM_DATA_H

#include <jansson.h>

#include "work/message.h"

/*
 * Adds what a service has to know of its item: "data", which it would get if it
 * were started now, "outputs", the names of what it is to give, and "name" and
 * "documentation" of its task.  WF_NOT_FOUND: it
 * is gone, or somebody does it; WF_CONFLICT: it is suspended; WF_DATA.
 */
enum wf_rc wf_item_data_peek(struct wf_message *message, json_t *object,
    struct wf_error *err) WF_MUSTCHECK;
/* What becomes of the message when that failed. */
enum wf_verdict wf_item_data_verdict(
    struct wf_message *message, const struct wf_error *err);
/* WF_DATA: its output is not accepted. */
enum wf_rc wf_item_data_accept(
    struct wf_message *message, struct wf_error *err) WF_MUSTCHECK;
/* The item's output from an object, as the message's. */
enum wf_rc wf_item_data_output(struct wf_message *message, json_t *object,
    struct wf_error *err) WF_MUSTCHECK;

#endif

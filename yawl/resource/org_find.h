/* SPDX-License-Identifier: Apache-2.0 */
/* How requests name records; private to yawl/resource/. */
#ifndef WF_YAWL_RESOURCE_ORG_FIND_H
#define WF_YAWL_RESOURCE_ORG_FIND_H

#include "yawl/resource/gateway.h"

/* The part of a category that has the things that name none. */
#define WF_GATEWAY_UNNAMED_PART "None"

/* How YAWL calls the records of a kind. */
struct wf_gateway_words {
	const char *id;	     /* the parameter with an id: "roleid" */
	const char *unknown; /* in "Unknown role id: X" */
	const char *class;   /* in "Add Role unsuccessful" */
	const char *null;    /* in "Unrecognised or null role id." */
	const char *owner;   /* the parameter with what it belongs to */
};

/* By enum wf_org_kind. */
extern const struct wf_gateway_words wf_gateway_words[];

/*
 * The id that a request has for a record of its action's kind; NULL: none.
 */
const char *wf_gateway_id(const struct wf_gateway_call *call);
/* Calls read with the organisation, and answers with what it wrote. */
typedef bool (*wf_gateway_read_f)(
    struct wf_gateway_call *call, const struct wf_organisation *organisation);
/* read is false: it has answered. */
void wf_gateway_read(struct wf_gateway_call *call, wf_gateway_read_f read);

#endif

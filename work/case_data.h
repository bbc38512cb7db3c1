/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data of cases and work items as JSON, and JSON as the XML that the engine
 * takes, both by the types of the specification.
 */
#ifndef WF_WORK_CASE_DATA_H
#define WF_WORK_CASE_DATA_H

#include <jansson.h>

#include "runtime/engine.h"
#include "spec/spec.h"

/* XML of data has at most so many bytes. */
#define WF_DATA_MAXIMUM_BYTES ((size_t)256 << 20)

/* The parameters or variables that the data is for. */
enum wf_data_of {
	WF_DATA_LAUNCH,	   /* inputs of the root net */
	WF_DATA_VARIABLES, /* variables of the root net */
	WF_DATA_INPUT,	   /* of an item */
	WF_DATA_OUTPUT,	   /* of an item */
	WF_DATA_INSTANCE   /* the element that an added instance is made of */
};

struct wf_data_place {
	enum wf_data_of of;
	uint64_t specification;
	uint64_t number;  /* the case; 0: of none yet */
	const char *item; /* NULL: none */
	bool is_judged;	  /* the output must meet the postcondition */
};

/*
 * Appends the XML of a JSON object.  cached: reads only what is in memory, else
 * fails with WF_UNAVAILABLE; not cached, the call may wait for the store.
 * WF_DATA: the object does not fit, or the postcondition does not hold;
 * WF_NOT_FOUND instead, when the item of a judged output is not there.
 */
enum wf_rc wf_data_to_xml(struct wf_engine *engine, uint32_t namespace_id,
    const struct wf_data_place *place, bool cached, json_t *json,
    struct wf_buffer *xml, struct wf_error *err) WF_MUSTCHECK;
/* The same for variables of a net, which is at hand. */
enum wf_rc wf_data_net_xml(const struct wf_net *net, json_t *json,
    struct wf_buffer *xml, struct wf_error *err) WF_MUSTCHECK;
/* Whether output that is XML already meets the postcondition; as above. */
enum wf_rc wf_data_judge_xml(struct wf_engine *engine, uint32_t namespace_id,
    const struct wf_data_place *place, bool cached, const char *xml,
    size_t length, struct wf_error *err) WF_MUSTCHECK;

/*
 * The children of an XML text by the types of these variables; a new reference,
 * to an empty object when the text cannot be parsed.
 */
json_t *wf_data_values(const struct wf_variable *variables, size_t count,
    const char *xml, size_t length);
/* The same by the types of a net's variables. */
json_t *wf_data_net_values(
    const struct wf_net *net, const char *xml, size_t length);

/*
 * Adds "documentation" to the object: the task's, with its queries evaluated
 * (docs/XQUERY.md).  Adds nothing when there is none, or a query fails.
 */
void wf_data_put_documentation(json_t *object, const struct wf_engine *engine,
    const struct wf_case *instance, const char *item);

#endif

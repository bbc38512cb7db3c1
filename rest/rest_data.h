/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data in requests and answers: XML as it is, JSON by the types of the
 * specification.
 */
#ifndef WF_REST_REST_DATA_H
#define WF_REST_REST_DATA_H

#include "rest/rest.h"
#include "spec/spec.h"

/* Which parameters the data is for. */
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
	bool is_judged;	  /* the output is held to the postcondition */
};

/*
 * The body's data, or an object that stood in it, as XML for the engine; in
 * the arena.  *xml_out is NULL when there is none.  json: NULL to take the
 * body.  False: answered, or on its way to the pool, where the handler runs
 * anew.
 */
bool wf_rest_read_data(struct wf_rest *rest, const struct wf_data_place *place,
    json_t *json, const char **xml_out, size_t *length_out);

/* The same outside a request, which may have to wait for the store. */
enum wf_rc wf_data_to_xml(struct wf_engine *engine, uint32_t namespace_id,
    const struct wf_data_place *place, json_t *json, struct wf_buffer *xml,
    struct wf_error *err) WF_MUSTCHECK;

/* Values by the types of these variables; a new reference. */
json_t *wf_rest_values(const struct wf_variable *variables, size_t count,
    struct wf_value *const *values);
/* The children of an XML text by the types of a net's variables. */
json_t *wf_rest_net_data(
    const struct wf_net *net, const char *xml, size_t length);
/* Adds what is to be done, when the specification says it (docs/XQUERY.md). */
void wf_rest_put_documentation(json_t *object, const struct wf_engine *engine,
    const struct wf_case *instance, const char *item);
/* The children of an XML text by the types of these parameters. */
json_t *wf_rest_xml_values(const struct wf_variable *variables, size_t count,
    const char *xml, size_t length);

#endif

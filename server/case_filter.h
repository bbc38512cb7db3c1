/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which cases, as texts: the arguments of a list, or a JSON object with the
 * same members, which can be kept and read again.
 *
 *   specification   a URI or a key
 *   version         of the URI
 *   status          running, suspended
 *   set_aside       true
 *   incident        a code; any: of any code
 *   q               beginnings of words of the title or the id
 *   title           the whole of it
 *   older, newer    launched before, since: a time, or a duration until now
 *   unchanged       no step since
 *   where           a condition on variables: persistence/where.h
 */
#ifndef WF_SERVER_CASE_FILTER_H
#define WF_SERVER_CASE_FILTER_H

#include <jansson.h>

#include "runtime/engine.h"

/* "running"; "": none. */
const char *wf_case_status_word(uint32_t status);

/* The text of an argument; NULL: it is missing. */
typedef const char *(*wf_argument_f)(void *context, const char *name);

/* The code of incidents that is meant, whatever the case of its letters. */
const char *wf_incident_code(const char *text, struct wf_arena *arena);

/* A time, or how long ago; missing: *at_out stays.  WF_INVALID. */
enum wf_rc wf_argument_time(struct wf_engine *engine, wf_argument_f argument,
    void *context, const char *name, int64_t *at_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Adds the conditions to a filter, whose namespace is set; what it points to is
 * the arena's.  WF_INVALID: an argument is not as expected.  WF_CONFLICT: an
 * index that is needed is not complete yet.
 */
enum wf_rc wf_case_conditions_read(struct wf_engine *engine,
    wf_argument_f argument, void *context, struct wf_arena *arena,
    struct wf_case_filter *filter, struct wf_error *err) WF_MUSTCHECK;

/*
 * The arguments as a JSON object, a new reference, with times instead of
 * durations, so that it means the same cases later.
 */
enum wf_rc wf_case_filter_encode(struct wf_engine *engine,
    wf_argument_f argument, void *context, json_t **object_out,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Reads such an object.  Beside what wf_case_conditions_read() says,
 * WF_NOT_FOUND: there is no such specification; WF_LIMIT: it has more than
 * WF_LIST_VERSIONS versions.  The caller sets order, after and limit, and has
 * checked the object's rights.
 */
enum wf_rc wf_case_filter_decode(struct wf_engine *engine,
    uint32_t namespace_id, const json_t *object, struct wf_arena *arena,
    struct wf_case_filter *filter_out, struct wf_error *err) WF_MUSTCHECK;

#endif

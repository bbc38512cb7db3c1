/* SPDX-License-Identifier: Apache-2.0 */
/* The loaded specifications of a namespace, in the order users expect. */
#ifndef WF_SERVER_CATALOGUE_H
#define WF_SERVER_CATALOGUE_H

#include "runtime/engine.h"

/* As strcmp(), but number by number: "10.2" after "9.1"; "1" equals "1.0". */
int wf_compare_versions(const char *a, const char *b);

/* All of a namespace, sorted by URI, version, and time of loading. */
enum wf_rc wf_catalogue_list(struct wf_engine *engine, uint32_t namespace_id,
    struct wf_arena *arena, struct wf_specification_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * The keys of all versions of a process, or of that version, the latest last,
 * of the specifications that the filter selects in its namespace.  uri: or its
 * identifier, if there is no such URI.
 * WF_NOT_FOUND: no such process, or no such version; the message names those
 * that there are.
 */
enum wf_rc wf_catalogue_find(struct wf_engine *engine,
    const struct wf_specification_filter *filter, const char *uri,
    const char *version, struct wf_arena *arena,
    struct wf_specification_keys *keys_out, struct wf_error *err) WF_MUSTCHECK;

/* Whether the text is the key of a specification, 16 hexadecimal digits. */
bool wf_specification_key(const char *text, uint64_t *key_out);
/*
 * The keys of what a list is asked for, of what was removed, too: text is a
 * key, or a URI or an identifier and then version, if any; both NULL: no keys,
 * which is all. Beside wf_catalogue_find(), WF_INVALID: a version without a
 * URI; WF_LIMIT: more than WF_LIST_VERSIONS versions.
 */
enum wf_rc wf_catalogue_choose(struct wf_engine *engine, uint32_t namespace_id,
    const char *text, const char *version, struct wf_arena *arena,
    struct wf_specification_keys *keys_out, struct wf_error *err) WF_MUSTCHECK;

#endif

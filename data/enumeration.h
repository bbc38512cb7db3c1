/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of one xs:enumeration of texts; private to data/.
 *
 * libxml2 compares a text with each value, and lists all of them in the message
 * for each text that is none of them: with 100,000 values a message takes
 * seconds. Many values are therefore found by a hash.
 */
#ifndef WF_DATA_ENUMERATION_H
#define WF_DATA_ENUMERATION_H

#include <stdbool.h>
#include <stddef.h>

struct wf_enumeration; /* opaque; any thread can use it */

struct wf_enumeration *wf_enumeration_new(void);
void wf_enumeration_free(struct wf_enumeration **enumeration);
/* Texts have their white space as the type says; value is copied. */
void wf_enumeration_add(struct wf_enumeration *enumeration, const char *value);
bool wf_enumeration_has(
    const struct wf_enumeration *enumeration, const char *text);
/* The first values, for messages: 'a', 'b', ... */
const char *wf_enumeration_shown(const struct wf_enumeration *enumeration);

#endif

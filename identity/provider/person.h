/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A person as a directory or a provider describes one who signs in, or whom it
 * lists.  All texts are in the arena of the call; "": not known.
 */
#ifndef WF_IDENTITY_PROVIDER_PERSON_H
#define WF_IDENTITY_PROVIDER_PERSON_H

#include <stddef.h>
#include <stdint.h>

/* Groups of one person that are read. */
#define WF_PERSON_GROUPS 1000U

struct wf_person {
	const char *name;    /* of the account */
	const char *subject; /* the name that the source never gives again */
	const char *first_name;
	const char *last_name;
	const char *mail;
	const char **groups;
	size_t group_count;
	size_t group_room; /* of the array */
	int64_t expires;   /* seconds since 1970; 0: the source does not say */
};

#endif

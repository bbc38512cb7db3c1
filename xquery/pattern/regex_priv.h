/* SPDX-License-Identifier: Apache-2.0 */
/* The translation of patterns; private to pattern/regex*.c. */
#ifndef WF_XQUERY_PATTERN_REGEX_PRIV_H
#define WF_XQUERY_PATTERN_REGEX_PRIV_H

#include "base/buffer.h"
#include "xquery/item/item.h"

struct wf_regex_flags {
	bool dot_all;	/* s */
	bool multiline; /* m */
	bool caseless;	/* i */
	bool extended;	/* x */
	bool quoted;	/* q */
};

#define WF_REGEX_GROUPS 1000

/* A pattern while it is translated. */
struct wf_regex_scan {
	const char *next;
	const char *end;
	struct wf_regex_flags flags;
	struct wf_buffer *out;
	unsigned depth;
	unsigned opened; /* groups so far */
	unsigned group;	 /* the open group; 0: none */
	bool closed[WF_REGEX_GROUPS + 1];
	uint16_t parents[WF_REGEX_GROUPS + 1];
	const char *problem; /* the mistake; NULL: none so far */
};

/* Records the mistake; returns false. */
bool wf_regex_problem(struct wf_regex_scan *scan, const char *problem);

/* A class in brackets; next is after the opening bracket. */
bool wf_regex_class(struct wf_regex_scan *scan);

/*
 * An escape for a set of characters; next is after the backslash. Appends the
 * set in the form for brackets.  *known_out: there is such an escape.
 */
bool wf_regex_class_escape(struct wf_regex_scan *scan, bool *known_out);

/* The character of the escape \c; 0: there is none. */
char wf_regex_single_escape(char c);

/* A literal character, outside and inside brackets. */
void wf_regex_put(struct wf_regex_scan *scan, uint32_t character);

#endif

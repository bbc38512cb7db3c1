/* SPDX-License-Identifier: Apache-2.0 */
/* What restricts the values of a simple type, as a form shows it. */
#ifndef WF_DATA_OUTLINE_FACETS_H
#define WF_DATA_OUTLINE_FACETS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/memory.h"

/* The facets that have one value; the name is that of a rule of mistakes. */
#define WF_FACETS(F)                                                           \
	F(LENGTH, "length", "length")                                          \
	F(MIN_LENGTH, "min_length", "minLength")                               \
	F(MAX_LENGTH, "max_length", "maxLength")                               \
	F(MIN_INCLUSIVE, "min_inclusive", "minInclusive")                      \
	F(MAX_INCLUSIVE, "max_inclusive", "maxInclusive")                      \
	F(MIN_EXCLUSIVE, "min_exclusive", "minExclusive")                      \
	F(MAX_EXCLUSIVE, "max_exclusive", "maxExclusive")                      \
	F(TOTAL_DIGITS, "total_digits", "totalDigits")                         \
	F(FRACTION_DIGITS, "fraction_digits", "fractionDigits")

enum wf_facet {
#define F(name, rule, element) WF_FACET_##name,
	WF_FACETS(F)
#undef F
	    WF_FACET_COUNT
};

/* "min_length" */
const char *wf_facet_rule(enum wf_facet facet);

struct wf_texts {
	const char **rows;
	size_t count;
	size_t capacity;
};

struct wf_facets {
	const char *base; /* the built-in type that it comes from: "date" */
	bool is_list;	  /* of values of that type */
	const char *values[WF_FACET_COUNT]; /* NULL: not restricted */
	struct wf_texts patterns;	    /* each must match */
	struct wf_texts enumeration;	    /* empty: any value */
	/* Values that are not in the enumeration may be valid, too. */
	bool is_open;
};

#endif

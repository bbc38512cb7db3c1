/* SPDX-License-Identifier: Apache-2.0 */
/* The form of single texts: names, numbers, dates; for spec/content.c. */
#ifndef WF_SPEC_CONTENT_TEXT_H
#define WF_SPEC_CONTENT_TEXT_H

#include <stdbool.h>

enum wf_text_form {
	WF_TEXT_STRING,
	WF_TEXT_NONEMPTY,
	WF_TEXT_EMPTY,
	WF_TEXT_NCNAME,
	WF_TEXT_NMTOKEN,
	WF_TEXT_INTEGER,
	WF_TEXT_POSITIVE,
	WF_TEXT_DECIMAL,
	WF_TEXT_VERSION,
	WF_TEXT_DATE,
	WF_TEXT_DURATION
};

/*
 * NULL when text has the form, else what was expected ("a number").  values:
 * when not empty, the allowed words.
 */
const char *wf_text_expected(
    enum wf_text_form form, const char *values, const char *text);

#endif

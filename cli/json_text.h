/* SPDX-License-Identifier: Apache-2.0 */
/* JSON on standard output, with jansson. */
#ifndef WF_CLI_JSON_TEXT_H
#define WF_CLI_JSON_TEXT_H

#include <jansson.h>

/* A new string; each byte of text that is not UTF-8 becomes U+FFFD. */
json_t *wf_json_text(const char *text);
json_t *wf_json_text_n(const char *text, size_t length);

/*
 * Prints json as json_dumpf() does with these flags, and frees it.  JSON_EMBED
 * leaves out the brackets around it.
 */
void wf_json_print(json_t *json, size_t flags);

#endif

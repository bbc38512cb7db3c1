/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing XML: elements on one line, text escaped.  Characters that XML does
 * not allow become "?", and so do bytes that are no UTF-8.
 */
#ifndef WF_DATA_XML_WRITER_H
#define WF_DATA_XML_WRITER_H

#include <stdint.h>

#include "base/buffer.h"

/* Text between tags; NULL is "". */
void wf_xml_put_text(struct wf_buffer *xml, const char *text);
/* <name>text</name>, <name/> when the text is empty or NULL. */
void wf_xml_put_element(
    struct wf_buffer *xml, const char *name, const char *text);
/* The same, but appends nothing when the text is empty or NULL. */
void wf_xml_put_optional(
    struct wf_buffer *xml, const char *name, const char *text);
void wf_xml_put_number(struct wf_buffer *xml, const char *name, int64_t number);
/* Appends " name=\"value\"" to a start tag that is open. */
void wf_xml_put_attribute(
    struct wf_buffer *xml, const char *name, const char *value);

#endif

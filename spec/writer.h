/* SPDX-License-Identifier: Apache-2.0 */
/* Private to spec/: writing elements, a line each. */
#ifndef WF_SPEC_WRITER_H
#define WF_SPEC_WRITER_H

#include "spec/markup.h"
#include "spec/spec.h"

struct wf_spec_writer {
	struct wf_buffer *text;
	unsigned level;
	enum wf_schema_version version;
	/* Declared at the root; ends with a prefix of NULL. */
	const struct wf_markup_namespace *known;
};

/* "<name", to which attributes may be added; then body, or close. */
void wf_writer_open(struct wf_spec_writer *writer, const char *name);
/* Nothing when value is NULL. */
void wf_writer_attribute(
    struct wf_spec_writer *writer, const char *name, const char *value);
void wf_writer_attributes(struct wf_spec_writer *writer,
    const struct wf_attribute *attributes, size_t count);
/* ">", and what follows stands inside. */
void wf_writer_body(struct wf_spec_writer *writer);
void wf_writer_end(struct wf_spec_writer *writer, const char *name);

/* <name>text</name>; nothing when text is NULL. */
void wf_writer_text(
    struct wf_spec_writer *writer, const char *name, const char *text);
/* <name attribute="value"/>; nothing when value is NULL. */
void wf_writer_empty(struct wf_spec_writer *writer, const char *name,
    const char *attribute, const char *value);
/* <name/>, if it is so. */
void wf_writer_flag(
    struct wf_spec_writer *writer, const char *name, bool is_so);
/* Nothing when markup is NULL. */
void wf_writer_markup(
    struct wf_spec_writer *writer, const struct wf_markup *markup);

/* write_net.c: processControlElements. */
void wf_writer_net(struct wf_spec_writer *writer, const struct wf_net *net);

#endif

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
	/* The namespaces declared at the root, ended by a prefix of NULL. */
	const struct wf_markup_namespace *known;
};

/* Writes "<name"; attributes may follow, then body or close. */
void wf_writer_open(struct wf_spec_writer *writer, const char *name);
/* Writes nothing when value is NULL. */
void wf_writer_attribute(
    struct wf_spec_writer *writer, const char *name, const char *value);
void wf_writer_attributes(struct wf_spec_writer *writer,
    const struct wf_attribute *attributes, size_t count);
/* Writes ">" and indents further elements. */
void wf_writer_body(struct wf_spec_writer *writer);
void wf_writer_end(struct wf_spec_writer *writer, const char *name);

/* Writes <name>text</name>; nothing when text is NULL. */
void wf_writer_text(
    struct wf_spec_writer *writer, const char *name, const char *text);
/* Writes <name attribute="value"/>; nothing when value is NULL. */
void wf_writer_empty(struct wf_spec_writer *writer, const char *name,
    const char *attribute, const char *value);
/* Writes <name/> if the flag is set. */
void wf_writer_flag(
    struct wf_spec_writer *writer, const char *name, bool is_so);
/* Writes nothing when markup is NULL. */
void wf_writer_markup(
    struct wf_spec_writer *writer, const struct wf_markup *markup);

/* write_net.c: writes processControlElements. */
void wf_writer_net(struct wf_spec_writer *writer, const struct wf_net *net);

#endif

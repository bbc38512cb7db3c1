/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As much of XML as net files need: elements, attributes and text, as a
 * tree.  Names lose their prefix.  Document type declarations are refused,
 * and with them all entities but the predefined ones; nothing is read but
 * the text given.
 *
 * petri/ stands below the layers that may use libxml2, and a net file needs
 * neither validation nor namespaces, so it has this small scanner instead.
 */
#ifndef WF_PETRI_XML_H
#define WF_PETRI_XML_H

#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"

struct wf_xml_attribute {
	const char *name;
	const char *value;
	struct wf_xml_attribute *next;
};

struct wf_xml {
	const char *name;
	const char *text;   /* of its own, joined, without outer space */
	const char *source; /* from "<" on, in the input */
	size_t source_length;
	int line;
	struct wf_xml_attribute *attributes;
	struct wf_xml *children;
	struct wf_xml *next; /* the next child of the parent */
};

/* The root element, in the arena; WF_INVALID when text is no XML. */
enum wf_rc wf_xml_read(struct wf_xml **root_out, struct wf_arena *arena,
    const char *text, size_t length, struct wf_error *err) WF_MUSTCHECK;

/* The value of the attribute, or NULL. */
const char *wf_xml_attribute(const struct wf_xml *element, const char *name);
/* The first child of that name, or NULL. */
const struct wf_xml *wf_xml_child(
    const struct wf_xml *element, const char *name);

#endif

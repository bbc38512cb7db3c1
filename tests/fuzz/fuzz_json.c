/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name of a type in a line, then any bytes, as JSON and as XML of that
 * type. Accepted JSON becomes well-formed XML; data that fits its type comes
 * back from JSON as data that fits, and gives the same JSON again.  Documents
 * in whatever data are found.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"
#include "data/json.h"
#include "data/outline/document_walk.h"

#define XML_MAXIMUM ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema[] =
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'>"
    "<xs:simpleType name='Grade'><xs:restriction base='xs:int'>"
    "<xs:maxInclusive value='6'/></xs:restriction></xs:simpleType>"
    "<xs:simpleType name='Numbers'><xs:list itemType='xs:int'/>"
    "</xs:simpleType>"
    "<xs:complexType name='Order'><xs:sequence>"
    "<xs:element name='id' type='xs:long'/>"
    "<xs:element name='line' minOccurs='0' maxOccurs='unbounded'>"
    "<xs:complexType><xs:sequence>"
    "<xs:element name='what' type='xs:string'/>"
    "<xs:element name='price' type='xs:decimal' minOccurs='0'/>"
    "<xs:element name='grade' type='Grade' minOccurs='0'/>"
    "</xs:sequence></xs:complexType></xs:element>"
    "<xs:choice><xs:element name='cash' type='xs:boolean'/>"
    "<xs:element name='card' type='xs:string'/></xs:choice>"
    "</xs:sequence></xs:complexType>"
    "<xs:complexType name='Tree'><xs:sequence>"
    "<xs:element name='name' type='xs:string'/>"
    "<xs:element name='tree' type='Tree' minOccurs='0' "
    "maxOccurs='unbounded'/></xs:sequence></xs:complexType>"
    "<xs:complexType name='ByTurns'><xs:choice maxOccurs='unbounded'>"
    "<xs:element name='a' type='xs:int'/><xs:element name='b' type='xs:int'/>"
    "</xs:choice></xs:complexType>"
    "<xs:complexType name='Mixed' mixed='true'><xs:sequence>"
    "<xs:element name='b' type='xs:int' minOccurs='0'/></xs:sequence>"
    "</xs:complexType>"
    "<xs:complexType name='Priced'><xs:simpleContent>"
    "<xs:extension base='xs:decimal'><xs:attribute name='currency'/>"
    "</xs:extension></xs:simpleContent></xs:complexType>"
    "<xs:complexType name='Folder'><xs:choice minOccurs='0' "
    "maxOccurs='unbounded'><xs:element name='file' type='YDocumentType'/>"
    "<xs:element name='folder' type='Folder'/></xs:choice></xs:complexType>"
    "</xs:schema>";

static const char *const names[] = { "string", "integer", "decimal", "double",
	"boolean", "dateTime", "anyType", "Grade", "Numbers", "Order", "Tree",
	"ByTurns", "Mixed", "Priced", "YStringListType", "YDocumentType",
	"Folder" };

#define TYPES (sizeof(names) / sizeof(names[0]))

static struct wf_types *types;
static const struct wf_type *found[TYPES];

static void forget_types(void)
{
	wf_types_free(&types);
}

static void ensure_types(void)
{
	if (types != NULL)
		return;
	wf_assert(wf_types_new(&types, schema, strlen(schema), NULL) == WF_OK);
	atexit(forget_types);
	for (size_t i = 0; i < TYPES; i++) {
		found[i] = wf_types_find(types, names[i], true);
		wf_assert(found[i] != NULL);
	}
	wf_assert(wf_types_compile(types, NULL) == WF_OK);
}

/* NULL when no value is possible. */
static struct wf_value *of_json(const struct wf_type *type, const json_t *json)
{
	struct wf_value *value = NULL;
	struct wf_buffer xml;

	wf_buffer_init(&xml, XML_MAXIMUM);
	if (wf_json_put_xml(type, "v", json, &xml, NULL) == WF_OK &&
	    xml.length > 0 && !xml.full)
		wf_assert(wf_value_parse(&value, xml.data, xml.length, NULL) ==
			  WF_OK);
	wf_buffer_free(&xml);
	return value;
}

/* 1E5 comes back as 100000, and -0.0 as 0. */
static bool is_same(const json_t *a, const json_t *b)
{
	if (json_is_number(a) && json_is_number(b))
		return !(json_number_value(a) < json_number_value(b)) &&
		       !(json_number_value(a) > json_number_value(b));
	return json_equal(a, b);
}

/* A document has a number and a path. */
static enum wf_rc check_document(void *context,
    const struct wf_document_reference *reference, struct wf_error *err)
{
	struct wf_buffer path;

	(void)context;
	(void)err;
	wf_assert((reference->document == 0) == (reference->wrong != NULL));
	wf_buffer_init(&path, XML_MAXIMUM);
	(void)wf_document_place(reference, &path);
	wf_assert(path.length > 0);
	wf_buffer_free(&path);
	return WF_OK;
}

static void check_value(
    const struct wf_type *type, const struct wf_value *value)
{
	static const struct wf_document_hints own = { NULL, NULL };
	json_t *json = wf_json_of_value(type, value);
	struct wf_value *back;
	json_t *again;
	enum wf_rc rc;

	wf_assert(json != NULL);
	rc = wf_type_visit_documents(
	    type, value, &own, check_document, NULL, NULL);
	wf_assert(rc == WF_OK || rc == WF_LIMIT);
	if (wf_type_validate(type, value, NULL, NULL) == WF_OK) {
		back = of_json(type, json);
		wf_assert(back != NULL);
		wf_assert(wf_type_validate(type, back, NULL, NULL) == WF_OK);
		again = wf_json_of_value(type, back);
		wf_assert(is_same(json, again));
		json_decref(again);
		wf_value_unref(&back);
	}
	json_decref(json);
}

static const struct wf_type *read_type(const char *name, size_t length)
{
	for (size_t i = 0; i < TYPES; i++)
		if (strlen(names[i]) == length &&
		    memcmp(names[i], name, length) == 0)
			return found[i];
	return found[length % TYPES];
}

static void try_json(
    const struct wf_type *type, const char *text, size_t length)
{
	json_t *json = json_loadb(
	    text, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
	struct wf_value *value = json == NULL ? NULL : of_json(type, json);

	if (value != NULL)
		check_value(type, value);
	/* A text is a text, whatever its content. */
	if (value != NULL && type == found[0] && json_is_string(json)) {
		json_t *back = wf_json_of_value(type, value);

		wf_assert(json_equal(json, back));
		json_decref(back);
	}
	wf_value_unref(&value);
	json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *end = size == 0 ? NULL : memchr(text, '\n', size);
	size_t line = end == NULL ? 0 : (size_t)(end - text);
	const struct wf_type *type;
	struct wf_value *value;

	ensure_types();
	if (end == NULL)
		return 0;
	type = read_type(text, line);
	text += line + 1;
	size -= line + 1;
	try_json(type, text, size);
	if (wf_value_parse(&value, text, size, NULL) == WF_OK) {
		check_value(type, value);
		wf_value_unref(&value);
	}
	return 0;
}

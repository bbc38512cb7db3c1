/* SPDX-License-Identifier: Apache-2.0 */
/* Types: values that fit, messages for those that do not. */
#include <CUnit/CUnit.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "data/outline/document_walk.h"
#include "tests/unit/seed.h"
#include "tests/unit/type_fixture.h"

static void test_builtin(void)
{
	static const struct type_row rows[] = {
		{ "string", "<x/>", NULL, 0 },
		{ "string", "<x>a &lt; b</x>", NULL, 0 },
		{ "string", "<x><y/></x>",
		    "element <x>: there are elements in it, but its type is "
		    "string",
		    0 },
		{ "xs:integer", "<age>42</age>", NULL, 0 },
		{ "integer", "<x> 42 </x>", NULL, 0 },
		{ "integer", "<x>1234567890123456789012345678901234567890</x>",
		    NULL, 0 },
		{ "integer", "<age>abc</age>",
		    "element <age>: 'abc' is not a valid integer", 0 },
		{ "integer", "<age/>",
		    "element <age>: '' is not a valid integer", 0 },
		{ "integer", "<x>&lt;</x>",
		    "element <x>: '<' is not a valid integer", 0 },
		{ "boolean", "<x>true</x>", NULL, 0 },
		{ "boolean", "<x>yes</x>",
		    "element <x>: 'yes' is not a valid boolean", 0 },
		{ "date", "<x>2024-02-29</x>", NULL, 0 },
		{ "date", "<x>2023-02-29</x>",
		    "element <x>: '2023-02-29' is not a valid date", 0 },
		{ "duration", "<x>P1DT2H</x>", NULL, 0 },
		{ "anyURI", "<x>http://a/?b=1&amp;c=2</x>", NULL, 0 },
		{ "NMTOKENS", "<x>a b</x>", NULL, 0 },
		{ "notation", "<x>a</x>", NULL, 0 },
		{ "anySimpleType", "<x>a</x>", NULL, 0 },
		{ "anySimpleType", "<x><a/></x>",
		    "element <x>: there are elements in it, but its type is "
		    "anySimpleType",
		    0 },
		{ "anyType", "<x>a<b/></x>", NULL, 0 },
		{ "p:long", "<p:x xmlns:p='u'>1</p:x>", NULL, 0 },
	};
	struct wf_types *types = wf_test_types(NULL);
	struct wf_error err;

	CHECK_TYPE_ROWS(types, rows, true);
	CU_ASSERT_PTR_NULL(wf_types_find(types, "Integer", true));
	CU_ASSERT_PTR_NULL(wf_types_find(types, "", true));
	CU_ASSERT_PTR_NULL(wf_types_find_element(types, "x"));
	CU_ASSERT_EQUAL(
	    wf_test_type(wf_types_any(types), "<x>a<b/></x>", &err), WF_OK);
	wf_types_free(&types);
	CU_ASSERT_PTR_NULL(types);
}

static void test_internal(void)
{
	static const struct type_row rows[] = {
		{ "YDocumentType", "<d><id>1</id><name>a</name></d>", NULL, 0 },
		{ "YDocumentType", "<d><name>a</name></d>", NULL, 0 },
		{ "YDocumentType", "<d><id>x</id><name>a</name></d>",
		    "element <id>: 'x' is not a valid long", 1 },
		{ "YDocumentType", "<d><id>1</id></d>",
		    "element <d>: Missing child element(s). Expected is "
		    "( name )",
		    0 },
		{ "YStringListType", "<l/>", NULL, 0 },
		{ "YStringListType", "<l><item>a</item><item/></l>", NULL, 0 },
		{ "YTimerType",
		    "<t><trigger>OnEnabled</trigger><expiry>PT1S</expiry></t>",
		    NULL, 0 },
		{ "YGeoLatLongType",
		    "<g><latitude>-27.4</latitude>"
		    "<longitude>153.0</longitude></g>",
		    NULL, 0 },
		{ "YGeoLatLongType",
		    "<g><latitude>91</latitude><longitude>0</longitude></g>",
		    "element <latitude>: '91' is not a valid value: "
		    "The value '91' is greater than the "
		    "maximum value allowed ('90')",
		    1 },
		{ "YGeoCircleListType",
		    "<g><circle><center><latitude>1</latitude>"
		    "<longitude>2</longitude></center><radius>1.5</radius>"
		    "</circle></g>",
		    NULL, 0 },
	};
	struct wf_types *types =
	    wf_test_types(SCHEMA "<xs:complexType name='Folder'>"
				 "<xs:sequence><xs:element "
				 "name='d' type='YDocumentType'"
				 "/></xs:sequence>"
				 "</xs:complexType>" END);
	const struct wf_type *type =
	    wf_types_find(types, "YDocumentType", true);
	struct wf_error err;

	CHECK_TYPE_ROWS(types, rows, true);
	CHECK_TYPE_ROWS(types, rows, false);
	CU_ASSERT_PTR_EQUAL(type, wf_types_find(types, "YDocumentType", false));
	CU_ASSERT_FALSE(wf_type_is_builtin(type));
	CU_ASSERT_STRING_EQUAL(wf_type_name(type), "YDocumentType");
	CU_ASSERT_EQUAL(wf_test_type(wf_types_find(types, "Folder", false),
			    "<f><d><name>a</name></d></f>", &err),
	    WF_OK);
	wf_types_free(&types);
}

static const char order_schema[] = SCHEMA
    "<xs:annotation><xs:documentation>a<b/></xs:documentation></xs:annotation>"
    "<xs:complexType name='Order'><xs:sequence>"
    "<xs:element name='id' type='xs:integer'/>"
    "<xs:element name='line' type='Line' minOccurs='0' maxOccurs='3'/>"
    "<xs:element name='note' type='xs:string' minOccurs='0'/>"
    "</xs:sequence><xs:attribute name='a' use='required'/></xs:complexType>"
    "<xs:complexType name='Line'><xs:choice>"
    "<xs:element name='code' type='Code'/>"
    "<xs:element name='price' type='xs:decimal'/>"
    "</xs:choice><xs:attribute name='b' type='xs:int' use='required'/>"
    "</xs:complexType>"
    "<xs:simpleType name='Code'><xs:restriction base='xs:string'>"
    "<xs:pattern value='[A-Z]{2}[0-9]+'/></xs:restriction></xs:simpleType>"
    "<xs:simpleType name='Size'><xs:restriction base='xs:string'>"
    "<xs:enumeration value='S'/><xs:enumeration value='L'/>"
    "</xs:restriction></xs:simpleType>"
    "<xs:complexType name='Priced'><xs:simpleContent>"
    "<xs:extension base='xs:decimal'>"
    "<xs:attribute name='currency' use='required'/>"
    "</xs:extension></xs:simpleContent></xs:complexType>"
    "<xs:complexType name='Big'><xs:complexContent>"
    "<xs:extension base='Order'><xs:sequence>"
    "<xs:element name='more' type='xs:boolean'/>"
    "</xs:sequence></xs:extension></xs:complexContent></xs:complexType>"
    "<xs:complexType name='Both'><xs:all>"
    "<xs:element name='a'/><xs:element name='b' minOccurs='0'/>"
    "</xs:all></xs:complexType>"
    "<xs:complexType name='Open'><xs:sequence>"
    "<xs:any namespace='##other' processContents='lax' maxOccurs='unbounded'/>"
    "</xs:sequence></xs:complexType>"
    "<xs:complexType name='Text' mixed='true'><xs:sequence>"
    "<xs:element name='em' type='xs:string' minOccurs='0'/>"
    "</xs:sequence></xs:complexType>"
    "<xs:group name='G'><xs:sequence><xs:element name='g'/></xs:sequence>"
    "</xs:group>"
    "<xs:complexType name='Grouped'><xs:group ref='G'/></xs:complexType>"
    "<xs:complexType name='Flag'/>"
    "<xs:complexType name='Flag2'><xs:sequence/></xs:complexType>"
    "<xs:complexType name='Flag3'><xs:attribute name='a'/></xs:complexType>"
    "<xs:element name='person'><xs:complexType><xs:sequence>"
    "<xs:element name='name' type='xs:string'/>"
    "</xs:sequence></xs:complexType></xs:element>" END;

static void test_user(void)
{
	static const struct type_row rows[] = {
		{ "Order", "<o><id>1</id></o>", NULL, 0 },
		{ "Order",
		    "<o a='1'><id>1</id><line b='x'><code>AB1</code>"
		    "</line><note/></o>",
		    NULL, 0 },
		{ "Order", "<o xmlns='urn:x'><id>1</id></o>", NULL, 0 },
		{ "Order",
		    "<o><id>1234567890123456789012345678901234567890</id></o>",
		    NULL, 0 },
		{ "Order", "<o><id>abc</id></o>",
		    "element <id>: 'abc' is not a valid integer", 1 },
		{ "Order", "<o><id/></o>",
		    "element <id>: '' is not a valid integer", 1 },
		{ "Order", "<o/>",
		    "element <o>: Missing child element(s). Expected is "
		    "( id )",
		    0 },
		{ "Order", "<o><id>1</id><line><code>A\nB</code></line></o>",
		    "element <code>: 'A\nB' is not a valid value: The value 'A",
		    3 },
		{ "Order", "<o><id>1</id><note>a\nb</note><x/></o>",
		    "element <x>: This element is not expected", 3 },
		{ "Order", "<o>text</o>",
		    "element <o>: Character content other than whitespace is "
		    "not allowed because the content type is 'element-only'",
		    0 },
		{ "Order",
		    "<o><id>1</id><line><price>1</price></line>"
		    "<line><price>1</price></line><line><price>1</price>"
		    "</line><line><price>1</price></line></o>",
		    "element <line>: This element is not expected. Expected "
		    "is ( note )",
		    8 },
		{ "Size", "<s>L</s>", NULL, 0 },
		{ "Size", "<s>M</s>",
		    "element <s>: 'M' is not a valid Size: The value 'M' is "
		    "not an element of the set {'S', 'L'}",
		    0 },
		{ "Priced", "<p>1.5</p>", NULL, 0 },
		{ "Priced", "<p>x</p>",
		    "element <p>: 'x' is not a valid decimal", 0 },
		{ "Big", "<b><id>1</id><more>true</more></b>", NULL, 0 },
		{ "Big", "<b><id>1</id></b>",
		    "element <b>: Missing child element(s). Expected is one "
		    "of ( line, note, more )",
		    0 },
		{ "Both", "<b><b/><a/></b>", NULL, 0 },
		{ "Open", "<o><any><thing/></any></o>", NULL, 0 },
		{ "Text", "<t>a<em>b</em>c</t>", NULL, 0 },
		{ "Grouped", "<g><g/></g>", NULL, 0 },
		{ "Flag", "<f/>", NULL, 0 },
		{ "Flag", "<f>a</f>",
		    "element <f>: Character content is not allowed, because "
		    "the content type is empty",
		    0 },
	};
	struct wf_types *types = wf_test_types(order_schema);
	const struct wf_type *person = wf_types_find_element(types, "person");
	struct wf_error err;

	CHECK_TYPE_ROWS(types, rows, false);
	CU_ASSERT_EQUAL(
	    wf_test_type(person, "<boss><name>a</name></boss>", &err), WF_OK);
	CU_ASSERT_EQUAL(wf_test_type(person, "<boss/>", &err), WF_DATA);
	CU_ASSERT_STRING_EQUAL(err.place.element, "boss");
	CU_ASSERT(wf_type_is_flag(wf_types_find(types, "Flag", false)));
	CU_ASSERT(wf_type_is_flag(wf_types_find(types, "Flag2", false)));
	CU_ASSERT(wf_type_is_flag(wf_types_find(types, "Flag3", true)));
	CU_ASSERT_FALSE(wf_type_is_flag(wf_types_find(types, "Text", false)));
	CU_ASSERT_FALSE(wf_type_is_flag(wf_types_find(types, "Size", false)));
	wf_types_free(&types);
}

static void test_questions(void)
{
	static const struct {
		const char *name;
		bool builtin, string, boolean;
	} rows[] = { { "string", true, true, false },
		{ "token", true, true, false }, { "ID", true, true, false },
		{ "anyURI", true, false, false },
		{ "boolean", true, false, true },
		{ "anyType", true, false, false },
		{ "NMTOKENS", true, false, false },
		{ "Size", false, false, false },
		{ "YTimerType", false, false, false } };
	struct wf_types *types = wf_test_types(order_schema);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct wf_type *type =
		    wf_types_find(types, rows[i].name, true);

		CU_ASSERT_EQUAL(wf_type_is_builtin(type), rows[i].builtin);
		CU_ASSERT_EQUAL(wf_type_is_string(type), rows[i].string);
		CU_ASSERT_EQUAL(wf_type_is_boolean(type), rows[i].boolean);
		CU_ASSERT_STRING_EQUAL(wf_type_name(type), rows[i].name);
		CU_ASSERT_PTR_EQUAL(
		    type, wf_types_find(types, rows[i].name, true));
	}
	wf_types_free(&types);
}

/* The ways in which files write their schemas. */
static void test_spellings(void)
{
	static const char *const schemas[] = {
		"<schema xmlns='http://www.w3.org/2001/XMLSchema'>"
		"<complexType name='T'><sequence>"
		"<element name='a' type='int'/><element name='u' type='U'/>"
		"</sequence></complexType><simpleType name='U'>"
		"<restriction base='string'/></simpleType></schema>",
		"<xsd:schema xmlns:xsd='http://www.w3.org/2001/XMLSchema' "
		"xmlns:t='urn:t' targetNamespace='urn:t' "
		"elementFormDefault='qualified'><xsd:complexType name='T'>"
		"<xsd:sequence><xsd:element name='a' type='xsd:int'/>"
		"<xsd:element ref='t:u'/></xsd:sequence></xsd:complexType>"
		"<xsd:element name='u' type='xsd:string'/></xsd:schema>",
		"<xs:schema " XS " xmlns='urn:t' targetNamespace='urn:t'>"
		"<xs:import namespace='urn:other'/>"
		"<xs:complexType name='T'><xs:sequence>"
		"<xs:element name='a' type='xs:int' form='qualified'/>"
		"<xs:element name='u' type='U'/></xs:sequence>"
		"</xs:complexType><xs:simpleType name='U'>"
		"<xs:union memberTypes='xs:string\n xs:int'/></xs:simpleType>"
		"</xs:schema>",
		"<xs:schema " XS " xmlns='http://yawl'>"
		"<xs:complexType name='T'><xs:sequence>"
		"<xs:element name='a' type='xs:int' maxOccurs='99999999999'/>"
		"<xs:element name='u'><xs:complexType mixed='true'/>"
		"</xs:element></xs:sequence></xs:complexType></xs:schema>",
		SCHEMA "<xs:element name='r'><xs:complexType><xs:sequence>"
		       "<xs:element name='k' maxOccurs='9'/></xs:sequence>"
		       "</xs:complexType><xs:key name='K'>"
		       "<xs:selector xpath='k'/><xs:field xpath='@id'/>"
		       "</xs:key></xs:element>"
		       "<xs:complexType name='T'><xs:sequence>"
		       "<xs:element name='a' type='xs:int'/>"
		       "<xs:element name='u'/></xs:sequence>"
		       "</xs:complexType>" END,
	};

	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
		struct wf_types *types = wf_test_types(schemas[i]);
		const struct wf_type *type = wf_types_find(types, "t:T", false);
		struct wf_error err;

		CU_ASSERT_EQUAL(
		    wf_test_type(type, "<x><a>1</a><u>2</u></x>", &err), WF_OK);
		CU_ASSERT_EQUAL(
		    wf_test_type(type, "<x><a>z</a><u>2</u></x>", &err),
		    WF_DATA);
		CU_ASSERT_EQUAL(
		    wf_test_type(type, "<x><u>2</u></x>", &err), WF_DATA);
		wf_types_free(&types);
	}
}

static void test_refused(void)
{
	static const struct {
		const char *schema;
		const char *part; /* of the message */
		int line;
	} rows[] = {
		{ "", "not well-formed", 0 },
		{ SCHEMA, "not well-formed", 0 },
		{ "<schema/>", "not a schema", 1 },
		{ "<x " XS "/>", "not a schema", 1 },
		{ SCHEMA
		    "\n<xs:include schemaLocation='file:///etc/passwd'/>" END,
		    "include", 2 },
		{ SCHEMA "\n<xs:include/>" END, "include", 2 },
		{ SCHEMA "<xs:import namespace='u' "
			 "schemaLocation='http://127.0.0.1:1/a.xsd'/>" END,
		    "import", 1 },
		{ SCHEMA "<xs:redefine schemaLocation='a.xsd'/>" END,
		    "redefine", 1 },
		{ SCHEMA "\n\n<xs:element name='a' type='Missing'/>" END,
		    "Missing", 3 },
		{ SCHEMA "<xs:element name='a' type='xs:Integer'/>" END,
		    "Integer", 1 },
		{ SCHEMA "<xs:element name='a' type='zz:T'/>" END, "zz", 1 },
		{ SCHEMA "<xs:elephant/>" END, "content is not valid", 1 },
		{ SCHEMA "<xs:element/>" END, "name", 1 },
		{ SCHEMA "<xs:simpleType name='T'><xs:restriction "
			 "base='xs:string'><xs:pattern value='('/>"
			 "</xs:restriction></xs:simpleType>" END,
		    "(", 1 },
		{ "\n<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>"
		  "<a>&e;</a>",
		    "document type", 2 },
		{ SCHEMA "<xs:group name='G'><xs:sequence><xs:group ref='G'/>"
			 "</xs:sequence></xs:group>" END,
		    "circle", 1 },
		{ SCHEMA "<xs:simpleType name='T'><xs:restriction base='T'/>"
			 "</xs:simpleType>" END,
		    "circle", 1 },
		{ SCHEMA "<xs:complexType name='T'><xs:complexContent>"
			 "<xs:extension base='T'/></xs:complexContent>"
			 "</xs:complexType>" END,
		    "circle", 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wf_error err = { .rc = WF_OK };
		struct wf_types *types;

		CU_ASSERT_EQUAL(wf_types_new(&types, rows[i].schema,
				    strlen(rows[i].schema), &err),
		    WF_DATA);
		CU_ASSERT_PTR_NULL(types);
		if (strstr(err.message, rows[i].part) == NULL ||
		    (rows[i].line != 0 && err.place.line != rows[i].line))
			printf("\n%s: %d: %s\n", rows[i].schema, err.place.line,
			    err.message);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.message, rows[i].part));
		if (rows[i].line != 0)
			CU_ASSERT_EQUAL(err.place.line, rows[i].line);
	}
}

/* --- documents that values refer to --------------------------------------- */

static const char document_schema[] = SCHEMA
    "<xs:complexType name='Line'><xs:sequence>"
    "<xs:element name='text' type='xs:string'/>"
    "<xs:element name='file' type='YDocumentType' minOccurs='0'/>"
    "</xs:sequence></xs:complexType>"
    "<xs:complexType name='Order'><xs:sequence>"
    "<xs:element name='line' type='Line' minOccurs='0' maxOccurs='9'>"
    "<xs:annotation><xs:appinfo><documentSize>5M</documentSize>"
    "</xs:appinfo></xs:annotation></xs:element>"
    "<xs:choice minOccurs='0'>"
    "<xs:element name='receipt' type='YDocumentType'><xs:annotation>"
    "<xs:appinfo documentTypes='image/*'/></xs:annotation></xs:element>"
    "<xs:element name='reason' type='xs:string'/></xs:choice>"
    "</xs:sequence></xs:complexType>"
    "<xs:complexType name='Urgent'><xs:complexContent>"
    "<xs:extension base='Order'><xs:sequence>"
    "<xs:element name='by' type='YDocumentType'/>"
    "</xs:sequence></xs:extension></xs:complexContent></xs:complexType>"
    "<xs:complexType name='Both'><xs:all>"
    "<xs:element name='a' type='YDocumentType' minOccurs='0'/>"
    "<xs:element name='b' type='YDocumentType' minOccurs='0'/>"
    "</xs:all></xs:complexType>"
    "<xs:complexType name='Mixture'><xs:choice minOccurs='0'"
    " maxOccurs='unbounded'><xs:element name='note' type='xs:string'/>"
    "<xs:element name='order' type='Order'/>"
    "<xs:element name='file' type='YDocumentType'/></xs:choice>"
    "</xs:complexType>"
    "<xs:complexType name='More'><xs:complexContent>"
    "<xs:extension base='Mixture'><xs:sequence>"
    "<xs:element name='end' type='YDocumentType'/>"
    "</xs:sequence></xs:extension></xs:complexContent></xs:complexType>"
    "<xs:complexType name='Text' mixed='true'><xs:sequence>"
    "<xs:element name='file' type='YDocumentType' minOccurs='0'"
    " maxOccurs='unbounded'/></xs:sequence></xs:complexType>"
    "<xs:complexType name='Tree'><xs:sequence>"
    "<xs:element name='file' type='YDocumentType' minOccurs='0'/>"
    "<xs:element name='tree' type='Inner' minOccurs='0'"
    " maxOccurs='unbounded'/></xs:sequence></xs:complexType>"
    "<xs:complexType name='Inner'><xs:complexContent>"
    "<xs:extension base='Tree'/></xs:complexContent></xs:complexType>"
    "<xs:complexType name='Signed'><xs:complexContent>"
    "<xs:extension base='YDocumentType'><xs:sequence>"
    "<xs:element name='signature' type='YDocumentType'/>"
    "</xs:sequence></xs:extension></xs:complexContent></xs:complexType>"
    "<xs:group name='Pair'><xs:sequence>"
    "<xs:element name='one' type='YDocumentType'/>"
    "<xs:element ref='global'/></xs:sequence></xs:group>"
    "<xs:element name='global'><xs:complexType><xs:sequence>"
    "<xs:element name='file' type='YDocumentType'/></xs:sequence>"
    "</xs:complexType></xs:element>"
    "<xs:complexType name='Grouped'><xs:sequence>"
    "<xs:group ref='Pair' maxOccurs='2'/></xs:sequence></xs:complexType>"
    "<xs:element name='part'><xs:complexType><xs:sequence>"
    "<xs:element name='file' type='YDocumentType'/>"
    "<xs:element ref='part' minOccurs='0'/></xs:sequence>"
    "</xs:complexType></xs:element>"
    "<xs:complexType name='Whole'><xs:sequence><xs:element ref='part'/>"
    "</xs:sequence></xs:complexType>"
    "<xs:group name='Folder'><xs:sequence>"
    "<xs:element name='file' type='YDocumentType' minOccurs='0'/>"
    "<xs:element name='folder' minOccurs='0'><xs:complexType>"
    "<xs:group ref='Folder'/></xs:complexType></xs:element>"
    "</xs:sequence></xs:group>"
    "<xs:complexType name='Folders'><xs:group ref='Folder'/>"
    "</xs:complexType>"
    "<xs:complexType name='Wild'><xs:sequence>"
    "<xs:any maxOccurs='unbounded' processContents='lax'/></xs:sequence>"
    "</xs:complexType>"
    "<xs:element name='head' type='YDocumentType'/>"
    "<xs:element name='tail' type='YDocumentType' substitutionGroup='head'/>"
    "<xs:complexType name='Heads'><xs:sequence>"
    "<xs:element ref='head' maxOccurs='9'/></xs:sequence></xs:complexType>"
    "<xs:complexType name='Plain'><xs:sequence>"
    "<xs:element name='id' type='xs:long'/><xs:element name='any'/>"
    "</xs:sequence></xs:complexType>" END;

#define FILE_OF(element, number)                                               \
	"<" element "><id>" number "</id><name>n</name></" element ">"
#define NO_FILE(element) "<" element "><name/></" element ">"

/* Appends path, number and what is said of the files. */
static enum wf_rc list_document(void *context,
    const struct wf_document_reference *reference, struct wf_error *err)
{
	struct wf_buffer *list = context;

	(void)err;
	(void)wf_document_place(reference, list);
	if (reference->wrong != NULL)
		wf_buffer_puts(list, "=?");
	else
		wf_buffer_printf(list, "=%" PRIu64, reference->document);
	if (reference->hints.types != NULL)
		wf_buffer_printf(list, ":%s", reference->hints.types);
	if (reference->hints.bytes != NULL)
		wf_buffer_printf(list, "<%s", reference->hints.bytes);
	wf_buffer_puts(list, " ");
	return WF_OK;
}

static void test_documents(void)
{
	static const struct {
		const char *type;
		const char *xml;
		const char *documents;
	} rows[] = {
		{ "YDocumentType", FILE_OF("x", "7"), "x=7:*/* " },
		{ "YDocumentType", NO_FILE("x"), "" },
		{ "YDocumentType", FILE_OF("x", " 7 "), "x=7:*/* " },
		{ "YDocumentType", FILE_OF("x", "-1"), "x=?:*/* " },
		{ "YDocumentType", "<x><i:id xmlns:i='i'>1</i:id><name/></x>",
		    "x=?:*/* " },
		{ "Order",
		    "<x><line><text/>" FILE_OF("file",
			"1") "</line>"
			     "<line><text/></line><line><text/>" FILE_OF("file",
				 "2") "</line>" FILE_OF("receipt", "3") "</x>",
		    "x/line[1]/file=1:*/*<5M x/line[3]/file=2:*/*<5M "
		    "x/receipt=3:image/* " },
		{ "Order", "<x><reason>r</reason></x>", "" },
		{ "Urgent",
		    "<x><line><text/>" FILE_OF("file", "1") "</line>" FILE_OF(
			"by", "2") "</x>",
		    "x/line/file=1:*/*<5M x/by=2:*/* " },
		{ "Both", "<x>" FILE_OF("b", "1") FILE_OF("a", "2") "</x>",
		    "x/b=1:*/* x/a=2:*/* " },
		{ "Mixture",
		    "<x><note/>" FILE_OF("file", "1") "<order>" FILE_OF(
			"receipt", "2") "</order><note/>" FILE_OF("file",
			"3") "</x>",
		    "x/file[1]=1:*/* x/order/receipt=2:image/* "
		    "x/file[2]=3:*/* " },
		{ "More", "<x>" FILE_OF("file", "1") FILE_OF("end", "2") "</x>",
		    "x/file=1:*/* x/end=2:*/* " },
		{ "Text",
		    "<x>see " FILE_OF("file", "1") " and " FILE_OF(
			"file", "2") ".</x>",
		    "x/file[1]=1:*/* x/file[2]=2:*/* " },
		{ "Tree",
		    "<x>" FILE_OF("file", "1") "<tree><tree>" FILE_OF(
			"file", "2") "</tree></tree></x>",
		    "x/file=1:*/* x/tree/tree/file=2:*/* " },
		{ "Signed",
		    "<x><id>1</id><name/>" FILE_OF("signature", "2") "</x>",
		    "x=1:*/* x/signature=2:*/* " },
		{ "Grouped",
		    "<x>" FILE_OF("one", "1") "<global>" FILE_OF(
			"file", "2") "</global>" FILE_OF("one",
			"3") "<global>" NO_FILE("file") "</global></x>",
		    "x/one[1]=1:*/* x/global[1]/file=2:*/* x/one[2]=3:*/* " },
		{ "Whole",
		    "<x><part>" FILE_OF("file", "1") "<part>" FILE_OF(
			"file", "2") "</part></part></x>",
		    "x/part/file=1:*/* x/part/part/file=2:*/* " },
		{ "Folders",
		    "<x><folder><folder>" FILE_OF(
			"file", "1") "</folder></folder></x>",
		    "x/folder/folder/file=1:*/* " },
		{ "Wild", "<x>" FILE_OF("head", "1") "<other/></x>",
		    "x/head=1:*/* " },
		{ "Heads",
		    "<x>" FILE_OF("head", "1") FILE_OF("tail", "2") "</x>",
		    "x/head=1:*/* x/tail=2:*/* " },
		{ "Plain",
		    "<x><id>1</id><any>" FILE_OF("file", "1") "</any></x>",
		    "" },
	};
	static const struct wf_document_hints own = { "*/*", NULL };
	struct wf_types *types = wf_test_types(document_schema);
	struct wf_document_hints hints;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct wf_type *type =
		    wf_types_find(types, rows[i].type, false);
		const char *xml = rows[i].xml;
		struct wf_error err = { .rc = WF_OK };
		struct wf_buffer list;
		struct wf_value *value;

		CU_ASSERT_EQUAL(wf_test_type(type, xml, &err), WF_OK);
		CU_ASSERT_EQUAL(
		    wf_value_parse(&value, xml, strlen(xml), NULL), WF_OK);
		wf_buffer_init(&list, 10000);
		CU_ASSERT_EQUAL(wf_type_visit_documents(type, value, &own,
				    list_document, &list, &err),
		    WF_OK);
		if (strcmp(wf_buffer_text(&list), rows[i].documents) != 0)
			printf("\n%s: %s\n", xml, wf_buffer_text(&list));
		CU_ASSERT_STRING_EQUAL(
		    wf_buffer_text(&list), rows[i].documents);
		wf_buffer_free(&list);
		wf_value_unref(&value);
	}
	CU_ASSERT(wf_type_find_document(
	    wf_types_find(types, "Order", false), "receipt", &own, &hints));
	CU_ASSERT_STRING_EQUAL(hints.types, "image/*");
	CU_ASSERT_PTR_NULL(hints.bytes);
	CU_ASSERT(wf_type_find_document(wf_types_find(types, "Tree", false),
	    "tree/tree/file", &own, &hints));
	CU_ASSERT_FALSE(wf_type_find_document(
	    wf_types_find(types, "Tree", false), "tree", &own, &hints));
	CU_ASSERT_FALSE(wf_type_find_document(
	    wf_types_find(types, "Tree", false), "tree/x", &own, &hints));
	wf_types_free(&types);
}

/* --- documents in random types and values --------------------------------- */

#define RANDOM_TYPES 6
#define RANDOM_MEMBERS 4
#define RANDOM_DOCUMENTS 60U
#define RANDOM_BYTES 100000U

struct random_type {
	enum { SEQUENCE, MANY, ALL } group;
	/* Of its members; -1: a document, -2: a text. */
	int members[RANDOM_MEMBERS];
	bool extends; /* the type before it, whose members are named n.. */
};

struct random_value {
	struct wf_random random;
	struct random_type types[RANDOM_TYPES];
	struct wf_buffer xml;
	struct wf_buffer expected; /* numbers */
	unsigned documents;
};

static void put_random_type(
    struct random_value *r, int number, struct wf_buffer *schema)
{
	static const char *const groups[][2] = {
		[SEQUENCE] = { "<xs:sequence>", "</xs:sequence>" },
		[MANY] = { "<xs:choice minOccurs='0' maxOccurs='unbounded'>",
		    "</xs:choice>" },
		[ALL] = { "<xs:all>", "</xs:all>" },
	};
	struct random_type *type = &r->types[number];

	wf_buffer_printf(schema, "<xs:complexType name='T%d'>", number);
	if (type->extends)
		wf_buffer_printf(schema,
		    "<xs:complexContent><xs:extension base='T%d'>", number - 1);
	wf_buffer_puts(schema, groups[type->group][0]);
	for (int i = 0; i < RANDOM_MEMBERS; i++) {
		int member = type->members[i];

		wf_buffer_printf(
		    schema, "<xs:element name='m%d%d' ", number, i);
		if (member >= 0)
			wf_buffer_printf(schema, "type='T%d' ", member);
		else
			wf_buffer_puts(schema, member == -1
						   ? "type='YDocumentType' "
						   : "type='xs:string' ");
		wf_buffer_printf(schema, "minOccurs='0' maxOccurs='%s'/>",
		    type->group == SEQUENCE ? "2" : "1");
	}
	wf_buffer_puts(schema, groups[type->group][1]);
	if (type->extends)
		wf_buffer_puts(schema, "</xs:extension></xs:complexContent>");
	wf_buffer_puts(schema, "</xs:complexType>");
}

static void put_random_content(struct random_value *r, int number, int depth);

static void put_random_member(
    struct random_value *r, int number, int i, int depth)
{
	int member = r->types[number].members[i];

	if ((depth == 0 && member >= 0) || r->xml.length > RANDOM_BYTES)
		return;
	wf_buffer_printf(&r->xml, "<m%d%d>", number, i);
	if (member >= 0)
		put_random_content(r, member, depth - 1);
	else if (member == -1 && r->documents < RANDOM_DOCUMENTS &&
		 wf_random_below(&r->random, 4) > 0) {
		wf_buffer_printf(&r->xml, "<id>%u</id><name/>", ++r->documents);
		wf_buffer_printf(&r->expected, "%u ", r->documents);
	} else if (member == -1) {
		wf_buffer_puts(&r->xml, "<name/>");
	}
	wf_buffer_printf(&r->xml, "</m%d%d>", number, i);
}

static void put_random_content(struct random_value *r, int number, int depth)
{
	const struct random_type *type = &r->types[number];
	uint32_t times;

	if (type->extends)
		put_random_content(r, number - 1, depth);
	if (type->group == MANY) {
		for (times = wf_random_below(&r->random, 5); times > 0; times--)
			put_random_member(r, number,
			    (int)wf_random_below(&r->random, RANDOM_MEMBERS),
			    depth);
		return;
	}
	for (int i = 0; i < RANDOM_MEMBERS; i++)
		for (times = wf_random_below(
			 &r->random, type->group == ALL ? 2 : 3);
		     times > 0; times--)
			put_random_member(r, number, i, depth);
}

static enum wf_rc list_number(void *context,
    const struct wf_document_reference *reference, struct wf_error *err)
{
	(void)err;
	CU_ASSERT_PTR_NULL(reference->wrong);
	wf_buffer_printf(context, "%" PRIu64 " ", reference->document);
	return WF_OK;
}

/* What was put into a value of any type is found, in its order. */
static void test_random_documents(void)
{
	static const struct wf_document_hints own = { NULL, NULL };
	struct random_value r = { .random = { test_seed("type", 11) } };
	unsigned rounds = test_rounds(300);

	wf_buffer_init(&r.xml, (size_t)1 << 20);
	wf_buffer_init(&r.expected, (size_t)1 << 16);
	for (unsigned round = 0; round < rounds; round++) {
		struct wf_error err = { .rc = WF_OK };
		struct wf_types *types;
		struct wf_value *value;
		struct wf_buffer text;

		wf_buffer_init(&text, (size_t)1 << 20);
		wf_buffer_reset(&r.xml);
		wf_buffer_reset(&r.expected);
		r.documents = 0;
		wf_buffer_puts(&text, SCHEMA);
		for (int i = 0; i < RANDOM_TYPES; i++) {
			struct random_type *type = &r.types[i];

			type->group = wf_random_below(&r.random, 3);
			type->extends = i > 0 && type->group != ALL &&
					r.types[i - 1].group != ALL &&
					wf_random_below(&r.random, 4) == 0;
			for (int k = 0; k < RANDOM_MEMBERS; k++)
				type->members[k] =
				    (int)wf_random_below(
					&r.random, RANDOM_TYPES + 2) -
				    2;
			put_random_type(&r, i, &text);
		}
		wf_buffer_puts(&text, END);
		types = wf_test_types(wf_buffer_text(&text));
		wf_buffer_puts(&r.xml, "<x>");
		put_random_content(&r, RANDOM_TYPES - 1, 4);
		wf_buffer_puts(&r.xml, "</x>");
		CU_ASSERT_EQUAL_FATAL(
		    wf_value_parse(
			&value, wf_buffer_text(&r.xml), r.xml.length, &err),
		    WF_OK);
		wf_buffer_reset(&text);
		CU_ASSERT_EQUAL(
		    wf_type_validate(
			wf_types_find(types, "T5", false), value, NULL, &err),
		    WF_OK);
		CU_ASSERT_EQUAL(
		    wf_type_visit_documents(wf_types_find(types, "T5", false),
			value, &own, list_number, &text, &err),
		    WF_OK);
		CU_ASSERT_STRING_EQUAL(
		    wf_buffer_text(&text), wf_buffer_text(&r.expected));
		wf_value_unref(&value);
		wf_types_free(&types);
		wf_buffer_free(&text);
	}
	wf_buffer_free(&r.xml);
	wf_buffer_free(&r.expected);
}

/* A value that refers to very many documents is refused. */
static void test_many_documents(void)
{
	static const struct wf_document_hints own = { NULL, NULL };
	struct wf_types *types = wf_test_types(document_schema);
	const struct wf_type *type = wf_types_find(types, "Text", false);

	for (unsigned more = 0; more < 2; more++) {
		struct wf_error err = { .rc = WF_OK };
		struct wf_buffer xml, list;
		struct wf_value *value;

		wf_buffer_init(&xml, (size_t)1 << 20);
		wf_buffer_init(&list, (size_t)1 << 20);
		wf_buffer_puts(&xml, "<x>");
		for (unsigned i = 0; i < WF_DOCUMENT_REFERENCES + more; i++)
			wf_buffer_puts(&xml, FILE_OF("file", "7"));
		wf_buffer_puts(&xml, "</x>");
		CU_ASSERT_EQUAL_FATAL(
		    wf_value_parse(
			&value, wf_buffer_text(&xml), xml.length, NULL),
		    WF_OK);
		CU_ASSERT_EQUAL(wf_type_visit_documents(type, value, &own,
				    list_number, &list, &err),
		    more == 0 ? WF_OK : WF_LIMIT);
		CU_ASSERT_EQUAL(list.length, 2 * WF_DOCUMENT_REFERENCES);
		wf_value_unref(&value);
		wf_buffer_free(&list);
		wf_buffer_free(&xml);
	}
	wf_types_free(&types);
}

CU_TestInfo wf_tests_type[] = {
	{ "built-in types", test_builtin },
	{ "YAWL's internal types", test_internal },
	{ "types of the user's schema", test_user },
	{ "what may be asked of a type", test_questions },
	{ "spellings of schemas in the field", test_spellings },
	{ "schemas that are refused", test_refused },
	{ "documents that values refer to", test_documents },
	{ "documents in random types and values", test_random_documents },
	{ "a value with very many documents", test_many_documents },
	CU_TEST_INFO_NULL,
};

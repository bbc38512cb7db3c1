/* SPDX-License-Identifier: Apache-2.0 */
/* Types: values that fit, messages for those that do not. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

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

CU_TestInfo wf_tests_type[] = {
	{ "built-in types", test_builtin },
	{ "YAWL's internal types", test_internal },
	{ "types of the user's schema", test_user },
	{ "what may be asked of a type", test_questions },
	{ "spellings of schemas in the field", test_spellings },
	{ "schemas that are refused", test_refused },
	CU_TEST_INFO_NULL,
};

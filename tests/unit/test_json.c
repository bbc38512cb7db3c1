/* SPDX-License-Identifier: Apache-2.0 */
/* Data as JSON: each type in both directions, and refusals. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/json.h"

#define TEXT_MAXIMUM 100000U

static const char schema[] =
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'>"
    "<xs:simpleType name='Grade'><xs:restriction base='xs:int'>"
    "<xs:maxInclusive value='6'/></xs:restriction></xs:simpleType>"
    "<xs:simpleType name='Numbers'><xs:list itemType='xs:int'/>"
    "</xs:simpleType>"
    "<xs:complexType name='Line'><xs:sequence>"
    "<xs:element name='what' type='xs:string'/>"
    "<xs:element name='price' type='xs:decimal' minOccurs='0'/>"
    "<xs:element name='grade' type='Grade' minOccurs='0'/>"
    "</xs:sequence></xs:complexType>"
    "<xs:complexType name='Order'><xs:sequence>"
    "<xs:element name='id' type='xs:long'/>"
    "<xs:element name='line' type='Line' maxOccurs='unbounded'/>"
    "<xs:choice><xs:element name='cash' type='xs:boolean'/>"
    "<xs:element name='card' type='xs:string'/></xs:choice>"
    "</xs:sequence></xs:complexType>"
    "<xs:complexType name='Tree'><xs:sequence>"
    "<xs:element name='name' type='xs:string'/>"
    "<xs:element name='tree' type='Tree' minOccurs='0' "
    "maxOccurs='unbounded'/></xs:sequence></xs:complexType>"
    "<xs:complexType name='More'><xs:complexContent>"
    "<xs:extension base='Line'><xs:sequence>"
    "<xs:element name='more' type='xs:double'/></xs:sequence>"
    "</xs:extension></xs:complexContent></xs:complexType>"
    "<xs:complexType name='ByTurns'><xs:choice maxOccurs='unbounded'>"
    "<xs:element name='a' type='xs:int'/><xs:element name='b' type='xs:int'/>"
    "</xs:choice></xs:complexType>"
    "<xs:complexType name='Many'><xs:sequence maxOccurs='unbounded'>"
    "<xs:element name='a' type='xs:int'/></xs:sequence></xs:complexType>"
    "<xs:complexType name='Twice'><xs:sequence>"
    "<xs:element name='a' type='xs:int'/>"
    "<xs:element name='a' type='xs:int' minOccurs='0'/>"
    "</xs:sequence></xs:complexType>"
    "<xs:complexType name='Around'><xs:sequence>"
    "<xs:element name='a' type='xs:int'/><xs:element name='b' type='xs:int'/>"
    "<xs:element name='a' type='xs:int'/></xs:sequence></xs:complexType>"
    "<xs:complexType name='Mixed' mixed='true'><xs:sequence>"
    "<xs:element name='b' type='xs:int' minOccurs='0'/></xs:sequence>"
    "</xs:complexType>"
    "<xs:complexType name='Flag'/>"
    "<xs:complexType name='Priced'><xs:simpleContent>"
    "<xs:extension base='xs:decimal'><xs:attribute name='currency'/>"
    "</xs:extension></xs:simpleContent></xs:complexType>"
    "<xs:complexType name='All'><xs:all>"
    "<xs:element name='x' type='xs:int'/><xs:element name='y' type='xs:int'/>"
    "</xs:all></xs:complexType>"
    "</xs:schema>";

static struct wf_types *types; /* of the test that runs */

static void set_up(void)
{
	CU_ASSERT_EQUAL_FATAL(
	    wf_types_new(&types, schema, strlen(schema), NULL), WF_OK);
}

static char *to_json(const char *type, const char *xml)
{
	struct wf_value *value = NULL;
	json_t *json;
	char *text;

	CU_ASSERT_EQUAL_FATAL(
	    wf_value_parse(&value, xml, strlen(xml), NULL), WF_OK);
	json = wf_json_of_value(wf_types_find(types, type, true), value);
	text = wf_json_dump(json, JSON_COMPACT | JSON_ENCODE_ANY);
	json_decref(json);
	wf_value_unref(&value);
	return text;
}

static enum wf_rc to_xml(const char *type, const char *text,
    struct wf_buffer *xml, struct wf_error *err)
{
	json_t *json =
	    json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
	enum wf_rc rc;

	CU_ASSERT_PTR_NOT_NULL_FATAL(json);
	wf_buffer_init(xml, TEXT_MAXIMUM);
	rc = wf_json_put_xml(
	    wf_types_find(types, type, true), "v", json, xml, err);
	json_decref(json);
	return rc;
}

static const struct pair {
	const char *type;
	const char *xml; /* the content */
	const char *json;
} pairs[] = {
	{ "string", "a &amp; \"b\"", "\"a & \\\"b\\\"\"" },
	{ "string", "", "\"\"" },
	{ "string", "007", "\"007\"" },
	{ "integer", "7", "7" },
	{ "integer", "-42", "-42" },
	{ "long", "123456789012345", "123456789012345" },
	{ "integer", "1234567890123456", "\"1234567890123456\"" },
	{ "integer", "12345678901234567890123", "\"12345678901234567890123\"" },
	{ "decimal", "0.1", "0.1" },
	{ "decimal", "0.12345678901234567", "\"0.12345678901234567\"" },
	{ "double", "1.5E10", "15000000000.0" },
	{ "double", "0.30000000000000004", "0.30000000000000004" },
	{ "double", "2.2250738585072014E-308", "2.2250738585072014e-308" },
	{ "double", "0.1", "0.1" },
	{ "double", "-0", "-0.0" },
	{ "double", "1.7976931348623157E308", "1.7976931348623157e308" },
	{ "double", "5.0E-324", "4.94065645841247e-324" },
	{ "decimal", "0.00000000000000000001", "\"0.00000000000000000001\"" },
	{ "double", "1.00000001000001E6", "1000000.01000001" },
	{ "decimal", "0.0000000000000000012", "\"0.0000000000000000012\"" },
	{ "double", "INF", "\"INF\"" },
	{ "boolean", "true", "true" },
	{ "boolean", "false", "false" },
	{ "date", "2026-01-01", "\"2026-01-01\"" },
	{ "anyType", "<a>1</a> and", "\"<a>1</a> and\"" },
	{ "Grade", "3", "3" },
	{ "Numbers", "1 2 3", "\"1 2 3\"" },
	{ "Line", "<what>x</what><price>2</price>",
	    "{\"what\":\"x\",\"price\":2}" },
	{ "Order",
	    "<id>1</id><line><what>x</what><grade>1</grade></line>"
	    "<cash>true</cash>",
	    "{\"id\":1,\"line\":[{\"what\":\"x\",\"grade\":1}],\"cash\":"
	    "true}" },
	{ "Order",
	    "<id>1</id><line><what>x</what></line><line><what>y</what></line>"
	    "<card>z</card>",
	    "{\"id\":1,\"line\":[{\"what\":\"x\"},{\"what\":\"y\"}],"
	    "\"card\":\"z\"}" },
	{ "Tree", "<name>a</name><tree><name>b</name></tree>",
	    "{\"name\":\"a\",\"tree\":[{\"name\":\"b\"}]}" },
	{ "More", "<what>x</what><more>1.5</more>",
	    "{\"what\":\"x\",\"more\":1.5}" },
	{ "ByTurns", "<a>1</a><b>2</b><a>3</a>",
	    "\"<a>1</a><b>2</b><a>3</a>\"" },
	{ "Many", "<a>1</a><a>2</a>", "{\"a\":[1,2]}" },
	{ "Twice", "<a>1</a>", "{\"a\":[1]}" },
	{ "Twice", "<a>1</a><a>2</a>", "{\"a\":[1,2]}" },
	{ "Around", "<a>1</a><b>2</b><a>3</a>",
	    "\"<a>1</a><b>2</b><a>3</a>\"" },
	{ "Mixed", "text <b>1</b>", "\"text <b>1</b>\"" },
	{ "Flag", "", "{}" },
	{ "Priced", "12.5", "12.5" },
	{ "All", "<x>1</x><y>2</y>", "{\"x\":1,\"y\":2}" },
	{ "YStringListType", "<item>a</item>", "{\"item\":[\"a\"]}" },
};

static void there_and_back(void)
{
	set_up();
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct pair *pair = &pairs[i];
		struct wf_error err = { .rc = WF_OK };
		struct wf_buffer xml;
		struct wf_buffer back;
		char *json;

		wf_buffer_init(&xml, TEXT_MAXIMUM);
		wf_buffer_printf(&xml, "<v>%s</v>", pair->xml);
		json = to_json(pair->type, wf_buffer_text(&xml));
		if (strcmp(json, pair->json) != 0)
			printf("\n%s: %s\n", pair->type, json);
		CU_ASSERT_STRING_EQUAL(json, pair->json);
		CU_ASSERT_EQUAL(to_xml(pair->type, json, &back, &err), WF_OK);
		if (strcmp(wf_buffer_text(&back), wf_buffer_text(&xml)) != 0)
			printf("\n%s: %s\n", pair->type, wf_buffer_text(&back));
		CU_ASSERT_STRING_EQUAL(
		    wf_buffer_text(&back), wf_buffer_text(&xml));
		wf_buffer_free(&xml);
		wf_buffer_free(&back);
		free(json);
	}
	wf_types_free(&types);
}

/* Values that are written in another way there. */
static void other_spellings(void)
{
	static const struct pair others[] = {
		{ "integer", "7", "\"7\"" },
		{ "decimal", "100000", "1e5" },
		{ "decimal", "0.00000000000000000001", "1e-20" },
		{ "decimal", "-0.000000000000000000015", "-1.5e-20" },
		{ "decimal", "0.00000012", "1.2e-7" },
		{ "decimal", "-123456789012345680000",
		    "-1.2345678901234568e20" },
		{ "decimal", "1234567.25", "1234567.25" },
		{ "decimal", "0.30000000000000004", "0.30000000000000004" },
		{ "decimal", "1.5", "1.5" },
		{ "decimal", "5", "5.0" },
		{ "string", "0.00000000000000000001", "1e-20" },
		{ "double", "9.007199254740994E15", "9007199254740993.9" },
		{ "boolean", "true", "\"true\"" },
		{ "string", "5", "5" },
		{ "Order", "<id>1</id><line><what>x</what></line>",
		    "{\"line\":{\"what\":\"x\"},\"id\":1,\"cash\":null}" },
		{ "Line", "<what>x</what>", "\"<what>x</what>\"" },
		{ "Line", "<what>x</what><price>2</price>",
		    "{\"price\":2,\"what\":\"x\"}" },
	};

	set_up();
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct wf_error err = { .rc = WF_OK };
		struct wf_buffer expected;
		struct wf_buffer xml;

		wf_buffer_init(&expected, TEXT_MAXIMUM);
		wf_buffer_printf(&expected, "<v>%s</v>", others[i].xml);
		CU_ASSERT_EQUAL(
		    to_xml(others[i].type, others[i].json, &xml, &err), WF_OK);
		CU_ASSERT_STRING_EQUAL(
		    wf_buffer_text(&xml), wf_buffer_text(&expected));
		wf_buffer_free(&xml);
		wf_buffer_free(&expected);
	}
	wf_types_free(&types);
}

/* Content that the type does not describe is kept as XML. */
static void what_does_not_fit(void)
{
	char *json;

	set_up();
	json = to_json("Line", "<v><what>x</what><odd>1</odd></v>");
	CU_ASSERT_STRING_EQUAL(json, "\"<what>x</what><odd>1</odd>\"");
	free(json);
	json = to_json("integer", "<v>seven</v>");
	CU_ASSERT_STRING_EQUAL(json, "\"seven\"");
	free(json);
	json = to_json("boolean", "<v>1</v>");
	CU_ASSERT_STRING_EQUAL(json, "true");
	free(json);
	wf_types_free(&types);
}

static void refused(void)
{
	static const struct {
		const char *type;
		const char *json;
		const char *message;
	} rows[] = {
		{ "integer", "[1]", "v: expected a number" },
		{ "string", "{}", "v: expected a string" },
		{ "Order", "{\"line\":[{\"what\":\"x\"},{\"prize\":1}]}",
		    "v.line[1].prize: expected another name" },
		{ "Order", "{\"id\":{\"a\":1}}", "v.id: expected a number" },
		{ "string", "\"a\\bc\"", "v: expected no character that XML" },
		{ "Line", "{\"what\":\"\\uffff\"}",
		    "v.what: expected no character that XML" },
		{ "Line", "\"<what>\"", "v: expected well-formed XML" },
		{ "Line", "7", "v: expected an object" },
		{ "anyType", "\"a & b\"", "v: expected well-formed XML" },
	};

	set_up();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wf_error err = { .rc = WF_OK };
		struct wf_buffer xml;

		CU_ASSERT_EQUAL(
		    to_xml(rows[i].type, rows[i].json, &xml, &err), WF_DATA);
		CU_ASSERT_NSTRING_EQUAL(
		    err.message, rows[i].message, strlen(rows[i].message));
		wf_buffer_free(&xml);
	}
	wf_types_free(&types);
}

CU_TestInfo wf_tests_json[] = {
	{ "there and back", there_and_back },
	{ "other spellings", other_spellings },
	{ "what does not fit", what_does_not_fit },
	{ "refused", refused },
	CU_TEST_INFO_NULL,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Values: the result of parsing XML, refusals, and their places. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/canonical.h"
#include "data/tree.h"
#include "data/value.h"

struct row {
	const char *xml;
	const char *canonical; /* NULL: refused */
};

static const struct row documents[] = {
	/* Empty and simple elements. */
	{ "<x/>", "<x/>" },
	{ "<x></x>", "<x/>" },
	{ "<x />", "<x/>" },
	{ " \n<x>1</x>\n", "<x>1</x>" },
	{ "<x\n>1</x\t>", "<x>1</x>" },
	{ "<a.b-c_1>v</a.b-c_1>", "<a.b-c_1>v</a.b-c_1>" },
	{ "<x><!-- c --></x>", "<x/>" },
	/* White space. */
	{ "<x> </x>", "<x> </x>" },
	{ "<x> 1 </x>", "<x> 1 </x>" },
	{ "<x> <y/> <z> </z> </x>", "<x><y/><z> </z></x>" },
	{ "<x>\n\t<y> <z/>\n </y>\n</x>", "<x><y><z/></y></x>" },
	{ "<x>a <y/> <z/> </x>", "<x>a <y/> <z/> </x>" },
	{ "<x> <y/> a <z/> </x>", "<x> <y/> a <z/> </x>" },
	{ "<x> <y> <z/> </y> a </x>", "<x> <y><z/></y> a </x>" },
	{ "<x><y> a </y> <z/></x>", "<x><y> a </y><z/></x>" },
	{ "<x>&#32;<y/>&#9;</x>", "<x><y/></x>" },
	{ "<x>&#13;<y/></x>", "<x><y/></x>" },
	{ "<x> <!-- c --> </x>", "<x>  </x>" },
	{ "<x> <!-- c --> <y/></x>", "<x><y/></x>" },
	{ "<x> <![CDATA[a]]> <y/></x>", "<x> a <y/></x>" },
	{ "<x>a\r\nb\rc</x>", "<x>a\nb\nc</x>" },
	/* Escapes. */
	{ "<x>&lt;&gt;&amp;&quot;&apos;</x>", "<x>&lt;&gt;&amp;\"'</x>" },
	{ "<x>a>b</x>", "<x>a&gt;b</x>" },
	{ "<x>]]&gt;]></x>", "<x>]]&gt;]&gt;</x>" },
	{ "<x>&#65;&#x42;&#xe4;&#x20AC;&#x1F600;</x>", "<x>ABä€😀</x>" },
	{ "<x>&#13;&#10;&#60;&#62;&#38;</x>", "<x>&#13;\n&lt;&gt;&amp;</x>" },
	{ "<x><![CDATA[<b>&amp;]]></x>", "<x>&lt;b&gt;&amp;amp;</x>" },
	{ "<x>ä€😀\x7f</x>", "<x>ä€😀\x7f</x>" },
	{ "<ärger>1</ärger>", "<ärger>1</ärger>" },
	/* Dropped parts. */
	{ "<?xml version='1.0'?><x/>", "<x/>" },
	{ "\xEF\xBB\xBF<x/>", "<x/>" },
	{ "<?xml version='1.0' encoding='ISO-8859-1'?><x>\xE4</x>",
	    "<x>ä</x>" },
	{ "<x a='1' b=\"2\">3</x>", "<x>3</x>" },
	{ "<x a='1'/>", "<x/>" },
	{ "<x><?pi ?>a<?pi ?>b</x><!-- end -->", "<x>ab</x>" },
	/* Namespaces. */
	{ "<x xmlns:p='u'><y/></x>", "<x><y/></x>" },
	{ "<x xmlns='u'><y/></x>", "<x xmlns=\"u\"><y/></x>" },
	{ "<x xmlns='u'><y xmlns=''/></x>",
	    "<x xmlns=\"u\"><y xmlns=\"\"/></x>" },
	{ "<x xmlns:p='u'><p:y/><p:z>1</p:z></x>",
	    "<x><p:y xmlns:p=\"u\"/><p:z xmlns:p=\"u\">1</p:z></x>" },
	{ "<p:x xmlns:p='u'><p:y xmlns:p='v'><p:z/></p:y></p:x>",
	    "<p:x xmlns:p=\"u\"><p:y xmlns:p=\"v\"><p:z/></p:y></p:x>" },
	{ "<x xmlns='u:a&amp;b'/>", "<x xmlns=\"u:a&amp;b\"/>" },
	{ "<x xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
	  "xsi:nil='true'/>",
	    "<x/>" },
	{ "<xml:x/>", "<xml:x/>" },
	/* Refused. */
	{ "", NULL },
	{ " ", NULL },
	{ "x", NULL },
	{ "<x>", NULL },
	{ "<x", NULL },
	{ "<x/", NULL },
	{ "</x>", NULL },
	{ "<x></y>", NULL },
	{ "<x></xy>", NULL },
	{ "<xy></x>", NULL },
	{ "<x/><y/>", NULL },
	{ "<x/>y", NULL },
	{ "y<x/>", NULL },
	{ "<1/>", NULL },
	{ "<x>&foo;</x>", NULL },
	{ "<x>&</x>", NULL },
	{ "<x>&amp</x>", NULL },
	{ "<x>&#0;</x>", NULL },
	{ "<x>&#;</x>", NULL },
	{ "<x>&#x;</x>", NULL },
	{ "<x>&#xD800;</x>", NULL },
	{ "<x>&#xFFFE;</x>", NULL },
	{ "<x>&#x110000;</x>", NULL },
	{ "<x>&#4294967361;</x>", NULL },
	{ "<x>]]></x>", NULL },
	{ "<x>\x01</x>", NULL },
	{ "<x>\x80</x>", NULL },
	{ "<x>\xC0\x80</x>", NULL },
	{ "<x>\xED\xA0\x80</x>", NULL },
	{ "<x>\xEF\xBF\xBF</x>", NULL },
	{ "<x>\xF4\x90\x80\x80</x>", NULL },
	{ "<x>\xC3", NULL },
	{ "<x a=1/>", NULL },
	{ "<x a='1' a='2'/>", NULL },
	{ "<p:x/>", NULL },
	{ "<x p:a='1'/>", NULL },
	{ "<x><!-- -- --></x>", NULL },
	{ "<!DOCTYPE x><x/>", NULL },
	{ "<!DOCTYPE x SYSTEM 'file:///etc/passwd'><x/>", NULL },
	{ "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><x>&e;</x>",
	    NULL },
	{ "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]>"
	  "<x>&b;&b;</x>",
	    NULL },
};

static void check_document(const struct row *row)
{
	size_t length = strlen(row->xml);
	/* A copy of exact size, so that a sanitizer sees reads past the end. */
	char *xml = length == 0 ? wf_malloc(1) : wf_malloc(length);
	struct wf_value_list list = { NULL, NULL, 0 };
	struct wf_error err = { .rc = WF_OK };
	struct wf_value *value;
	enum wf_rc rc;

	memcpy(xml, row->xml, length);
	rc = wf_value_parse(&value, xml, length, &err);
	if (row->canonical == NULL) {
		CU_ASSERT_EQUAL(rc, WF_INVALID);
		CU_ASSERT_PTR_NULL(value);
		CU_ASSERT(err.message[0] != '\0');
		if (rc == WF_OK)
			printf("\naccepted: %s\n", row->xml);
		wf_free(xml);
		wf_value_unref(&value);
		return;
	}
	if (rc != WF_OK)
		printf("\n%s: %s\n", row->xml, err.message);
	CU_ASSERT_EQUAL_FATAL(rc, WF_OK);
	if (strcmp(wf_value_text(value), row->canonical) != 0)
		printf("\n%s\n%s\n", row->canonical, wf_value_text(value));
	CU_ASSERT_STRING_EQUAL(wf_value_text(value), row->canonical);
	CU_ASSERT_EQUAL(value->length, strlen(row->canonical));
	/* Both ways of parsing agree. */
	rc = wf_canonical_read(&list, false, xml, length, &err);
	CU_ASSERT_EQUAL_FATAL(rc, WF_OK);
	CU_ASSERT_EQUAL(list.count, 1);
	CU_ASSERT(wf_value_equal(list.values[0], value));
	wf_value_list_free(&list);
	wf_value_unref(&value);
	/* Canonical text stays as it is. */
	rc = wf_value_parse(
	    &value, row->canonical, strlen(row->canonical), &err);
	CU_ASSERT_EQUAL_FATAL(rc, WF_OK);
	CU_ASSERT_STRING_EQUAL(wf_value_text(value), row->canonical);
	wf_value_unref(&value);
	wf_free(xml);
}

static void test_parse(void)
{
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++)
		check_document(&documents[i]);
}

static void test_place(void)
{
	static const char xml[] = "<a>\n  <b>1</b>\n  <c></d>\n</a>";
	static const char doctype[] = "\n<!DOCTYPE x><x/>";
	struct wf_error err = { .rc = WF_OK };
	struct wf_value *value;

	CU_ASSERT_EQUAL(
	    wf_value_parse(&value, xml, strlen(xml), &err), WF_INVALID);
	CU_ASSERT_EQUAL(err.place.line, 3);
	CU_ASSERT(err.place.column >= 6 && err.place.column <= 10);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "c"));
	CU_ASSERT_PTR_NULL(strchr(err.message, '\n'));
	wf_error_clear(&err);
	CU_ASSERT_EQUAL(
	    wf_value_parse(&value, doctype, strlen(doctype), &err), WF_INVALID);
	CU_ASSERT_STRING_EQUAL(err.message, "a document type is not allowed");
	wf_error_clear(&err);
	CU_ASSERT_EQUAL(
	    wf_value_parse_content(&value, "name", "1 & 2", 5, &err),
	    WF_INVALID);
	CU_ASSERT_EQUAL(err.place.line, 1);
	CU_ASSERT(err.place.column >= 3 && err.place.column <= 5);
}

/* <a><a>...</a></a>, with an attribute somewhere to force the slow parser. */
static char *nested(unsigned depth, bool attribute)
{
	struct wf_buffer buffer;

	wf_buffer_init(&buffer, SIZE_MAX / 2);
	for (unsigned i = 0; i < depth; i++)
		wf_buffer_puts(&buffer, attribute ? "<a b=''>" : "<a>");
	wf_buffer_puts(&buffer, "x");
	for (unsigned i = 0; i < depth; i++)
		wf_buffer_puts(&buffer, "</a>");
	return wf_buffer_take(&buffer);
}

static void test_limits(void)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_value *value;
	char *xml;

	for (unsigned slow = 0; slow < 2; slow++) {
		xml = nested(WF_VALUE_DEPTH_ELEMENTS, slow != 0);
		CU_ASSERT_EQUAL(
		    wf_value_parse(&value, xml, strlen(xml), &err), WF_OK);
		wf_value_unref(&value);
		wf_free(xml);
		xml = nested(WF_VALUE_DEPTH_ELEMENTS + 1, slow != 0);
		CU_ASSERT_EQUAL(
		    wf_value_parse(&value, xml, strlen(xml), &err), WF_LIMIT);
		wf_free(xml);
		wf_error_clear(&err);
		xml = nested(100000, slow != 0);
		CU_ASSERT_EQUAL(
		    wf_value_parse(&value, xml, strlen(xml), &err), WF_LIMIT);
		wf_free(xml);
		wf_error_clear(&err);
	}
	CU_ASSERT_EQUAL(
	    wf_value_parse(&value, "<x/>", (size_t)WF_VALUE_BYTES + 1, &err),
	    WF_LIMIT);
}

/* Much '>' grows fivefold and leaves the fast parser. */
static void test_growth(void)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_value *value;
	char xml[3000] = "<x>";
	size_t length;

	memset(xml + 3, '>', 2900);
	memcpy(xml + 2903, "</x>", 5);
	CU_ASSERT_EQUAL_FATAL(
	    wf_value_parse(&value, xml, strlen(xml), &err), WF_OK);
	wf_value_content(value, &length, NULL);
	CU_ASSERT_EQUAL(length, 2900 * 4);
	wf_value_unref(&value);
}

static void test_content(void)
{
	static const struct row rows[] = {
		{ "", "<x/>" },
		{ " ", "<x> </x>" },
		{ "a &lt; b", "<x>a &lt; b</x>" },
		{ "\n <a/>\n <b>1</b>\n", "<x><a/><b>1</b></x>" },
		{ "a<b/>c", "<x>a<b/>c</x>" },
		{ "<!-- nothing -->", "<x/>" },
		{ "<p:a xmlns:p='u'/>", "<x><p:a xmlns:p=\"u\"/></x>" },
		{ "</x><x>", NULL },
		{ "</x>", NULL },
		{ "<a>", NULL },
		{ "a & b", NULL },
		{ "<?xml version='1.0'?><a/>", NULL },
		{ "<!DOCTYPE a>", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wf_error err = { .rc = WF_OK };
		struct wf_value *value;
		enum wf_rc rc = wf_value_parse_content(
		    &value, "x", rows[i].xml, strlen(rows[i].xml), &err);

		if (rows[i].canonical == NULL) {
			CU_ASSERT_EQUAL(rc, WF_INVALID);
			continue;
		}
		CU_ASSERT_EQUAL_FATAL(rc, WF_OK);
		CU_ASSERT_STRING_EQUAL(wf_value_text(value), rows[i].canonical);
		wf_value_unref(&value);
	}
}

static const struct {
	const char *xml;
	const char *root; /* NULL: refused */
	const char *values;
} lists[] = {
	{ "<net/>", "net", "" },
	{ "<net></net>", "net", "" },
	{ "<net> </net>", "net", "" },
	{ "<net><a>1</a></net>", "net", "<a>1</a>;" },
	{ "<net>\n <a> 1 </a>\n <b><c/> </b>\n</net>\n", "net",
	    "<a> 1 </a>;<b><c/></b>;" },
	{ "<net a='1'><a b='2'>1</a><!-- c --><b/></net>", "net",
	    "<a>1</a>;<b/>;" },
	{ "<p:net xmlns:p='u'><a/></p:net>", "net", "<a/>;" },
	{ "<net xmlns='u'><a><c/></a><b/></net>", "net",
	    "<a xmlns=\"u\"><c/></a>;<b xmlns=\"u\"/>;" },
	{ "<net xmlns:p='u'><p:a><p:b/></p:a></net>", "net",
	    "<p:a xmlns:p=\"u\"><p:b/></p:a>;" },
	{ "<net>text</net>", NULL, NULL },
	{ "<net><a/>text</net>", NULL, NULL },
	{ "<net><a/>&amp;<b/></net>", NULL, NULL },
	{ "<net><a/></nets>", NULL, NULL },
	{ "<net><a/></net><b/>", NULL, NULL },
	{ "<net><a/>", NULL, NULL },
	{ "", NULL, NULL },
};

static void test_lists(void)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct wf_error err = { .rc = WF_OK };
		struct wf_value_list list;
		struct wf_buffer text;
		enum wf_rc rc = wf_value_list_parse(
		    &list, lists[i].xml, strlen(lists[i].xml), &err);

		if (lists[i].root == NULL) {
			CU_ASSERT_EQUAL(rc, WF_INVALID);
			CU_ASSERT_EQUAL(list.count, 0);
			continue;
		}
		CU_ASSERT_EQUAL_FATAL(rc, WF_OK);
		CU_ASSERT_STRING_EQUAL(list.root, lists[i].root);
		wf_buffer_init(&text, 1000);
		for (size_t j = 0; j < list.count; j++)
			wf_buffer_printf(
			    &text, "%s;", wf_value_text(list.values[j]));
		CU_ASSERT_STRING_EQUAL(wf_buffer_text(&text), lists[i].values);
		wf_buffer_free(&text);
		wf_value_list_free(&list);
	}
}

static void test_list_limit(void)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_value_list list;
	struct wf_buffer xml;

	wf_buffer_init(&xml, SIZE_MAX / 2);
	wf_buffer_puts(&xml, "<net>");
	for (unsigned i = 0; i < WF_VALUE_CHILDREN; i++)
		wf_buffer_puts(&xml, "<a/>");
	wf_buffer_puts(&xml, "</net>");
	CU_ASSERT_EQUAL(
	    wf_value_list_parse(&list, xml.data, xml.length, &err), WF_OK);
	CU_ASSERT_EQUAL(list.count, WF_VALUE_CHILDREN);
	wf_value_list_free(&list);
	xml.length -= strlen("</net>");
	wf_buffer_puts(&xml, "<a/></net>");
	CU_ASSERT_EQUAL(
	    wf_value_list_parse(&list, xml.data, xml.length, &err), WF_LIMIT);
	CU_ASSERT_EQUAL(list.count, 0);
	wf_buffer_free(&xml);
}

static void test_objects(void)
{
	struct wf_value *a = wf_value_new_text("x", "1 < 2 > & \r\"", 12);
	struct wf_value *b = wf_value_new_text("x", "", 0);
	struct wf_value *same = wf_value_ref(a);
	bool markup = true;
	size_t length;

	CU_ASSERT_STRING_EQUAL(
	    wf_value_text(a), "<x>1 &lt; 2 &gt; &amp; &#13;\"</x>");
	CU_ASSERT_EQUAL(
	    memcmp(wf_value_content(a, &length, &markup), "1 &lt;", 6), 0);
	CU_ASSERT_EQUAL(length, strlen("1 &lt; 2 &gt; &amp; &#13;\""));
	CU_ASSERT_FALSE(markup);
	CU_ASSERT_STRING_EQUAL(wf_value_text(b), "<x/>");
	CU_ASSERT(wf_value_is_empty(b) && !wf_value_is_empty(a));
	CU_ASSERT(wf_value_is_named(a, "x") && !wf_value_is_named(a, "xy"));
	CU_ASSERT(wf_value_equal(a, same) && !wf_value_equal(a, b));
	wf_value_content(b, &length, &markup);
	CU_ASSERT_EQUAL(length, 0);
	CU_ASSERT_EQUAL(a->references, 2);
	wf_value_unref(&same);
	CU_ASSERT_PTR_NULL(same);
	wf_value_unref(&a);
	wf_value_unref(&a);
	wf_value_make_permanent(b);
	same = wf_value_ref(b);
	wf_value_unref(&same);
	wf_value_free_permanent(&b);
	CU_ASSERT_PTR_NULL(b);
	CU_ASSERT_PTR_NULL(wf_value_ref(NULL));
}

static void test_canonical(void)
{
	static const char *const good[] = { "<x/>", "<x>1</x>", "<x><y/></x>",
		"<x xmlns=\"u\"/>", "<p:x xmlns:p=\"u/\"> </p:x>" };
	static const char *const bad[] = { "", "<x>", "<>1</>", "<x>1</y>",
		"x<x/>", "<x></y/>", "<x y</x>", "</x>", "<x>1</x>\n",
		"<x/></x/>", "<x></x>", "<x></x></x>", "<x><y></x>", "<x><y/>",
		"<x>&</x>", "<x>a\0</x>", "<x a=\"1\"/>", "<x >1</x>",
		"<x>\xFF</x>", "<x><y/> </x>", "<x><!-- --></x>", "<p:x/>",
		"<x xmlns=\"/>", "<x xmlns/>", "<x xmlns=u/>" };

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct wf_value *value;
		size_t length;

		CU_ASSERT_EQUAL_FATAL(wf_value_from_canonical(&value, good[i],
					  strlen(good[i]), NULL),
		    WF_OK);
		CU_ASSERT_STRING_EQUAL(wf_value_text(value), good[i]);
		CU_ASSERT_PTR_NOT_NULL(wf_value_content(value, &length, NULL));
		wf_value_unref(&value);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wf_value *value;

		CU_ASSERT_EQUAL(wf_value_from_canonical(
				    &value, bad[i], strlen(bad[i]), NULL),
		    WF_CORRUPT);
	}
}

static void test_tree(void)
{
	static const struct row rows[] = {
		{ "<x/>", "<x/>" },
		{ "<x>a &lt;&gt;&amp;\"' b</x>",
		    "<x>a &lt;&gt;&amp;\"' b</x>" },
		{ "<x>&#13;</x>", "<x>&#13;</x>" },
		{ "<x>a<y> </y>b<z>1</z></x>", "<x>a<y> </y>b<z>1</z></x>" },
		{ "<p:x xmlns:p='u'><p:y><z/></p:y></p:x>",
		    "<p:x xmlns:p=\"u\"><p:y><z/></p:y></p:x>" },
		{ "<x xmlns='u'><y xmlns=''/></x>",
		    "<x xmlns=\"u\"><y xmlns=\"\"/></x>" },
		{ "<xml:x/>", "<xml:x/>" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wf_value *value;
		xmlBuffer *text = xmlBufferCreate();
		xmlDoc *tree;

		CU_ASSERT_EQUAL_FATAL(wf_value_parse(&value, rows[i].xml,
					  strlen(rows[i].xml), NULL),
		    WF_OK);
		tree = wf_tree_build(&value, 1, NULL);
		xmlNodeDump(text, tree, xmlDocGetRootElement(tree), 0, 0);
		CU_ASSERT_STRING_EQUAL(
		    (const char *)xmlBufferContent(text), rows[i].canonical);
		xmlFreeDoc(tree);
		xmlBufferFree(text);
		wf_value_unref(&value);
	}
}

/* A net document: its root, its values, and their places. */
static void test_tree_of_many(void)
{
	static const char xml[] =
	    "<net><a>1</a><b xmlns='u:a&amp;b'>2\n3<c/></b></net>";
	struct wf_value *values[3] = { NULL };
	struct wf_value_list list;
	const xmlNode *node;
	xmlDoc *tree;

	CU_ASSERT_EQUAL_FATAL(
	    wf_value_list_parse(&list, xml, strlen(xml), NULL), WF_OK);
	values[0] = list.values[0];
	values[2] = list.values[1];
	tree = wf_tree_build(values, 3, "net");
	node = xmlDocGetRootElement(tree);
	CU_ASSERT_STRING_EQUAL((const char *)node->name, "net");
	CU_ASSERT_PTR_NULL(node->children->ns);
	node = node->last;
	CU_ASSERT_STRING_EQUAL((const char *)node->name, "b");
	CU_ASSERT_STRING_EQUAL((const char *)node->ns->href, "u:a&b");
	CU_ASSERT_EQUAL(node->line, 1);
	CU_ASSERT_STRING_EQUAL((const char *)node->children->content, "2\n3");
	CU_ASSERT_EQUAL(node->last->line, 2);
	CU_ASSERT_PTR_EQUAL(node->last->ns, node->ns);
	CU_ASSERT_PTR_EQUAL(node->last->parent, node);
	CU_ASSERT_PTR_EQUAL(node->last->prev, node->children);
	xmlFreeDoc(tree);
	wf_value_list_free(&list);
	tree = wf_tree_build(NULL, 0, "net");
	CU_ASSERT_PTR_NULL(xmlDocGetRootElement(tree)->children);
	xmlFreeDoc(tree);
}

static void test_lines(void)
{
	static const char text[] = "<a>\n<!-- <x/> -->\n<b>1</b><c\n  y='2'/>"
				   "<![CDATA[<d>]]>\n\n<e/></a>";
	static const int lines[] = { 1, 3, 4, 6, 0 };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		CU_ASSERT_EQUAL(wf_value_line(text, strlen(text), i), lines[i]);
	CU_ASSERT_EQUAL(wf_value_line("<a", 2, 0), 0);
}

/* A value may contain a text that exceeds libxml2's default limit. */
static void test_line_of_large(void)
{
	struct wf_buffer text;

	wf_buffer_init(&text, WF_VALUE_BYTES);
	wf_buffer_puts(&text, "<a>\n<b>");
	for (int i = 0; i < 1100; i++)
		wf_buffer_printf(&text, "%*s", 10000, "x");
	wf_buffer_puts(&text, "</b>\n<c/></a>");
	CU_ASSERT_FALSE(text.full);
	CU_ASSERT_EQUAL(
	    wf_value_line(wf_buffer_text(&text), text.length, 2), 3);
	wf_buffer_free(&text);
}

CU_TestInfo wf_tests_value[] = {
	{ "documents become canonical text or are refused", test_parse },
	{ "errors have their place", test_place },
	{ "depth and size are limited", test_limits },
	{ "text may grow when it is escaped", test_growth },
	{ "content of a specification's initial values", test_content },
	{ "lists of values", test_lists },
	{ "lists are limited", test_list_limit },
	{ "references, names and content", test_objects },
	{ "stored text is checked before it is trusted", test_canonical },
	{ "a tree has what the text has", test_tree },
	{ "a tree of several values", test_tree_of_many },
	{ "the lines of elements in a text", test_lines },
	{ "elements behind a large text have a line", test_line_of_large },
	CU_TEST_INFO_NULL,
};

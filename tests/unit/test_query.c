/* SPDX-License-Identifier: Apache-2.0 */
/* XQuery: results, errors and their places, mappings. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "data/query.h"

extern CU_TestInfo wf_tests_query[];

static const struct wf_evaluation plain = { .now = 0 };

/* ---- results without a context ---- */

struct row {
	const char *query;
	const char *result;
};

static const struct row results[] = {
	/* Operators. */
	{ "1 + 2 * 3 - 4", "3" },
	{ "7 idiv 2, 7 mod 2, 7 div 2", "3 1 3.5" },
	{ "--1, -(2), +3", "1 -2 3" },
	{ "1 to 4", "1 2 3 4" },
	{ "4 to 1", "" },
	{ "1 eq 1 and 2 > 1 or 1 div 0 = 1", "true" },
	{ "(1, 2) = (2, 3), (1, 2) != (1, 2)", "true true" },
	{ "'a' || 'b' || 1", "ab1" },
	{ "(1, 2, 3) ! (. * 2)", "2 4 6" },
	/* Comments and names that look like keywords. */
	{ "(: a (: nested :) comment :) 1", "1" },
	{ "<for>{let $return := 1 return $return}</for>", "<for>1</for>" },
	{ "let $x := <div><div>4</div></div> return $x/div div 2", "2" },
	{ "<a><if/></a>/if", "<if/>" },
	/* FLWOR. */
	{ "for $x at $p in ('a', 'b') return concat($p, $x)", "1a 2b" },
	{ "for $x in (1, 2), $y in (1, 2) where $x < $y return $x + $y", "3" },
	{ "for $x in (2, 3, 1) order by $x descending return $x", "3 2 1" },
	{ "for $x in (<a/>, <a>1</a>) order by $x/text() empty greatest "
	  "return count($x/text())",
	    "1 0" },
	{ "for $x in (1, 2, 3, 4) let $y := $x * $x order by $x mod 2, $y "
	  "descending return $y",
	    "16 4 9 1" },
	{ "for $x in (1, 2, 3) group by $k := $x mod 2 order by $k "
	  "return <g k='{$k}'>{$x}</g>",
	    "<g k=\"0\">2</g><g k=\"1\">1 3</g>" },
	{ "for $x in (5, 6) count $c return $c", "1 2" },
	{ "some $x in (1, 2), $y in (2, 3) satisfies $x = $y", "true" },
	{ "every $x in () satisfies false()", "true" },
	/* Choices and types. */
	{ "if (()) then 1 else 2", "2" },
	{ "typeswitch (<a/>) case xs:integer return 1 "
	  "case $e as element() return name($e) default return 3",
	    "a" },
	{ "switch (2) case 1 case 2 return 'x' default return 'y'", "x" },
	{ "try { try { error(xs:QName('err:A')) } catch * { 1 }, 1 div 0 } "
	  "catch err:A { 'wrong' } catch err:FOAR0001 { 'right' }",
	    "right" },
	{ "try { 1, 1 div 0 } catch * { $err:line-number, "
	  "$err:column-number instance of xs:integer, $err:module, "
	  "$err:additional }",
	    "1 true" },
	{ "try { 1 div 0 } catch err:FOAR0001 { 'zero' } catch * { 'other' }",
	    "zero" },
	{ "try { error(xs:QName('local:e'), 'text') } "
	  "catch local:e { $err:description }",
	    "text" },
	{ "1 instance of xs:integer, (1, 2) instance of xs:decimal+, "
	  "() instance of empty-sequence()",
	    "true true true" },
	{ "'1' cast as xs:integer + 1, 'x' castable as xs:integer", "2 false" },
	{ "xs:date('2024-02-29') + xs:yearMonthDuration('P1Y')", "2025-02-28" },
	{ "typeswitch (1) case xs:string | xs:integer return 'u' default "
	  "return 'd'",
	    "u" },
	/* Constructors. */
	{ "<a b='1{1 + 1}3' c=\"{{&lt;}}\">{1, 2}{3}t</a>",
	    "<a b=\"123\" c=\"{&lt;}\">1 23t</a>" },
	{ "<a> <b/> {1} </a>", "<a><b/>1</a>" },
	{ "declare boundary-space preserve; <a> <b/> </a>", "<a> <b/> </a>" },
	{ "<a>&#32;<![CDATA[<&]]>{' '}</a>", "<a> &lt;&amp; </a>" },
	{ "<p:a xmlns:p='u'><p:b/></p:a>", "<p:a xmlns:p=\"u\"><p:b/></p:a>" },
	{ "<a xmlns='u'>{<b xmlns=''/>}</a>",
	    "<a xmlns=\"u\"><b xmlns=\"\"/></a>" },
	{ "element { concat('a', 1) } { attribute b { 2 }, text { 3 } }",
	    "<a1 b=\"2\">3</a1>" },
	{ "<!-- c --> , <?p i?>, comment { 1 }, processing-instruction q { 2 }",
	    "<!-- c --><?p i?><!--1--><?q 2?>" },
	{ "document { <a/>, 'b' }", "<a/>b" },
	/* Paths. */
	{ "<a><b>1</b><c><b>2</b></c></a>//b/text()", "12" },
	{ "<a><b x='1'/><b x='2'/></a>/b[@x = 2]/@x/string()", "2" },
	{ "<a><b/><c/><b/></a>/*[last()]/name()", "b" },
	{ "let $x := <a><b/><c/></a> return $x/c/preceding-sibling::*",
	    "<b/>" },
	{ "let $x := <a><b><c/></b></a> return count($x//c/ancestor::*)", "2" },
	{ "let $x := <a><b/><c/></a> return ($x/c, $x/b, $x/c)/.", "<b/><c/>" },
	{ "let $x := <a><b/><c/></a> return ($x/* except $x/b)", "<c/>" },
	{ "let $x := <a/>, $y := <b/> return ($x << $y, $x is $x)",
	    "true true" },
	{ "<a><b>1</b><b>2</b></a>/sum(b)", "3" },
	{ "let $x := <a>{for $i in 1 to 9 return <b>{$i}</b>}</a> "
	  "return sum($x/b[. > 3][2] | $x/b[8] | $x/b[5])",
	    "13" },
	{ "for $i in 1 to 3 let $s := 1 to $i return sum(($s, $s[2]))",
	    "1 5 8" },
	{ "let $x := <a xmlns:p='u'/> return <b>{$x}</b>",
	    "<b><a xmlns:p=\"u\"/></b>" },
	{ "declare copy-namespaces no-preserve, inherit; "
	  "let $x := <a xmlns:p='u'/> return <b>{$x}</b>",
	    "<b><a/></b>" },
	/* The prolog. */
	{ "declare variable $x := 2; declare function local:f($n as xs:integer)"
	  " as xs:integer { if ($n = 0) then 1 else $n * local:f($n - 1) };"
	  " local:f($x + 1)",
	    "6" },
	{ "declare variable $x := local:f(); declare variable $y := <y/>; "
	  "declare function local:f() { <x/> }; ($y, $x)/.",
	    "<x/><y/>" },
	{ "declare context item := <a><b/></a>; b", "<b/>" },
	{ "declare default element namespace 'u'; <a/>/self::a instance of "
	  "element(a)",
	    "true" },
	{ "declare namespace p = 'u'; <a xmlns='u'/>/self::p:a/local-name()",
	    "a" },
	/* Functions on sequences and nodes. */
	{ "sum((1, 2.5)), avg((1, 2)), max((1, 3)), min(('b', 'a'))",
	    "3.5 1.5 3 a" },
	{ "distinct-values((1, 1.0, '1'))", "1 1" },
	{ "subsequence(1 to 5, 2, 2), remove((1, 2), 1), reverse((1, 2))",
	    "2 3 2 2 1" },
	{ "deep-equal(<a b='1' c='2'/>, <a c='2' b='1'/>)", "true" },
	{ "string-join(('a', 'b'), '-')", "a-b" },
	{ "string-join((1, 2.5, true(), <a>x</a>), '-')", "1-2.5-true-x" },
	{ "substring('abc', 0.49999999999999994e0, 1)", "" },
	{ "lower-case('\u039F\u0394\u039F\u03A3 \u03A3 \u03A3\u0391\u03A3.')",
	    "\u03BF\u03B4\u03BF\u03C2 \u03C3 \u03C3\u03B1\u03C2." },
	{ "lower-case('\u0391\u03A3\u2019\u0391')",
	    "\u03B1\u03C3\u2019\u03B1" },
	{ "for $x in (xs:hexBinary('ff'), xs:hexBinary('0a')) order by $x "
	  "return string($x)",
	    "0A FF" },
	{ "min((xs:hexBinary('ff'), xs:hexBinary('0a'))), "
	  "xs:base64Binary('/w==') gt xs:base64Binary('AAAA')",
	    "0A true" },
	{ "declare namespace math = "
	  "'http://www.w3.org/2005/xpath-functions/math'; "
	  "math:exp10(-1), math:exp10(3)",
	    "0.1 1000" },
	{ "sort((3, 1, 2)), trace(4), ('b', 'a') => sort() => string-join()",
	    "1 2 3 4 ab" },
	{ "contains-token('a bc', ' bc '), contains-token('abc', 'bc')",
	    "true false" },
	{ "unparsed-text-available('/etc/passwd'), "
	  "available-environment-variables(), doc-available('/etc/passwd')",
	    "false false" },
	/* Pictures. */
	{ "format-number(1234567.891, '#,##0.00')", "1,234,567.89" },
	{ "format-number(-0.125, '0.0%;(0.0%)')", "(12.5%)" },
	{ "format-number(123456789, '###,##,00')", "12345,67,89" },
	{ "format-number(1e25, '#')", "10000000000000000000000000" },
	{ "format-number(6e-7, '0.0000'), format-number((), '0')",
	    "0.0000 NaN" },
	{ "format-number(12345, '0.00e0'), format-number(9.99, '0.0e00')",
	    "1.23e4 10.0e00" },
	{ "format-number(0, '#.##e0'), format-number(99.995, '#.##e0')",
	    "0e1 1e2" },
	{ "declare decimal-format local:de decimal-separator=',' "
	  "grouping-separator='.'; format-number(1234.5, '#.##0,00', "
	  "'local:de')",
	    "1.234,50" },
	{ "format-integer(1234, '#,##0'), format-integer(14, 'I'), "
	  "format-integer(28, 'a'), format-integer(21, 'w'), "
	  "format-integer(22, '1;o'), format-integer(112, 'Ww;o')",
	    "1,234 XIV ab twenty one 22nd One Hundred And Twelfth" },
	{ "format-date(xs:date('2024-02-29'), "
	  "'[FNn], [D1o] [MNn,*-3] [Y] [[[W01]/[d]]] [E]')",
	    "Thursday, 29th Feb 2024 [09/60] ad" },
	{ "format-dateTime(xs:dateTime('2000-01-01T00:05:06.789+02:00'), "
	  "'[Y0001]-[M01]-[D01] [h]:[m01] [P] [H01] [s].[f001] [Z] [z0]')",
	    "2000-01-01 12:05 am 00 06.789 +02:00 GMT+2" },
	{ "format-time(xs:time('13:00:00Z'), '[H]:[m][ZZ]')", "13:00Z" },
	{ "analyze-string('a1', '\\d')/*/name()", "non-match match" },
	{ "analyze-string('a1', '([a-z])(\\d)')//*:group/@nr/string()", "1 2" },
	/* Windows. */
	{ "for tumbling window $w in 1 to 5 start at $s when true() "
	  "end at $e when $e - $s = 1 return string-join($w ! string(), '+')",
	    "1+2 3+4 5" },
	{ "for sliding window $w in 1 to 4 start $a when $a mod 2 = 1 only end "
	  "$b next $n when $b = $a + 1 return <w n='{$n}'>{$w}</w>",
	    "<w n=\"3\">1 2</w><w n=\"\">3 4</w>" },
	{ "for tumbling window $w in (1, 2, 7, 8) start $s when $s mod 7 = 0 "
	  "or $s = 1 order by $w[1] descending return sum($w)",
	    "15 3" },
};

static void evaluates(void)
{
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		struct wf_query *query = NULL;
		struct wf_buffer text;
		struct wf_error err;

		memset(&err, 0, sizeof(err));
		wf_buffer_init(&text, 65536);
		if (wf_query_compile(&query, results[i].query, NULL, 0, &err) ==
		    WF_OK)
			(void)!wf_query_run(query, NULL, &plain, &text, &err);
		if (err.rc != WF_OK ||
		    strcmp(wf_buffer_text(&text), results[i].result) != 0)
			printf("\n%s\n  gives %s %s %s", results[i].query,
			    wf_buffer_text(&text), err.code, err.message);
		CU_ASSERT_EQUAL(err.rc, WF_OK);
		CU_ASSERT_STRING_EQUAL(
		    wf_buffer_text(&text), results[i].result);
		wf_buffer_free(&text);
		wf_query_free(&query);
	}
}

/* ---- errors ---- */

static const struct {
	const char *query;
	const char *code;
	int line;
	int column;
} errors[] = {
	{ "1 +", "XPST0003", 1, 4 },
	{ "1 +\n  )", "XPST0003", 2, 3 },
	{ "for $x in 1", "XPST0003", 1, 12 },
	{ "<a></b>", "XPST0003", 1, 4 },
	{ "<Q{u}a/>", "XPST0003", 1, 3 },
	{ "<a Q{u}b='1'/>", "XPST0003", 1, 5 },
	{ "<a>{1}", "XPST0003", 1, 7 },
	{ "'a", "XPST0003", 1, 1 },
	{ "(: open", "XPST0003", 1, 1 },
	{ "1 = 2 = 3", "XPST0003", 1, 7 },
	{ "$x", "XPST0008", 1, 1 },
	{ "random()", "XPST0017", 1, 1 },
	{ "count()", "XPST0017", 1, 1 },
	{ "p:a", "XPST0081", 1, 1 },
	{ "1 cast as xs:nothing", "XQST0052", 1, 11 },
	{ "declare variable $x := 1; declare variable $x := 2; 1", "XQST0049",
	    1, 44 },
	{ "declare function local:f() { 1 }; declare function local:f() { 1 }; "
	  "1",
	    "XQST0034", 1, 52 },
	{ "<a b='1' b='2'/>", "XQST0040", 1, 10 },
	{ "<a xmlns:p='{1}'/>", "XQST0022", 1, 4 },
	{ "declare variable $x := local:f(); "
	  "declare function local:f() { $x }; $x",
	    "XQDY0054", 1, 64 },
	{ "validate { <a/> }", "XQST0075", 1, 1 },
	{ "\nxs:integer('x')", "FORG0001", 2, 1 },
	{ "1 + 'a'", "XPTY0004", 1, 3 },
	{ ".", "XPDY0002", 1, 1 },
	{ "(1)/a", "XPTY0019", 1, 1 },
	{ "<a>{1, attribute b {}}</a>", "XQTY0024", 1, 1 },
	{ "format-number(1, '#,,')", "FODF1310", 1, 1 },
	{ "format-number(1, '0', 'none')", "FODF1280", 1, 1 },
	{ "declare default decimal-format zero-digit='1'; 1", "XQST0097", 1,
	    32 },
	{ "declare default decimal-format percent='.'; 1", "XQST0098", 1, 32 },
	{ "format-date(xs:date('2000-01-01'), '[H]')", "FOFD1350", 1, 1 },
	{ "format-date(xs:date('2000-01-01'), '[Q]')", "FOFD1340", 1, 1 },
	{ "format-integer(1, '0#')", "FODF1310", 1, 1 },
	{ "unparsed-text('/etc/passwd')", "FOUT1170", 1, 1 },
	{ "for tumbling window $w in 1 start $w when 1 return 1", "XQST0103", 1,
	    5 },
	{ "declare variable $x := 1 div 0; try { $x } catch * { 1 }",
	    "FOAR0001", 1, 26 },
};

static void reports_errors(void)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct wf_query *query = NULL;
		struct wf_buffer text;
		struct wf_error err;

		memset(&err, 0, sizeof(err));
		wf_buffer_init(&text, 65536);
		if (wf_query_compile(&query, errors[i].query, NULL, 0, &err) ==
		    WF_OK)
			(void)!wf_query_run(query, NULL, &plain, &text, &err);
		if (err.place.column != errors[i].column)
			printf("\n%s\n  fails at %d:%d, %s: %s",
			    errors[i].query, err.place.line, err.place.column,
			    err.code, err.message);
		CU_ASSERT_EQUAL(err.rc, WF_DATA);
		CU_ASSERT_STRING_EQUAL(err.code, errors[i].code);
		CU_ASSERT_EQUAL(err.place.line, errors[i].line);
		CU_ASSERT_EQUAL(err.place.column, errors[i].column);
		wf_buffer_free(&text);
		wf_query_free(&query);
	}
}

/* ---- mappings ---- */

static const char *const data[] = { "<x>1</x>", "<e/>",
	"<items><i>1</i><i>2</i></items>", "<mixed>a<b/>c</mixed>",
	"<text>&lt;&amp;</text>", "<n xmlns=\"u\"><m>7</m></n>",
	"<deep><i><j>5</j></i><k/></deep>" };

#define DATA_COUNT (sizeof(data) / sizeof(data[0]))

static struct wf_value *values[DATA_COUNT];
static const struct wf_document document = { "net", values, DATA_COUNT };

static void set_up(void)
{
	for (size_t i = 0; i < DATA_COUNT; i++)
		CU_ASSERT_EQUAL_FATAL(
		    wf_value_parse(&values[i], data[i], strlen(data[i]), NULL),
		    WF_OK);
}

static void tear_down(void)
{
	for (size_t i = 0; i < DATA_COUNT; i++)
		wf_value_unref(&values[i]);
}

static const struct row mappings[] = {
	{ "<y>{/net/x/text()}</y>", "<y>1</y>" },
	{ "<y>{/net/x/*}</y>", "<y/>" },
	{ "<y>{/net/items/*}</y>", "<y><i>1</i><i>2</i></y>" },
	{ "<y>{/net/items/text()}</y>", "<y/>" },
	{ "<y>{/net/mixed/text()}</y>", "<y>ac</y>" },
	{ "<y>{/net/mixed/*}</y>", "<y><b/></y>" },
	{ "<y>{/net/mixed/node()}</y>", "<y>a<b/>c</y>" },
	{ "<y>{/net/text/text()}</y>", "<y>&lt;&amp;</y>" },
	{ "<y>{/net/e/text()}</y>", "<y/>" },
	{ "<y>{/net/none/text()}</y>", "<y/>" },
	{ "<y>{/other/x/text()}</y>", "<y/>" },
	{ "<y>{/net/n/text()}</y>", "<y/>" },
	{ "<y>{/net/*:n/*}</y>", "<y><m xmlns=\"u\">7</m></y>" },
	{ "<y>{/net/deep/*}</y>", "<y><i><j>5</j></i><k/></y>" },
	{ "/net/x", "<x>1</x>" },
	{ "/net/none", NULL },
	{ "<y>abc</y>", "<y>abc</y>" },
	{ "<y/>", "<y/>" },
	{ "<y><z>&lt;</z> </y>", "<y><z>&lt;</z></y>" },
	{ "<y>{' '}<z/></y>", "<y><z/></y>" },
	{ "<y> {1} </y>", "<y>1</y>" },
	{ "<y a='1'><!-- c --></y>", "<y/>" },
	{ "<p:y xmlns:p='u' xmlns:q='v'><p:z/></p:y>",
	    "<p:y xmlns:p=\"u\"><p:z/></p:y>" },
	{ "<y>P{/net/x/text()}D</y>", "<y>P1D</y>" },
	{ "<y>{/net/x} {/net/e}</y>", "<y><x>1</x><e/></y>" },
	{ "<y>{number(/net/x/text())}</y>", "<y>1</y>" },
	{ "<y>{number(/net/e)}</y>", "<y>NaN</y>" },
	{ "<y>{/net/x + 1}</y>", "<y>2</y>" },
	{ "<y>{count(/net/items/*)}</y>", "<y>2</y>" },
	{ "<y>{fn:boolean(/net/x/text())}</y>", "<y>true</y>" },
	{ "<y>{for $d in /net/items/i where $d > 1 return $d/text()}</y>",
	    "<y>2</y>" },
	{ "<y>{if (/net/e/text()) then 1 else /net/x/text()}</y>", "<y>1</y>" },
	{ "<y>{/net/items/sum(i)}</y>", "<y>3</y>" },
	{ "<y>{//j/text()}</y>", "<y>5</y>" },
	{ "<y>{fn:current-date()}</y>", "<y>1970-01-01Z</y>" },
	{ "document { <y>1</y> }", "<y>1</y>" },
	/* Values become trees piece by piece: order, copies, namespaces. */
	{ "<y>{(/net/deep/i, /net/items/i)/.}</y>",
	    "<y><i>1</i><i>2</i><i><j>5</j></i></y>" },
	{ "<y>{let $c := <c>{/net/deep, /net/items}</c> "
	  "return ($c/items/i[2], $c//k, $c//j)/. ! string()}</y>",
	    "<y>5  2</y>" },
	{ "<y>{let $c := <c>{/net/deep/i}</c>, $d := <d>{$c/i, $c/i}</d> "
	  "return count($d//j | $c//j | /net/deep/i/j)}</y>",
	    "<y>4</y>" },
	{ "<y>{/net/*:n/*:m/namespace-uri()}</y>", "<y>u</y>" },
	{ "<y>{let $c := <c>{/net/*:n/*:m}</c> return $c}</y>",
	    "<y><c><m xmlns=\"u\">7</m></c></y>" },
	{ "<y xmlns='v'>{/net/deep}</y>", "<y xmlns=\"v\"/>" },
	{ "<y>{string(/net/mixed), string(/net/deep), /net/text}</y>",
	    "<y>ac 5<text>&lt;&amp;</text></y>" },
	{ "<y>{for $n in /net/mixed/node() return <z>{$n}</z>}</y>",
	    "<y><z>a</z><z><b/></z><z>c</z></y>" },
	{ "<y>{//*[. = '5'][not(*)]}</y>", "<y><j>5</j></y>" },
	{ "<y>{//i[1]}</y>", "<y><i>1</i><i><j>5</j></i></y>" },
};

/* The result of the query, and whether it can be read again unchanged. */
static void check_mapping(const char *text, const char *wanted)
{
	struct wf_query *query = NULL;
	struct wf_value *value = NULL;
	struct wf_value *again = NULL;
	struct wf_error err;

	memset(&err, 0, sizeof(err));
	if (wf_query_compile(&query, text, NULL, 0, &err) == WF_OK)
		(void)!wf_query_element(query, &document, &plain, &value, &err);
	if (err.rc != WF_OK)
		printf("\n%s: %s", text, err.message);
	CU_ASSERT_EQUAL(err.rc, WF_OK);
	CU_ASSERT_EQUAL(value == NULL, wanted == NULL);
	if (value != NULL && wanted != NULL) {
		if (strcmp(wf_value_text(value), wanted) != 0)
			printf("\n%s\n  gives %s", text, wf_value_text(value));
		CU_ASSERT_STRING_EQUAL(wf_value_text(value), wanted);
		CU_ASSERT_EQUAL(wf_value_parse(&again, wf_value_text(value),
				    value->length, NULL),
		    WF_OK);
		CU_ASSERT_STRING_EQUAL(wf_value_text(again), wanted);
	}
	wf_value_unref(&again);
	wf_value_unref(&value);
	wf_query_free(&query);
}

static void maps(void)
{
	char other[512];

	set_up();
	for (size_t i = 0; i < sizeof(mappings) / sizeof(mappings[0]); i++) {
		check_mapping(mappings[i].query, mappings[i].result);
		/* The same by way of trees, even where a shorter way exists. */
		snprintf(other, sizeof(other), "(%s, ())", mappings[i].query);
		check_mapping(other, mappings[i].result);
	}
	tear_down();
}

/* Text that is copied unchanged counts with all the elements in it. */
static void refuses_deep_results(void)
{
	struct wf_value *value = NULL;
	struct wf_query *query = NULL;
	struct wf_value *result = NULL;
	const struct wf_document deep = { "net", &value, 1 };
	struct wf_buffer text;

	wf_buffer_init(&text, 65536);
	for (int i = 0; i < 200; i++)
		wf_buffer_puts(&text, "<a>");
	for (int i = 0; i < 200; i++)
		wf_buffer_puts(&text, "</a>");
	CU_ASSERT_EQUAL_FATAL(
	    wf_value_parse(&value, wf_buffer_text(&text), text.length, NULL),
	    WF_OK);
	wf_buffer_reset(&text);
	for (int i = 0; i < 100; i++)
		wf_buffer_puts(&text, "<b>{");
	wf_buffer_puts(&text, "/net/a");
	for (int i = 0; i < 100; i++)
		wf_buffer_puts(&text, "}</b>");
	CU_ASSERT_EQUAL_FATAL(
	    wf_query_compile(&query, wf_buffer_text(&text), NULL, 0, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(
	    wf_query_element(query, &deep, &plain, &result, NULL), WF_LIMIT);
	CU_ASSERT_PTR_NULL(result);
	wf_buffer_free(&text);
	wf_value_unref(&value);
	wf_query_free(&query);
}

static void refuses_other_results(void)
{
	static const char *const queries[] = { "1", "<a/>, <b/>", "<a/>, 'x'",
		"/net/items/i", "'text'", "/net/x/text()",
		"<a/>, attribute b {}", "document { 'x', <a/> }",
		"<a xmlns='no uri'/>" };

	set_up();
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		struct wf_query *query = NULL;
		struct wf_value *value = NULL;

		CU_ASSERT_EQUAL(
		    wf_query_compile(&query, queries[i], NULL, 0, NULL), WF_OK);
		CU_ASSERT_EQUAL(
		    wf_query_element(query, &document, &plain, &value, NULL),
		    WF_DATA);
		CU_ASSERT_PTR_NULL(value);
		wf_query_free(&query);
	}
	tear_down();
}

static void splits(void)
{
	struct wf_query *query = NULL;
	struct wf_value_list list;

	set_up();
	CU_ASSERT_EQUAL(wf_query_compile(&query,
			    "for $d in /net/items/* return $d", NULL, 0, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(
	    wf_query_elements(query, &document, &plain, 10, &list, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(list.count, 2);
	CU_ASSERT_STRING_EQUAL(wf_value_text(list.values[1]), "<i>2</i>");
	wf_value_list_free(&list);
	CU_ASSERT_EQUAL(
	    wf_query_elements(query, &document, &plain, 1, &list, NULL),
	    WF_LIMIT);
	wf_query_free(&query);
	tear_down();
}

static void decides(void)
{
	static const struct {
		const char *query;
		bool holds;
	} rows[] = {
		{ "true()", true },
		{ "fn:false()", false },
		{ "/net/x/text()='1' and /net/e", true },
		{ "/net/none", false },
		{ "/net/x >= 10000", false },
		{ "/net/x < '2'", true },
		{ "/net/e/text()", false },
		{ "count(/net/items/*) > 0", true },
		{ "exists(/net/items/i) and empty(/net/none)", true },
	};

	set_up();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wf_query *query = NULL;
		bool holds = !rows[i].holds;

		CU_ASSERT_EQUAL(
		    wf_query_compile(&query, rows[i].query, NULL, 0, NULL),
		    WF_OK);
		CU_ASSERT_EQUAL(
		    wf_query_boolean(query, &document, &plain, &holds, NULL),
		    WF_OK);
		CU_ASSERT_EQUAL(holds, rows[i].holds);
		wf_query_free(&query);
	}
	tear_down();
}

static void gives_text(void)
{
	static const char *const names[] = { "a", "b" };
	static const char *const contents[] = { "1", "two" };
	struct wf_evaluation how = { .variables = contents };
	struct wf_query *query = NULL;
	struct wf_buffer text;

	set_up();
	wf_buffer_init(&text, 1024);
	CU_ASSERT_EQUAL(
	    wf_query_compile(&query, "$a + 1, $b, /net/x", names, 2, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(
	    wf_query_string(query, &document, &how, &text, NULL), WF_OK);
	CU_ASSERT_STRING_EQUAL(wf_buffer_text(&text), "2 two 1");
	wf_query_free(&query);
	wf_buffer_free(&text);
	tear_down();
}

/* ---- what a query reads ---- */

static void count_path(
    void *argument, const char *root, const char *child, int line, int column)
{
	CU_ASSERT_STRING_EQUAL(root, "net");
	CU_ASSERT_STRING_EQUAL(child, "x");
	CU_ASSERT_EQUAL(line, 1);
	CU_ASSERT_EQUAL(column, 5);
	(*(int *)argument)++;
}

static void reports_what_it_reads(void)
{
	static const struct {
		const char *query;
		bool x;
		bool y;
	} rows[] = {
		{ "<a>{/net/x/text()}</a>", true, false },
		{ "<a>{/net/x[. > /net/y]}</a>", true, true },
		{ "<a>{for $d in /net/x/* return $d/b}</a>", true, false },
		{ "<a>1</a>", false, false },
		{ "<a>{//x}</a>", true, true },
		{ "<a>{/net/*}</a>", true, true },
		{ "<a>{/net}</a>", true, true },
		{ "<a>{.}</a>", true, true },
		{ "<a>{/net/x/../y}</a>", true, true },
		{ "<a>{net/x}</a>", true, false },
		{ "let $d := (/) return <a>{$d/net/y}</a>", true, true },
	};
	struct wf_query *query = NULL;
	int count = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CU_ASSERT_EQUAL(
		    wf_query_compile(&query, rows[i].query, NULL, 0, NULL),
		    WF_OK);
		CU_ASSERT_EQUAL(wf_query_reads(query, "x"), rows[i].x);
		CU_ASSERT_EQUAL(wf_query_reads(query, "y"), rows[i].y);
		wf_query_free(&query);
	}
	CU_ASSERT_EQUAL(
	    wf_query_compile(&query, "<a>{/net/x/text()}</a>", NULL, 0, NULL),
	    WF_OK);
	wf_query_paths(query, count_path, &count);
	CU_ASSERT_EQUAL(count, 1);
	wf_query_free(&query);
}

/* ---- context files ---- */

static const struct {
	const char *xml;
	const char *query;
	const char *result; /* NULL: refused */
} files[] = {
	{ "<a b='1'> <!-- c --><?p i?></a>", ".",
	    "<a b=\"1\"> <!-- c --><?p i?></a>" },
	{ "<!DOCTYPE a [<!ENTITY e 'x'><!ATTLIST a i ID #IMPLIED k CDATA 'd'>]>"
	  "<a i='n'>&e;</a>",
	    "(id('n')/@k/string(), string())", "d x" },
	{ "<!DOCTYPE a SYSTEM 'file:///etc/none.dtd'><a/>", "name(*)", "a" },
	{ "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>",
	    ".", NULL },
	{ "<!DOCTYPE a [<!ENTITY a "
	  "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'>"
	  "<!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
	  "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>"
	  "<!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;'>"
	  "<!ENTITY e '&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;'>"
	  "<!ENTITY f '&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;'>"
	  "]><a>&f;&f;&f;&f;&f;&f;</a>",
	    "string-length(.)", NULL },
	{ "<a>", ".", NULL },
};

static void check_file(const char *path, size_t i)
{
	struct wf_query *query = NULL;
	struct wf_buffer text;
	enum wf_rc rc;

	wf_buffer_init(&text, 65536);
	CU_ASSERT_EQUAL(
	    wf_query_compile(&query, files[i].query, NULL, 0, NULL), WF_OK);
	rc = wf_query_run(query, path, &plain, &text, NULL);
	CU_ASSERT_EQUAL(rc == WF_OK, files[i].result != NULL);
	if (files[i].result != NULL)
		CU_ASSERT_STRING_EQUAL(wf_buffer_text(&text), files[i].result);
	wf_buffer_free(&text);
	wf_query_free(&query);
}

static void reads_files(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[] = "/tmp/weft-query-XXXXXX";
		int file = mkstemp(path);
		size_t length = strlen(files[i].xml);

		CU_ASSERT_FATAL(file >= 0);
		CU_ASSERT_EQUAL(
		    write(file, files[i].xml, length), (ssize_t)length);
		close(file);
		check_file(path, i);
		unlink(path);
	}
}

CU_TestInfo wf_tests_query[] = {
	{ "evaluates", evaluates },
	{ "reports errors with their places", reports_errors },
	{ "maps", maps },
	{ "refuses results that are not one element", refuses_other_results },
	{ "refuses results that are too deep", refuses_deep_results },
	{ "splits", splits },
	{ "decides", decides },
	{ "gives text", gives_text },
	{ "reports what it reads", reports_what_it_reads },
	{ "reads context files", reads_files },
	CU_TEST_INFO_NULL,
};

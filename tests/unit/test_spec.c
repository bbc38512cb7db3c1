/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Specifications: the diagnostic for each fault, and the resulting nets.
 *
 * A row is the inside of the net N, between its input condition i (which leads
 * to A) and its output condition o.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "spec/markup.h"
#include "spec/spec.h"

#define XSD "http://www.w3.org/2001/XMLSchema"
#define HEAD                                                                   \
	"<specificationSet "                                                   \
	"xmlns='http://www.yawlfoundation.org/yawlschema' "                    \
	"xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "               \
	"version='4.0'>"
#define SPECIFICATION                                                          \
	"<specification uri='s'><metaData/>"                                   \
	"<xs:schema xmlns:xs='" XSD "'>"                                       \
	"<xs:complexType name='Order'><xs:sequence>"                           \
	"<xs:element name='item' type='xs:string' maxOccurs='9'/>"             \
	"</xs:sequence></xs:complexType>"                                      \
	"<xs:complexType name='Remarks'><xs:sequence>"                         \
	"<xs:element name='remark' minOccurs='0'/>"                            \
	"</xs:sequence></xs:complexType></xs:schema>"                          \
	"<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
#define PROCESS                                                                \
	"<processControlElements><inputCondition id='i'><flowsInto>"           \
	"<nextElementRef id='A'/></flowsInto></inputCondition>"
#define END "<outputCondition id='o'/></processControlElements></decomposition>"
#define REST                                                                   \
	"<decomposition id='W' xsi:type='WebServiceGatewayFactsType'>"         \
	"<inputParam><index>0</index><name>p</name><type>string</type>"        \
	"</inputParam><outputParam><index>0</index><name>q</name>"             \
	"<type>string</type></outputParam></decomposition>"                    \
	"<decomposition id='P' xsi:type='WebServiceGatewayFactsType'/>"        \
	"</specification></specificationSet>"

#define TO(id) "<flowsInto><nextElementRef id='" id "'/></flowsInto>"
#define IF(id, n, query)                                                       \
	"<flowsInto><nextElementRef id='" id "'/><predicate ordering='" n      \
	"'>" query "</predicate></flowsInto>"
#define WHEN(id, query)                                                        \
	"<flowsInto><nextElementRef id='" id "'/><predicate>" query            \
	"</predicate></flowsInto>"
#define ELSE(id)                                                               \
	"<flowsInto><nextElementRef id='" id "'/><isDefaultFlow/></flowsInto>"
#define CODES(join, split) "<join code='" join "'/><split code='" split "'/>"
#define DOES(id) "<decomposesTo id='" id "'/>"
#define IN(query, to)                                                          \
	"<startingMappings><mapping><expression query=\"" query "\"/>"         \
	"<mapsTo>" to "</mapsTo></mapping></startingMappings>"
#define OUT(query, to)                                                         \
	"<completedMappings><mapping><expression query=\"" query "\"/>"        \
	"<mapsTo>" to "</mapsTo></mapping></completedMappings>"
/* A task with one way in and one way out. */
#define STEP(id, to, inside)                                                   \
	"<task id='" id "'>" TO(to) CODES("xor", "and") inside "</task>"
#define LOCAL(name, type, more)                                                \
	"<localVariable><index>0</index><name>" name "</name><type>" type      \
	"</type>" more "</localVariable>"
#define INITIAL(value) "<initialValue>" value "</initialValue>"
#define MANY(min, max, threshold, mode)                                        \
	"<minimum>" min "</minimum><maximum>" max                              \
	"</maximum><threshold>" threshold                                      \
	"</threshold><creationMode code='" mode "'/>"
#define SPLIT(query, splitter, to)                                             \
	"<miDataInput><expression query=\"" query "\"/>"                       \
	"<splittingExpression query=\"" splitter "\"/><formalInputParam>" to   \
	"</formalInputParam></miDataInput>"
#define MI "xsi:type='MultipleInstanceExternalTaskFactsType'"

#define EIGHT(text) text text text text text text text text

#define AX STEP("A", "o", DOES("P"))

struct row {
	const char *variables;
	const char *elements;
	/* "element: message", from its beginning; NULL: no diagnostic. */
	const char *expected;
	bool is_warning;
};

static const struct row rows[] = {
	{ "", AX, NULL, false },
	/* The schema. */
	{ "",
	    "<task id='A'>" TO("o") CODES("xor", "and")
		DOES("P") "<name/></task>",
	    "task A: <name> is not allowed here in <task>: expected nothing",
	    false },
	{ "", "<task id='A'>" TO("o") "<split code='and'/>" DOES("P") "</task>",
	    "task A: <split> is not allowed here in <task>: expected "
	    "<flowsInto> or <join>",
	    false },
	{ "", "<task id='A'>" TO("o") CODES("xor", "nor") DOES("P") "</task>",
	    "task A: attribute code of <split> is \"nor\": expected one of and "
	    "or xor",
	    false },
	{ "", AX "<colour/>", "net N: <colour> is not allowed here", false },
	{ "",
	    "<task id='A' colour='red'>" TO("o") CODES("xor", "and")
		DOES("P") "</task>",
	    "task A: <task> has no attribute colour", false },
	{ "", "<task>" TO("o") CODES("xor", "and") "</task>",
	    "task: <task> lacks its attribute id", false },
	{ "", "<task id='A'>words" TO("o") CODES("xor", "and") "</task>",
	    "task A: text \"words\" is not allowed in <task>", false },
	{ "<localVariable><name>x</name><type>string</type></localVariable>",
	    AX,
	    "net N: <name> is not allowed here in <localVariable>: "
	    "expected <index>",
	    false },
	{ LOCAL("x", "string", "") LOCAL("x", "string", ""), AX,
	    "net N: \"x\" is the name of two elements", false },
	{ "",
	    "<task id='A'>" TO("o") CODES("xor",
		"and") "<startingMappings><mapping><expression query='/N/a'/>"
		       "<mapsTo>p</mapsTo></mapping><mapping><expression "
		       "query='/N/a'/>"
		       "<mapsTo>p2</mapsTo></mapping></startingMappings>" DOES(
			   "W") "</task>",
	    "task A: \"/N/a\" is the expression@query of two elements", false },
	{ "",
	    "<task id='A' xsi:type='Odd'>" TO("o")
		CODES("xor", "and") "</task>",
	    "task A: <task> has xsi:type Odd: expected xsi:type", false },
	{ "",
	    "<task id='A' " MI ">" TO("o") CODES("xor", "and") DOES("P")
		MANY("1", "2", "1", "odd") SPLIT("/N", "/N", "p") "</task>",
	    "task A: attribute code of <creationMode> is \"odd\"", false },
	/* Flows. */
	{ "", STEP("A", "nowhere", DOES("P")),
	    "flow A -> nowhere: leads nowhere", false },
	{ "", STEP("A", "i", DOES("P")),
	    "flow A -> i: leads into the input condition", false },
	{ "",
	    STEP("A", "c", DOES("P")) "<condition id='c'>" TO(
		"o") "</condition>",
	    "flow c -> o: joins two conditions", false },
	{ "", AX AX, "net N: two elements have the id A", false },
	{ "", AX STEP(EIGHT(EIGHT("abcdef")), "o", DOES("P")),
	    "net N: the id of a task has 384 bytes: expected at most 383",
	    false },
	{ "", AX STEP("B", "o", DOES("P")),
	    "task B: cannot be reached from the input condition", false },
	{ "",
	    "<task id='A'>" TO("o") TO("B") CODES("xor", "and")
		DOES("P") "</task>" STEP("B", "B", DOES("P")),
	    "task B: has no way to the output condition", false },
	{ "",
	    "<task id='A'>" TO("o") TO("o") CODES("xor", "and")
		DOES("P") "</task>",
	    "flow A -> o: is there twice: the last one counts", true },
	/* Splits. */
	{ "",
	    "<task id='A'>" WHEN("o", "true()") CODES("xor", "and")
		DOES("P") "</task>",
	    "flow A -> o: leaves an AND-split: expected neither", false },
	{ "", "<task id='A'>" ELSE("o") CODES("xor", "and") DOES("P") "</task>",
	    "flow A -> o: leaves an AND-split: expected neither", false },
	{ "", "<task id='A'>" TO("o") CODES("xor", "xor") DOES("P") "</task>",
	    "flow A -> o: leaves an XOR-split: expected a predicate, or to be "
	    "the default",
	    false },
	{ "",
	    "<task id='A'>" IF("o", "1", "true()") CODES("xor", "xor")
		DOES("P") "</task>",
	    "task A: its XOR-split has 0 default flows: expected one", false },
	{ "",
	    "<task id='A'>" WHEN("B", "true()") ELSE("o") CODES("xor", "xor")
		DOES("P") "</task>" STEP("B", "o", DOES("P")),
	    "flow A -> B: leaves an XOR-split: expected an ordering", false },
	{ "",
	    "<task id='A'>" IF("B", "1", "true()") IF("C", "1", "true()")
		ELSE("o") CODES("xor", "xor") DOES("P") "</task>" STEP(
		    "B", "o", DOES("P")) STEP("C", "o", DOES("P")),
	    "flow A -> C: has the ordering 1, as the flow to B", false },
	{ "",
	    "<task id='A'><flowsInto><nextElementRef id='o'/><predicate "
	    "ordering='1'>true()</predicate><isDefaultFlow/></flowsInto>" CODES(
		"xor", "xor") DOES("P") "</task>",
	    "flow A -> o: leaves an XOR-split: expected a predicate or to be "
	    "the default, not both",
	    false },
	{ "", "<task id='A'>" TO("o") CODES("xor", "or") DOES("P") "</task>",
	    "flow A -> o: leaves an OR-split: expected a predicate", false },
	{ "",
	    "<task id='A'>" IF("B", "1", "true()") ELSE("o") CODES("xor", "or")
		DOES("P") "</task>" STEP("B", "o", DOES("P")),
	    "flow A -> B: leaves an OR-split: expected its predicate without",
	    false },
	{ "",
	    "<task id='A'>" ELSE("B") ELSE("o") CODES("xor", "or")
		DOES("P") "</task>" STEP("B", "o", DOES("P")),
	    "task A: its OR-split has 2 default flows: expected one", false },
	/* Cancellation. */
	{ "", STEP("A", "o", "<removesTokens id='Z'/>" DOES("P")),
	    "task A: removes tokens from Z, which is not in its net", false },
	{ "",
	    STEP("A", "o",
		"<removesTokensFromFlow><flowSource id='A'/>"
		"<flowDestination id='i'/></removesTokensFromFlow>" DOES("P")),
	    "task A: removes tokens from a flow A -> i", false },
	/* The work of a task. */
	{ "", STEP("A", "o", DOES("Z")),
	    "task A: decomposes to Z, which is not there", false },
	{ "", STEP("A", "o", OUT("/N/x", "x")),
	    "task A: has mappings and no decomposition", false },
	{ "",
	    STEP("A", "o",
		"<timer><trigger>OnEnabled</trigger><duration>PT1H</duration>"
		"</timer>"),
	    "task A: is an empty task: its timer has no meaning", true },
	{ "",
	    STEP("A", "B", DOES("P")) STEP("B", "o",
		"<timer><trigger>OnEnabled</trigger><duration>PT1H</duration>"
		"</timer>" DOES("N")),
	    "task B: is a composite task: its timer has no meaning", true },
	{ "",
	    STEP("A", "o",
		"<timer><trigger>OnEnabled</trigger><duration>-P1DT1H"
		"</duration></timer>" DOES("P")),
	    NULL, false },
	{ "",
	    STEP("A", "o",
		"<enablementMappings><mapping><expression query='/N/none'/>"
		"<mapsTo>e</mapsTo></mapping></enablementMappings>" DOES("P")),
	    "task A: enablement mapping to e names a variable that is not "
	    "there: /N/none",
	    true },
	{ "", STEP("A", "o", ""),
	    "net N: a way from the input to the output condition passes empty "
	    "tasks only",
	    true },
	/* Endless loops. */
	{ "",
	    "<task id='A'>" ELSE("o") IF("A", "1", "true()")
		CODES("xor", "xor") "</task>",
	    "task A: is part of an endless loop", false },
	{ "", STEP("A", "o", DOES("N")), "task A: is part of an endless loop",
	    false },
	/* Variables. */
	{ LOCAL("x", "odd", ""), AX,
	    "net N: the type odd of variable x is not known", false },
	{ LOCAL("x", "Order", INITIAL("&lt;item>a&lt;/item>")), AX, NULL,
	    false },
	{ LOCAL("x", "Order", INITIAL("none")), AX,
	    "net N: the initial value of x does not fit its type", false },
	{ LOCAL("x", "string", INITIAL("&lt;a>")), AX,
	    "net N: the initial value of x is not well-formed", false },
	{ LOCAL("x", "integer", INITIAL("12a")), AX,
	    "net N: the initial value of x does not fit its type", false },
	{ "<outputParam><index>0</index><name>r</name><type>string</type>"
	  "</outputParam>",
	    AX, "net N: the output parameter r has no variable", true },
	/* Mappings. */
	{ "", STEP("A", "o", DOES("W")),
	    "task A: the input parameter p of W has no mapping", false },
	{ LOCAL("x", "string", INITIAL("1")),
	    STEP("A", "o", IN("&lt;p>{/N/x/text()}&lt;/p>", "z") DOES("W")),
	    "task A: starting mapping to z: expected an input parameter of W",
	    false },
	{ LOCAL("x", "string", INITIAL("1")),
	    STEP("A", "o", IN("&lt;p>{/N/x/text()}&lt;/p>", "p") DOES("W")),
	    NULL, false },
	{ LOCAL("x", "string", INITIAL("1")),
	    STEP("A", "o", IN("&lt;p>{/N/y/text()}&lt;/p>", "p") DOES("W")),
	    "task A: starting mapping to p names a variable that is not there: "
	    "/N/y at line 1, column ",
	    false },
	{ "", STEP("A", "o", IN("&lt;p>{/N/&lt;/p>", "p") DOES("W")),
	    "task A: starting mapping to p: err:XPST0003 at line 1, column ",
	    false },
	{ "", STEP("A", "o", IN("#external:G:p", "p") DOES("W")),
	    "task A: starting mapping to p: values from external data gateways",
	    false },
	{ LOCAL("x", "string", ""),
	    STEP("A", "o", IN("&lt;p>{/N/x/text()}&lt;/p>", "p") DOES("W")),
	    "task A: reads the variable x of net N before it has a value",
	    true },
	{ LOCAL("x", "integer", ""),
	    STEP("A", "o", IN("&lt;p>{/N/x/text()}&lt;/p>", "p") DOES("W")),
	    "task A: reads the variable x of net N before it has a value",
	    false },
	/* A type whose content is optional needs no value. */
	{ LOCAL("x", "Remarks", ""),
	    STEP("A", "o",
		IN("&lt;p>{/N/x/remark/text()}&lt;/p>", "p") DOES("W")),
	    NULL, false },
	{ LOCAL("x", "Order", ""),
	    STEP(
		"A", "o", IN("&lt;p>{/N/x/item/text()}&lt;/p>", "p") DOES("W")),
	    "task A: reads the variable x of net N before it has a value",
	    false },
	{ "",
	    STEP("A", "o",
		IN("&lt;p>1&lt;/p>", "p") OUT("&lt;x>{/W/q/text()}&lt;/x>", "x")
		    DOES("W")),
	    "task A: completed mapping to x: expected a variable of net N",
	    false },
	{ LOCAL("x", "string", ""),
	    STEP("A", "o",
		IN("&lt;p>1&lt;/p>", "p") OUT("&lt;x>{/W/z/text()}&lt;/x>", "x")
		    DOES("W")),
	    "task A: completed mapping to x names a variable that is not "
	    "there: /W/z",
	    false },
	/* Predicates. */
	{ "",
	    "<task id='A'>" IF("B", "1", "odd(") ELSE("o") CODES("xor", "xor")
		DOES("P") "</task>" STEP("B", "o", DOES("P")),
	    "flow A -> B: its predicate: err:XPST0003", true },
	{ "",
	    "<task id='A'>" IF("B", "1", "cost(case(1-7)) > 5") ELSE("o") CODES(
		"xor", "xor") DOES("P") "</task>" STEP("B", "o", DOES("P")),
	    "flow A -> B: its predicate: asks for costs in a way that is not "
	    "understood: at \"1-7)) > 5\": expected case(), because",
	    true },
	{ "",
	    "<task id='A'>" IF("B", "1",
		"cost(resource('x y'), task(A B,\"A\") case( )) > cost()")
		ELSE("o") CODES("xor", "xor")
		    DOES("P") "</task>" STEP("B", "o", DOES("P")),
	    NULL, false },
	{ "",
	    "<task id='A'>" IF("B", "1", "1 + cost(task(Z)) > 5") ELSE("o")
		CODES("xor", "xor")
		    DOES("P") "</task>" STEP("B", "o", DOES("P")),
	    "flow A -> B: its predicate: asks for the costs of \"Z\": no task",
	    true },
	{ "",
	    "<task id='A'>" IF("B", "1", "cost(task(A) task(B)) > 5") ELSE("o")
		CODES("xor", "xor")
		    DOES("P") "</task>" STEP("B", "o", DOES("P")),
	    "flow A -> B: its predicate: asks for costs in a way that is not "
	    "understood: at \"task(B)) > 5\": expected case(), task(..) or",
	    true },
	{ "",
	    "<task id='A'>" IF("B", "1", "cost(task(") ELSE("o") CODES(
		"xor", "xor") DOES("P") "</task>" STEP("B", "o", DOES("P")),
	    "flow A -> B: its predicate: asks for costs in a way that is not "
	    "understood: at \"\": expected a name",
	    true },
	{ "",
	    "<task id='A'>" IF("B", "1", "cost() > /N/missing") ELSE("o") CODES(
		"xor", "xor") DOES("P") "</task>" STEP("B", "o", DOES("P")),
	    "flow A -> B: its predicate names a variable that is not there: "
	    "/N/missing",
	    true },
	{ "",
	    "<task id='A'>" IF("B", "1", "timer(Z) = 'expired'") ELSE("o")
		CODES("xor", "xor")
		    DOES("P") "</task>" STEP("B", "o", DOES("P")),
	    "flow A -> B: asks for the timer of \"Z\"", true },
	/* Multiple instances. */
	{ LOCAL("x", "Order", INITIAL("&lt;item>a&lt;/item>")),
	    "<task id='A' " MI ">" TO("o") CODES("xor", "and") DOES("W")
		MANY("1", "infinite", "2147483647", "static")
		    SPLIT("/N/x", "/x/item", "p") "</task>",
	    NULL, false },
	{ LOCAL("x", "Order", INITIAL("&lt;item>a&lt;/item>")),
	    "<task id='A' " MI ">" TO("o") CODES("xor", "and") DOES("W")
		MANY("3", "2", "1", "static")
		    SPLIT("/N/x", "/x/item", "p") "</task>",
	    "task A: has at least 3 and at most 2 instances", false },
	{ LOCAL("x", "Order", INITIAL("&lt;item>a&lt;/item>")),
	    "<task id='A' " MI ">" TO("o") CODES("xor", "and") DOES("W")
		MANY("1", "2", "-1", "static")
		    SPLIT("/N/x", "/x/item", "p") "</task>",
	    "task A: threshold of its instances is -1: expected at least 1",
	    false },
	{ LOCAL("x", "Order", INITIAL("&lt;item>a&lt;/item>")),
	    "<task id='A' " MI ">" TO("o") CODES("xor", "and") MANY("1", "2",
		"1", "static") SPLIT("/N/x", "/x/item", "p") "</task>",
	    "task A: has multiple instances of nothing", false },
	{ LOCAL("x", "Order", INITIAL("&lt;item>a&lt;/item>")),
	    "<task id='A' " MI ">" TO("o") CODES("xor", "and") DOES("W")
		MANY("1", "2", "1", "static")
		    SPLIT("/N/x", "/x/item", "z") "</task>",
	    "task A: its multi-instance input goes to z", false },
};

static struct wf_spec_file *read_text(
    const char *text, struct wf_diagnostics *diagnostics)
{
	struct wf_spec_file *file = NULL;
	enum wf_rc rc = wf_spec_read(&file, text, strlen(text), diagnostics);

	CU_ASSERT_EQUAL(rc == WF_OK, file != NULL);
	return file;
}

static struct wf_spec_file *read_net(const char *variables,
    const char *elements, struct wf_diagnostics *diagnostics)
{
	struct wf_arena *arena = wf_arena_new();
	const char *text = wf_arena_printf(arena, "%s%s%s%s%s%s",
	    HEAD SPECIFICATION, variables, PROCESS, elements, END, REST);
	struct wf_spec_file *file = read_text(text, diagnostics);

	wf_arena_free(&arena);
	return file;
}

/* Not all decompositions are used in these nets. */
static bool is_noise(const struct wf_diagnostic *diagnostic)
{
	return strcmp(diagnostic->message, "is not used") == 0;
}

/* The diagnostic that begins as expected; NULL when there is none. */
static const struct wf_diagnostic *find_diagnostic(
    const struct wf_diagnostics *diagnostics, const char *expected)
{
	for (size_t i = 0; i < wf_diagnostics_count(diagnostics); i++) {
		const struct wf_diagnostic *d =
		    wf_diagnostics_at(diagnostics, i);
		char line[1024];

		snprintf(line, sizeof(line), "%s: %s", d->element, d->message);
		if (strncmp(line, expected, strlen(expected)) == 0)
			return d;
	}
	return NULL;
}

static void print_all(
    const struct wf_diagnostics *diagnostics, const char *expected)
{
	printf("\nexpected: %s\n", expected == NULL ? "nothing" : expected);
	wf_diagnostics_print(diagnostics, stdout);
}

static void check_row(const struct row *row)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("row");
	struct wf_spec_file *file =
	    read_net(row->variables, row->elements, diagnostics);
	size_t count = wf_diagnostics_count(diagnostics);
	bool holds;

	for (size_t i = 0; i < wf_diagnostics_count(diagnostics); i++)
		count -= is_noise(wf_diagnostics_at(diagnostics, i));
	if (row->expected == NULL) {
		holds = file != NULL && count == 0;
	} else {
		const struct wf_diagnostic *d =
		    find_diagnostic(diagnostics, row->expected);

		holds =
		    d != NULL && d->line == 1 &&
		    d->severity == (row->is_warning ? WF_WARNING : WF_ERROR) &&
		    (file != NULL) == row->is_warning;
	}
	CU_ASSERT(holds);
	if (!holds)
		print_all(diagnostics, row->expected);
	wf_spec_file_free(&file);
	wf_diagnostics_free(&diagnostics);
}

static void test_faults(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
}

/* --- Whole files --- */

#define CITI "<specificationSet xmlns='http://www.citi.qut.edu.au/yawl'"
#define XSI " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'"
#define OLD                                                                    \
	"<specification uri='s'><metaData/><rootNet id='N'>" PROCESS AX        \
	"<outputCondition id='o'/></processControlElements></rootNet>"         \
	"<decomposition id='P' xsi:type='WebServiceGatewayFactsType'/>"        \
	"</specification></specificationSet>"
#define DEEP8(x) x x x x x x x x

static const struct {
	const char *text;
	const char *expected; /* NULL: accepted */
} files[] = {
	{ "", ": not" },
	{ "no markup", ": not well-formed XML" },
	{ "<a>", ": not well-formed XML" },
	{ "<a/>", ": the root element is <a>: expected <specificationSet>" },
	{ "<!DOCTYPE a [<!ENTITY e 'e'>]><a>&e;</a>",
	    ": a document type declaration" },
	{ "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
	    ": a document type declaration" },
	{ "<a>&e;</a>", ": not well-formed XML: Entity 'e' not defined" },
	{ DEEP8(DEEP8(DEEP8("<a>"))), ": elements are nested too deeply" },
	{ "<specificationSet version='4.0'/>",
	    "specificationSet: is in the namespace \"\"" },
	{ "<specificationSet version='5'/>",
	    "specificationSet: version \"5\" is not known" },
	{ CITI " version='4.0'/>",
	    "specificationSet: is in the namespace "
	    "\"http://www.citi.qut.edu.au/yawl\": version 4.0 has" },
	{ CITI "/>", ": <specificationSet> is not complete: expected "
		     "<specification>" },
	{ CITI XSI ">" OLD, NULL },
	{ CITI XSI " version='Beta 3'>" OLD,
	    "net N: <rootNet> is not allowed here in <specification>" },
	{ HEAD "<specification><metaData/>"
	       "<decomposition id='N' isRootNet='true' "
	       "xsi:type='NetFactsType'>" PROCESS AX END REST,
	    "specification: <specification> lacks its attribute uri" },
	{ HEAD "<specification uri='s'><metaData/></specification>"
	       "</specificationSet>",
	    "specification s: there is no root net" },
	{ HEAD SPECIFICATION PROCESS AX END
	    "<decomposition id='N' isRootNet='true' "
	    "xsi:type='NetFactsType'>" PROCESS AX END REST,
	    "net N: another decomposition has this id" },
	{ HEAD SPECIFICATION PROCESS AX END
	    "<decomposition id='M' isRootNet='true' "
	    "xsi:type='NetFactsType'>" PROCESS AX END REST,
	    "net M: is a second root net beside N" },
	{ HEAD "<specification uri='s'><metaData/><xs:schema xmlns:xs='" XSD
	       "'><xs:include schemaLocation='/etc/passwd'/></xs:schema>"
	       "<decomposition id='N' isRootNet='true' "
	       "xsi:type='NetFactsType'>" PROCESS AX END REST,
	    "xs:schema: xs:include names another file" },
	{ HEAD SPECIFICATION PROCESS AX
	    "<outputCondition id='o'/></processControlElements>"
	    "<externalDataGateway>G</externalDataGateway></decomposition>" REST,
	    "net N: externalDataGateway is not supported" },
};

static void test_files(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct wf_diagnostics *diagnostics = wf_diagnostics_new("file");
		struct wf_spec_file *file =
		    read_text(files[i].text, diagnostics);
		bool holds =
		    files[i].expected == NULL
			? file != NULL
			: file == NULL && find_diagnostic(diagnostics,
					      files[i].expected) != NULL;

		CU_ASSERT(holds);
		if (!holds)
			print_all(diagnostics, files[i].expected);
		wf_spec_file_free(&file);
		wf_diagnostics_free(&diagnostics);
	}
}

static void test_too_large(void)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("large");
	struct wf_spec_file *file = NULL;

	CU_ASSERT_EQUAL(
	    wf_spec_read(&file, "", (size_t)WF_SPEC_BYTES + 1, diagnostics),
	    WF_INVALID);
	CU_ASSERT_PTR_NULL(file);
	CU_ASSERT_EQUAL(
	    wf_spec_read_file(&file, "/dev/zero", diagnostics), WF_INVALID);
	CU_ASSERT_PTR_NULL(file);
	CU_ASSERT_EQUAL(
	    wf_spec_read_file(&file, "/no/such/file", diagnostics), WF_IO);
	CU_ASSERT_EQUAL(wf_spec_read_file(&file, "/", diagnostics), WF_IO);
	CU_ASSERT_EQUAL(wf_diagnostics_errors(diagnostics), 4);
	wf_diagnostics_free(&diagnostics);
}

/*
 * A text within the limit of a file, whose value would exceed that of values.
 */
static void test_too_large_value(void)
{
	static const char begin[] =
	    "<localVariable><index>0</index><name>v</name><type>string</type>"
	    "<namespace>" XSD "</namespace><initialValue>";
	static const char end[] = "</initialValue></localVariable>";
	const size_t size = WF_VALUE_BYTES / strlen("&gt;");
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("large");
	char *variable = wf_malloc(sizeof(begin) + size + sizeof(end));
	struct wf_spec_file *file;

	memcpy(variable, begin, strlen(begin));
	memset(variable + strlen(begin), '>', size);
	memcpy(variable + strlen(begin) + size, end, sizeof(end));
	file = read_net(variable, AX, diagnostics);
	CU_ASSERT_PTR_NULL(file);
	CU_ASSERT_PTR_NOT_NULL(find_diagnostic(diagnostics,
	    "net N: the initial value of v is larger than 67108864 bytes"));
	wf_free(variable);
	wf_diagnostics_free(&diagnostics);
}

/* --- Versions ------------------------------------------------------------- */

/* The inside of a specification, whose meaning depends on the version. */
struct version_row {
	const char *version;
	const char *inside; /* of the decomposition W, or of the task A */
	bool accepted;
};

#define INDEX                                                                  \
	"<inputParam><index>0</index><name>p</name><type>string</type>"        \
	"</inputParam>"
#define PLAIN "<inputParam><name>p</name><type>string</type></inputParam>"
#define ENABLED                                                                \
	"<enablementParam><name>p</name><type>string</type></enablementParam>"

static const struct version_row decompositions[] = {
	{ "2.0", PLAIN, true },
	{ "2.0", INDEX, false },
	{ "2.1", PLAIN, false },
	{ "2.1", INDEX, true },
	{ "2.2", INDEX, true },
	{ "3.0", INDEX, true },
	{ "4.0", INDEX, true },
	{ "Beta 3", PLAIN, true },
	{ "Beta 3", "<outputExpression query='/data/p'/>", true },
	{ "Beta 4", "<outputExpression query='/data/p'/>", false },
	{ "Beta 4", ENABLED, false },
	{ "Beta 6", ENABLED, true },
	{ "Beta 7.1", ENABLED, true },
	{ "Beta 7.1", "<codelet>C</codelet>", false },
	{ "2.0", "<codelet>C</codelet>", true },
	{ "2.0", "<externalInteraction>manual</externalInteraction>", true },
	{ "2.0", "<externalInteraction>odd</externalInteraction>", false },
	{ "Beta 3", "<yawlService id='u'/>", true },
	{ "Beta 3", "<yawlService id='u'/><yawlService id='v'/>", false },
	{ "Beta 7.1", "<yawlService id='u'><documentation/></yawlService>",
	    false },
	{ "2.0", "<yawlService id='u'><documentation/></yawlService>", true },
};

#define TIMED(more)                                                            \
	"<timer><trigger>OnEnabled</trigger><duration>PT1H</duration>" more    \
	"</timer>"
#define RESOURCING(more)                                                       \
	"<resourcing><offer initiator='user'/><allocate initiator='user'/>"    \
	"<start initiator='user'/>" more "</resourcing>"

static const struct version_row tasks[] = {
	{ "Beta 7.1", TIMED(""), false },
	{ "2.0", TIMED(""), true },
	{ "3.0", TIMED("<workdays>true</workdays>"), false },
	{ "4.0", TIMED("<workdays>true</workdays>"), true },
	{ "4.0", TIMED("<workdays>yes</workdays>"), false },
	{ "2.1", RESOURCING(""), true },
	{ "2.1", RESOURCING("<secondary/>"), false },
	{ "2.2", RESOURCING("<secondary/>"), true },
	{ "2.2", RESOURCING("<privileges/><secondary/>"), false },
	{ "4.0",
	    RESOURCING("<privileges><privilege><name>canFly</name>"
		       "<allowall>true</allowall></privilege></privileges>"),
	    false },
};

static void check_version(
    const struct version_row *row, const char *task, const char *decomposition)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_diagnostics *diagnostics = wf_diagnostics_new(row->version);
	bool is_beta = strncmp(row->version, "Beta", 4) == 0;
	const char *text = wf_arena_printf(arena,
	    "<specificationSet xmlns='%s'" XSI " version='%s'>"
	    "<specification uri='s'><metaData/>"
	    "<decomposition id='N' isRootNet='true' "
	    "xsi:type='NetFactsType'>" PROCESS "<task id='A'>" TO("o")
		CODES("xor", "and") "%s<decomposesTo id='P'/></task>" END
				    "<decomposition id='W' "
				    "xsi:type='WebServiceGatewayFactsType'>%s"
				    "</decomposition>"
				    "<decomposition id='P' "
				    "xsi:type='WebServiceGatewayFactsType'/>"
				    "</specification></specificationSet>",
	    is_beta ? "http://www.citi.qut.edu.au/yawl"
		    : "http://www.yawlfoundation.org/yawlschema",
	    row->version, task, decomposition);
	struct wf_spec_file *file = read_text(text, diagnostics);

	CU_ASSERT_EQUAL(file != NULL, row->accepted);
	if ((file != NULL) != row->accepted) {
		printf("\n%s: %s%s\n", row->version, task, decomposition);
		wf_diagnostics_print(diagnostics, stdout);
	}
	if (file != NULL)
		CU_ASSERT_STRING_EQUAL(
		    wf_schema_version_name(file->version), row->version);
	wf_spec_file_free(&file);
	wf_diagnostics_free(&diagnostics);
	wf_arena_free(&arena);
}

static void test_versions(void)
{
	for (size_t i = 0;
	     i < sizeof(decompositions) / sizeof(decompositions[0]); i++)
		check_version(&decompositions[i], "", decompositions[i].inside);
	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		check_version(&tasks[i], tasks[i].inside, "");
}

/* --- Resulting nets ------------------------------------------------------- */

static const char model[] = "<condition id='p'>" TO("C") TO(
    "b") "</condition>"
	 "<task id='A'>" IF("p", "7", "true()") ELSE("C")
	     IF("b", "3", "false()") CODES("and", "xor") DOES(
		 "P") "</task>"
		      "<task id='C'><name>See</name>" TO("o") CODES("or",
			  "and") "<removesTokens id='b'/><removesTokens "
				 "id='p'/>"
				 "<removesTokensFromFlow><flowSource id='A'/>"
				 "<flowDestination "
				 "id='C'/></removesTokensFromFlow>" DOES(
				     "P") "</task>"
					  "<task id='b'>" IF("o", "1",
					      "timer(See)!='closed'") ELSE("C")
					      CODES("xor", "xor") "</task>";

static const char model_variables[] =
    "<inputParam><index>2</index><name>second</name><type>string</type>"
    "</inputParam><inputParam optional='true'><index>1</index>"
    "<name>first</name><type>integer</type></inputParam>"
    "<outputParam><index>3</index><name>second</name><type>string</type>"
    "</outputParam>" LOCAL("third", "boolean", INITIAL("true"));

static bool equal_numbers(
    const uint32_t *numbers, uint32_t count, const char *expected)
{
	char text[64] = "";

	for (uint32_t i = 0; i < count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
		    "%u ", numbers[i]);
	return strcmp(text, expected) == 0;
}

static void check_conditions(const struct wf_net *net)
{
	static const char *const ids[] = { "c{A_C}", "c{A_b}", "c{b_C}", "i",
		"o", "p" };

	CU_ASSERT_EQUAL_FATAL(net->condition_count, 6);
	for (uint32_t i = 0; i < 6; i++) {
		CU_ASSERT_STRING_EQUAL(net->conditions[i].id, ids[i]);
		CU_ASSERT_EQUAL(net->conditions[i].number, i);
		CU_ASSERT_EQUAL(
		    wf_net_condition_number(net, ids[i], strlen(ids[i])), i);
	}
	CU_ASSERT_EQUAL(net->input_condition, 3);
	CU_ASSERT_EQUAL(net->output_condition, 4);
	CU_ASSERT_EQUAL(net->conditions[0].kind, WF_IMPLICIT);
	CU_ASSERT(equal_numbers(
	    net->conditions[5].preset, net->conditions[5].preset_count, "0 "));
	CU_ASSERT(equal_numbers(net->conditions[5].postset,
	    net->conditions[5].postset_count, "1 2 "));
	CU_ASSERT(equal_numbers(net->conditions[4].preset,
	    net->conditions[4].preset_count, "1 2 "));
	CU_ASSERT_EQUAL(wf_net_condition_number(net, "none", 4), UINT32_MAX);
}

static void check_tasks(const struct wf_net *net)
{
	const struct wf_task *task = net->tasks;

	CU_ASSERT_EQUAL_FATAL(net->task_count, 3);
	CU_ASSERT_STRING_EQUAL(task[0].id, "A");
	CU_ASSERT_STRING_EQUAL(task[1].id, "C");
	CU_ASSERT_STRING_EQUAL(task[2].id, "b");
	CU_ASSERT_EQUAL(wf_net_task_number(net, "b", 1), 2);
	CU_ASSERT_EQUAL(task[0].kind, WF_ATOMIC_TASK);
	CU_ASSERT_EQUAL(task[2].kind, WF_EMPTY_TASK);
	CU_ASSERT_EQUAL(task[0].join, WF_AND);
	CU_ASSERT_EQUAL(task[1].join, WF_OR);
	CU_ASSERT(
	    equal_numbers(task[1].preset, task[1].preset_count, "0 2 5 "));
	CU_ASSERT(
	    equal_numbers(task[0].postset, task[0].postset_count, "0 1 5 "));
	CU_ASSERT_EQUAL(task[0].flow_count, 3);
	CU_ASSERT_STRING_EQUAL(task[0].flows[0].target, "b");
	CU_ASSERT_STRING_EQUAL(task[0].flows[1].target, "p");
	CU_ASSERT_STRING_EQUAL(task[0].flows[2].target, "C");
	CU_ASSERT_EQUAL(task[0].flows[1].condition, 5);
	CU_ASSERT(equal_numbers(
	    task[1].cancelled_tasks, task[1].cancelled_task_count, "2 "));
	CU_ASSERT(equal_numbers(task[1].cancelled_conditions,
	    task[1].cancelled_condition_count, "0 5 "));
}

static void check_timer_predicate(const struct wf_predicate *predicate)
{
	CU_ASSERT_EQUAL(predicate->kind, WF_PREDICATE_TIMER);
	CU_ASSERT_STRING_EQUAL(predicate->timer_task, "See");
	CU_ASSERT_EQUAL(predicate->timer_state, WF_TIMER_CLOSED);
	CU_ASSERT(predicate->timer_negated);
}

static void check_variables(const struct wf_net *net)
{
	CU_ASSERT_EQUAL_FATAL(net->variable_count, 3);
	CU_ASSERT_STRING_EQUAL(net->variables[0].name, "first");
	CU_ASSERT_STRING_EQUAL(net->variables[1].name, "second");
	CU_ASSERT_STRING_EQUAL(net->variables[2].name, "third");
	CU_ASSERT(net->variables[0].is_optional);
	CU_ASSERT(net->variables[1].is_input);
	CU_ASSERT(!net->variables[2].is_input);
	CU_ASSERT_STRING_EQUAL(
	    wf_value_text(net->variables[2].initial), "<third>true</third>");
	CU_ASSERT_STRING_EQUAL(
	    wf_value_text(net->variables[0].initial), "<first/>");
	CU_ASSERT_EQUAL(net->output_variables[0], 1);
}

static void test_model(void)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("model");
	struct wf_spec_file *file =
	    read_net(model_variables, model, diagnostics);
	const struct wf_spec *spec;

	if (file == NULL)
		print_all(diagnostics, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	spec = file->specs[0];
	CU_ASSERT_EQUAL(file->version, WF_YAWL_4_0);
	CU_ASSERT_EQUAL(spec->magic, WF_SPEC_MAGIC);
	CU_ASSERT(spec->has_or_join);
	CU_ASSERT_PTR_EQUAL(spec->root, wf_spec_decomposition(spec, "N")->net);
	check_conditions(spec->root);
	check_tasks(spec->root);
	check_timer_predicate(spec->root->tasks[2].flows[0].predicate);
	check_variables(spec->root);
	wf_spec_file_free(&file);
	wf_diagnostics_free(&diagnostics);
}

/* Two flows whose implicit conditions would have one id. */
static void test_ambiguous(void)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("ambiguous");
	struct wf_spec_file *file = read_net("",
	    "<task id='A'>" TO("a") TO("a_b") CODES("xor", "and")
		DOES("P") "</task>" STEP("a", "b_c", DOES("P"))
		    STEP("a_b", "c", DOES("P")) STEP("b_c", "o", DOES("P"))
			STEP("c", "o", DOES("P")),
	    diagnostics);

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL(
	    wf_net_condition_number(file->specs[0]->root, "c{a_b_c}", 8) + 1,
	    wf_net_condition_number(file->specs[0]->root, "c{a_b_c}'", 9));
	wf_spec_file_free(&file);
	wf_diagnostics_free(&diagnostics);
}

/* Beta 2: one document named data, types with prefixes, old faults allowed. */
static void test_beta(void)
{
	static const char text[] = CITI XSI
	    ">"
	    "<specification uri='s'><metaData/><rootNet id='N'>"
	    "<localVariable name='x'><type>xs:string</type></localVariable>"
	    "<localVariable name='y'><type>mm:Odd</type><initialValue>"
	    "&lt;a/>&lt;a/></initialValue></localVariable>" PROCESS STEP("A",
		"o",
		IN("/data/y", "x") DOES(
		    "Q")) "<outputCondition "
			  "id='o'/></processControlElements></rootNet>"
			  "<decomposition id='Q' "
			  "xsi:type='WebServiceGatewayFactsType'>"
			  "<inputParam "
			  "name='x'><type>xs:string</type></inputParam>"
			  "<outputExpression query='/data/x'/></decomposition>"
			  "</specification></specificationSet>";
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("beta");
	struct wf_spec_file *file = read_text(text, diagnostics);
	const struct wf_spec *spec;

	if (file == NULL)
		print_all(diagnostics, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	spec = file->specs[0];
	CU_ASSERT_EQUAL(file->version, WF_BETA_2);
	CU_ASSERT(!spec->validates_data);
	CU_ASSERT_STRING_EQUAL(spec->root->root_name, "data");
	CU_ASSERT_STRING_EQUAL(spec->decompositions[1].root_name, "data");
	CU_ASSERT_EQUAL(spec->decompositions[1].output_expression_count, 1);
	CU_ASSERT_STRING_EQUAL(
	    wf_value_text(spec->root->variables[1].initial), "<y><a/><a/></y>");
	CU_ASSERT_PTR_NOT_NULL(find_diagnostic(
	    diagnostics, "net N: the type mm:Odd of variable y is not known"));
	wf_spec_file_free(&file);
	wf_diagnostics_free(&diagnostics);
}

/* White space between elements is not part of a net. */
static void test_blanks(void)
{
	static const char *const nets[] = {
		STEP("A", "o",
		    "<resourcing><offer initiator='user'/><allocate "
		    "initiator='user'/><start "
		    "initiator='user'/></resourcing>" DOES("P")),
		STEP("A", "o",
		    "\n <resourcing> <offer initiator='user'/>\n\t<allocate "
		    "initiator='user'/>\n<start initiator='user'/>\n "
		    "</resourcing>\n" DOES("P")),
	};
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("blanks");
	struct wf_buffer written[2];

	for (size_t i = 0; i < 2; i++) {
		struct wf_spec_file *file = read_net("", nets[i], diagnostics);

		CU_ASSERT_PTR_NOT_NULL_FATAL(file);
		wf_buffer_init(&written[i], WF_SPEC_BYTES);
		wf_spec_write(file, &written[i]);
		wf_spec_file_free(&file);
	}
	CU_ASSERT_STRING_EQUAL(
	    wf_buffer_text(&written[0]), wf_buffer_text(&written[1]));
	for (size_t i = 0; i < 2; i++)
		wf_buffer_free(&written[i]);
	wf_diagnostics_free(&diagnostics);
}

/* Every element that has no meaning at run time is kept and written back. */
static void test_write(void)
{
	static const char kept[] =
	    "<task id='A'><name>Ä &lt;&amp;></name><documentation>two\nlines"
	    "</documentation>" TO("o") CODES("xor",
		"and") "<configuration><join><port value='blocked'><flowSource "
		       "id='i'/>"
		       "</port></join></configuration>"
		       "<timer><trigger>OnExecuting</"
		       "trigger><durationparams><ticks>3"
		       "</ticks><interval>HOUR</interval></"
		       "durationparams><workdays>true"
		       "</workdays></timer>"
		       "<resourcing><offer initiator='user'/><allocate "
		       "initiator='user'/>"
		       "<start initiator='user'/></resourcing>"
		       "<customForm>http://x/?a=1&amp;b=2</customForm>" DOES(
			   "P") "</task>";
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("write");
	struct wf_spec_file *file = read_net("", kept, diagnostics);
	struct wf_buffer first;
	struct wf_buffer second;

	if (file == NULL)
		print_all(diagnostics, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	wf_buffer_init(&first, WF_SPEC_BYTES);
	wf_buffer_init(&second, WF_SPEC_BYTES);
	wf_spec_write(file, &first);
	wf_spec_file_free(&file);
	file = read_text(wf_buffer_text(&first), diagnostics);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	wf_spec_write(file, &second);
	CU_ASSERT_STRING_EQUAL(wf_buffer_text(&first), wf_buffer_text(&second));
	CU_ASSERT_PTR_NOT_NULL(
	    strstr(wf_buffer_text(&first), "<port value=\"blocked\">"));
	CU_ASSERT_PTR_NOT_NULL(
	    strstr(wf_buffer_text(&first), "<offer initiator=\"user\"/>"));
	CU_ASSERT_PTR_NOT_NULL(
	    strstr(wf_buffer_text(&first), "<interval>HOUR</interval>"));
	CU_ASSERT_PTR_NOT_NULL(
	    strstr(wf_buffer_text(&first), "http://x/?a=1&amp;b=2"));
	wf_spec_file_free(&file);
	wf_buffer_free(&first);
	wf_buffer_free(&second);
	wf_diagnostics_free(&diagnostics);
}

extern CU_TestInfo wf_tests_spec[];
CU_TestInfo wf_tests_spec[] = {
	{ "faults, each with its element", test_faults },
	{ "whole files", test_files },
	{ "too large, or not there", test_too_large },
	{ "a value too large", test_too_large_value },
	{ "what each version has", test_versions },
	{ "the model of a net", test_model },
	{ "implicit conditions differ", test_ambiguous },
	{ "Beta 2", test_beta },
	{ "written back", test_write },
	{ "white space between elements", test_blanks },
	CU_TEST_INFO_NULL,
};

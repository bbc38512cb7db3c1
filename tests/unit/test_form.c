/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forms: fields by type and attribute, conditions, mistakes at their fields;
 * and the forms of all specifications of WEFT_CORPUS, whose samples are judged
 * by the check of a completion.
 */
#include <CUnit/CUnit.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/json.h"
#include "form/form.h"

#define WORK 5000000U
#define XML_BYTES ((size_t)1 << 20)
/* Samples of a type that contains itself end at this depth. */
#define SAMPLE_DEPTH 12

/* --- a specification with one task ---------------------------------------- */

static const char types[] =
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'>"
    "<xs:simpleType name='Colour'><xs:restriction base='xs:string'>"
    "<xs:enumeration value='red'/><xs:enumeration value='blue'/>"
    "</xs:restriction></xs:simpleType>"
    "<xs:simpleType name='Either'>"
    "<xs:union memberTypes='Colour xs:integer'/></xs:simpleType>"
    "<xs:simpleType name='Numbers'><xs:list itemType='xs:int'/>"
    "</xs:simpleType>"
    "<xs:simpleType name='Code'><xs:restriction base='xs:string'>"
    "<xs:pattern value='[A-Z]{2}'/><xs:maxLength value='2'/>"
    "</xs:restriction></xs:simpleType>"
    "<xs:complexType name='Line'><xs:sequence>"
    "<xs:element name='what' type='xs:string'><xs:annotation><xs:appinfo>"
    "<label>What?</label></xs:appinfo></xs:annotation></xs:element>"
    "<xs:element name='code' type='Code' minOccurs='0'><xs:annotation>"
    "<xs:appinfo><alert>Two letters.</alert></xs:appinfo>"
    "</xs:annotation></xs:element>"
    "<xs:element name='flag'><xs:complexType/></xs:element>"
    "</xs:sequence></xs:complexType>"
    "<xs:complexType name='Order'><xs:sequence>"
    "<xs:element name='line' type='Line' minOccurs='2' maxOccurs='3'/>"
    "<xs:choice><xs:element name='card' type='Code'/>"
    "<xs:element name='cash' type='xs:decimal'/></xs:choice>"
    "</xs:sequence></xs:complexType>"
    "<xs:complexType name='Part'><xs:sequence>"
    "<xs:element name='id' type='xs:int'/>"
    "<xs:element name='part' type='Part' minOccurs='0'/>"
    "</xs:sequence></xs:complexType>"
    "<xs:complexType name='Claim'><xs:sequence>"
    "<xs:element name='bill' type='YDocumentType' maxOccurs='9'/>"
    "<xs:choice><xs:element name='photo' type='YDocumentType'>"
    "<xs:annotation><xs:appinfo documentTypes='image/*'/></xs:annotation>"
    "</xs:element><xs:element name='none' type='xs:string'/></xs:choice>"
    "</xs:sequence></xs:complexType>"
    "<xs:complexType name='Mixed' mixed='true'><xs:sequence>"
    "<xs:element name='b' type='xs:int' minOccurs='0'/></xs:sequence>"
    "</xs:complexType></xs:schema>";

static const char frame[] =
    "<specificationSet xmlns='http://www.yawlfoundation.org/yawlschema'"
    " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' version='4.0'>"
    "<specification uri='S'><metaData><version>0.1</version>"
    "<identifier>UID_1</identifier></metaData>%s"
    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
    "<processControlElements><inputCondition id='i'><flowsInto>"
    "<nextElementRef id='T'/></flowsInto></inputCondition>"
    "<task id='T'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='T'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='T' xsi:type='WebServiceGatewayFactsType' %s>%s"
    "</decomposition></specification></specificationSet>";

/* --- forms ---------------------------------------------------------------- */

/* A form with these values; a new reference. */
static json_t *make_form(const struct wf_spec *spec, const struct wf_task *task,
    struct wf_value *const *values, size_t count)
{
	struct wf_form form = { .spec = spec,
		.task = task,
		.values = values,
		.value_count = count,
		.work = WORK };

	return wf_form_make(&form);
}

/* The form of the task; value: one that is there, or NULL. */
static json_t *form_of(const char *attributes, const char *parameters,
    const char *value, struct wf_spec_file **file_out)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("S");
	struct wf_arena *arena = wf_arena_new();
	char *text =
	    wf_arena_printf(arena, frame, types, attributes, parameters);
	struct wf_value *values[1] = { NULL };
	json_t *form;

	if (wf_spec_read(file_out, text, strlen(text), diagnostics) != WF_OK) {
		wf_diagnostics_print(diagnostics, stdout);
		CU_FAIL_FATAL("the specification is not read");
	}
	if (value != NULL)
		CU_ASSERT_EQUAL_FATAL(
		    wf_value_parse(&values[0], value, strlen(value), NULL),
		    WF_OK);
	form = make_form((*file_out)->specs[0],
	    &(*file_out)->specs[0]->root->tasks[0], values, value != NULL);
	wf_value_unref(&values[0]);
	wf_diagnostics_free(&diagnostics);
	wf_arena_free(&arena);
	return form;
}

#define PARAMETER(name, type, attributes)                                      \
	"<outputParam " attributes "><index>0</index><name>" name              \
	"</name><type>" type "</type>"                                         \
	"</outputParam>"
#define BUILT_IN(name, type, attributes)                                       \
	"<outputParam " attributes "><index>0</index><name>" name              \
	"</name><type>" type                                                   \
	"</type><namespace>http://www.w3.org/2001/XMLSchema</namespace>"       \
	"</outputParam>"

/* A member of the first field. */
static const json_t *member(const json_t *form, const char *name)
{
	return json_object_get(
	    json_array_get(json_object_get(form, "fields"), 0), name);
}

static const char *text_of(const json_t *form, const char *name)
{
	const char *text = json_string_value(member(form, name));

	return text == NULL ? "(none)" : text;
}

static void test_widgets(void)
{
	static const struct {
		const char *parameter;
		const char *widget;
	} rows[] = {
		{ BUILT_IN("p", "boolean", ""), "checkbox" },
		{ BUILT_IN("p", "date", ""), "date" },
		{ BUILT_IN("p", "time", ""), "time" },
		{ BUILT_IN("p", "dateTime", ""), "datetime" },
		{ BUILT_IN("p", "duration", ""), "duration" },
		{ BUILT_IN("p", "long", ""), "number" },
		{ BUILT_IN("p", "double", ""), "number" },
		{ BUILT_IN("p", "anyURI", ""), "uri" },
		{ BUILT_IN("p", "string", ""), "text" },
		{ BUILT_IN("p", "string", "textarea='true'"), "textarea" },
		{ BUILT_IN("p", "string", "textarea='false'"), "text" },
		{ PARAMETER("p", "Colour", ""), "select" },
		{ PARAMETER("p", "Numbers", ""), "list" },
		{ PARAMETER("p", "Order", ""), "group" },
		{ PARAMETER("p", "Mixed", ""), "xml" },
		{ PARAMETER("p", "YDocumentType", ""), "document" },
		{ PARAMETER("p", "YTimerType", ""), "timer" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wf_spec_file *file = NULL;
		json_t *form = form_of("", rows[i].parameter, NULL, &file);

		CU_ASSERT_STRING_EQUAL(text_of(form, "widget"), rows[i].widget);
		CU_ASSERT_STRING_EQUAL(text_of(form, "path"), "p");
		CU_ASSERT_STRING_EQUAL(text_of(form, "name"), "p");
		CU_ASSERT_PTR_NULL(json_object_get(form, "problems"));
		json_decref(form);
		wf_spec_file_free(&file);
	}
}

static void test_required(void)
{
	static const struct {
		const char *decomposition;
		const char *attributes;
		bool is_required;
		bool is_read_only;
		bool is_hidden;
	} rows[] = {
		{ "", "", true, false, false },
		{ "", "optional='true'", false, false, false },
		{ "", "optional='true' mandatory='true'", true, false, false },
		{ "", "readOnly='true'", false, true, false },
		{ "", "readOnly='true' mandatory='true'", false, true, false },
		{ "readOnly='true'", "", false, true, false },
		{ "", "hide='true'", true, false, true },
		{ "hide='true'", "", true, false, true },
		{ "", "hideIf='1 = 1'", true, false, true },
		{ "", "hideIf='/T/p = 7'", true, false, true },
		{ "", "hideIf='/T/p = 8'", true, false, false },
		{ "", "showIf='/T/p = 8'", true, false, true },
		{ "", "showIf='/T/p = 7'", true, false, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wf_spec_file *file = NULL;
		char parameter[400];
		json_t *form;

		snprintf(parameter, sizeof(parameter),
		    "<outputParam %s><index>0</index><name>p</name>"
		    "<type>integer</type><namespace>"
		    "http://www.w3.org/2001/XMLSchema</namespace>"
		    "</outputParam>",
		    rows[i].attributes);
		form = form_of(
		    rows[i].decomposition, parameter, "<p>7</p>", &file);
		CU_ASSERT_EQUAL(json_is_true(member(form, "required")),
		    rows[i].is_required);
		CU_ASSERT_EQUAL(json_is_true(member(form, "read_only")),
		    rows[i].is_read_only);
		CU_ASSERT_EQUAL(
		    json_is_true(member(form, "hidden")), rows[i].is_hidden);
		json_decref(form);
		wf_spec_file_free(&file);
	}
}

/* What cannot be evaluated is said, and hides nothing. */
static void test_problems(void)
{
	struct wf_spec_file *file = NULL;
	json_t *form = form_of("title='For ${/T/p + 1}'",
	    BUILT_IN("p", "integer", "hideIf='1 div 0' label='${error()}'"),
	    "<p>7</p>", &file);

	CU_ASSERT_FALSE(json_is_true(member(form, "hidden")));
	CU_ASSERT_STRING_EQUAL(
	    json_string_value(json_object_get(form, "title")), "For 8");
	CU_ASSERT_EQUAL(json_array_size(json_object_get(form, "problems")), 2);
	json_decref(form);
	wf_spec_file_free(&file);
}

static void test_facets(void)
{
	struct wf_spec_file *file = NULL;
	json_t *form =
	    form_of("", PARAMETER("p", "Either", "label='Which'"), NULL, &file);

	CU_ASSERT_STRING_EQUAL(text_of(form, "label"), "Which");
	CU_ASSERT_EQUAL(json_array_size(member(form, "values")), 2);
	CU_ASSERT(json_is_true(member(form, "open")));
	json_decref(form);
	wf_spec_file_free(&file);
	form = form_of("", PARAMETER("p", "Code", ""), NULL, &file);
	CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(
				   member(form, "facets"), "max_length")),
	    "2");
	CU_ASSERT_STRING_EQUAL(
	    json_string_value(json_array_get(
		json_object_get(member(form, "facets"), "patterns"), 0)),
	    "[A-Z]{2}");
	json_decref(form);
	wf_spec_file_free(&file);
	/* The inner field has the fields of the outer one again. */
	form = form_of("", PARAMETER("p", "Part", ""), NULL, &file);
	CU_ASSERT_STRING_EQUAL(
	    json_string_value(json_object_get(
		json_array_get(member(form, "fields"), 1), "like")),
	    "p");
	json_decref(form);
	wf_spec_file_free(&file);
}

/* What is said of files goes down to the documents in a parameter. */
static void test_documents(void)
{
	struct wf_spec_file *file = NULL;
	json_t *form = form_of("",
	    PARAMETER("p", "Claim",
		"documentTypes=' application/pdf, text/plain'"
		" documentSize='1K'"),
	    NULL, &file);
	const json_t *bill = json_array_get(member(form, "fields"), 0);
	const json_t *photo = json_array_get(
	    json_array_get(
		json_object_get(
		    json_array_get(member(form, "fields"), 1), "alternatives"),
		0),
	    0);

	CU_ASSERT_PTR_NULL(member(form, "types"));
	CU_ASSERT_STRING_EQUAL(
	    json_string_value(json_object_get(bill, "widget")), "document");
	CU_ASSERT_EQUAL(
	    json_integer_value(json_object_get(bill, "maximum_bytes")), 1024);
	CU_ASSERT_EQUAL(json_array_size(json_object_get(bill, "types")), 2);
	CU_ASSERT_STRING_EQUAL(json_string_value(json_array_get(
				   json_object_get(bill, "types"), 1)),
	    "text/plain");
	CU_ASSERT_STRING_EQUAL(json_string_value(json_array_get(
				   json_object_get(photo, "types"), 0)),
	    "image/*");
	CU_ASSERT_EQUAL(
	    json_integer_value(json_object_get(photo, "maximum_bytes")), 1024);
	json_decref(form);
	wf_spec_file_free(&file);
}

/* --- the check ------------------------------------------------------------ */

/* All mistakes of an answer for a parameter. */
static void judge(const struct wf_variable *parameter, const json_t *answer,
    struct wf_mistakes *mistakes)
{
	struct wf_value *value = NULL;
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer xml;

	wf_buffer_init(&xml, XML_BYTES);
	mistakes->count = 0;
	if (wf_json_put_xml(parameter->type, parameter->name, answer, &xml,
		&err) != WF_OK ||
	    (xml.length > 0 && wf_value_parse(&value, wf_buffer_text(&xml),
				   xml.length, &err) != WF_OK))
		wf_mistakes_add(mistakes, parameter->name, "type", err.message);
	else if (value != NULL)
		CU_ASSERT_EQUAL(wf_type_find_mistakes(parameter->type, value,
				    NULL, mistakes, &err) == WF_OK,
		    mistakes->count == 0);
	wf_value_unref(&value);
	wf_buffer_free(&xml);
}

static void test_mistakes(void)
{
	static const struct {
		const char *answer;
		const char *mistakes; /* path, rule and alert of each */
	} rows[] = {
		{ "{\"line\":[{\"what\":\"a\",\"flag\":{}},{\"what\":\"b\","
		  "\"code\":\"AB\",\"flag\":{}}],\"cash\":1}",
		    "" },
		{ "{\"line\":[{\"what\":\"a\",\"flag\":{}},{\"what\":\"b\","
		  "\"code\":\"abc\",\"flag\":{}}],\"cash\":\"x\"}",
		    "p/line[2]/code max_length Two letters.; p/cash type -; " },
		{ "{\"line\":[{\"what\":\"a\",\"flag\":{}},{\"flag\":{}}],"
		  "\"cash\":1}",
		    "p/line[2]/flag content -; " },
	};
	struct wf_spec_file *file = NULL;
	json_t *form = form_of("", PARAMETER("p", "Order", ""), NULL, &file);
	const struct wf_spec *spec = file->specs[0];
	size_t count;
	const struct wf_variable *parameter =
	    wf_form_parameters(spec, &spec->root->tasks[0], &count);
	struct wf_arena *arena = wf_arena_new();
	struct wf_mistakes mistakes = { .arena = arena };

	CU_ASSERT_EQUAL(count, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_t *answer = json_loads(rows[i].answer, 0, NULL);
		char text[400] = "";
		json_t *list;
		json_t *row;
		size_t at;

		judge(parameter, answer, &mistakes);
		list = wf_form_mistakes(&mistakes, form);
		json_array_foreach(list, at, row)
		{
			const char *alert =
			    json_string_value(json_object_get(row, "alert"));

			snprintf(text + strlen(text),
			    sizeof(text) - strlen(text), "%s %s %s; ",
			    json_string_value(json_object_get(row, "path")),
			    json_string_value(json_object_get(row, "rule")),
			    alert == NULL ? "-" : alert);
		}
		CU_ASSERT_STRING_EQUAL(text, rows[i].mistakes);
		json_decref(list);
		json_decref(answer);
	}
	wf_arena_free(&arena);
	json_decref(form);
	wf_spec_file_free(&file);
}

/* --- every form of a corpus ----------------------------------------------- */

/* What a path of a mistake leads to; the rest of it in *path. */
static const json_t *step_into(const json_t *fields, const char **path)
{
	size_t length = strcspn(*path, "[/");
	const json_t *found = NULL;
	const json_t *field;
	size_t i;

	json_array_foreach(fields, i, field)
	{
		const json_t *alternatives =
		    json_object_get(field, "alternatives");
		const char *name =
		    json_string_value(json_object_get(field, "name"));
		const char *rest = *path;

		if (name != NULL && strlen(name) == length &&
		    strncmp(name, *path, length) == 0) {
			*path += length;
			*path += strcspn(*path, "/");
			*path += **path == '/';
			return field;
		}
		for (size_t a = 0;
		     found == NULL && a < json_array_size(alternatives); a++) {
			rest = *path;
			found =
			    step_into(json_array_get(alternatives, a), &rest);
		}
		if (found != NULL) {
			*path = rest;
			return found;
		}
	}
	return NULL;
}

/* The field at the path of a mistake, or the one that has no fields. */
static const json_t *find_field(const json_t *form, const char *path)
{
	const json_t *field = step_into(json_object_get(form, "fields"), &path);

	while (field != NULL && *path != '\0') {
		const char *like =
		    json_string_value(json_object_get(field, "like"));
		const json_t *group =
		    like == NULL ? field : find_field(form, like);
		const json_t *fields = json_object_get(group, "fields");

		if (fields == NULL) /* "xml" */
			return field;
		field = step_into(fields, &path);
	}
	return field;
}

/* Whether samples are to be wrong. */
static bool is_wrong;

static json_t *sample_of(const json_t *form, const json_t *field, int depth);

static void add_samples(
    const json_t *form, const json_t *fields, int depth, json_t *object)
{
	const json_t *field;
	size_t i;

	json_array_foreach(fields, i, field)
	{
		const json_t *alternatives =
		    json_object_get(field, "alternatives");

		if (alternatives != NULL)
			add_samples(form, json_array_get(alternatives, 0),
			    depth, object);
		else
			json_object_set_new(object,
			    json_string_value(json_object_get(field, "name")),
			    sample_of(form, field, depth));
	}
}

/* What a person who knows nothing else would fill in. */
static const char *sample_text(const char *base)
{
	static const char *const samples[][2] = { { "date", "2026-03-01" },
		{ "time", "10:00:00" }, { "dateTime", "2026-03-01T10:00:00" },
		{ "duration", "P1D" }, { "gYear", "2026" },
		{ "gYearMonth", "2026-03" }, { "gMonthDay", "--03-01" },
		{ "gDay", "---01" }, { "gMonth", "--03" },
		{ "hexBinary", "00" }, { "base64Binary", "AAAA" },
		{ "language", "en" } };

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		if (strcmp(samples[i][0], base) == 0)
			return samples[i][1];
	return "1";
}

static json_t *sample_of_simple(const json_t *field, const char *widget)
{
	const char *base = json_string_value(json_object_get(field, "base"));
	const json_t *values = json_object_get(field, "values");
	const json_t *given = json_object_get(field, "default");

	if (is_wrong)
		return json_string("@ wrong @");
	if (given == NULL)
		given = json_object_get(field, "fixed");
	if (strcmp(widget, "checkbox") == 0)
		return json_false();
	if (given != NULL)
		return json_incref((json_t *)given);
	if (strcmp(widget, "list") == 0)
		return json_array();
	if (values != NULL)
		return json_incref(json_array_get(values, 0));
	if (strcmp(widget, "number") == 0)
		return json_integer(strncmp(base, "n", 1) == 0 &&
					    strstr(base, "egative") != NULL &&
					    strstr(base, "non") == NULL
					? -1
				    : strstr(base, "Positive") != NULL ? 0
								       : 1);
	return json_string(sample_text(base));
}

static json_t *sample_once(const json_t *form, const json_t *field, int depth)
{
	const char *widget =
	    json_string_value(json_object_get(field, "widget"));
	const char *like = json_string_value(json_object_get(field, "like"));
	json_t *object;

	if (json_object_get(field, "base") != NULL)
		return sample_of_simple(field, widget);
	object = json_object();
	if (like != NULL)
		field = find_field(form, like);
	add_samples(form, json_object_get(field, "fields"), depth - 1, object);
	return object;
}

static json_t *sample_of(const json_t *form, const json_t *field, int depth)
{
	const json_t *repeat = json_object_get(field, "repeat");
	json_int_t count =
	    json_integer_value(json_object_get(repeat, "minimum"));
	const char *widget =
	    json_string_value(json_object_get(field, "widget"));
	json_t *array;

	if (strcmp(widget, "xml") == 0 || depth == 0)
		return json_null();
	if (json_object_get(field, "like") != NULL &&
	    !json_is_true(json_object_get(field, "required")))
		return repeat == NULL ? json_null() : json_array();
	if (repeat == NULL)
		return sample_once(form, field, depth);
	array = json_array();
	for (json_int_t i = 0; i < count && i < 10; i++)
		json_array_append_new(array, sample_once(form, field, depth));
	return array;
}

struct corpus {
	const char *file;
	unsigned files, forms, fields, samples, mistakes, faults;
};

static struct corpus corpus;

static void fault(
    const struct wf_task *task, const char *path, const char *what)
{
	if (corpus.faults++ < 20)
		printf("%s, task %s, field %s: %s\n", corpus.file,
		    task == NULL ? "(start)" : task->id, path, what);
}

static void check_fields(const struct wf_task *task, const json_t *fields)
{
	static const char widgets[] =
	    " checkbox date time datetime duration number select uri list text"
	    " textarea document timer group flag choice xml ";
	const json_t *field;
	size_t i;

	json_array_foreach(fields, i, field)
	{
		const char *path =
		    json_string_value(json_object_get(field, "path"));
		const char *widget =
		    json_string_value(json_object_get(field, "widget"));
		const json_t *alternatives =
		    json_object_get(field, "alternatives");
		char word[40];

		corpus.fields++;
		if (path == NULL || widget == NULL) {
			fault(task, "?", "it has no path or widget");
			continue;
		}
		snprintf(word, sizeof(word), " %s ", widget);
		if (strstr(widgets, word) == NULL)
			fault(task, path, "its widget is not known");
		if (!json_is_boolean(json_object_get(field, "required")) ||
		    !json_is_boolean(json_object_get(field, "read_only")) ||
		    !json_is_boolean(json_object_get(field, "hidden")))
			fault(task, path, "a member is missing");
		if ((strcmp(widget, "choice") == 0) != (alternatives != NULL))
			fault(task, path, "only a choice has alternatives");
		if (strcmp(widget, "group") == 0 &&
		    json_object_get(field, "fields") == NULL &&
		    json_object_get(field, "like") == NULL)
			fault(task, path, "a group without fields");
		check_fields(task, json_object_get(field, "fields"));
		for (size_t a = 0; a < json_array_size(alternatives); a++)
			check_fields(task, json_array_get(alternatives, a));
	}
}

/* Each mistake of an answer is at a field, which says what is expected. */
static void check_answer(const struct wf_task *task, const json_t *form,
    const struct wf_variable *parameter, const json_t *answer)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_mistakes mistakes = { .arena = arena };

	judge(parameter, answer, &mistakes);
	corpus.samples++;
	for (size_t i = 0; i < mistakes.count; i++) {
		const char *path = mistakes.rows[i].path;
		const json_t *field = find_field(form, path);

		corpus.mistakes++;
		if (field == NULL)
			fault(task, path, "a mistake is at no field");
		else if (!is_wrong && json_object_get(field, "base") != NULL &&
			 json_object_get(field, "facets") == NULL &&
			 json_object_get(field, "values") == NULL)
			fault(task, path, mistakes.rows[i].message);
	}
	wf_arena_free(&arena);
}

static void check_form(const struct wf_spec *spec, const struct wf_task *task)
{
	json_t *form = make_form(spec, task, NULL, 0);
	const json_t *fields = json_object_get(form, "fields");
	const struct wf_variable *list;
	size_t count;

	corpus.forms++;
	check_fields(task, fields);
	list = wf_form_parameters(spec, task, &count);
	for (size_t i = 0; i < count; i++) {
		const char *path = list[i].name;
		const json_t *field = step_into(fields, &path);
		json_t *answer;

		if (field == NULL) {
			fault(task, list[i].name, "a parameter has no field");
			continue;
		}
		for (int wrong = 0; wrong < 2; wrong++) {
			is_wrong = wrong == 1;
			answer = sample_of(form, field, SAMPLE_DEPTH);
			check_answer(task, form, &list[i], answer);
			json_decref(answer);
		}
		if (list[i].fallback == NULL)
			continue;
		answer = wf_json_of_value(list[i].type, list[i].fallback);
		check_answer(task, form, &list[i], answer);
		json_decref(answer);
	}
	json_decref(form);
}

static void check_spec(const struct wf_spec *spec)
{
	check_form(spec, NULL);
	for (uint32_t d = 0; d < spec->decomposition_count; d++) {
		const struct wf_net *net = spec->decompositions[d].net;

		for (uint32_t t = 0; net != NULL && t < net->task_count; t++)
			if (net->tasks[t].decomposition != NULL &&
			    net->tasks[t].decomposition->net == NULL)
				check_form(spec, &net->tasks[t]);
	}
}

static int check_file(
    const char *path, const struct stat *status, int kind, struct FTW *place)
{
	const char *end = strrchr(path, '.');
	struct wf_diagnostics *diagnostics;
	struct wf_spec_file *file = NULL;
	char *text;
	FILE *in;

	(void)place;
	if (kind != FTW_F || end == NULL || status->st_size > 1 << 20 ||
	    (strcmp(end, ".yawl") != 0 && strcmp(end, ".ywl") != 0 &&
		strcmp(end, ".xml") != 0))
		return 0;
	in = fopen(path, "rb");
	if (in == NULL)
		return 0;
	text = wf_malloc((size_t)status->st_size + 1);
	diagnostics = wf_diagnostics_new(path);
	corpus.file = path;
	if (fread(text, 1, (size_t)status->st_size, in) ==
		(size_t)status->st_size &&
	    wf_spec_read(&file, text, (size_t)status->st_size, diagnostics) ==
		WF_OK) {
		corpus.files++;
		for (uint32_t i = 0; i < file->spec_count; i++)
			check_spec(file->specs[i]);
	}
	wf_spec_file_free(&file);
	wf_diagnostics_free(&diagnostics);
	wf_free(text);
	fclose(in);
	return 0;
}

static void test_corpus(void)
{
	static const char *const folders[] = { "specs", "data", "resources" };
	const char *root = getenv("WEFT_CORPUS");
	char path[4096];

	if (root == NULL)
		root = "../shared/corpus";
	if (access(root, R_OK) != 0) {
		printf("form: skipped, there is no ../shared, and WEFT_CORPUS "
		       "is not set\n");
		return;
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, folders[i]);
		nftw(path, check_file, 16, FTW_PHYS);
	}
	printf("form: %u files, %u forms, %u fields, %u samples, %u mistakes\n",
	    corpus.files, corpus.forms, corpus.fields, corpus.samples,
	    corpus.mistakes);
	CU_ASSERT(corpus.forms > 100 && corpus.mistakes > 0);
	CU_ASSERT_EQUAL(corpus.faults, 0);
}

CU_TestInfo wf_tests_form[] = {
	{ "a widget for each type", test_widgets },
	{ "required, read only, hidden", test_required },
	{ "what cannot be evaluated", test_problems },
	{ "facets and values", test_facets },
	{ "documents in a parameter", test_documents },
	{ "mistakes at their fields", test_mistakes },
	{ "all forms of a corpus", test_corpus },
	CU_TEST_INFO_NULL,
};

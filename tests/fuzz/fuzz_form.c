/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the JSON that a person's form posts.  Whatever it is, there is a
 * form for it, and each mistake has a place, a rule and a message.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "data/json.h"
#include "form/form.h"

#define XML_MAXIMUM ((size_t)1 << 20)
#define VALUES 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define XS " xmlns:xs='http://www.w3.org/2001/XMLSchema'"
#define OUTPUT(name, type, more)                                               \
	"<outputParam " more "><index>0</index><name>" name                    \
	"</name><type>" type "</type></outputParam>"

static const char text[] =
    "<specificationSet xmlns='http://www.yawlfoundation.org/yawlschema'"
    " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' version='4.0'>"
    "<specification uri='S'><metaData><version>0.1</version>"
    "<identifier>UID_1</identifier></metaData><xs:schema" XS ">"
    "<xs:simpleType name='Code'><xs:restriction base='xs:string'>"
    "<xs:pattern value='[A-Z]{2}'/></xs:restriction></xs:simpleType>"
    "<xs:simpleType name='Number'><xs:restriction base='xs:int'>"
    "<xs:maxInclusive value='6'/></xs:restriction></xs:simpleType>"
    "<xs:complexType name='Order'><xs:sequence>"
    "<xs:element name='line' minOccurs='0' maxOccurs='3'><xs:complexType>"
    "<xs:sequence><xs:element name='what' type='xs:string'/>"
    "<xs:element name='code' type='Code' minOccurs='0'/></xs:sequence>"
    "</xs:complexType></xs:element>"
    "<xs:choice><xs:element name='card' type='Code'/>"
    "<xs:element name='cash' type='xs:decimal'/></xs:choice>"
    "</xs:sequence></xs:complexType>"
    "<xs:complexType name='Part'><xs:sequence>"
    "<xs:element name='id' type='Number'/>"
    "<xs:element name='part' type='Part' minOccurs='0'"
    " maxOccurs='unbounded'/></xs:sequence></xs:complexType>"
    "<xs:complexType name='Mixed' mixed='true'><xs:sequence>"
    "<xs:element name='b' type='xs:int' minOccurs='0'/></xs:sequence>"
    "</xs:complexType></xs:schema>"
    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
    "<processControlElements><inputCondition id='i'><flowsInto>"
    "<nextElementRef id='T'/></flowsInto></inputCondition>"
    "<task id='T'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='T'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='T' xsi:type='WebServiceGatewayFactsType'"
    " title='For ${/T/code}'>" OUTPUT("code", "Code", "alert='two letters'")
	OUTPUT("number", "Number", "hideIf='/T/code = \"AA\"'") OUTPUT(
	    "order", "Order", "label='${count(/T/order/line)}'")
	    OUTPUT("part", "Part", "showIf='/T/number &gt; 1'") OUTPUT(
		"mixed", "Mixed", "") OUTPUT("document", "YDocumentType", "")
		OUTPUT("timer", "YTimerType",
		    "") "</decomposition></specification></specificationSet>";

static struct wf_spec_file *file;

static void forget_file(void)
{
	wf_spec_file_free(&file);
}

static void ensure_file(void)
{
	struct wf_diagnostics *diagnostics;

	if (file != NULL)
		return;
	diagnostics = wf_diagnostics_new("S");
	wf_assert(
	    wf_spec_read(&file, text, sizeof(text) - 1, diagnostics) == WF_OK);
	wf_diagnostics_free(&diagnostics);
	atexit(forget_file);
}

/* NULL: it is no value, or null; the first has a mistake. */
static struct wf_value *convert(const struct wf_variable *parameter,
    const json_t *member, struct wf_mistakes *mistakes)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_value *value = NULL;
	struct wf_buffer xml;
	enum wf_rc rc;

	wf_buffer_init(&xml, XML_MAXIMUM);
	rc = wf_json_put_xml(
	    parameter->type, parameter->name, member, &xml, &err);
	if (rc == WF_OK && xml.length > 0)
		rc = wf_value_parse(
		    &value, wf_buffer_text(&xml), xml.length, &err);
	if (rc != WF_OK)
		wf_mistakes_add(mistakes, parameter->name, "type", err.message);
	else if (value != NULL)
		wf_assert((wf_type_find_mistakes(parameter->type, value, NULL,
			       mistakes, &err) == WF_OK) == (err.rc == WF_OK));
	wf_buffer_free(&xml);
	return value;
}

static void check_mistakes(
    const struct wf_mistakes *mistakes, const json_t *form)
{
	json_t *list = wf_form_mistakes(mistakes, form);
	json_t *row;
	size_t i;

	wf_assert(json_array_size(list) == mistakes->count);
	json_array_foreach(list, i, row)
	{
		wf_assert(json_string_length(json_object_get(row, "path")) > 0);
		wf_assert(json_string_length(json_object_get(row, "rule")) > 0);
		wf_assert(
		    json_string_length(json_object_get(row, "message")) > 0);
	}
	json_decref(list);
}

static void check_given(const json_t *given)
{
	const struct wf_spec *spec = file->specs[0];
	const struct wf_task *task = &spec->root->tasks[0];
	struct wf_value *values[VALUES] = { NULL };
	struct wf_arena *arena = wf_arena_new();
	struct wf_mistakes mistakes = { .arena = arena };
	struct wf_form form = {
		.spec = spec, .task = task, .values = values, .work = 100000
	};
	const struct wf_variable *list;
	json_t *made;
	size_t count;

	list = wf_form_parameters(spec, task, &count);
	wf_assert(count <= VALUES);
	for (size_t i = 0; i < count; i++) {
		const json_t *member = json_object_get(given, list[i].name);

		if (member != NULL)
			values[i] = convert(&list[i], member, &mistakes);
	}
	form.value_count = count;
	made = wf_form_make(&form);
	wf_assert(json_array_size(json_object_get(made, "fields")) == count);
	check_mistakes(&mistakes, made);
	json_decref(made);
	for (size_t i = 0; i < count; i++)
		wf_value_unref(&values[i]);
	wf_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *given =
	    json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);

	ensure_file();
	if (json_is_object(given))
		check_given(given);
	json_decref(given);
	return 0;
}

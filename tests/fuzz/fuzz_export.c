/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an export of cases: refused, or described; a description is
 * refused too or gives a case in which everything holds.
 */
#include <stdint.h>
#include <string.h>

#include "base/panic.h"
#include "kernel/step.h"
#include "migration/yawl_import.h"

#define TEXT_MAXIMUM ((size_t)1 << 24)

static const char process[] =
    "<specificationSet version='4.0' "
    "xmlns='http://www.yawlfoundation.org/yawlschema' "
    "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
    "<specification uri='p'><metaData><title>p</title>"
    "<version>0.1</version><identifier>UID_p</identifier></metaData>"
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
    "<localVariable><index>0</index><name>n</name><type>integer</type>"
    "<namespace>http://www.w3.org/2001/XMLSchema</namespace>"
    "<initialValue>1</initialValue></localVariable>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='A'/></flowsInto>"
    "</inputCondition>"
    "<task id='A'><flowsInto><nextElementRef id='C'/></flowsInto>"
    "<flowsInto><nextElementRef id='B'/></flowsInto>"
    "<join code='xor'/><split code='and'/>"
    "<timer><trigger>OnEnabled</trigger><duration>PT1H</duration></timer>"
    "<decomposesTo id='W'/></task>"
    "<task id='C'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='S'/></task>"
    "<task id='B' xsi:type='MultipleInstanceExternalTaskFactsType'>"
    "<flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='M'/>"
    "<minimum>1</minimum><maximum>9</maximum><threshold>9</threshold>"
    "<creationMode code='dynamic'/>"
    "<miDataInput><expression query='&lt;all/&gt;'/>"
    "<splittingExpression query='for $i in 1 to 3 return &lt;n&gt;{$i}"
    "&lt;/n&gt;'/><formalInputParam>n</formalInputParam></miDataInput></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='S' xsi:type='NetFactsType'>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='D'/></flowsInto>"
    "</inputCondition>"
    "<task id='D'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/>"
    "<timer><trigger>OnExecuting</trigger><duration>PT1H</duration></timer>"
    "<decomposesTo id='W'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType'>"
    "<externalInteraction>manual</externalInteraction></decomposition>"
    "<decomposition id='M' xsi:type='WebServiceGatewayFactsType'>"
    "<inputParam><index>0</index><name>n</name><type>integer</type>"
    "<namespace>http://www.w3.org/2001/XMLSchema</namespace></inputParam>"
    "<externalInteraction>manual</externalInteraction></decomposition>"
    "</specification></specificationSet>";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read once. */
static const struct wf_spec *read_process(void)
{
	static struct wf_spec_file *file;
	struct wf_diagnostics *diagnostics;
	enum wf_rc rc;

	if (file != NULL)
		return file->specs[0];
	diagnostics = wf_diagnostics_new("");
	rc = wf_spec_read(&file, process, sizeof(process) - 1, diagnostics);
	wf_assert(rc == WF_OK);
	wf_diagnostics_free(&diagnostics);
	return file->specs[0];
}

static void launch(
    const struct wf_spec *spec, const char *id, const struct wf_buffer *rows)
{
	struct wf_command command = { .kind = WF_COMMAND_LAUNCH,
		.data = rows->data,
		.length = rows->length,
		.described = true,
		.now = 1000 };
	struct wf_case *c;
	struct wf_step step;
	enum wf_rc rc;

	wf_step_init(&step);
	rc = wf_case_launch(&c, spec, id, NULL, &command, &step, NULL);
	wf_assert(rc != WF_BUG);
	if (rc == WF_OK)
		wf_assert(wf_case_check(c, NULL) == WF_OK);
	wf_case_free(&c);
	wf_step_free(&step);
}

static void try_case(
    const struct wf_spec *spec, const struct wf_yawl_export *exported)
{
	struct wf_buffer rows;
	struct wf_buffer remarks;

	wf_buffer_init(&rows, TEXT_MAXIMUM);
	wf_buffer_init(&remarks, TEXT_MAXIMUM);
	if (wf_yawl_export_describe(exported, spec, &rows, &remarks, NULL) ==
	    WF_OK)
		launch(spec, exported->id, &rows);
	wf_buffer_free(&rows);
	wf_buffer_free(&remarks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_yawl_export *cases;
	const struct wf_spec *spec = read_process();
	size_t count;

	if (wf_yawl_export_read(
		arena, (const char *)data, size, &cases, &count, NULL) == WF_OK)
		for (size_t i = 0; i < count; i++)
			try_case(spec, &cases[i]);
	wf_arena_free(&arena);
	return 0;
}

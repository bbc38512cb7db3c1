/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged states and histories: an error, or a case that can be used, but never
 * a crash. The first byte chooses the decoder for the rest; a state gets its
 * correct checksum, so that the code behind the check is reached.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "kernel/step.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char specification[] =
    "<specificationSet xmlns='http://www.yawlfoundation.org/yawlschema'"
    " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' version='4.0'>"
    "<specification uri='fuzz'><metaData/>"
    "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'/>"
    "<decomposition id='Net' isRootNet='true' xsi:type='NetFactsType'>"
    "<localVariable><index>0</index><name>x</name><type>string</type>"
    "<namespace>http://www.w3.org/2001/XMLSchema</namespace>"
    "<initialValue>a</initialValue></localVariable>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='A'/></flowsInto>"
    "</inputCondition>"
    "<task id='A'><flowsInto><nextElementRef id='p'/></flowsInto>"
    "<flowsInto><nextElementRef id='S'/></flowsInto>"
    "<join code='xor'/><split code='and'/>"
    "<startingMappings><mapping>"
    "<expression query='&lt;x&gt;{/Net/x/text()}&lt;/x&gt;'/>"
    "<mapsTo>x</mapsTo></mapping></startingMappings>"
    "<completedMappings><mapping>"
    "<expression query='&lt;x&gt;{/Work/x/text()}&lt;/x&gt;'/>"
    "<mapsTo>x</mapsTo></mapping></completedMappings>"
    "<decomposesTo id='Work'/></task>"
    "<condition id='p'><flowsInto><nextElementRef id='B'/></flowsInto>"
    "<flowsInto><nextElementRef id='C'/></flowsInto></condition>"
    "<task id='B'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/><removesTokens id='S'/>"
    "<decomposesTo id='Plain'/></task>"
    "<task id='C'><flowsInto><nextElementRef id='D'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='Plain'/></task>"
    "<task id='S'><flowsInto><nextElementRef id='D'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='Sub'/></task>"
    "<task id='D'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='and'/><split code='and'/><decomposesTo id='Plain'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='Sub' xsi:type='NetFactsType'>"
    "<processControlElements>"
    "<inputCondition id='i'><flowsInto><nextElementRef id='E'/></flowsInto>"
    "</inputCondition>"
    "<task id='E'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/><decomposesTo id='Plain'/></task>"
    "<outputCondition id='o'/></processControlElements></decomposition>"
    "<decomposition id='Work' xsi:type='WebServiceGatewayFactsType'>"
    "<inputParam><index>0</index><name>x</name><type>string</type>"
    "<namespace>http://www.w3.org/2001/XMLSchema</namespace></inputParam>"
    "<outputParam><index>0</index><name>x</name><type>string</type>"
    "<namespace>http://www.w3.org/2001/XMLSchema</namespace></outputParam>"
    "</decomposition>"
    "<decomposition id='Plain' xsi:type='WebServiceGatewayFactsType'/>"
    "</specification></specificationSet>";

static const struct wf_spec *read_specification(void)
{
	static struct wf_spec_file *file;
	struct wf_diagnostics *diagnostics;

	if (file != NULL)
		return file->specs[0];
	diagnostics = wf_diagnostics_new("fuzz");
	if (wf_spec_read(&file, specification, strlen(specification),
		diagnostics) != WF_OK) {
		wf_diagnostics_print(diagnostics, stderr);
		abort();
	}
	wf_diagnostics_free(&diagnostics);
	return file->specs[0];
}

static struct wf_case *decode(
    const struct wf_spec *spec, const uint8_t *data, size_t size)
{
	uint32_t crc = wf_crc32c(0, data, size);
	struct wf_case *instance = NULL;
	uint8_t *bytes = malloc(size + 4);
	struct wf_error err = { .rc = WF_OK };

	if (size > 0)
		memcpy(bytes, data, size);
	for (size_t i = 0; i < 4; i++)
		bytes[size + i] = (uint8_t)(crc >> (8 * i));
	if (wf_case_decode(
		&instance, spec, NULL, bytes, size + 4, NULL, &err) == WF_OK)
		wf_assert(instance != NULL);
	free(bytes);
	return instance;
}

static struct wf_case *replay(
    const struct wf_spec *spec, const uint8_t *data, size_t size)
{
	struct wf_case *instance = NULL;
	struct wf_error err = { .rc = WF_OK };

	if (wf_case_replay(&instance, spec, NULL, 0, data, size, NULL, &err) !=
	    WF_OK)
		wf_case_free(&instance);
	return instance;
}

/* Commands are accepted or refused, whatever the state. */
static void use(struct wf_case *instance)
{
	struct wf_command command = { .kind = WF_COMMAND_FINISH };
	struct wf_error err = { .rc = WF_OK };
	char id[WF_ITEM_ID_SIZE];
	struct wf_item *items;
	struct wf_step step;

	wf_step_init(&step);
	if (wf_case_items(instance, &items) > 0) {
		wf_item_id(&items[0], id);
		command.item = id;
		if (wf_case_step(instance, &command, &step, &err) != WF_OK)
			wf_error_clear(&err);
	}
	wf_free(items);
	command.kind = WF_COMMAND_CANCEL_CASE;
	if (wf_case_step(instance, &command, &step, &err) != WF_OK)
		wf_error_clear(&err);
	wf_step_free(&step);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wf_spec *spec = read_specification();
	struct wf_case *instance;

	if (size == 0)
		return 0;
	if (data[0] & 1)
		instance = replay(spec, data + 1, size - 1);
	else
		instance = decode(spec, data + 1, size - 1);
	if (instance != NULL && wf_case_status(instance) <= WF_CASE_SUSPENDED)
		use(instance);
	wf_case_free(&instance);
	return 0;
}

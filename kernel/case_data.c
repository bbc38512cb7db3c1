/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of a case and of its items as seen from outside: input, default
 * output, documentation, the data of the root net.
 */
#include "kernel/kernel.h"
#include "kernel/places.h"

static enum wf_rc find_instance(const struct wf_case *c, const char *id,
    struct target *target, struct wf_error *err)
{
	enum wf_rc rc = wf_find_item(c, id, false, target, err);

	if (rc == WF_OK && target->instance == NULL)
		rc = wf_fail(err, WF_CONFLICT,
		    "work item %s has no data before it is started", id);
	return rc;
}

static void put_element(struct wf_buffer *xml, const char *name,
    struct wf_value *const *values, size_t count)
{
	size_t start = xml->length;
	bool empty = true;

	wf_buffer_printf(xml, "<%s>", name);
	for (size_t i = 0; i < count; i++) {
		if (values == NULL || values[i] == NULL)
			continue;
		empty = false;
		wf_buffer_append(
		    xml, wf_value_text(values[i]), values[i]->length);
	}
	if (!empty) {
		wf_buffer_printf(xml, "</%s>", name);
	} else if (!xml->full) {
		xml->length = start;
		wf_buffer_printf(xml, "<%s/>", name);
	}
}

/* The enablement parameters of an enabled item. */
static void put_shown(struct wf_buffer *xml, const struct target *target)
{
	const struct wf_decomposition *work = target->task->decomposition;
	const struct activity *activity = target->activity;
	struct wf_value **values =
	    wf_calloc(work->enablement_count, sizeof(*values));

	for (uint32_t i = 0; i < activity->result_count; i++) {
		wf_assert(
		    activity->results[i].variable < work->enablement_count);
		values[activity->results[i].variable] =
		    activity->results[i].value;
	}
	put_element(xml, work->root_name, values, work->enablement_count);
	wf_free(values);
}

enum wf_rc wf_case_item_input(const struct wf_case *instance, const char *id,
    struct wf_buffer *xml, struct wf_error *err)
{
	struct target target;
	enum wf_rc rc = wf_find_item(instance, id, false, &target, err);

	if (rc == WF_OK && target.instance == NULL &&
	    target.task->enablement_count > 0) {
		put_shown(xml, &target);
		return WF_OK;
	}
	if (rc == WF_OK)
		rc = find_instance(instance, id, &target, err);
	if (rc != WF_OK)
		return rc;
	put_element(xml, target.task->decomposition->root_name,
	    target.instance->inputs, target.task->decomposition->input_count);
	return WF_OK;
}

enum wf_rc wf_case_item_documentation(const struct wf_case *instance,
    const char *id, int64_t now, int32_t timezone, uint64_t *work,
    struct wf_buffer *text, struct wf_error *err)
{
	uint64_t given = *work < instance->limits->query_steps
			     ? *work
			     : instance->limits->query_steps;
	uint64_t left = given;
	struct wf_evaluation how = { .now = now,
		.timezone = timezone,
		.budget = &left,
		.memory = instance->limits->query_bytes };
	struct wf_known known = { .how = &how, .spec = instance->spec };
	struct wf_item item;
	struct target target;
	enum wf_rc rc = wf_find_item(instance, id, false, &target, err);

	if (rc != WF_OK)
		return rc;
	wf_describe_item(
	    instance, target.net, target.activity, target.instance, &item);
	known.item = &item;
	known.decomposition = target.task->decomposition;
	known.document = wf_net_document(target.net);
	wf_fill_in(&target.task->described, &known, text);
	*work -= given - left;
	return WF_OK;
}

enum wf_rc wf_case_item_default_output(const struct wf_case *instance,
    const char *id, struct wf_buffer *xml, struct wf_error *err)
{
	const struct wf_decomposition *decomposition;
	struct wf_value **values;
	struct target target;
	enum wf_rc rc = find_instance(instance, id, &target, err);

	if (rc != WF_OK)
		return rc;
	decomposition = target.task->decomposition;
	values = wf_calloc(decomposition->output_count, sizeof(*values));
	for (size_t i = 0; i < decomposition->output_count; i++)
		values[i] = wf_default_output(target.task, target.instance, i);
	put_element(
	    xml, decomposition->root_name, values, decomposition->output_count);
	for (size_t i = 0; i < decomposition->output_count; i++)
		wf_value_unref(&values[i]);
	wf_free(values);
	return WF_OK;
}

void wf_case_data(const struct wf_case *instance, struct wf_buffer *xml)
{
	const struct net_instance *n = instance->root;

	put_element(
	    xml, n->net->root_name, n->variables, n->net->variable_count);
}

void wf_case_output(const struct wf_case *instance, struct wf_buffer *xml)
{
	const struct net_instance *n = instance->root;
	size_t count = n->net->decomposition->output_count;
	struct wf_value **values = wf_calloc(count + 1, sizeof(*values));

	for (size_t i = 0; i < count; i++) {
		wf_assert(n->net->output_variables[i] < n->net->variable_count);
		values[i] = n->variables[n->net->output_variables[i]];
	}
	put_element(xml, n->net->root_name, values, count);
	wf_free(values);
}

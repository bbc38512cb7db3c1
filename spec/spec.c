/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A specification that was read: names of schema versions, lookups by id, and
 * freeing a file with all it owns.
 */
#include "spec/spec.h"

#include <string.h>

#include "base/panic.h"
#include "spec/reader.h"

#define CITI "http://www.citi.qut.edu.au/yawl"
#define FOUNDATION "http://www.yawlfoundation.org/yawlschema"

static const char *const version_names[] = {
	[WF_BETA_2] = "Beta 2",
	[WF_BETA_3] = "Beta 3",
	[WF_BETA_4] = "Beta 4",
	[WF_BETA_6] = "Beta 6",
	[WF_BETA_7_1] = "Beta 7.1",
	[WF_YAWL_2_0] = "2.0",
	[WF_YAWL_2_1] = "2.1",
	[WF_YAWL_2_2] = "2.2",
	[WF_YAWL_3_0] = "3.0",
	[WF_YAWL_4_0] = "4.0",
};

#define VERSION_COUNT (sizeof(version_names) / sizeof(version_names[0]))

const char *wf_schema_version_name(enum wf_schema_version version)
{
	wf_assert(version < VERSION_COUNT);
	return version_names[version];
}

const char *wf_schema_version_space(enum wf_schema_version version)
{
	return version < WF_YAWL_2_0 ? CITI : FOUNDATION;
}

/* --- Lookups --- */

uint32_t wf_spec_number(const struct wf_map *map, const char *id, size_t length)
{
	uintptr_t number = (uintptr_t)wf_map_get_n(map, id, length);

	return number == 0 ? UINT32_MAX : (uint32_t)(number - 1);
}

uint32_t wf_net_task_number(
    const struct wf_net *net, const char *id, size_t length)
{
	return wf_spec_number(net->task_numbers, id, length);
}

const struct wf_task *wf_spec_next_task(
    const struct wf_spec *spec, const char *id, uint32_t *at)
{
	while (*at < spec->decomposition_count) {
		const struct wf_net *net = spec->decompositions[(*at)++].net;
		uint32_t number = net == NULL
				      ? UINT32_MAX
				      : wf_net_task_number(net, id, strlen(id));

		if (number != UINT32_MAX)
			return &net->tasks[number];
	}
	return NULL;
}

uint32_t wf_net_condition_number(
    const struct wf_net *net, const char *id, size_t length)
{
	return wf_spec_number(net->condition_numbers, id, length);
}

const char *wf_spec_identifier(const struct wf_spec *spec)
{
	return spec->metadata.identifier == NULL ? spec->uri
						 : spec->metadata.identifier;
}

struct wf_decomposition *wf_spec_decomposition(
    const struct wf_spec *spec, const char *id)
{
	return wf_map_get(spec->decomposition_ids, id);
}

/* --- Freeing --- */

static void free_derived(const struct wf_spec *spec)
{
	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_net *net = spec->decompositions[i].net;

		for (unsigned k = 0;
		     net != NULL && net->derived != NULL && k < WF_DERIVATIONS;
		     k++)
			if (net->derived[k].data != NULL)
				net->derived[k].free(net, net->derived[k].data);
	}
}

void wf_spec_file_free(struct wf_spec_file **file)
{
	struct wf_spec_owned *owned;
	struct wf_arena *arena;

	if (*file == NULL)
		return;
	owned = (*file)->owned;
	arena = (*file)->arena;
	for (uint32_t i = 0; i < (*file)->spec_count; i++)
		free_derived((*file)->specs[i]);
	for (size_t i = 0; i < owned->query_count; i++)
		wf_query_free(&owned->queries[i]);
	for (size_t i = 0; i < owned->value_count; i++)
		wf_value_free_permanent(&owned->values[i]);
	for (size_t i = 0; i < owned->map_count; i++)
		wf_map_free(&owned->maps[i]);
	for (uint32_t i = 0; i < (*file)->spec_count; i++)
		wf_types_free(&(*file)->specs[i]->types);
	wf_arena_free(&arena);
	*file = NULL;
}

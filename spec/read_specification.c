/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one <specification>: its metadata, its decompositions with their
 * parameters, then the nets (read_net.c).
 */
#include "spec/reader.h"

#include <string.h>
#include <strings.h>

/* The texts of all children with that name. */
static const char **child_texts(struct wf_spec_reader *reader,
    const struct wf_markup *parent, const char *name, size_t *count_out)
{
	const char **texts = NULL;
	size_t capacity = 0;

	*count_out = 0;
	for (const struct wf_markup *c = wf_markup_child(parent, name);
	     c != NULL; c = wf_markup_next(c, name)) {
		texts = wf_arena_grow(reader->arena, texts, *count_out,
		    &capacity, sizeof(*texts));
		texts[(*count_out)++] = wf_markup_text(reader->arena, c);
	}
	return texts;
}

static void read_metadata(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_metadata *metadata)
{
#define TEXT(member, name)                                                     \
	metadata->member = wf_spec_child_text(reader, markup, name)
	TEXT(title, "title");
	TEXT(description, "description");
	TEXT(coverage, "coverage");
	TEXT(valid_from, "validFrom");
	TEXT(valid_until, "validUntil");
	TEXT(created, "created");
	TEXT(status, "status");
	TEXT(persistent, "persistent");
#undef TEXT
	metadata->version = wf_spec_child_token(reader, markup, "version");
	if (metadata->version == NULL)
		metadata->version = "0.1";
	metadata->identifier =
	    wf_spec_child_token(reader, markup, "identifier");
	metadata->creators =
	    child_texts(reader, markup, "creator", &metadata->creator_count);
	metadata->subjects =
	    child_texts(reader, markup, "subject", &metadata->subject_count);
	metadata->contributors = child_texts(
	    reader, markup, "contributor", &metadata->contributor_count);
	if (reader->version <= WF_BETA_4)
		metadata->others = wf_markup_copy(reader->arena, markup);
}

static struct wf_map *number_variables(struct wf_spec_reader *reader,
    const struct wf_variable *variables, size_t count)
{
	struct wf_map *map = wf_spec_own_map(reader, wf_map_new());

	for (size_t i = 0; i < count; i++)
		wf_map_add(map, variables[i].name, (void *)(uintptr_t)(i + 1));
	return map;
}

static void read_gateway(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_decomposition *decomposition)
{
	const struct wf_markup *service =
	    wf_markup_child(markup, "yawlService");
	const char *interaction =
	    wf_spec_child_token(reader, markup, "externalInteraction");

	decomposition->enablements = wf_spec_read_variables(reader, markup,
	    "enablementParam", WF_ENABLEMENT, &decomposition->enablement_count);
	decomposition->enablement_numbers = number_variables(reader,
	    decomposition->enablements, decomposition->enablement_count);
	decomposition->service = wf_markup_copy(reader->arena, service);
	decomposition->service_uri = wf_spec_attribute(reader, service, "id");
	decomposition->codelet = wf_spec_child_token(reader, markup, "codelet");
	decomposition->has_interaction = interaction != NULL;
	decomposition->is_automated =
	    interaction != NULL && strcmp(interaction, "automated") == 0;
}

static void read_output_expressions(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_decomposition *decomposition)
{
	static const char name[] = "outputExpression";
	size_t capacity = 0;

	for (const struct wf_markup *c = wf_markup_child(markup, name);
	     c != NULL; c = wf_markup_next(c, name)) {
		const char *query = wf_spec_attribute(reader, c, "query");

		if (query == NULL)
			continue;
		decomposition->output_expressions = wf_arena_grow(reader->arena,
		    decomposition->output_expressions,
		    decomposition->output_expression_count, &capacity,
		    sizeof(const char *));
		decomposition->output_expressions
		    [decomposition->output_expression_count++] = query;
	}
}

static bool is_net(const struct wf_markup *markup)
{
	const char *type = wf_markup_attribute_in(markup, WF_XSI, "type");
	const char *colon = type == NULL ? NULL : strchr(type, ':');

	if (wf_markup_is(markup, "rootNet"))
		return true;
	return type != NULL &&
	       strcmp(colon == NULL ? type : colon + 1, "NetFactsType") == 0;
}

/* skipOutboundSchemaValidation="TRUE", in upper or lower case. */
static bool skips_validation(const struct wf_markup *markup)
{
	const char *value =
	    wf_markup_attribute(markup, "skipOutboundSchemaValidation");

	return value != NULL && strcasecmp(value, "true") == 0;
}

static void read_decomposition(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_decomposition *decomposition)
{
	static const char *const except[] = { "id", "isRootNet", NULL };
	struct wf_spec *spec = reader->spec;

	decomposition->kind = is_net(markup) ? WF_NET : WF_GATEWAY;
	decomposition->number =
	    (uint32_t)(decomposition - spec->decompositions);
	decomposition->line = markup->line;
	decomposition->id =
	    wf_spec_token(reader, wf_markup_attribute(markup, "id"));
	if (decomposition->id == NULL)
		decomposition->id = "";
	decomposition->root_name =
	    reader->version <= WF_BETA_3 ? "data" : decomposition->id;
	decomposition->name = wf_spec_child_text(reader, markup, "name");
	decomposition->documentation =
	    wf_spec_child_text(reader, markup, "documentation");
	decomposition->inputs = wf_spec_read_variables(reader, markup,
	    "inputParam", WF_INPUT, &decomposition->input_count);
	decomposition->outputs = wf_spec_read_variables(reader, markup,
	    "outputParam", WF_OUTPUT, &decomposition->output_count);
	decomposition->input_numbers = number_variables(
	    reader, decomposition->inputs, decomposition->input_count);
	decomposition->output_numbers = number_variables(
	    reader, decomposition->outputs, decomposition->output_count);
	decomposition->log = wf_spec_read_log(reader, markup);
	decomposition->attributes = wf_spec_attributes(
	    reader, markup, except, &decomposition->attribute_count);
	decomposition->skips_start_validation = skips_validation(markup);
	read_output_expressions(reader, markup, decomposition);
	if (decomposition->kind == WF_GATEWAY) {
		wf_spec_read_hand_over(reader, markup, decomposition);
		wf_spec_read_timing(reader, markup, decomposition);
		read_gateway(reader, markup, decomposition);
		return;
	}
	decomposition->external_data_gateway =
	    wf_spec_child_token(reader, markup, "externalDataGateway");
	decomposition->net =
	    wf_arena_alloc(reader->arena, sizeof(*decomposition->net));
	decomposition->net->decomposition = decomposition;
	decomposition->net->spec = spec;
	decomposition->net->root_name = decomposition->root_name;
	decomposition->net->locals = wf_spec_read_variables(reader, markup,
	    "localVariable", WF_LOCAL, &decomposition->net->local_count);
	wf_spec_read_net_people(reader, markup, decomposition);
}

static bool is_decomposition(const struct wf_markup *markup)
{
	return wf_markup_is(markup, "decomposition") ||
	       wf_markup_is(markup, "rootNet");
}

static bool is_root(const struct wf_markup *markup)
{
	const char *root = wf_markup_attribute(markup, "isRootNet");

	if (wf_markup_is(markup, "rootNet"))
		return true;
	return root != NULL &&
	       (strcmp(root, "true") == 0 || strcmp(root, "1") == 0);
}

static void choose_root(struct wf_spec_reader *reader,
    const struct wf_markup *markup, struct wf_decomposition *decomposition)
{
	struct wf_spec *spec = reader->spec;
	const char *label = wf_spec_label_decomposition(reader, decomposition);

	if (!is_root(markup))
		return;
	if (decomposition->net == NULL)
		WF_SPEC_ERROR(
		    reader, markup->line, label, "isRootNet is for nets only");
	else if (spec->root != NULL)
		WF_SPEC_ERROR(reader, markup->line, label,
		    "is a second root net beside %s: expected one",
		    spec->root->decomposition->id);
	else
		spec->root = decomposition->net;
}

/* All headers are read first, so that tasks find their decompositions. */
static void read_decompositions(
    struct wf_spec_reader *reader, const struct wf_markup *markup)
{
	struct wf_spec *spec = reader->spec;
	uint32_t count = 0;

	spec->decomposition_ids = wf_spec_own_map(reader, wf_map_new());
	for (const struct wf_markup *c = wf_markup_child(markup, NULL);
	     c != NULL; c = wf_markup_next(c, NULL))
		count += is_decomposition(c);
	spec->decompositions =
	    wf_arena_array(reader->arena, count, sizeof(*spec->decompositions));
	for (const struct wf_markup *c = wf_markup_child(markup, NULL);
	     c != NULL; c = wf_markup_next(c, NULL)) {
		struct wf_decomposition *decomposition =
		    &spec->decompositions[spec->decomposition_count];

		if (!is_decomposition(c))
			continue;
		spec->decomposition_count++;
		read_decomposition(reader, c, decomposition);
		if (!wf_map_add(spec->decomposition_ids, decomposition->id,
			decomposition))
			WF_SPEC_ERROR(reader, c->line,
			    wf_spec_label_decomposition(reader, decomposition),
			    "another decomposition has this id: expected ids "
			    "that differ");
		choose_root(reader, c, decomposition);
	}
	if (spec->root == NULL)
		WF_SPEC_ERROR(reader, markup->line,
		    wf_content_label(reader->scratch, markup),
		    "there is no root net: expected one net with "
		    "isRootNet=\"true\"");
}

static void read_nets(
    struct wf_spec_reader *reader, const struct wf_markup *markup)
{
	struct wf_decomposition *next = reader->spec->decompositions;

	for (const struct wf_markup *c = wf_markup_child(markup, NULL);
	     c != NULL; c = wf_markup_next(c, NULL)) {
		if (!is_decomposition(c))
			continue;
		if (next->net != NULL)
			wf_spec_read_net(reader, next->net, c);
		next++;
	}
}

static const struct wf_markup *find_schema(const struct wf_markup *markup)
{
	for (const struct wf_markup *c = markup->first; c != NULL; c = c->next)
		if (wf_markup_is(c, "schema") && strcmp(c->space, WF_XSD) == 0)
			return c;
	return NULL;
}

/* Marks the nets that are reachable from the root net. */
static void mark_used(struct wf_spec *spec, struct wf_net *root)
{
	struct wf_net **waiting =
	    wf_calloc(spec->decomposition_count + 1, sizeof(struct wf_net *));
	size_t count = 0;

	waiting[count++] = root;
	root->is_used = true;
	while (count > 0) {
		const struct wf_net *net = waiting[--count];

		for (uint32_t i = 0; i < net->task_count; i++) {
			const struct wf_task *task = &net->tasks[i];

			if (task->join == WF_OR)
				spec->has_or_join = true;
			if (task->kind != WF_COMPOSITE_TASK ||
			    task->decomposition->net->is_used)
				continue;
			task->decomposition->net->is_used = true;
			waiting[count++] = task->decomposition->net;
		}
	}
	wf_free(waiting);
}

void wf_spec_read_specification(
    struct wf_spec_reader *reader, const struct wf_markup *markup)
{
	struct wf_spec *spec = reader->spec;

	spec->magic = WF_SPEC_MAGIC;
	spec->file = reader->file;
	spec->validates_data = reader->version > WF_BETA_2;
	spec->validates_output = reader->version > WF_BETA_3;
	spec->uri = wf_spec_attribute(reader, markup, "uri");
	if (spec->uri == NULL)
		spec->uri = "";
	spec->name = wf_spec_child_text(reader, markup, "name");
	spec->documentation =
	    wf_spec_child_text(reader, markup, "documentation");
	read_metadata(
	    reader, wf_markup_child(markup, "metaData"), &spec->metadata);
	spec->imported_nets = child_texts(
	    reader, markup, "importedNet", &spec->imported_net_count);
	spec->schema = wf_markup_copy(reader->arena, find_schema(markup));
	read_decompositions(reader, markup);
	read_nets(reader, markup);
	if (spec->root != NULL)
		mark_used(spec, spec->root);
}

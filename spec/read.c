/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a file of specifications: the file, its version, each
 * specification with its metadata and decompositions; and freeing it all.
 */
#include "spec/reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/panic.h"

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

/* --- What the file owns --- */

struct wf_query *wf_spec_own_query(
    struct wf_spec_reader *reader, struct wf_query *query)
{
	struct wf_spec_owned *owned = reader->file->owned;

	owned->queries =
	    wf_arena_grow(reader->arena, owned->queries, owned->query_count,
		&owned->query_capacity, sizeof(struct wf_query *));
	owned->queries[owned->query_count++] = query;
	return query;
}

struct wf_value *wf_spec_own_value(
    struct wf_spec_reader *reader, struct wf_value *value)
{
	struct wf_spec_owned *owned = reader->file->owned;

	owned->values =
	    wf_arena_grow(reader->arena, owned->values, owned->value_count,
		&owned->value_capacity, sizeof(struct wf_value *));
	wf_value_make_permanent(value);
	owned->values[owned->value_count++] = value;
	return value;
}

struct wf_map *wf_spec_own_map(
    struct wf_spec_reader *reader, struct wf_map *map)
{
	struct wf_spec_owned *owned = reader->file->owned;

	owned->maps = wf_arena_grow(reader->arena, owned->maps,
	    owned->map_count, &owned->map_capacity, sizeof(struct wf_map *));
	owned->maps[owned->map_count++] = map;
	return map;
}

static void free_derived(const struct wf_spec *spec)
{
	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_net *net = spec->decompositions[i].net;

		if (net != NULL && net->derived != NULL &&
		    net->derived->data != NULL)
			net->derived->free(net, net->derived->data);
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

/* --- Small readings --- */

const char *wf_spec_child_text(struct wf_spec_reader *reader,
    const struct wf_markup *parent, const char *name)
{
	const struct wf_markup *child = wf_markup_child(parent, name);

	return child == NULL ? NULL : wf_markup_text(reader->arena, child);
}

const char *wf_spec_token(struct wf_spec_reader *reader, const char *text)
{
	size_t length;

	if (text == NULL)
		return NULL;
	text += strspn(text, " \t\r\n");
	length = strlen(text);
	while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
		length--;
	return wf_arena_strndup(reader->arena, text, length);
}

const char *wf_spec_child_token(struct wf_spec_reader *reader,
    const struct wf_markup *parent, const char *name)
{
	const struct wf_markup *child = wf_markup_child(parent, name);

	return child == NULL ? NULL
			     : wf_spec_token(reader,
				   wf_markup_text(reader->scratch, child));
}

const char *wf_spec_attribute(struct wf_spec_reader *reader,
    const struct wf_markup *node, const char *name)
{
	const char *value = wf_markup_attribute(node, name);

	return value == NULL ? NULL : wf_arena_strdup(reader->arena, value);
}

static bool is_excepted(const char *const *except, const char *name)
{
	for (; *except != NULL; except++)
		if (strcmp(*except, name) == 0)
			return true;
	return false;
}

/* Remembers what the prefix of an attribute that is kept stands for. */
static void keep_prefix(
    struct wf_spec_reader *reader, const struct wf_markup_attribute *attribute)
{
	struct wf_spec_file *file = reader->file;

	if (strcmp(attribute->prefix, "xml") == 0)
		return;
	for (size_t i = 0; i < file->namespace_count; i++)
		if (strcmp(file->namespaces[i].prefix, attribute->prefix) == 0)
			return;
	file->namespaces = wf_arena_grow(reader->arena, file->namespaces,
	    file->namespace_count, &file->namespace_capacity,
	    sizeof(*file->namespaces));
	file->namespaces[file->namespace_count].prefix =
	    wf_arena_strdup(reader->arena, attribute->prefix);
	file->namespaces[file->namespace_count++].uri =
	    wf_arena_strdup(reader->arena, attribute->space);
}

struct wf_attribute *wf_spec_attributes(struct wf_spec_reader *reader,
    const struct wf_markup *node, const char *const *except, size_t *count_out)
{
	struct wf_attribute *attributes = wf_arena_array(
	    reader->arena, node->attribute_count, sizeof(*attributes));
	size_t count = 0;

	for (size_t i = 0; i < node->attribute_count; i++) {
		const struct wf_markup_attribute *from = &node->attributes[i];

		if (strcmp(from->space, WF_XSI) == 0 ||
		    (from->prefix[0] == '\0' &&
			is_excepted(except, from->name)))
			continue;
		if (from->prefix[0] != '\0')
			keep_prefix(reader, from);
		attributes[count].name =
		    from->prefix[0] == '\0'
			? wf_arena_strdup(reader->arena, from->name)
			: wf_arena_printf(
			      reader->arena, "%s:%s", from->prefix, from->name);
		attributes[count++].value =
		    wf_arena_strdup(reader->arena, from->value);
	}
	*count_out = count;
	return attributes;
}

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

/* --- Labels --- */

const char *wf_spec_label_decomposition(
    struct wf_spec_reader *reader, const struct wf_decomposition *decomposition)
{
	return wf_arena_printf(reader->scratch, "%s %s",
	    decomposition->kind == WF_NET ? "net" : "decomposition",
	    decomposition->id);
}

const char *wf_spec_label_net(
    struct wf_spec_reader *reader, const struct wf_net *net)
{
	return wf_spec_label_decomposition(reader, net->decomposition);
}

const char *wf_spec_label_task(
    struct wf_spec_reader *reader, const struct wf_task *task)
{
	return wf_arena_printf(reader->scratch, "task %s", task->id);
}

const char *wf_spec_label_flow(
    struct wf_spec_reader *reader, const char *from, const char *to)
{
	return wf_arena_printf(reader->scratch, "flow %s -> %s", from, to);
}

/* --- A specification --- */

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

/* skipOutboundSchemaValidation="TRUE", whatever the case of its letters. */
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

/* All headers come first, so that tasks find what they decompose to. */
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

/* Which nets a case may come to, from the root. */
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

static void read_specification(
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
	wf_spec_compile_variables(reader);
	wf_spec_compile_queries(reader);
	wf_spec_compile_texts(reader);
	wf_spec_check_nets(reader);
	wf_spec_check_data(reader);
	wf_spec_check_loops(reader);
}

/* --- The layout --- */

static void find_layout(const struct wf_spec_file *file, struct wf_spec *spec)
{
	struct wf_markup *of_spec =
	    wf_markup_child(file->layout, "specification");

	if (file->spec_count > 1)
		while (of_spec != NULL) {
			const char *id = wf_markup_attribute(of_spec, "id");

			if (id != NULL && strcmp(id, spec->uri) == 0)
				break;
			of_spec = wf_markup_next(of_spec, "specification");
		}
	for (struct wf_markup *net = wf_markup_child(of_spec, "net");
	     net != NULL; net = wf_markup_next(net, "net")) {
		const char *id = wf_markup_attribute(net, "id");
		struct wf_decomposition *decomposition =
		    id == NULL ? NULL : wf_spec_decomposition(spec, id);

		if (decomposition != NULL && decomposition->net != NULL)
			decomposition->net->layout = net;
	}
}

/* --- The file --- */

/* FNV-1a, then mixed so that every bit counts. */
static uint64_t hash(const char *text, size_t length, uint32_t number)
{
	uint64_t h = 0xcbf29ce484222325U;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3U;
	h = (h ^ number) * 0x100000001b3U;
	h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdU;
	h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53U;
	return h ^ (h >> 33);
}

static bool read_version(
    struct wf_spec_reader *reader, const struct wf_markup *root)
{
	const char *text = wf_markup_attribute(root, "version");
	const char *space;

	reader->version = text == NULL ? WF_BETA_2 : VERSION_COUNT;
	for (size_t i = 0; text != NULL && i < VERSION_COUNT; i++)
		if (strcmp(version_names[i], text) == 0)
			reader->version = (enum wf_schema_version)i;
	if (text != NULL && strcmp(text, "beta3") == 0)
		reader->version = WF_BETA_3;
	if (reader->version == VERSION_COUNT) {
		WF_SPEC_ERROR(reader, root->line, "specificationSet",
		    "version \"%.40s\" is not known: expected Beta 3, Beta 4, "
		    "Beta 6, Beta 7.1, 2.0, 2.1, 2.2, 3.0 or 4.0, or no "
		    "version (Beta 2)",
		    text);
		return false;
	}
	reader->is_beta = reader->version < WF_YAWL_2_0;
	space = wf_schema_version_space(reader->version);
	if (strcmp(root->space, space) != 0) {
		WF_SPEC_ERROR(reader, root->line, "specificationSet",
		    "is in the namespace \"%.120s\": version %s has \"%s\"",
		    root->space, version_names[reader->version], space);
		return false;
	}
	return true;
}

static void read_set(struct wf_spec_reader *reader,
    const struct wf_markup *root, const char *text, size_t length)
{
	struct wf_spec_file *file = reader->file;
	static const char name[] = "specification";
	uint32_t count = 0;

	for (const struct wf_markup *c = wf_markup_child(root, name); c != NULL;
	     c = wf_markup_next(c, name))
		count++;
	file->specs =
	    wf_arena_array(reader->arena, count, sizeof(struct wf_spec *));
	file->layout =
	    wf_markup_copy(reader->arena, wf_markup_child(root, "layout"));
	for (const struct wf_markup *c = wf_markup_child(root, name); c != NULL;
	     c = wf_markup_next(c, name)) {
		struct wf_spec *spec =
		    wf_arena_alloc(reader->arena, sizeof(*spec));

		file->specs[file->spec_count] = spec;
		spec->key = hash(text, length, file->spec_count++);
		reader->spec = spec;
		read_specification(reader, c);
	}
	for (uint32_t i = 0; i < file->spec_count; i++)
		find_layout(file, file->specs[i]);
}

static void read_text(
    struct wf_spec_reader *reader, const char *text, size_t length)
{
	const struct wf_markup *root =
	    wf_markup_parse(reader->scratch, text, length, reader->diagnostics);

	if (root == NULL)
		return;
	if (!wf_markup_is(root, "specificationSet")) {
		WF_SPEC_ERROR(reader, root->line, "",
		    "the root element is <%s>: expected <specificationSet> of "
		    "\"%s\"",
		    root->name, FOUNDATION);
		return;
	}
	if (!read_version(reader, root))
		return;
	reader->file->version = reader->version;
	wf_content_check(
	    reader->scratch, root, reader->version, reader->diagnostics);
	read_set(reader, root, text, length);
}

enum wf_rc wf_spec_read(struct wf_spec_file **file_out, const char *text,
    size_t length, struct wf_diagnostics *diagnostics)
{
	struct wf_spec_reader reader = { .diagnostics = diagnostics };
	size_t errors = wf_diagnostics_errors(diagnostics);

	*file_out = NULL;
	if (length > WF_SPEC_MAXIMUM) {
		WF_SPEC_ERROR(&reader, 0, "",
		    "the specification is larger than %u bytes",
		    WF_SPEC_MAXIMUM);
		return WF_INVALID;
	}
	reader.arena = wf_arena_new();
	reader.scratch = wf_arena_new();
	reader.file = wf_arena_alloc(reader.arena, sizeof(*reader.file));
	reader.file->arena = reader.arena;
	reader.file->owned =
	    wf_arena_alloc(reader.arena, sizeof(*reader.file->owned));
	read_text(&reader, text, length);
	wf_arena_free(&reader.scratch);
	if (wf_diagnostics_errors(diagnostics) > errors) {
		wf_spec_file_free(&reader.file);
		return WF_INVALID;
	}
	*file_out = reader.file;
	return WF_OK;
}

/* Stops reading at the limit, so that no file is too large to refuse. */
enum wf_rc wf_spec_read_file(struct wf_spec_file **file_out, const char *path,
    struct wf_diagnostics *diagnostics)
{
	char chunk[16384];
	struct wf_buffer text;
	FILE *file = fopen(path, "rb");
	size_t size = 0;
	int failure = errno;
	enum wf_rc rc;

	*file_out = NULL;
	if (file != NULL) {
		wf_buffer_init(&text, (size_t)WF_SPEC_MAXIMUM + sizeof(chunk));
		while (text.length <= WF_SPEC_MAXIMUM &&
		       (size = fread(chunk, 1, sizeof(chunk), file)) > 0)
			wf_buffer_append(&text, chunk, size);
		failure = ferror(file) ? errno : 0;
		fclose(file);
	}
	if (file == NULL || failure != 0) {
		wf_diagnostics_add(diagnostics, WF_ERROR, 0, "",
		    "cannot be read: %s", strerror(failure));
		rc = WF_IO;
	} else {
		rc = wf_spec_read(
		    file_out, wf_buffer_text(&text), text.length, diagnostics);
	}
	if (file != NULL)
		wf_buffer_free(&text);
	return rc;
}

/* --- Looking things up --- */

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

struct wf_decomposition *wf_spec_decomposition(
    const struct wf_spec *spec, const char *id)
{
	return wf_map_get(spec->decomposition_ids, id);
}

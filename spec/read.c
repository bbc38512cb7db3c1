/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a file of specifications and runs the passes over each of them:
 * read, compile, check (spec/reader.h).
 */
#include "spec/reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* --- A specification --- */

static void compile(struct wf_spec_reader *reader)
{
	wf_spec_compile_variables(reader);
	wf_spec_compile_people(reader);
	wf_spec_compile_queries(reader);
	wf_spec_compile_texts(reader);
}

static void check(struct wf_spec_reader *reader)
{
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

/* A file without a version is Beta 2. */
static bool find_version(const char *text, enum wf_schema_version *version_out)
{
	*version_out = WF_BETA_2;
	if (text == NULL)
		return true;
	for (int i = WF_BETA_2; i <= WF_YAWL_4_0; i++) {
		*version_out = (enum wf_schema_version)i;
		if (strcmp(wf_schema_version_name(*version_out), text) == 0)
			return true;
	}
	*version_out = WF_BETA_3;
	return strcmp(text, "beta3") == 0;
}

static bool read_version(
    struct wf_spec_reader *reader, const struct wf_markup *root)
{
	const char *text = wf_markup_attribute(root, "version");
	const char *space;

	if (!find_version(text, &reader->version)) {
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
		    root->space, wf_schema_version_name(reader->version),
		    space);
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
		wf_spec_read_specification(reader, c);
		compile(reader);
		check(reader);
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
		    root->name, wf_schema_version_space(WF_YAWL_4_0));
		return;
	}
	if (!read_version(reader, root))
		return;
	reader->file->version = reader->version;
	/* Messages name what they are about. */
	wf_spec_check_names(reader, root);
	if (wf_diagnostics_errors(reader->diagnostics) > 0)
		return;
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
	if (length > WF_SPEC_BYTES) {
		WF_SPEC_ERROR(&reader, 0, "",
		    "the specification is larger than %u bytes", WF_SPEC_BYTES);
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

/* Stops reading at the limit, so that no file is too large to refuse it. */
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
		wf_buffer_init(&text, (size_t)WF_SPEC_BYTES + sizeof(chunk));
		while (text.length <= WF_SPEC_BYTES &&
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

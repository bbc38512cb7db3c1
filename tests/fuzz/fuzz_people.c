/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a file of an organisation: a backup, JSON, or a table of each
 * kind, into nothing and into a small organisation.  What is imported and
 * written is read again as it was, and importing again changes nothing.  The
 * same bytes as the <resourcing> of a task.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "people/organisation/import.h"
#include "people/organisation/org_file.h"
#include "people/resourcing.h"
#include "people/resourcing_check.h"

#define LARGEST_BYTES 65536U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- rules ---------------------------------------------------------------- */

static const char before[] =
    "<specificationSet xmlns='http://www.yawlfoundation.org/yawlschema'"
    " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' version='4.0'>"
    "<specification uri='S'><metaData><version>0.1</version>"
    "<identifier>UID_1</identifier></metaData>"
    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
    "<localVariable><index>0</index><name>who</name><type>string</type>"
    "<namespace>http://www.w3.org/2001/XMLSchema</namespace>"
    "</localVariable><processControlElements><inputCondition id='i'>"
    "<flowsInto><nextElementRef id='T'/></flowsInto></inputCondition>"
    "<task id='T'><flowsInto><nextElementRef id='o'/></flowsInto>"
    "<join code='xor'/><split code='and'/>";
static const char after[] =
    "<decomposesTo id='D'/></task><outputCondition id='o'/>"
    "</processControlElements></decomposition><decomposition id='D'"
    " xsi:type='WebServiceGatewayFactsType'/></specification>"
    "</specificationSet>";

/* Whatever the reader finds, a diagnostic reports. */
static void check_rules(const struct wf_spec *spec, struct wf_arena *arena)
{
	const struct wf_net *net = spec->root;
	struct wf_diagnostics *found = wf_diagnostics_new("fuzz");
	struct wf_organisation *nobody = wf_organisation_new(NULL, NULL, 0, 0);
	bool has_problem = false;

	for (uint32_t i = 0; i < net->task_count; i++) {
		struct wf_resourcing *rule;
		struct wf_error err = { .rc = WF_OK };

		if (net->tasks[i].resourcing == NULL)
			continue;
		has_problem |=
		    wf_resourcing_read(
			arena, net->tasks[i].resourcing, &rule, &err) != WF_OK;
		wf_assert(rule->allocator < WF_ALLOCATORS);
	}
	wf_resourcing_check(spec, found);
	wf_assert(!has_problem || wf_diagnostics_count(found) > 0);
	wf_assert(wf_diagnostics_errors(found) == 0);
	wf_resourcing_check_names(spec, nobody, found);
	wf_organisation_unref(&nobody);
	wf_diagnostics_free(&found);
}

static void read_rule(struct wf_arena *arena, const char *text, size_t length)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("fuzz");
	struct wf_spec_file *file = NULL;
	struct wf_buffer xml;

	wf_buffer_init(&xml, SIZE_MAX / 2);
	wf_buffer_puts(&xml, before);
	wf_buffer_append(&xml, text, length);
	wf_buffer_puts(&xml, after);
	if (wf_spec_read(
		&file, wf_buffer_text(&xml), xml.length, diagnostics) == WF_OK)
		for (uint32_t i = 0; i < file->spec_count; i++)
			check_rules(file->specs[i], arena);
	wf_spec_file_free(&file);
	wf_buffer_free(&xml);
	wf_diagnostics_free(&diagnostics);
}

/* --- organisations -------------------------------------------------------- */

static const char known[] =
    "{\"roles\": [{\"id\": \"R1\", \"name\": \"Clerk\"},"
    " {\"id\": \"R2\", \"name\": \"Boss\", \"belongsTo\": \"R1\"}],"
    " \"people\": [{\"id\": \"P1\", \"user\": \"ann\", \"roles\": [\"R2\"]}],"
    " \"rates\": [{\"id\": \"C1\", \"name\": \"hour\", \"amount\": 12.5}]}";

/* NULL: it is no such file. */
static struct wf_organisation *import(struct wf_arena *arena,
    const struct wf_organisation *into, enum wf_org_format format,
    enum wf_org_kind kind, const char *text, size_t length, bool updates,
    struct wf_org_import *import)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_org_list list;
	size_t count = 0;

	if (wf_org_file_read(arena, into, format, kind, text, length, &list,
		&err) != WF_OK) {
		wf_assert(err.message[0] != '\0');
		return NULL;
	}
	wf_org_import(into, &list, updates, arena, import);
	for (unsigned i = 0; i < WF_ORG_KINDS; i++)
		for (unsigned fate = 0; fate < WF_ORG_FATES; fate++)
			count += import->counts[i][fate];
	wf_assert(count == list.count && count == import->note_count);
	return import->after;
}

static void write(const struct wf_organisation *organisation,
    enum wf_org_format format, enum wf_org_kind kind, struct wf_buffer *text)
{
	wf_buffer_reset(text);
	wf_org_file_write(organisation, format, kind, text);
}

/* A file of the organisation, read into it, is nothing new. */
static void check_unchanged(const struct wf_organisation *organisation,
    enum wf_org_format format, enum wf_org_kind kind)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_org_import result;
	struct wf_organisation *same;
	struct wf_buffer text;

	wf_buffer_init(&text, SIZE_MAX / 2);
	write(organisation, format, kind, &text);
	same = import(arena, organisation, format, kind, wf_buffer_text(&text),
	    text.length, true, &result);
	wf_assert(same != NULL);
	wf_assert(result.change_count == 0);
	for (size_t i = 0; i < result.note_count; i++)
		wf_assert(result.notes[i].fate == WF_ORG_UNCHANGED);
	wf_organisation_unref(&same);
	wf_buffer_free(&text);
	wf_arena_free(&arena);
}

/* A cell has no place for the separator in one of several texts. */
static bool fits_table(
    const struct wf_organisation *organisation, enum wf_org_kind kind)
{
	return kind != WF_ORG_CATEGORY && kind != WF_ORG_CALENDAR &&
	       wf_org_count(organisation, kind) > 0;
}

/* The same file again changes nothing. */
static void check_again(const struct wf_organisation *organisation,
    enum wf_org_format format, enum wf_org_kind kind, const char *text,
    size_t length)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_org_import result;
	struct wf_organisation *same = import(
	    arena, organisation, format, kind, text, length, true, &result);

	wf_assert(same != NULL);
	wf_assert(result.change_count == 0);
	wf_organisation_unref(&same);
	wf_arena_free(&arena);
}

static void check_file(const struct wf_organisation *into,
    enum wf_org_format format, enum wf_org_kind kind, const char *text,
    size_t length, bool updates)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_org_import result;
	struct wf_organisation *organisation =
	    import(arena, into, format, kind, text, length, updates, &result);

	if (organisation != NULL) {
		if (updates)
			check_again(organisation, format, kind, text, length);
		check_unchanged(organisation, WF_ORG_JSON, WF_ORG_NONE);
		for (unsigned i = 0; i < WF_ORG_KINDS; i++)
			if (fits_table(organisation, i))
				check_unchanged(organisation, WF_ORG_CSV, i);
		/* Not what JSON and tables do not have. */
		if (wf_org_count(organisation, WF_ORG_RATE) == 0 &&
		    format == WF_ORG_YBKP)
			check_unchanged(organisation, WF_ORG_YBKP, WF_ORG_NONE);
	}
	wf_organisation_unref(&organisation);
	wf_arena_free(&arena);
}

static void check_files(
    const struct wf_organisation *into, const char *text, size_t length)
{
	for (unsigned updates = 0; updates < 2; updates++) {
		check_file(
		    into, WF_ORG_YBKP, WF_ORG_NONE, text, length, updates == 1);
		check_file(
		    into, WF_ORG_JSON, WF_ORG_NONE, text, length, updates == 1);
		for (unsigned kind = 0; kind < WF_ORG_KINDS; kind++)
			check_file(
			    into, WF_ORG_CSV, kind, text, length, updates == 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct wf_arena *arena;
	struct wf_organisation *nothing;
	struct wf_organisation *small;
	struct wf_org_import result;

	if (size > LARGEST_BYTES)
		return 0;
	arena = wf_arena_new();
	nothing = wf_organisation_new(NULL, NULL, 0, 0);
	small = import(arena, nothing, WF_ORG_JSON, WF_ORG_NONE, known,
	    sizeof(known) - 1, false, &result);
	wf_assert(small != NULL);
	wf_assert(wf_org_format_of(text, size) < WF_ORG_FORMATS);
	read_rule(arena, text, size);
	check_files(nothing, text, size);
	check_files(small, text, size);
	wf_organisation_unref(&small);
	wf_organisation_unref(&nothing);
	wf_arena_free(&arena);
	return 0;
}

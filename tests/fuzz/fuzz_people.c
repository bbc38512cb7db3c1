/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a backup file of an organisation.  What is imported and written
 * is read again as it was.  The same bytes as the <resourcing> of a task.
 */
#include <stdint.h>
#include <string.h>

#include "base/panic.h"
#include "people/import.h"
#include "people/resourcing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* NULL: it is no backup file. */
static struct wf_organisation *import(
    struct wf_arena *arena, const char *text, size_t length)
{
	struct wf_organisation *nothing;
	struct wf_org_import import;
	struct wf_org_list list;

	if (wf_backup_read(arena, text, length, &list, NULL) != WF_OK)
		return NULL;
	nothing = wf_organisation_new(NULL, NULL, 0, 0);
	wf_org_import(nothing, &list, false, arena, &import);
	wf_organisation_unref(&nothing);
	return import.after;
}

static void read_rule(struct wf_arena *arena, const char *text, size_t length)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("fuzz");
	const struct wf_markup *markup =
	    wf_markup_parse(arena, text, length, diagnostics);
	struct wf_error err = { .rc = WF_OK };
	struct wf_resourcing *rule;

	if (markup != NULL) {
		enum wf_rc rc = wf_resourcing_read(arena, markup, &rule, &err);

		wf_assert((rc == WF_OK) == (err.message[0] == '\0'));
		wf_assert(rule->allocator < WF_ALLOCATORS);
	}
	wf_diagnostics_free(&diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_organisation *organisation =
	    import(arena, (const char *)data, size);
	struct wf_buffer first;
	struct wf_buffer second;

	read_rule(arena, (const char *)data, size);
	wf_buffer_init(&first, SIZE_MAX / 2);
	wf_buffer_init(&second, SIZE_MAX / 2);
	if (organisation != NULL) {
		wf_backup_write(organisation, &first);
		wf_organisation_unref(&organisation);
		organisation =
		    import(arena, wf_buffer_text(&first), first.length);
		wf_assert(organisation != NULL);
		wf_backup_write(organisation, &second);
		wf_assert(strcmp(wf_buffer_text(&first),
			      wf_buffer_text(&second)) == 0);
	}
	wf_organisation_unref(&organisation);
	wf_buffer_free(&first);
	wf_buffer_free(&second);
	wf_arena_free(&arena);
	return 0;
}

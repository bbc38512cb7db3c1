/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the record of an account, and each line of them as a grant.
 * What is read is written and read again as it was.
 */
#include <stdint.h>
#include <string.h>

#include "base/panic.h"
#include "identity/account_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_lines(struct wf_arena *arena, const char *text)
{
	struct wf_rights rights;

	memset(&rights, 0, sizeof(rights));
	while (*text != '\0') {
		size_t length = strcspn(text, "\n");
		struct wf_error err = { .rc = WF_OK };
		struct wf_rights before = rights;
		enum wf_rc rc = wf_rights_add(
		    &rights, wf_arena_strndup(arena, text, length), &err);

		/* A refused grant gives nothing and says why. */
		if (rc != WF_OK)
			wf_assert(err.message[0] != '\0' &&
				  wf_rights_are_equal(&rights, &before));
		wf_assert(wf_rights_cover(&rights, 1, &before, 1));
		wf_assert(rights.count <= WF_GRANTS);
		text += length + (text[length] != '\0');
	}
}

static void read_record(
    struct wf_arena *arena, const uint8_t *data, size_t size)
{
	const struct wf_record_row row = {
		.kind = WF_ACCOUNT_KIND, .name = "anna", .value = { data, size }
	};
	struct wf_record_row again = row;
	struct wf_account_row account;
	struct wf_account_row other;
	struct wf_error err = { .rc = WF_OK };

	if (wf_account_decode(&row, arena, &account, &err) != WF_OK)
		return;
	again.value.data = wf_account_encode(&account, arena);
	again.value.size = strlen(again.value.data);
	wf_assert(wf_account_decode(&again, arena, &other, &err) == WF_OK);
	wf_assert(other.token_count == account.token_count &&
		  other.epoch == account.epoch &&
		  other.namespace_id == account.namespace_id &&
		  wf_rights_are_equal(&other.rights, &account.rights));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wf_arena *arena = wf_arena_new();

	read_lines(arena, wf_arena_strndup(arena, (const char *)data, size));
	read_record(arena, data, size);
	wf_arena_free(&arena);
	return 0;
}

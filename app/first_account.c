/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first account of a new store: "admin".
 *
 * Its token is written to a file that only its owner can read.  The file is
 * opened before the account is added, so that a missing folder or permission
 * leaves no account behind whose token is lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app_priv.h"

static enum wf_rc fail_token(const char *path, struct wf_error *err)
{
	return wf_fail(err, WF_IO, "cannot write the token to %s: %s", path,
	    strerror(errno));
}

static enum wf_rc write_token(
    int file, const char *path, const char *token, struct wf_error *err)
{
	size_t length = strlen(token);

	return ftruncate(file, 0) == 0 && fchmod(file, 0600) == 0 &&
		       write(file, token, length) == (ssize_t)length &&
		       write(file, "\n", 1) == 1 && fsync(file) == 0
		   ? WF_OK
		   : fail_token(path, err);
}

static enum wf_rc add_admin(
    struct wf_store *store, const char *path, struct wf_error *err)
{
	static const struct wf_account admin = { .name = "admin",
		.namespace_id = WF_NAMESPACE_DEFAULT,
		.role = WF_ADMIN };
	char token[WF_TOKEN_SIZE];
	int file = -1;
	enum wf_rc rc;

	if (path != NULL) {
		file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (file < 0)
			return fail_token(path, err);
	}
	rc = wf_account_add(store, &admin, NULL, token, err);
	if (rc == WF_OK && file >= 0) {
		rc = write_token(file, path, token, err);
		if (rc != WF_OK &&
		    wf_account_remove(store, admin.name, NULL) != WF_OK)
			wf_error_prefix(err, "account admin has no token");
	}
	if (file >= 0)
		close(file);
	return rc;
}

enum wf_rc wf_first_account(struct wf_store *store, const char *path,
    bool *made_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_account *accounts;
	size_t count;
	enum wf_rc rc = wf_account_list(store, arena, &accounts, &count, err);

	*made_out = false;
	wf_arena_free(&arena);
	if (rc != WF_OK || count > 0)
		return rc;
	rc = add_admin(store, path, err);
	*made_out = rc == WF_OK;
	if (rc == WF_CONFLICT) { /* another node has just added it */
		wf_error_clear(err);
		return WF_OK;
	}
	return rc;
}

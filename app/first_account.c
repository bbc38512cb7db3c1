/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first account of a new store: "admin".
 *
 * Its token is written to a file that only its owner can read, before the
 * account is added, so that no account is left behind whose token is lost.  The
 * token names its store.  A file that has anything else than a token of this
 * store is not touched: the token of another store, or any other file.
 *
 * The file is locked meanwhile, for nodes in one folder that make the first
 * account at the same time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app_priv.h"

static enum wf_rc fail_token(
    const char *path, const char *why, struct wf_error *err)
{
	return wf_fail(
	    err, WF_IO, "cannot write the token to %.500s: %s", path, why);
}

/* The text is what a file begins with. */
static enum wf_rc check_file(int file, const char *path, const char *text,
    const struct wf_store *store, struct wf_error *err)
{
	struct stat status;

	if (fstat(file, &status) != 0)
		return fail_token(path, strerror(errno), err);
	if (!S_ISREG(status.st_mode) || status.st_nlink != 1 ||
	    status.st_uid != geteuid())
		return fail_token(path,
		    "expected a regular file of this user, with one name", err);
	if (text[0] == '\0' || wf_token_is_of(text, store))
		return WF_OK;
	return wf_fail(err, WF_CONFLICT,
	    "%.500s has something else than a token of this store, such as "
	    "that of another store: move it away, or name another file with "
	    "--token-file",
	    path);
}

/* A symbolic link is not followed.  The caller closes the file. */
static enum wf_rc open_file(int *file_out, const char *path,
    const struct wf_store *store, struct wf_error *err)
{
	char text[WF_TOKEN_SIZE] = "";
	int file = open(
	    path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);

	*file_out = file;
	if (file < 0)
		return fail_token(path,
		    errno == ELOOP ? "it is a symbolic link" : strerror(errno),
		    err);
	if (flock(file, LOCK_EX) != 0 || read(file, text, sizeof(text) - 1) < 0)
		return fail_token(path, strerror(errno), err);
	return check_file(file, path, text, store, err);
}

static enum wf_rc write_token(
    int file, const char *path, const char *token, struct wf_error *err)
{
	char line[WF_TOKEN_SIZE + 1];
	ssize_t length = snprintf(line, sizeof(line), "%s\n", token);

	return fchmod(file, 0600) == 0 && ftruncate(file, 0) == 0 &&
		       pwrite(file, line, (size_t)length, 0) == length &&
		       fsync(file) == 0
		   ? WF_OK
		   : fail_token(path, strerror(errno), err);
}

static enum wf_rc has_accounts(
    struct wf_store *store, bool *has_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_account_rows accounts;
	enum wf_rc rc = wf_account_list(store, arena, &accounts, err);

	/* One that is damaged is one, too. */
	*has_out = accounts.count + accounts.damaged_count > 0;
	wf_arena_free(&arena);
	return rc;
}

static enum wf_rc add_admin(
    struct wf_store *store, int file, const char *path, struct wf_error *err)
{
	static const char *grants[] = { "admin everything" };
	static const struct wf_account_row admin = { .name = "admin",
		.namespace_id = WF_NAMESPACE_DEFAULT,
		.grants = { grants, 1 } };
	char token[WF_TOKEN_SIZE];
	enum wf_rc rc = wf_token_make(store, token, err);

	if (rc == WF_OK && file >= 0)
		rc = write_token(file, path, token, err);
	if (rc == WF_OK)
		rc = wf_account_add(store, &admin, NULL, token, err);
	if (rc != WF_OK && file >= 0)
		(void)!ftruncate(file, 0);
	return rc;
}

enum wf_rc wf_first_account(struct wf_store *store, const char *path,
    bool *made_out, struct wf_error *err)
{
	int file = -1;
	bool has = false;
	enum wf_rc rc = has_accounts(store, &has, err);

	*made_out = false;
	if (rc != WF_OK || has)
		return rc;
	if (path != NULL)
		rc = open_file(&file, path, store, err);
	if (rc == WF_OK) /* another node may have had the file */
		rc = has_accounts(store, &has, err);
	if (rc == WF_OK && !has) {
		rc = add_admin(store, file, path, err);
		*made_out = rc == WF_OK;
	}
	if (file >= 0)
		close(file);
	/* Another node has just added it. */
	if (rc == WF_CONFLICT && has_accounts(store, &has, NULL) == WF_OK &&
	    has) {
		wf_error_clear(err);
		rc = WF_OK;
	}
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* weft document: files of cases, which may be larger than memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/remote/remote.h"

#define PATH_MAXIMUM 65536U

/* The documents of what the first argument names: an item, or a case. */
static void put_documents(
    const struct wf_remote *remote, struct wf_buffer *path)
{
	const char *word = remote->words[0];

	wf_buffer_puts(
	    path, strchr(word, ':') == NULL ? "/v1/cases/" : "/v1/items/");
	wf_client_escape(path, word);
	wf_buffer_puts(path, "/documents");
}

int wf_remote_document_list(struct wf_remote *remote)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer path;
	json_t *answer = NULL;
	enum wf_rc rc;

	wf_buffer_init(&path, PATH_MAXIMUM);
	put_documents(remote, &path);
	rc = wf_client_json(
	    remote->client, "GET", wf_buffer_text(&path), NULL, &answer, &err);
	wf_buffer_free(&path);
	if (rc == WF_OK && !remote->json && !remote->quiet)
		wf_remote_print_list(json_object_get(answer, "documents"),
		    remote->verb->columns);
	else if (rc == WF_OK)
		wf_remote_show_answer(remote, answer);
	json_decref(answer);
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_report(remote, &err);
}

int wf_remote_document_remove(struct wf_remote *remote)
{
	struct wf_buffer path;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_buffer_puts(&path, "/v1/documents/");
	wf_client_escape(&path, remote->words[0]);
	wf_remote_put_argument(&path, "version", remote->version);
	return wf_remote_ask(remote, "DELETE", &path, NULL);
}

static bool write_bytes(void *context, const char *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size;
}

static enum wf_rc copy(struct wf_remote *remote, FILE *to, struct wf_error *err)
{
	struct wf_buffer path;
	enum wf_rc rc;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_buffer_puts(&path, "/v1/documents/");
	wf_client_escape(&path, remote->words[0]);
	wf_buffer_puts(&path, "/content");
	wf_remote_put_argument(&path, "version", remote->version);
	rc = wf_client_copy(
	    remote->client, wf_buffer_text(&path), write_bytes, to, err);
	wf_buffer_free(&path);
	return rc;
}

int wf_remote_document_get(struct wf_remote *remote)
{
	const char *name = remote->output;
	struct wf_error err = { .rc = WF_OK };
	FILE *to = name == NULL ? stdout : fopen(name, "wb");
	enum wf_rc rc;

	if (to == NULL) {
		wf_fail(&err, WF_IO, "%s: %s", name, strerror(errno));
		return wf_remote_report(remote, &err);
	}
	rc = copy(remote, to, &err);
	if ((to == stdout ? fflush(to) : fclose(to)) != 0 && rc == WF_OK)
		rc = wf_fail(&err, WF_IO, "the file cannot be written: %s",
		    strerror(errno));
	/* No part of a file looks like the file. */
	if (rc != WF_OK && name != NULL)
		(void)remove(name);
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_report(remote, &err);
}

/* --- sending -------------------------------------------------------------- */

/* Maps the file, so that it is read while it is sent. */
static enum wf_rc map(
    const char *name, struct wf_call *call, struct wf_error *err)
{
	int file = open(name, O_RDONLY | O_CLOEXEC);
	struct stat found;
	void *bytes = NULL;
	bool good = file >= 0 && fstat(file, &found) == 0;

	if (good && !S_ISREG(found.st_mode)) {
		close(file);
		return wf_fail(err, WF_INVALID, "%s: expected a file", name);
	}
	call->body = "";
	if (good && found.st_size > 0) {
		bytes = mmap(NULL, (size_t)found.st_size, PROT_READ,
		    MAP_PRIVATE, file, 0);
		good = bytes != MAP_FAILED;
	}
	if (!good)
		wf_fail(err, WF_IO, "%s: %s", name, strerror(errno));
	if (file >= 0)
		close(file);
	if (bytes == NULL || !good)
		return err->rc;
	call->body = bytes;
	call->length = (size_t)found.st_size;
	return WF_OK;
}

static void unmap(struct wf_call *call)
{
	if (call->length > 0)
		munmap((void *)(uintptr_t)call->body, call->length);
}

static int send_file(struct wf_remote *remote, struct wf_buffer *path)
{
	struct wf_call call = { .method = "POST",
		.path = wf_buffer_text(path),
		.type = remote->type == NULL ? "application/octet-stream"
					     : remote->type };
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = map(remote->words[1], &call, &err);

	if (rc == WF_OK) {
		rc = wf_remote_send(remote, &call, &err);
		unmap(&call);
	}
	wf_buffer_free(path);
	return rc == WF_OK ? WF_EXIT_DONE : wf_remote_report(remote, &err);
}

static const char *name_of(const struct wf_remote *remote)
{
	const char *slash = strrchr(remote->words[1], '/');

	if (remote->name != NULL)
		return remote->name;
	return slash == NULL ? remote->words[1] : slash + 1;
}

int wf_remote_document_put(struct wf_remote *remote)
{
	struct wf_buffer path;

	wf_buffer_init(&path, PATH_MAXIMUM);
	put_documents(remote, &path);
	wf_remote_put_argument(&path, "name", name_of(remote));
	wf_remote_put_argument(&path, "parameter", remote->parameter);
	return send_file(remote, &path);
}

int wf_remote_document_update(struct wf_remote *remote)
{
	struct wf_buffer path;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_buffer_puts(&path, "/v1/documents/");
	wf_client_escape(&path, remote->words[0]);
	wf_remote_put_argument(&path, "name", remote->name);
	return send_file(remote, &path);
}

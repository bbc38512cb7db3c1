/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page of the history is read and written after the other, into a file that
 * gets its name when it is complete and synced.  Before, it has a name that no
 * other one has, so that two servers can write the same log.
 */
#include "history/xes_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "history/xes.h"

/* Of a page; its values are at most those of 256 steps. */
#define PAGE_MAXIMUM_BYTES ((size_t)1 << 30)
#define PATH_MAXIMUM_BYTES 8192U

struct writing {
	struct wf_store *store;
	struct wf_xes xes;
	struct wf_case_log *log;
	struct wf_error *err;
	bool more;
	enum wf_rc rc;
};

static enum wf_rc fail(const char *path, struct wf_error *err)
{
	return wf_fail(err, WF_IO, "%.300s: %s", path, strerror(errno));
}

static void read_page(void *context, const struct wf_spec *spec)
{
	struct writing *writing = context;

	writing->rc = wf_case_log_read(writing->log, writing->store, spec,
	    wf_xes_event, &writing->xes, &writing->more, writing->err);
}

static enum wf_rc write_text(
    struct wf_buffer *text, int file, const char *path, struct wf_error *err)
{
	size_t done = 0;

	if (text->full)
		return wf_fail(err, WF_LIMIT,
		    "%.300s: a page of the log is too large", path);
	while (done < text->length) {
		ssize_t count =
		    write(file, text->data + done, text->length - done);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return fail(path, err);
		done += (size_t)count;
	}
	wf_buffer_reset(text);
	return WF_OK;
}

static enum wf_rc write_log(struct wf_engine *engine, struct writing *writing,
    const struct wf_case_row *row, int file, const char *path)
{
	struct wf_error *err = writing->err;
	enum wf_rc rc = WF_OK;

	wf_xes_begin_trace(&writing->xes, row->name);
	writing->more = true;
	while (rc == WF_OK && writing->more) {
		rc = wf_engine_inspect_spec(engine, row->namespace_id,
		    row->specification, false, read_page, writing, err);
		if (rc == WF_OK)
			rc = writing->rc;
		if (rc == WF_OK)
			rc = write_text(writing->xes.out, file, path, err);
	}
	/* The case may be retired meanwhile, which is no error to the reader.
	 */
	if (rc == WF_OK && wf_case_log_sequence(writing->log) < row->version)
		rc = wf_fail(err, WF_GONE,
		    "%.300s: the history has %llu of %llu steps", path,
		    (unsigned long long)wf_case_log_sequence(writing->log),
		    (unsigned long long)row->version);
	wf_xes_end_trace(&writing->xes);
	wf_xes_end(&writing->xes);
	return rc == WF_OK ? write_text(writing->xes.out, file, path, err) : rc;
}

static enum wf_rc write_file(struct wf_engine *engine, struct writing *writing,
    const struct wf_case_row *row, char *path)
{
	int file = mkostemp(path, O_CLOEXEC);
	enum wf_rc rc;

	if (file < 0)
		return fail(path, writing->err);
	rc = write_log(engine, writing, row, file, path);
	if (rc == WF_OK && fsync(file) != 0)
		rc = fail(path, writing->err);
	if (close(file) != 0 && rc == WF_OK)
		rc = fail(path, writing->err);
	return rc;
}

enum wf_rc wf_xes_write_case(struct wf_engine *engine, struct wf_store *store,
    const struct wf_case_row *row, const struct wf_specification_row *of,
    const char *path, struct wf_error *err)
{
	struct writing writing = { .store = store,
		.log = wf_case_log_new(engine, row->number, row->name, ""),
		.err = err };
	struct wf_buffer partial;
	struct wf_buffer text;
	enum wf_rc rc;

	wf_buffer_init(&text, PAGE_MAXIMUM_BYTES);
	wf_buffer_init(&partial, PATH_MAXIMUM_BYTES);
	wf_buffer_printf(&partial, "%s-partial-XXXXXX", path);
	writing.xes =
	    (struct wf_xes){ .out = &text, .data = true, .all = true };
	wf_case_log_with_people(writing.log);
	wf_xes_begin(&writing.xes, of->uri, of->version);
	rc = write_file(engine, &writing, row, partial.data);
	if (rc == WF_OK && rename(wf_buffer_text(&partial), path) != 0)
		rc = fail(path, err);
	if (rc != WF_OK)
		(void)unlink(wf_buffer_text(&partial));
	wf_case_log_free(&writing.log);
	wf_buffer_free(&text);
	wf_buffer_free(&partial);
	return rc;
}

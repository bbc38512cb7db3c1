/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process for each file, by an exclusive lock on PATH-lock, which the death
 * of the process releases.  (Not on the database itself: closing any descriptor
 * of it would drop the locks that SQLite has on it.)  A handle that begins no
 * batch needs no latches, so it can be opened without (WF_STORE_BESIDE).
 */
#include "persistence/sqlite/sqlite_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/panic.h"

/*
 * SQLite gives the files beside the database its mode.  A file that is there is
 * not opened, because closing it would drop locks.
 */
void wf_sqlite_make_private(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
}

const char *wf_sqlite_exposed_file(struct wf_store *store)
{
	static const char *const ends[] = { "", "-wal", "-shm" };
	struct sqlite_store *s = (struct sqlite_store *)store;
	const char *path = sqlite3_db_filename(s->db, "main");

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		char name[PATH_MAX];
		struct stat file;

		snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		if (stat(name, &file) == 0 &&
		    (file.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
			wf_free(s->exposed);
			s->exposed = wf_strdup(name);
			return s->exposed;
		}
	}
	return NULL;
}

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sqlite_file *all; /* under all_lock */

/* The real path of the lock file, which is created; NULL: that failed. */
static char *lock_path(const char *path)
{
	size_t size = strlen(path) + sizeof "-lock";
	char *name = wf_malloc(size);
	char real[PATH_MAX];
	int fd;

	memcpy(name, path, size - sizeof "-lock");
	memcpy(name + size - sizeof "-lock", "-lock", sizeof "-lock");
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
	if (fd < 0 || realpath(name, real) == NULL) {
		wf_free(name);
		return NULL;
	}
	wf_free(name);
	return wf_strdup(real);
}

static enum wf_rc lock_file(
    struct sqlite_file *file, const char *path, struct wf_error *err)
{
	file->lock = open(file->path, O_RDWR | O_CLOEXEC);
	if (file->lock < 0)
		return wf_fail(
		    err, WF_IO, "%.200s: %s", file->path, strerror(errno));
	if (flock(file->lock, LOCK_EX | LOCK_NB) == 0)
		return WF_OK;
	if (errno == EWOULDBLOCK)
		return wf_fail(err, WF_CONFLICT,
		    "%.200s is in use by another process: a file has one "
		    "server at a time",
		    path);
	return wf_fail(err, WF_IO, "%.200s: %s", file->path, strerror(errno));
}

static void free_file(struct sqlite_file *file)
{
	if (file->lock >= 0)
		close(file->lock);
	wf_latches_free(&file->latches);
	pthread_mutex_destroy(&file->writing);
	pthread_mutex_destroy(&file->latches_lock);
	wf_free(file->path);
	wf_free(file);
}

/* Finds the file among those open, or adds it. */
static enum wf_rc find_file(struct sqlite_file **file_out, char *name,
    const char *path, struct wf_error *err)
{
	struct sqlite_file *file = all;
	enum wf_rc rc;

	while (file != NULL && strcmp(file->path, name) != 0)
		file = file->next;
	if (file == NULL) {
		file = wf_calloc(1, sizeof(*file));
		file->path = wf_strdup(name);
		file->latches = wf_latches_new();
		pthread_mutex_init(&file->latches_lock, NULL);
		pthread_mutex_init(&file->writing, NULL);
		/* The last process may have left it so. */
		file->in_doubt = true;
		rc = lock_file(file, path, err);
		if (rc != WF_OK) {
			free_file(file);
			return rc;
		}
		file->next = all;
		all = file;
	}
	file->handles++;
	*file_out = file;
	return WF_OK;
}

enum wf_rc wf_sqlite_file_open(
    struct sqlite_file **file_out, const char *path, struct wf_error *err)
{
	char *name = lock_path(path);
	enum wf_rc rc;

	if (name == NULL)
		return wf_fail(
		    err, WF_IO, "%.200s-lock: %s", path, strerror(errno));
	pthread_mutex_lock(&all_lock);
	rc = find_file(file_out, name, path, err);
	pthread_mutex_unlock(&all_lock);
	wf_free(name);
	return rc;
}

void wf_sqlite_file_close(struct sqlite_file **file)
{
	struct sqlite_file **link = &all;

	if (*file == NULL)
		return;
	pthread_mutex_lock(&all_lock);
	wf_assert((*file)->handles > 0);
	if (--(*file)->handles == 0) {
		while (*link != *file)
			link = &(*link)->next;
		*link = (*file)->next;
		free_file(*file);
	}
	pthread_mutex_unlock(&all_lock);
	*file = NULL;
}

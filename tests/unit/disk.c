/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/disk.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/panic.h"
#include "base/random.h"

#define SECTOR 512U
/* Bytes that a longer file may hold where nothing was saved. */
#define RUBBISH 0x5a

/* A write since the last sync; data NULL: the file was cut to offset. */
struct change {
	struct change *next;
	size_t offset;
	size_t size;
	unsigned char *data;
};

/* A file's content that is surely on disk, and the writes since. */
struct image {
	struct image *next;
	char *path;
	unsigned char *data;
	size_t size;
	size_t capacity;
	struct change *first;
	struct change **last;
};

struct file {
	sqlite3_file base;
	struct image *image; /* NULL: a temporary file */
	sqlite3_file *real;  /* behind this struct */
};

/* The operations from number "from" on, count of them. */
struct range {
	uint64_t from;
	uint64_t count;
};

static struct {
	pthread_mutex_t lock;
	sqlite3_vfs *real;
	struct image *images;
	uint64_t operations;
	uint64_t failures;
	struct wf_random random;
	struct range cut, kill, full;
	struct range broken; /* count: syncs that are still to fail */
	bool lies;
} disk = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_now(const struct range *range)
{
	return disk.operations - range->from < range->count;
}

void disk_cut(uint64_t n, uint64_t seed)
{
	disk.cut = (struct range){ disk.operations + n, 1 };
	disk.random.state = seed;
}

void disk_kill(uint64_t n)
{
	disk.kill = (struct range){ disk.operations + n, 1 };
}

void disk_full(uint64_t n, uint64_t count)
{
	disk.full = (struct range){ disk.operations + n, count };
}

void disk_break(uint64_t n, uint64_t count)
{
	disk.broken = (struct range){ disk.operations + n, count };
}

uint64_t disk_operations(void)
{
	return disk.operations;
}

uint64_t disk_failures(void)
{
	return disk.failures;
}

void disk_lie(void)
{
	disk.lies = true;
}

/* --- images --------------------------------------------------------------- */

static void resize(struct image *image, size_t size)
{
	if (size > image->capacity) {
		image->capacity = size + size / 2;
		image->data = wf_realloc(image->data, image->capacity);
	}
	if (size > image->size) {
		memset(image->data + image->size, RUBBISH, size - image->size);
	}
	image->size = size;
}

static void read_image(struct image *image)
{
	struct wf_buffer text;

	wf_buffer_init(&text, (size_t)1 << 30);
	if (access(image->path, R_OK) == 0 &&
	    wf_buffer_read_file(&text, image->path, NULL) == WF_OK &&
	    text.length > 0) {
		resize(image, text.length);
		memcpy(image->data, wf_buffer_text(&text), text.length);
	}
	wf_buffer_free(&text);
}

static struct image *image_of(const char *path)
{
	struct image *image = disk.images;

	while (image != NULL && strcmp(image->path, path) != 0)
		image = image->next;
	if (image != NULL)
		return image;
	image = wf_calloc(1, sizeof(*image));
	image->path = wf_strdup(path);
	image->last = &image->first;
	read_image(image);
	image->next = disk.images;
	disk.images = image;
	return image;
}

static void add_change(
    struct image *image, const void *data, size_t size, size_t offset)
{
	struct change *change = wf_calloc(1, sizeof(*change));

	change->offset = offset;
	change->size = size;
	if (data != NULL) {
		change->data = wf_malloc(size);
		memcpy(change->data, data, size);
	}
	*image->last = change;
	image->last = &change->next;
}

static void drop_changes(struct image *image)
{
	while (image->first != NULL) {
		struct change *change = image->first;

		image->first = change->next;
		wf_free(change->data);
		wf_free(change);
	}
	image->last = &image->first;
}

/* A part of a change reaches the disk. */
static void save(
    struct image *image, const struct change *change, size_t from, size_t size)
{
	if (change->offset + from + size > image->size)
		resize(image, change->offset + from + size);
	memcpy(image->data + change->offset + from, change->data + from, size);
}

static void save_all(struct image *image)
{
	for (struct change *c = image->first; c != NULL; c = c->next)
		if (c->data == NULL)
			resize(image, c->offset);
		else
			save(image, c, 0, c->size);
	drop_changes(image);
}

/* --- the power goes off --------------------------------------------------- */

/* This many of 8 sectors are saved. */
static void save_some(struct image *image, uint32_t share)
{
	struct change *c;
	size_t size;

	for (c = image->first; c != NULL; c = c->next) {
		if (c->data == NULL && wf_random_below(&disk.random, 2) == 0)
			resize(image, c->offset);
		for (size_t at = 0; c->data != NULL && at < c->size;
		     at += size) {
			size = SECTOR - (c->offset + at) % SECTOR;
			if (size > c->size - at)
				size = c->size - at;
			if (wf_random_below(&disk.random, 8) < share)
				save(image, c, at, size);
			else if (wf_random_below(&disk.random, 64) == 0)
				save(image, c, at, size / 2);
		}
	}
}

static void write_image(const struct image *image)
{
	int fd = open(image->path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return; /* it was deleted */
	wf_assert(ftruncate(fd, 0) == 0);
	wf_assert(write(fd, image->data, image->size) == (ssize_t)image->size);
	close(fd);
}

static void power_off(void)
{
	/* Nothing, everything, or a part. */
	uint32_t share = wf_random_below(&disk.random, 9);

	for (struct image *image = disk.images; image != NULL;
	     image = image->next) {
		save_some(image, share);
		write_image(image);
	}
	raise(SIGKILL);
}

/* Counts an operation; returns an error to return in place of doing it. */
static int operate(int failure)
{
	disk.operations++;
	if (is_now(&disk.kill))
		raise(SIGKILL);
	if (is_now(&disk.cut))
		power_off();
	if (!is_now(&disk.full))
		return SQLITE_OK;
	disk.failures++;
	return failure;
}

/* --- files ---------------------------------------------------------------- */

static struct file *of(sqlite3_file *file)
{
	return (struct file *)file;
}

static int file_close(sqlite3_file *file)
{
	return of(file)->real->pMethods->xClose(of(file)->real);
}

static int file_read(sqlite3_file *file, void *data, int size, sqlite3_int64 at)
{
	return of(file)->real->pMethods->xRead(of(file)->real, data, size, at);
}

static int file_write(
    sqlite3_file *file, const void *data, int size, sqlite3_int64 at)
{
	struct file *f = of(file);
	int code = SQLITE_OK;

	pthread_mutex_lock(&disk.lock);
	if (f->image != NULL)
		code = operate(SQLITE_FULL);
	if (code == SQLITE_OK)
		code = f->real->pMethods->xWrite(f->real, data, size, at);
	if (code == SQLITE_OK && f->image != NULL)
		add_change(f->image, data, (size_t)size, (size_t)at);
	pthread_mutex_unlock(&disk.lock);
	return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	struct file *f = of(file);
	int code = SQLITE_OK;

	pthread_mutex_lock(&disk.lock);
	if (f->image != NULL)
		code = operate(SQLITE_IOERR_TRUNCATE);
	if (code == SQLITE_OK)
		code = f->real->pMethods->xTruncate(f->real, size);
	if (code == SQLITE_OK && f->image != NULL)
		add_change(f->image, NULL, 0, (size_t)size);
	pthread_mutex_unlock(&disk.lock);
	return code;
}

static int file_sync(sqlite3_file *file, int flags)
{
	struct file *f = of(file);
	int code = SQLITE_OK;

	if (f->image == NULL)
		return f->real->pMethods->xSync(f->real, flags);
	pthread_mutex_lock(&disk.lock);
	code = operate(SQLITE_IOERR_FSYNC);
	if (disk.operations >= disk.broken.from && disk.broken.count > 0) {
		disk.broken.count--;
		disk.failures++;
		code = SQLITE_IOERR_FSYNC;
		drop_changes(f->image);
	}
	/* The real files need no real sync: their power stays on. */
	if (code == SQLITE_OK && !disk.lies)
		save_all(f->image);
	pthread_mutex_unlock(&disk.lock);
	return code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
	return of(file)->real->pMethods->xFileSize(of(file)->real, size);
}

static int file_lock(sqlite3_file *file, int level)
{
	return of(file)->real->pMethods->xLock(of(file)->real, level);
}

static int file_unlock(sqlite3_file *file, int level)
{
	return of(file)->real->pMethods->xUnlock(of(file)->real, level);
}

static int file_is_reserved(sqlite3_file *file, int *answer)
{
	return of(file)->real->pMethods->xCheckReservedLock(
	    of(file)->real, answer);
}

static int file_control(sqlite3_file *file, int what, void *argument)
{
	return of(file)->real->pMethods->xFileControl(
	    of(file)->real, what, argument);
}

static int file_sector(sqlite3_file *file)
{
	return of(file)->real->pMethods->xSectorSize(of(file)->real);
}

static int file_traits(sqlite3_file *file)
{
	return of(file)->real->pMethods->xDeviceCharacteristics(of(file)->real);
}

static int file_map(
    sqlite3_file *file, int page, int size, int extend, void volatile **memory)
{
	return of(file)->real->pMethods->xShmMap(
	    of(file)->real, page, size, extend, memory);
}

static int file_map_lock(sqlite3_file *file, int at, int count, int flags)
{
	return of(file)->real->pMethods->xShmLock(
	    of(file)->real, at, count, flags);
}

static void file_barrier(sqlite3_file *file)
{
	of(file)->real->pMethods->xShmBarrier(of(file)->real);
}

static int file_unmap(sqlite3_file *file, int delete)
{
	return of(file)->real->pMethods->xShmUnmap(of(file)->real, delete);
}

/* Version 2: no reading from mapped memory. */
static const sqlite3_io_methods methods = {
	.iVersion = 2,
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = file_sync,
	.xFileSize = file_size,
	.xLock = file_lock,
	.xUnlock = file_unlock,
	.xCheckReservedLock = file_is_reserved,
	.xFileControl = file_control,
	.xSectorSize = file_sector,
	.xDeviceCharacteristics = file_traits,
	.xShmMap = file_map,
	.xShmLock = file_map_lock,
	.xShmBarrier = file_barrier,
	.xShmUnmap = file_unmap,
};

/* --- the disk ------------------------------------------------------------- */

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file,
    int flags, int *flags_out)
{
	struct file *f = of(file);
	int code;

	(void)vfs;
	f->base.pMethods = NULL;
	f->image = NULL;
	f->real = (sqlite3_file *)(f + 1);
	pthread_mutex_lock(&disk.lock);
	/* Its content before it is opened. */
	if (name != NULL)
		f->image = image_of(name);
	code = disk.real->xOpen(disk.real, name, f->real, flags, flags_out);
	if (code == SQLITE_OK)
		f->base.pMethods = &methods;
	pthread_mutex_unlock(&disk.lock);
	return code;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	struct image *image;

	(void)vfs;
	pthread_mutex_lock(&disk.lock);
	image = image_of(name);
	drop_changes(image);
	resize(image, 0);
	pthread_mutex_unlock(&disk.lock);
	return disk.real->xDelete(disk.real, name, sync);
}

void disk_use(void)
{
	static sqlite3_vfs vfs;

	disk.real = sqlite3_vfs_find(NULL);
	vfs = *disk.real;
	vfs.zName = "crash";
	vfs.szOsFile = (int)sizeof(struct file) + disk.real->szOsFile;
	vfs.xOpen = disk_open;
	vfs.xDelete = disk_delete;
	wf_assert(sqlite3_vfs_register(&vfs, 1) == SQLITE_OK);
}

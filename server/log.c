/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines are composed on the stack and written with one write() each.  A line
 * that cannot be written at once is dropped and counted: no request waits for
 * the reader of the log.
 */
#include "server/log.h"

#include <assert.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/panic.h"
#include "base/time_text.h"
#include "xquery/text/unicode.h"

/* The most bytes of a text, before escaping. */
#define TEXT_BYTES 1000U
/* LINE_BYTES leaves room for the end of a line. */
#define END "}\n"
#define LINE_BYTES (WF_LOG_LINE - sizeof(END))

struct wf_log {
	int file;
	atomic_int level;
	pthread_mutex_t lock; /* of what follows, and of the file */
	uint64_t lost;	      /* lines dropped since the last one written */
};

static const char *const level_names[] = {
	[WF_LOG_ERROR] = "error",
	[WF_LOG_WARNING] = "warning",
	[WF_LOG_INFO] = "info",
	[WF_LOG_DEBUG] = "debug",
};

bool wf_log_level_find(const char *name, enum wf_log_level *level_out)
{
	for (size_t i = 0; i < sizeof(level_names) / sizeof(level_names[0]);
	     i++)
		if (strcmp(level_names[i], name) == 0) {
			*level_out = (enum wf_log_level)i;
			return true;
		}
	return false;
}

struct wf_log *wf_log_new(int file, enum wf_log_level level)
{
	struct wf_log *log = wf_calloc(1, sizeof(*log));

	log->file = file;
	log->level = (int)level;
	pthread_mutex_init(&log->lock, NULL);
	return log;
}

void wf_log_set_level(struct wf_log *log, enum wf_log_level level)
{
	atomic_store(&log->level, (int)level);
}

void wf_log_free(struct wf_log **log)
{
	struct wf_log *old = *log;

	*log = NULL;
	if (old == NULL)
		return;
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

/* --- a line --------------------------------------------------------------- */

/* False: no room; nothing is added. */
static WF_PRINTF(2, 3) bool add(
    struct wf_log_line *line, const char *format, ...)
{
	size_t room = LINE_BYTES - line->length;
	va_list arguments;
	int length;

	wf_assert(line->length <= LINE_BYTES);
	va_start(arguments, format);
	length = vsnprintf(line->text + line->length, room, format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= room)
		return false;
	line->length += (size_t)length;
	return true;
}

/* Escapes what JSON requires, and control characters of terminals. */
static bool add_character(struct wf_log_line *line, uint32_t character)
{
	char bytes[4];
	size_t length;

	if (character == '"' || character == '\\')
		return add(line, "\\%c", (char)character);
	if (character < 0x20 || (character >= 0x7F && character < 0xA0))
		return add(line, "\\u%04x", (unsigned)character);
	length = wf_utf8_put(character, bytes);
	if (line->length + length > LINE_BYTES)
		return false;
	memcpy(line->text + line->length, bytes, length);
	line->length += length;
	return true;
}

bool wf_log_begin(struct wf_log_line *line, struct wf_log *log,
    enum wf_log_level level, const char *event)
{
	struct timespec now;
	char time[WF_TIME_TEXT_BYTES];

	if (log == NULL || (int)level > atomic_load(&log->level))
		return false;
	wf_assert((size_t)level < sizeof(level_names) / sizeof(level_names[0]));
	line->log = log;
	line->length = 0;
	clock_gettime(CLOCK_REALTIME, &now);
	wf_time_text((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000, time);
	return add(line,
	    "{\"time\": \"%s\", \"level\": \"%s\", \"event\": \"%s\"", time,
	    level_names[level], event);
}

void wf_log_text(struct wf_log_line *line, const char *name, const char *text)
{
	size_t before = line->length;
	const char *end;
	bool good;

	if (text == NULL || text[0] == '\0')
		return;
	end = text + strnlen(text, TEXT_BYTES);
	good = add(line, ", \"%s\": \"", name);
	while (good && text < end)
		good = add_character(line, wf_utf8_next(&text, end));
	if (!good || !add(line, "\""))
		line->length = before;
}

void wf_log_number(struct wf_log_line *line, const char *name, uint64_t number)
{
	(void)add(line, ", \"%s\": %llu", name, (unsigned long long)number);
}

static void finish(struct wf_log_line *line)
{
	wf_assert(line->length + sizeof(END) <= sizeof(line->text));
	memcpy(line->text + line->length, END, sizeof(END));
	line->length += sizeof(END) - 1;
}

/* A pipe that is writable takes PIPE_BUF bytes, so a whole line. */
static bool write_now(const struct wf_log_line *line)
{
	struct pollfd file = { .fd = line->log->file, .events = POLLOUT };
	ssize_t length = (ssize_t)line->length;

	static_assert(WF_LOG_LINE <= PIPE_BUF, "a line is written at once");
	return poll(&file, 1, 0) == 1 &&
	       write(line->log->file, line->text, line->length) == length;
}

/* Logs how many lines were dropped.  The lock is held. */
static bool report_lost(struct wf_log *log)
{
	struct wf_log_line line;

	if (log->lost == 0)
		return true;
	(void)wf_log_begin(&line, log, WF_LOG_ERROR, "lines_lost");
	wf_log_number(&line, "lines", log->lost);
	finish(&line);
	if (!write_now(&line))
		return false;
	log->lost = 0;
	return true;
}

void wf_log_end(struct wf_log_line *line)
{
	struct wf_log *log = line->log;

	finish(line);
	pthread_mutex_lock(&log->lock);
	if (!report_lost(log) || !write_now(line))
		log->lost++;
	pthread_mutex_unlock(&log->lock);
}

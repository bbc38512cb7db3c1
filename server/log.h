/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of a server.  A line is a JSON object with the members time, level
 * and event, and those that the event adds:
 *
 *   wf_log_begin() ──► wf_log_text(), wf_log_number() .. ──► wf_log_end()
 *
 * Nothing secret may be logged: no token, no password, no data of a case.
 */
#ifndef WF_SERVER_LOG_H
#define WF_SERVER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wf_log_level { WF_LOG_ERROR, WF_LOG_WARNING, WF_LOG_INFO, WF_LOG_DEBUG };

/* False when there is no such level. */
bool wf_log_level_find(const char *name, enum wf_log_level *level_out);

struct wf_log; /* opaque; safe for all threads */

/* Writes lines of that level and of more serious ones; does not close file. */
struct wf_log *wf_log_new(int file, enum wf_log_level level);
void wf_log_free(struct wf_log **log);
void wf_log_set_level(struct wf_log *log, enum wf_log_level level);

#define WF_LOG_LINE 4096U

/* A line that is being composed; on the caller's stack. */
struct wf_log_line {
	struct wf_log *log;
	size_t length;
	char text[WF_LOG_LINE];
};

/*
 * False: the level is not logged, or log is NULL; then nothing else may be
 * called for this line.  A member that does not fit into the line is left out.
 */
bool wf_log_begin(struct wf_log_line *line, struct wf_log *log,
    enum wf_log_level level, const char *event);
/* Adds nothing if text is NULL or "". */
void wf_log_text(struct wf_log_line *line, const char *name, const char *text);
void wf_log_number(struct wf_log_line *line, const char *name, uint64_t number);
void wf_log_end(struct wf_log_line *line);

#endif

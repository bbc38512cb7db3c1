/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program for a codelet, fenced: without a shell, in "/", with PATH and
 * LANG as its only variables, /dev/null as its input and no file of the server
 * open.  It and what it has started in its process group end with it, or when
 * its time is over.
 *
 *   fork ──► output, both streams ──► it ends ──► WF_OK
 *                   │ too much, or too long
 *                   ├──► killed ──► WF_LIMIT
 *                   │ the server ends
 *                   └──► killed ──► WF_UNAVAILABLE
 */
#ifndef WF_YAWL_PROGRAM_H
#define WF_YAWL_PROGRAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

/* A command has so many words and bytes at most; a program says so much. */
#define WF_PROGRAM_WORDS 64U
#define WF_PROGRAM_COMMAND_BYTES 16384U
#define WF_PROGRAM_OUTPUT_BYTES 65536U

/*
 * Splits a command at white space, in the arena, into words that end with NULL.
 * The first one becomes the path of the program: one of the allowed paths
 * (blanks or commas between), which it is or whose last part it is.
 * WF_INVALID: there is none, or the command is too long; WF_DENIED: no such
 * program is allowed.
 */
enum wf_rc wf_program_read(const char *command, const char *allowed,
    struct wf_arena *arena, char ***words_out,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Runs it and appends to the output what it has written, whatever its exit
 * code is; waits for milliseconds at most.  WF_LIMIT: it took longer or wrote
 * more; WF_IO: it cannot be started, or a signal has ended it; WF_UNAVAILABLE:
 * *ends became true, which is asked for again and again.
 */
enum wf_rc wf_program_run(char *const *words, int64_t milliseconds,
    const atomic_bool *ends, struct wf_buffer *output,
    struct wf_error *err) WF_MUSTCHECK;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures caused by the caller or the world: a result code, one sentence, and
 * a place.
 *
 * A function that can fail returns enum wf_rc and fills struct wf_error; the
 * first failure wins, so that the sentence names the cause and not its
 * consequences.  A bug is not a failure: see base/panic.h.
 */
#ifndef WF_BASE_ERROR_H
#define WF_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WF_MUSTCHECK __attribute__((warn_unused_result))
/*
 * Precedes an unnamed union or struct.  Both are extensions of C before C11; an
 * unnamed struct is one of C++.
 */
#define WF_UNNAMED __extension__
#define WF_PRINTF(at, first) __attribute__((format(printf, at, first)))

enum wf_rc {
#define WF_RC(name, http, exit, meaning) WF_##name,
#include "base/rc.def"
#undef WF_RC
};

/* How many there are. */
enum {
	WF_RC_COUNT = 0
#define WF_RC(name, http, exit, meaning) +1
#include "base/rc.def"
#undef WF_RC
};

/* Where something is wrong; empty strings and zeros where it is not known. */
struct wf_place {
	char file[256];
	int line;
	int column;
	char element[128];
	unsigned before; /* in a value: the number of the element, from 0 */
};

struct wf_error {
	enum wf_rc rc;
	/* The code of a standard where it names one ("XPST0003"), else "". */
	char code[16];
	char message[512];
	struct wf_place place;
};

/*
 * Formats a sentence for people, cut to size bytes (with the NUL).  Characters
 * that were cut in two, by a precision or here, become "?": it stays UTF-8.
 */
void wf_write_sentence(char *text, size_t size, const char *format,
    va_list arguments) WF_PRINTF(3, 0);

/*
 * Records a failure and returns rc.  err may be NULL; when err already holds
 * a failure it is kept and its code returned.
 */
enum wf_rc wf_fail(struct wf_error *err, enum wf_rc rc, const char *format, ...)
    WF_PRINTF(3, 4);

/* The same, with a code of a standard such as "XPST0003". */
enum wf_rc wf_fail_code(struct wf_error *err, enum wf_rc rc, const char *code,
    const char *format, ...) WF_PRINTF(4, 5);

/* Puts the sentence "context: " in front of the message already recorded. */
void wf_error_prefix(struct wf_error *err, const char *format, ...)
    WF_PRINTF(2, 3);

/* Makes err empty again. */
void wf_error_clear(struct wf_error *err);

/* The upper-case name of a code, such as "CONFLICT". */
const char *wf_rc_name(enum wf_rc rc);

/* The code with that name; WF_BUG when there is none. */
enum wf_rc wf_rc_by_name(const char *name);

int wf_rc_http(enum wf_rc rc);
int wf_rc_exit(enum wf_rc rc);

#ifdef __cplusplus
}
#endif

#endif

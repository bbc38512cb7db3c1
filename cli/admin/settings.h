/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of a server, from options, the environment and a file.
 *
 * cli/admin/settings.def is the table of them.  An option overrides the
 * environment, the environment the file, and the file the default.  A wrong
 * value is an error even where another source overrides it.
 */
#ifndef WF_CLI_ADMIN_SETTINGS_H
#define WF_CLI_ADMIN_SETTINGS_H

#include "app/app.h"
#include "base/buffer.h"

struct wf_settings {
	struct wf_arena *arena; /* of all texts in it */
	const char **texts;	/* the values as they were read, by setting */
	struct wf_setting_shown *shown; /* likewise, as the server shows them */
	struct wf_server_settings server;
	struct wf_yawl_settings yawl;
	enum wf_log_level log_level;
	const char *token_file; /* "": the default place */
	struct wf_holidays {
		int32_t *days; /* since 1970 */
		size_t count;
	} holidays;
	struct wf_limits limits;
	bool unsafe;
	bool show;     /* --show-config: they were printed, and that is all */
	bool is_usage; /* what is wrong stands on the command line */
};

/*
 * Reads all sources.  WF_INVALID, with file, line and what was expected, when
 * a value is wrong.  The settings must be freed in any case.
 */
enum wf_rc wf_settings_read(struct wf_settings *settings, int argc, char **argv,
    struct wf_error *err) WF_MUSTCHECK;
void wf_settings_free(struct wf_settings *settings);

/* What two readings have in different words: keys, separated by blanks. */
struct wf_settings_changes {
	struct wf_buffer reloaded;
	struct wf_buffer kept; /* they need a restart */
};

/*
 * Compares the settings in use with those that were read again.  Afterwards
 * both are equal: in what is reloaded, as it was read; in the rest, as it was.
 * The buffers are the caller's.
 */
void wf_settings_merge(struct wf_settings *used, struct wf_settings *fresh,
    struct wf_settings_changes *changes);

/* --- settings_value.c: one value ------------------------------------------ */

struct wf_setting {
	const char *key;
	const char *argument;
	/* Reads a value to where it goes; false when it is none. */
	bool (*read)(const struct wf_setting *setting, const char *text,
	    struct wf_arena *arena, void *out);
	const char *expected; /* "a number from 1 to 64" but for the numbers */
	bool is_list;	      /* a repeated value is added */
	bool is_switch;	      /* as an option it needs no value */
	bool is_reloaded;     /* by SIGHUP */
	const char *fallback;
	uint64_t least;
	uint64_t greatest; /* 0: as large as it may be */
	size_t offset;	   /* in struct wf_settings */
	size_t size;	   /* of what is there */
	const char *meaning;
};

#define WF_SETTING_TYPE(name, expected, is_list, is_switch)                    \
	bool wf_setting_##name(const struct wf_setting *setting,               \
	    const char *text, struct wf_arena *arena, void *out);
#include "cli/admin/setting_types.def"
#undef WF_SETTING_TYPE

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "work/mail/mail_text.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define TEMPLATE_MAXIMUM_BYTES 65536U

static const char *const names[WF_MAIL_KINDS] = { [WF_MAIL_OFFER] = "offer",
	[WF_MAIL_ALLOCATION] = "allocation",
	[WF_MAIL_REMINDER] = "reminder",
	[WF_MAIL_ESCALATION] = "escalation",
	[WF_MAIL_DIGEST] = "digest" };

static const struct wf_mail_template usual[WF_MAIL_KINDS] = {
	[WF_MAIL_OFFER] = { "{label} is offered to you",
	    "Dear {name},\n\nthe work item {item} ({label}) is offered to "
	    "you.\nProcess: {process}\nPriority: {priority}\nDue: "
	    "{due}\n\n{link}\n" },
	[WF_MAIL_ALLOCATION] = { "{label} is allocated to you",
	    "Dear {name},\n\nthe work item {item} ({label}) is allocated to "
	    "you.\nProcess: {process}\nPriority: {priority}\nDue: "
	    "{due}\n\n{link}\n" },
	[WF_MAIL_REMINDER] = { "{label} waits for you",
	    "Dear {name},\n\nthe work item {item} ({label}) waits for "
	    "you.\nProcess: {process}\nPriority: {priority}\nDue: "
	    "{due}\n\n{link}\n" },
	[WF_MAIL_ESCALATION] = { "{label} is late",
	    "Dear {name},\n\nthe work item {item} ({label}) of case {case} is "
	    "late.\nProcess: {process}\nPriority: {priority}\nDue: "
	    "{due}\n\n{link}\n" },
	[WF_MAIL_DIGEST] = { "Work that waits for you: {count}",
	    "Dear {name},\n\nthis waits for you:\n\n{items}\n{link}\n" }
};

static const struct word {
	const char *name;
	size_t offset;
} words[] = {
#define WF_MAIL_WORD(member, name, meaning)                                    \
	{ name, offsetof(struct wf_mail_words, member) },
#include "work/mail/mail_words.def"
#undef WF_MAIL_WORD
};

/* The word in braces at the text; NULL: there is none. */
static const struct word *word_at(const char *text)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t length = strlen(words[i].name);

		if (strncmp(text + 1, words[i].name, length) == 0 &&
		    text[length + 1] == '}')
			return &words[i];
	}
	return NULL;
}

void wf_mail_fill(struct wf_buffer *out, const char *template_text,
    const struct wf_mail_words *values)
{
	const char *at = template_text;

	while (*at != '\0') {
		size_t length = strcspn(at, "{");
		const struct word *word;

		wf_buffer_append(out, at, length);
		at += length;
		if (*at == '\0')
			break;
		word = word_at(at);
		if (word == NULL) {
			wf_buffer_putc(out, *at++);
			continue;
		}
		wf_buffer_puts(
		    out, *(const char *const *)((const char *)values +
						word->offset));
		at += strlen(word->name) + 2;
	}
}

/* --- files ---------------------------------------------------------------- */

static enum wf_rc check_words(
    const char *path, const char *text, struct wf_error *err)
{
	const char *at = text;

	while ((at = strchr(at, '{')) != NULL) {
		if (word_at(at) == NULL)
			return wf_fail(err, WF_INVALID,
			    "%s: \"%.20s\" is no value of a mail: expected "
			    "such as {item}; docs/PEOPLE.md lists them",
			    path, at);
		at++;
	}
	return WF_OK;
}

static enum wf_rc read_template(struct wf_arena *arena, const char *path,
    char *text, struct wf_mail_template *template_out, struct wf_error *err)
{
	static const char start[] = "Subject: ";
	char *end = strchr(text, '\n');

	if (strncmp(text, start, sizeof(start) - 1) != 0 || end == NULL ||
	    end[1] != '\n')
		return wf_fail(err, WF_INVALID,
		    "%s: expected \"Subject: ..\", an empty line, and the text "
		    "of a mail",
		    path);
	*end = '\0';
	template_out->subject =
	    wf_arena_strdup(arena, text + sizeof(start) - 1);
	template_out->text = wf_arena_strdup(arena, end + 2);
	if (check_words(path, template_out->subject, err) != WF_OK)
		return WF_INVALID;
	return check_words(path, template_out->text, err);
}

static enum wf_rc read_file(struct wf_arena *arena, const char *path,
    struct wf_mail_template *template_out, struct wf_error *err)
{
	FILE *file = fopen(path, "re");
	char *text;
	size_t length;
	enum wf_rc rc;

	if (file == NULL && errno == ENOENT)
		return WF_OK;
	if (file == NULL)
		return wf_fail(err, WF_IO, "%s: %s", path, strerror(errno));
	text = wf_malloc(TEMPLATE_MAXIMUM_BYTES + 1);
	length = fread(text, 1, TEMPLATE_MAXIMUM_BYTES, file);
	text[length] = '\0';
	if (ferror(file) != 0)
		rc = wf_fail(err, WF_IO, "%s: cannot be read", path);
	else if (length == TEMPLATE_MAXIMUM_BYTES || strlen(text) != length)
		rc = wf_fail(err, WF_INVALID,
		    "%s: expected a text of less than %u bytes", path,
		    TEMPLATE_MAXIMUM_BYTES);
	else
		rc = read_template(arena, path, text, template_out, err);
	wf_free(text);
	fclose(file);
	return rc;
}

enum wf_rc wf_mail_templates_read(struct wf_arena *arena, const char *folder,
    struct wf_mail_template templates[WF_MAIL_KINDS], struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (unsigned i = 0; i < WF_MAIL_KINDS && rc == WF_OK; i++) {
		templates[i] = usual[i];
		if (folder[0] != '\0')
			rc = read_file(arena,
			    wf_arena_printf(
				arena, "%s/%s.txt", folder, names[i]),
			    &templates[i], err);
	}
	return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of mails to people.  Each kind has a template, which is built in or
 * the file KIND.txt of a folder: the first line is "Subject: ..", then an empty
 * line, then the text.  {WORD} stands for a value, see mail_words.def.
 */
#ifndef WF_WORK_MAIL_MAIL_TEXT_H
#define WF_WORK_MAIL_MAIL_TEXT_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

enum wf_mail_kind {
	WF_MAIL_OFFER,
	WF_MAIL_ALLOCATION,
	WF_MAIL_REMINDER,
	WF_MAIL_ESCALATION,
	WF_MAIL_DIGEST,
	WF_MAIL_KINDS
};

/* The values of one mail; none is NULL. */
struct wf_mail_words {
#define WF_MAIL_WORD(member, name, meaning) const char *member;
#include "work/mail/mail_words.def"
#undef WF_MAIL_WORD
};

struct wf_mail_template {
	const char *subject;
	const char *text;
};

/*
 * Reads the templates into the arena.  folder: "" for the built-in ones, which
 * also stand for files that are not there.  WF_INVALID: a file is no template;
 * WF_IO.
 */
enum wf_rc wf_mail_templates_read(struct wf_arena *arena, const char *folder,
    struct wf_mail_template templates[WF_MAIL_KINDS],
    struct wf_error *err) WF_MUSTCHECK;
/* Appends the text of a template with the values in it. */
void wf_mail_fill(struct wf_buffer *out, const char *template_text,
    const struct wf_mail_words *words);

#endif

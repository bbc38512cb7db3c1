/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an item needs beside the one who does it: persons, things, one member of
 * a role, one thing of a category.
 *
 * The element <secondary> of the task names it; of one item it can be set.
 */
#ifndef WF_PEOPLE_NEEDS_H
#define WF_PEOPLE_NEEDS_H

#include "kernel/assignment/assignment.h"
#include "people/organisation/organisation.h"
#include "people/resourcing.h"

/* An item needs at most so many people and things. */
#define WF_NEEDS_MOST 100U
/* Members of a role, or things of a category, that are tried at most. */
#define WF_NEED_TRIES 50U

struct wf_needs {
	const struct wf_secondary *rows;
	size_t count;
};

/* [{"thing":ID},{"category":ID,"part":NAME},..], in the arena. */
const char *wf_needs_write(
    const struct wf_needs *needs, struct wf_arena *arena);
/* WF_INVALID: it is not such a text, or has too many. */
enum wf_rc wf_needs_read(const char *text, struct wf_arena *arena,
    struct wf_needs *needs_out, struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND: one of them is not in the organisation. */
enum wf_rc wf_needs_check(const struct wf_organisation *organisation,
    const struct wf_needs *needs, struct wf_error *err) WF_MUSTCHECK;
/* Of an item: as it was set, else as its task says. */
struct wf_needs wf_needs_of(const struct wf_item *item, struct wf_arena *arena);

/* Whether somebody or something is free; if it is to be taken, takes it. */
typedef bool (*wf_need_take_f)(
    void *context, enum wf_org_kind kind, const char *id);

struct wf_needs_found {
	struct wf_texts taken;	 /* ids */
	struct wf_needs missing; /* in the order of the needs */
};

/*
 * Finds what is needed, each once, but nobody who is but ("": nobody).  Those
 * that are named are taken first, in the order of their ids, so that two who
 * need the same do not hinder each other.  seed: for a choice at random; of
 * more than WF_NEED_TRIES, another seed tries others.
 */
void wf_needs_find(const struct wf_organisation *organisation,
    const struct wf_needs *needs, const char *but, uint64_t seed,
    wf_need_take_f take, void *context, struct wf_arena *arena,
    struct wf_needs_found *found_out);
/* "Van 7 is not available"; of a role or category: that none of it is. */
const char *wf_need_missing(const struct wf_organisation *organisation,
    const struct wf_secondary *need, struct wf_arena *arena);

/* ["ID",..], in the arena: what is busy with an item. */
const char *wf_busy_write(const struct wf_texts *ids, struct wf_arena *arena);
/* Nothing of a text that is damaged. */
struct wf_texts wf_busy_read(const char *text, struct wf_arena *arena);
bool wf_busy_has(const char *text, const char *id);

#endif

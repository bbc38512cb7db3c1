/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of a step: what lives until its answer is read, and values that
 * end with it.
 */
#include "kernel/kernel.h"

void *wf_step_alloc(struct step *s, size_t size)
{
	s->out->has_worked = true;
	return wf_arena_alloc(s->out->arena, size);
}

struct wf_value *wf_step_own(struct step *s, struct wf_value *value)
{
	wf_assert(s->c->undo != NULL && value != NULL);
	/* Freed at the end of the step, whether it is kept or undone. */
	wf_undo_reserve(s->c->undo);
	wf_undo_drop(s->c->undo, value, true);
	wf_undo_drop(s->c->undo, value, false);
	return value;
}

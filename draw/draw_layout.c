/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the layout of a net, for all kinds of pictures. */
#include "draw/draw_picture.h"

#include <pthread.h>

/* libgvc has global state: one thread at a time may use it. */
static pthread_mutex_t graphviz_lock = PTHREAD_MUTEX_INITIALIZER;

/* The picture of a net, laid out by Graphviz; NULL when it cannot. */
static struct wf_picture *lay_out_anew(
    struct wf_arena *arena, const struct wf_net *net, bool circles_have_sides)
{
	struct wf_picture *picture = wf_picture_new(arena, net);
	bool good;

	picture->layout = WF_LAYOUT_COMPUTED;
	picture->circles_have_sides = circles_have_sides;
	pthread_mutex_lock(&graphviz_lock);
	good = wf_layout_by_graphviz(picture);
	pthread_mutex_unlock(&graphviz_lock);
	if (!good)
		return NULL;
	wf_place_names(picture);
	wf_picture_fit(picture);
	return picture;
}

static struct wf_picture *lay_out_in_columns(
    struct wf_arena *arena, const struct wf_net *net)
{
	struct wf_picture *picture = wf_picture_new(arena, net);

	picture->layout = WF_LAYOUT_COLUMNS;
	wf_layout_by_columns(picture);
	wf_picture_fit(picture);
	return picture;
}

struct wf_picture *wf_picture_lay_out(
    struct wf_arena *arena, const struct wf_net *net, uint32_t *flows)
{
	struct wf_picture *picture = wf_picture_new(arena, net);
	struct wf_picture *other;
	size_t faults;

	if (picture == NULL)
		return NULL;
	picture->layout = WF_LAYOUT_FILE;
	if (wf_layout_from_file(picture)) {
		wf_picture_fit(picture);
		if (wf_picture_faults(picture, 1) == 0)
			return picture;
	}
	/* Those that are too large for Graphviz leave the rest to others. */
	if (picture->line_count > WF_GRAPHVIZ_LARGEST ||
	    picture->line_count > *flows)
		return lay_out_in_columns(arena, net);
	*flows -= picture->line_count;
	picture = lay_out_anew(arena, net, false);
	if (picture == NULL)
		return lay_out_in_columns(arena, net);
	faults = wf_picture_faults(picture, SIZE_MAX);
	if (faults == 0)
		return picture;
	other = lay_out_anew(arena, net, true);
	return wf_picture_faults(other, faults) < faults ? other : picture;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page: the pictures of the nets of a specification, or of a case, one
 * below the other.
 *
 * The page brings its own light background and colours, so it reads the same
 * on a light and on a dark screen.
 */
#include "draw/draw.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "draw/draw_picture.h"
#include "kernel/step.h"

#define MARGIN 32.0
#define PADDING 22.0 /* between a net's frame and its picture */
#define IDS_BYTES 400U
#define HEAD 34.0 /* the title of a net in its frame */

static const char STYLE[] =
    "<style>\n"
    "text{font-family:Helvetica,Arial,sans-serif;fill:#22303c}\n"
    ".wf-page{fill:#f5f7f9}\n"
    ".wf-frame{fill:#fff;stroke:#d5dce3}\n"
    ".wf-title{font-size:22px;font-weight:bold}\n"
    ".wf-under{font-size:13px;fill:#5b6b7a}\n"
    ".wf-net{font-size:15px;font-weight:bold}\n"
    ".wf-kind{font-size:12px;font-weight:normal;fill:#5b6b7a}\n"
    ".wf-name,.wf-empty-name{font-size:13px;text-anchor:middle}\n"
    ".wf-empty-name{fill:#5b6b7a;font-style:italic}\n"
    ".wf-name,.wf-empty-name,.wf-label,.wf-note{paint-order:stroke;"
    "stroke:#fff;stroke-opacity:.75;stroke-width:3px;"
    "stroke-linejoin:round}\n"
    ".wf-label,.wf-note{font-size:11px;text-anchor:middle;fill:#5b6b7a}\n"
    ".wf-predicate{font-size:11px;text-anchor:middle;fill:#7a4b00}\n"
    ".wf-behind{fill:#fff;fill-opacity:.85}\n"
    ".wf-words{font-size:13px}\n"
    ".wf-legend{font-size:11px;fill:#5b6b7a}\n"
    ".wf-flow{fill:none;stroke:#5b6b7a;stroke-width:1.5}\n"
    ".wf-head{fill:#5b6b7a}\n"
    ".wf-default{fill:none;stroke:#5b6b7a;stroke-width:2}\n"
    ".wf-place>circle{fill:#fffaf0;stroke:#8a6d3b;stroke-width:1.6}\n"
    ".wf-input>circle{fill:#e7f6ec;stroke:#2e7d4f;stroke-width:2}\n"
    ".wf-input>path{fill:#2e7d4f}\n"
    ".wf-output>circle{fill:#fdecea;stroke:#b23b32;stroke-width:2}\n"
    ".wf-output>path{fill:#b23b32}\n"
    ".wf-task>rect,.wf-composite>rect{fill:#eaf2fb;stroke:#2b5d91;"
    "stroke-width:1.6}\n"
    ".wf-empty>rect{fill:#fff;stroke:#8a97a3;stroke-width:1.6;"
    "stroke-dasharray:3 3}\n"
    ".wf-and>rect{fill:#dbe8f6;stroke:#2b5d91;stroke-width:1.6}\n"
    ".wf-and>path{fill:#2b5d91}\n"
    ".wf-xor>rect{fill:#fff3dc;stroke:#b26a00;stroke-width:1.6}\n"
    ".wf-xor>path{fill:#f0a830;stroke:#b26a00;stroke-width:1}\n"
    ".wf-or>rect{fill:#f1e8fa;stroke:#6d3fa0;stroke-width:1.6}\n"
    ".wf-or>path{fill:#a67fd0;stroke:#6d3fa0;stroke-width:1}\n"
    ".wf-clock>circle{fill:#fff;stroke:#22303c;stroke-width:1.6}\n"
    ".wf-clock>path{fill:none;stroke:#22303c;stroke-width:1.6;"
    "stroke-linecap:round;stroke-linejoin:round}\n"
    ".wf-cancel>circle{stroke:#fff;stroke-width:1.5}\n"
    ".wf-cancel>path{fill:none;stroke:#fff;stroke-width:2;"
    "stroke-linecap:round}\n"
    ".wf-token{fill:#22303c}\n"
    ".wf-tokens{font-size:11px;text-anchor:middle;fill:#fff}\n"
    ".wf-busy{fill:none;stroke:#d9480f;stroke-width:4}\n"
    ".wf-enabled{fill:none;stroke:#2f9e44;stroke-width:4}\n"
    ".wf-set{fill:none;stroke-width:2;stroke-dasharray:6 4}\n"
    "</style>\n";

/* The frame of a net is as wide as the page; the width is known at the end. */
struct frame {
	double y;
	double height;
};

struct page {
	struct wf_arena *arena;
	struct wf_buffer body;
	struct frame *frames;
	size_t frame_count;
	size_t frame_capacity;
	double width; /* of the content between the margins */
	double height;
	bool seen[WF_LEGEND_COUNT];
};

static void widen(struct page *page, double width)
{
	page->width = fmax(page->width, width);
}

static void put_text(
    struct page *page, const char *class, double x, double y, const char *text)
{
	wf_buffer_printf(&page->body,
	    "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
	wf_text_put(&page->body, text);
	wf_buffer_puts(&page->body, "</text>\n");
}

static void add_frame(struct page *page, double height)
{
	page->frames = wf_arena_grow(page->arena, page->frames,
	    page->frame_count, &page->frame_capacity, sizeof(*page->frames));
	page->frames[page->frame_count++] =
	    (struct frame){ page->height, height };
}

static void begin_net(struct page *page, const struct wf_net *net,
    const struct wf_net_view *view, double height)
{
	const struct wf_decomposition *decomposition = net->decomposition;
	const char *name = decomposition->name;

	if (name == NULL || *name == '\0')
		name = decomposition->id;
	name = wf_text_shorten(page->arena, name, 600, 15);
	widen(page, wf_text_width(name, strlen(name), 16) + 200);
	add_frame(page, height);
	wf_buffer_printf(&page->body,
	    "<text class=\"wf-net\" x=\"%.1f\" y=\"%.1f\">", PADDING,
	    page->height + 26);
	wf_text_put(&page->body, name);
	wf_buffer_printf(&page->body,
	    "<tspan class=\"wf-kind\" dx=\"10\">%s</tspan></text>\n",
	    view != NULL	     ? view->case_id
	    : net->spec->root == net ? "where a case starts"
				     : "sub-net");
}

/* The picture of a net, laid out by Graphviz, else in columns. */
static struct wf_picture *lay_out_anew(
    struct wf_arena *arena, const struct wf_net *net, bool circles_have_sides)
{
	struct wf_picture *picture = wf_picture_new(arena, net);

	picture->circles_have_sides = circles_have_sides;
	if (!wf_layout_by_graphviz(picture))
		wf_layout_by_columns(picture);
	wf_picture_fit(picture);
	return picture;
}

/*
 * The first layout that is clear: that of the file, one without needless
 * curves, one that leaves more room.  NULL when the net is too large.
 */
static struct wf_picture *lay_out(
    struct wf_arena *arena, const struct wf_net *net)
{
	struct wf_picture *picture = wf_picture_new(arena, net);

	if (picture == NULL)
		return NULL;
	if (wf_layout_from_file(picture)) {
		wf_picture_fit(picture);
		if (wf_picture_is_clear(picture))
			return picture;
	}
	picture = lay_out_anew(arena, net, false);
	return wf_picture_is_clear(picture) ? picture
					    : lay_out_anew(arena, net, true);
}

/* view: the tokens and busy tasks to be drawn; NULL: none. */
static void draw_net(struct page *page, const struct wf_net *net,
    const struct wf_net_view *view, const struct wf_case *instance)
{
	struct wf_picture *picture = lay_out(page->arena, net);
	struct wf_buffer texts;
	double width = 0;
	double height = 30;
	double below;

	if (picture != NULL) {
		width = picture->width;
		height = picture->height;
	}
	wf_buffer_init(&texts, WF_DRAW_BYTES);
	below = picture == NULL
		    ? 0
		    : wf_cancel_texts(picture, height + 6, &width, &texts);
	if (below > 0)
		below += 6;
	widen(page, width + 2 * PADDING);
	begin_net(page, net, view, HEAD + height + below + PADDING);
	wf_buffer_printf(&page->body,
	    "<g transform=\"translate(%.1f %.1f)\">\n", PADDING,
	    page->height + HEAD + PADDING / 4);
	if (picture != NULL)
		wf_picture_svg(picture, &page->body, page->seen);
	if (picture != NULL && view != NULL)
		wf_draw_state(picture, view, instance, &page->body, page->seen);
	if (picture == NULL)
		wf_buffer_puts(&page->body,
		    "<text class=\"wf-under\" y=\"20\">This net is too large "
		    "to be drawn.</text>\n");
	wf_buffer_append(&page->body, texts.data, texts.length);
	wf_buffer_puts(&page->body, "</g>\n");
	wf_buffer_free(&texts);
	page->height += HEAD + height + below + PADDING + 20;
}

static void draw_heading(struct page *page, const struct wf_spec *spec)
{
	const char *title = spec->metadata.title;
	const char *version = spec->metadata.version;
	const char *under;

	if (title == NULL || *title == '\0')
		title = spec->name;
	if (title == NULL || *title == '\0')
		title = spec->uri;
	title = wf_text_shorten(page->arena, title, 900, 22);
	widen(page, wf_text_width(title, strlen(title), 24));
	put_text(page, "wf-title", 0, page->height + 22, title);
	under = wf_arena_printf(page->arena, "%s, version %s", spec->uri,
	    version == NULL ? "0.1" : version);
	under = wf_text_shorten(page->arena, under, 900, 13);
	widen(page, wf_text_width(under, strlen(under), 13));
	put_text(page, "wf-under", 0, page->height + 42, under);
	page->height += 58;
}

static bool is_named(const struct wf_net *net, const char *name)
{
	const struct wf_decomposition *decomposition = net->decomposition;

	return name == NULL || strcmp(decomposition->id, name) == 0 ||
	       (decomposition->name != NULL &&
		   strcmp(decomposition->name, name) == 0);
}

/* The nets with that name, NULL: all; the root net first. */
static void draw_nets(
    struct page *page, const struct wf_spec *spec, const char *name)
{
	if (spec->root != NULL && is_named(spec->root, name))
		draw_net(page, spec->root, NULL, NULL);
	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_net *net = spec->decompositions[i].net;

		if (net != NULL && net != spec->root && is_named(net, name))
			draw_net(page, net, NULL, NULL);
	}
}

/* WF_NOT_FOUND, with the nets that there are. */
static enum wf_rc fail_unknown(struct wf_spec *const *specs, size_t count,
    const char *name, struct wf_error *err)
{
	struct wf_buffer ids;

	wf_buffer_init(&ids, IDS_BYTES);
	for (size_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < specs[i]->decomposition_count; j++)
			if (specs[i]->decompositions[j].net != NULL)
				wf_buffer_printf(&ids, "%s%s",
				    ids.length > 0 ? ", " : "",
				    specs[i]->decompositions[j].id);
	wf_fail(err, WF_NOT_FOUND,
	    "there is no net \"%.100s\": expected one of %s", name,
	    wf_buffer_text(&ids));
	wf_buffer_free(&ids);
	return WF_NOT_FOUND;
}

static bool has_net(const struct wf_spec *spec, const char *name)
{
	for (uint32_t i = 0; i < spec->decomposition_count; i++)
		if (spec->decompositions[i].net != NULL &&
		    is_named(spec->decompositions[i].net, name))
			return true;
	return false;
}

static void put_frames(const struct page *page, struct wf_buffer *svg)
{
	for (size_t i = 0; i < page->frame_count; i++)
		wf_buffer_printf(svg,
		    "<rect class=\"wf-frame\" x=\"0\" y=\"%.1f\" "
		    "width=\"%.1f\" height=\"%.1f\" rx=\"8\"/>\n",
		    page->frames[i].y, page->width, page->frames[i].height);
}

static void put_page(const struct page *page, struct wf_buffer *svg)
{
	double width = page->width + 2 * MARGIN;
	double height = page->height + 2 * MARGIN;

	wf_buffer_printf(svg,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
	    "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n",
	    width, height, width, height);
	wf_buffer_puts(svg, STYLE);
	wf_buffer_printf(svg,
	    "<rect class=\"wf-page\" width=\"100%%\" height=\"100%%\"/>\n"
	    "<g transform=\"translate(%.0f %.0f)\">\n",
	    MARGIN, MARGIN);
	put_frames(page, svg);
	wf_buffer_append(svg, page->body.data, page->body.length);
	wf_buffer_puts(svg, "</g>\n</svg>\n");
}

/* --- one picture at a time ------------------------------------------------ */

/* libgvc has global state: one thread at a time may lay out nets. */
static pthread_mutex_t drawing = PTHREAD_MUTEX_INITIALIZER;

static void begin_page(struct page *page)
{
	pthread_mutex_lock(&drawing);
	*page = (struct page){ .width = 480 };
	page->arena = wf_arena_new();
	wf_buffer_init(&page->body, WF_DRAW_BYTES);
}

static enum wf_rc end_page(
    struct page *page, struct wf_buffer *svg, struct wf_error *err)
{
	page->height += wf_draw_legend(
	    &page->body, page->height - 8, page->width, page->seen);
	put_page(page, svg);
	svg->full |= page->body.full;
	wf_buffer_free(&page->body);
	wf_arena_free(&page->arena);
	pthread_mutex_unlock(&drawing);
	return svg->full ? wf_fail(err, WF_LIMIT, "the picture is too large")
			 : WF_OK;
}

enum wf_rc wf_draw_specs(struct wf_spec *const *specs, size_t count,
    const char *net, struct wf_buffer *svg, struct wf_error *err)
{
	struct page page;
	bool found = net == NULL;

	for (size_t i = 0; i < count; i++)
		found |= has_net(specs[i], net);
	if (!found)
		return fail_unknown(specs, count, net, err);
	begin_page(&page);
	for (size_t i = 0; i < count; i++) {
		if (!has_net(specs[i], net))
			continue;
		draw_heading(&page, specs[i]);
		draw_nets(&page, specs[i], net);
	}
	return end_page(&page, svg, err);
}

enum wf_rc wf_draw_spec(
    const struct wf_spec *spec, struct wf_buffer *svg, struct wf_error *err)
{
	struct wf_spec *specs[] = { (struct wf_spec *)(uintptr_t)spec };

	return wf_draw_specs(specs, 1, NULL, svg, err);
}

struct live_nets {
	struct page *page;
	const struct wf_case *instance;
};

static void draw_live_net(void *argument, const struct wf_net_view *view)
{
	struct live_nets *live = argument;

	draw_net(live->page, view->net, view, live->instance);
}

enum wf_rc wf_draw_case(
    const struct wf_case *instance, struct wf_buffer *svg, struct wf_error *err)
{
	struct page page;
	struct live_nets live = { &page, instance };

	begin_page(&page);
	draw_heading(&page, wf_case_spec(instance));
	wf_case_nets(instance, draw_live_net, &live);
	return end_page(&page, svg, err);
}

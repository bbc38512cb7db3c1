/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page: the pictures of the nets of a specification, or of a case, in rows.
 *
 * The page brings its own light background and colours, so it reads the same
 * on a light and on a dark screen.
 */
#include "draw/draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/draw_picture.h"
#include "kernel/step.h"

#define MARGIN 32.0
#define PADDING 22.0 /* between a net's frame and its picture */
#define IDS_BYTES 400U
#define HEAD 34.0	   /* the title of a net in its frame */
#define BETWEEN 20.0	   /* between two frames */
#define UNDER_HEADING 16.0 /* between a heading and the first frame */
#define LEAST_WIDTH 480.0
#define PROPORTION 1.4 /* the width of a page with room, by its height */

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

/* A heading, or a net with its frame; its place is known at the end. */
struct block {
	size_t from; /* its part of the page's body */
	size_t to;
	bool is_net;
	double width;
	double height;
};

struct page {
	struct wf_arena *arena;
	struct wf_buffer body;
	struct block *blocks;
	size_t block_count;
	size_t block_capacity;
	bool seen[WF_LEGEND_COUNT];
	uint32_t flows; /* that Graphviz may still lay out */
};

static struct block *begin_block(struct page *page, bool is_net)
{
	struct block *block;

	page->blocks = wf_arena_grow(page->arena, page->blocks,
	    page->block_count, &page->block_capacity, sizeof(*page->blocks));
	block = &page->blocks[page->block_count++];
	*block = (struct block){ .from = page->body.length, .is_net = is_net };
	return block;
}

static void widen(struct block *block, double width)
{
	block->width = fmax(block->width, width);
}

static void put_text(
    struct page *page, const char *class, double x, double y, const char *text)
{
	wf_buffer_printf(&page->body,
	    "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
	wf_text_put(&page->body, text);
	wf_buffer_puts(&page->body, "</text>\n");
}

static void put_net_title(struct page *page, struct block *block,
    const struct wf_net *net, const struct wf_net_view *view)
{
	const struct wf_decomposition *decomposition = net->decomposition;
	const char *name = decomposition->name;

	if (name == NULL || *name == '\0')
		name = decomposition->id;
	name = wf_text_shorten(page->arena, name, 600, 15);
	widen(block, wf_text_width(name, strlen(name), 16) + 200);
	wf_buffer_printf(&page->body,
	    "<text class=\"wf-net\" x=\"%.1f\" y=\"26\">", PADDING);
	wf_text_put(&page->body, name);
	wf_buffer_printf(&page->body,
	    "<tspan class=\"wf-kind\" dx=\"10\">%s</tspan></text>\n",
	    view != NULL	     ? view->case_id
	    : net->spec->root == net ? "where a case starts"
				     : "sub-net");
}

/* view: the tokens and busy tasks to be drawn; NULL: none. */
static void draw_net(struct page *page, const struct wf_net *net,
    const struct wf_net_view *view, const struct wf_case *instance)
{
	struct wf_picture *picture =
	    wf_picture_lay_out(page->arena, net, &page->flows);
	struct block *block = begin_block(page, true);
	double width = picture == NULL ? 0 : picture->width;
	double height = picture == NULL ? 30 : picture->height;

	put_net_title(page, block, net, view);
	wf_buffer_printf(&page->body,
	    "<g transform=\"translate(%.1f %.1f)\">\n", PADDING,
	    HEAD + PADDING / 4);
	if (picture == NULL) {
		wf_buffer_puts(&page->body,
		    "<text class=\"wf-under\" y=\"20\">This net is too large "
		    "to be drawn.</text>\n");
	} else {
		if (view != NULL)
			wf_picture_state(picture, view, instance);
		wf_picture_svg(picture, &page->body, page->seen);
		if (view != NULL)
			wf_draw_tokens(picture, view, &page->body, page->seen);
		height += wf_cancel_texts(picture, height, &width, &page->body);
	}
	wf_buffer_puts(&page->body, "</g>\n");
	widen(block, width + 2 * PADDING);
	block->height = HEAD + height + PADDING;
	block->to = page->body.length;
}

static void draw_heading(struct page *page, const struct wf_spec *spec)
{
	struct block *block = begin_block(page, false);
	const char *title = spec->metadata.title;
	const char *version = spec->metadata.version;
	const char *under;

	if (title == NULL || *title == '\0')
		title = spec->name;
	if (title == NULL || *title == '\0')
		title = spec->uri;
	title = wf_text_shorten(page->arena, title, 900, 22);
	widen(block, wf_text_width(title, strlen(title), 24));
	put_text(page, "wf-title", 0, 22, title);
	under = wf_arena_printf(page->arena, "%s, version %s", spec->uri,
	    version == NULL ? "0.1" : version);
	under = wf_text_shorten(page->arena, under, 900, 13);
	widen(block, wf_text_width(under, strlen(under), 13));
	put_text(page, "wf-under", 0, 42, under);
	block->height = 42;
	block->to = page->body.length;
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

/* --- the arrangement ------------------------------------------------------ */

/* The width of the widest block, more if the page would be higher than wide. */
static double page_width(const struct page *page)
{
	double width = LEAST_WIDTH;
	double area = 0;

	for (size_t i = 0; i < page->block_count; i++) {
		const struct block *block = &page->blocks[i];

		width = fmax(width, block->width);
		area += (block->width + BETWEEN) * (block->height + BETWEEN);
	}
	return fmax(width, sqrt(area * PROPORTION));
}

/* The number of blocks, from the first one on, that one row has room for. */
static size_t row_length(const struct block *blocks, size_t count, double width)
{
	double used = blocks[0].width;
	size_t n = 1;

	while (blocks[0].is_net && n < count && blocks[n].is_net) {
		used += BETWEEN + blocks[n].width;
		if (used > width)
			break;
		n++;
	}
	return n;
}

/* Draws the blocks side by side, in frames that fill the row; its height. */
static double put_row(const struct page *page, const struct block *blocks,
    size_t count, double y, double width, struct wf_buffer *svg)
{
	double spare = width - BETWEEN * (double)(count - 1);
	double height = 0;
	double x = 0;

	for (size_t i = 0; i < count; i++) {
		spare -= blocks[i].width;
		height = fmax(height, blocks[i].height);
	}
	for (size_t i = 0; i < count; i++) {
		double w = blocks[i].width + spare / (double)count;

		wf_buffer_printf(
		    svg, "<g transform=\"translate(%.1f %.1f)\">\n", x, y);
		if (blocks[i].is_net)
			wf_buffer_printf(svg,
			    "<rect class=\"wf-frame\" width=\"%.1f\" "
			    "height=\"%.1f\" rx=\"8\"/>\n",
			    w, height);
		wf_buffer_append(svg, page->body.data + blocks[i].from,
		    blocks[i].to - blocks[i].from);
		wf_buffer_puts(svg, "</g>\n");
		x += w + BETWEEN;
	}
	return height;
}

/* Draws the rows and the legend; returns their height. */
static double put_rows(
    const struct page *page, double width, struct wf_buffer *svg)
{
	double y = 0;
	size_t count;

	for (size_t i = 0; i < page->block_count; i += count) {
		count =
		    row_length(&page->blocks[i], page->block_count - i, width);
		y += put_row(page, &page->blocks[i], count, y, width, svg) +
		     (page->blocks[i].is_net ? BETWEEN : UNDER_HEADING);
	}
	return y + wf_draw_legend(svg, y - 8, width, page->seen);
}

static void put_page(const struct page *page, struct wf_buffer *svg)
{
	struct wf_buffer rows;
	double width = page_width(page);
	double height;

	wf_buffer_init(&rows, WF_DRAW_BYTES);
	height = put_rows(page, width, &rows) + 2 * MARGIN;
	width += 2 * MARGIN;
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
	wf_buffer_append(svg, rows.data, rows.length);
	wf_buffer_puts(svg, "</g>\n</svg>\n");
	svg->full |= rows.full;
	wf_buffer_free(&rows);
}

/* --- pictures ------------------------------------------------------------- */

static void begin_page(struct page *page)
{
	*page = (struct page){ .arena = wf_arena_new(),
		.flows = WF_GRAPHVIZ_FLOWS };
	wf_buffer_init(&page->body, WF_DRAW_BYTES);
}

static enum wf_rc end_page(
    struct page *page, struct wf_buffer *svg, struct wf_error *err)
{
	put_page(page, svg);
	svg->full |= page->body.full;
	wf_buffer_free(&page->body);
	wf_arena_free(&page->arena);
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

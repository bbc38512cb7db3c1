/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a progress bar on standard error. */
#include "cli/remote/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 30
/* Seconds between two updates. */
#define INTERVAL 0.1

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void wf_progress_init(struct wf_progress *progress, bool quiet)
{
	memset(progress, 0, sizeof(*progress));
	progress->wanted = !quiet && isatty(STDERR_FILENO);
}

static void print_bar(uint64_t done, uint64_t total)
{
	double part = done >= total ? 1 : (double)done / (double)total;
	char bar[WIDTH + 1];

	memset(bar, ' ', WIDTH);
	memset(bar, '#', (size_t)(part * WIDTH));
	bar[WIDTH] = '\0';
	fprintf(stderr, " [%s] %3d %%", bar, (int)(part * 100));
}

void wf_progress_show(struct wf_progress *progress, const char *what,
    uint64_t done, uint64_t total)
{
	double time;

	if (!progress->wanted)
		return;
	time = now();
	if (progress->what != what) {
		progress->what = what;
		progress->began = time;
	} else if (time - progress->shown < INTERVAL) {
		return;
	}
	progress->shown = time;
	fprintf(stderr, "\r\033[K%s", what);
	if (total > 0) {
		print_bar(done, total);
		fprintf(stderr, " %llu of %llu", (unsigned long long)done,
		    (unsigned long long)total);
	}
	if (done > 0 && time > progress->began)
		fprintf(stderr, ", %.0f a second",
		    (double)done / (time - progress->began));
	fflush(stderr);
	progress->visible = true;
}

void wf_progress_hide(struct wf_progress *progress)
{
	if (!progress->visible)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress->visible = false;
}

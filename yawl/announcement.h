/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Announcements as YAWL's services, and the listeners of interface X, get them:
 * forms, with the state of the item at the time of sending.
 */
#ifndef WF_YAWL_ANNOUNCEMENT_H
#define WF_YAWL_ANNOUNCEMENT_H

#include "work/handler.h"

/* Adds the destinations of an announcement. */
void wf_yawl_announce(const struct wf_service_set *set,
    const struct wf_announcement *what, struct wf_destinations *destinations);
/* Notifies all YAWL services that the engine has started. */
enum wf_rc wf_yawl_announce_start(struct wf_store *store,
    const struct wf_service_set *set, int64_t now,
    struct wf_error *err) WF_MUSTCHECK;

/* Data stored with a case that was launched over interface B. */
struct wf_yawl_launched {
	bool delayed; /* the launch was delayed */
	/* The only service that is notified of its end; "": all. */
	const char *observer;
	const char *log; /* <logdataitemlist>, for its first event; or "" */
	const char *launcher; /* the URI of the launching service; or "" */
};
void wf_yawl_launched_put(
    struct wf_buffer *extra, const struct wf_yawl_launched *launched);
/* Reads that of any case; texts are in the arena. */
void wf_yawl_launched_read(struct wf_yawl_launched *launched_out,
    struct wf_bytes extra, struct wf_arena *arena);

/* Custom services, and listeners of interface X (announcement_form.c). */
void wf_yawl_service_kinds_add(void);
extern const struct wf_service_handler wf_yawl_service_handler;
extern const struct wf_service_handler wf_yawl_listener_handler;

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of one case, read whole, and the keys that interface E has for what
 * is in it.
 *
 * Keys are numbers that clients hand back.  Nothing stores them: what is of a
 * case has the case's number and, below it, the number that its history gives
 * it (history/case_log.h); what is of a specification has a part of its key
 * and a number in it; a service, the hash of its name.
 */
#ifndef WF_YAWL_LOG_KEYS_H
#define WF_YAWL_LOG_KEYS_H

#include "history/case_log.h"
#include "work/service.h"
#include "yawl/yawl.h"

struct wf_book_event {
	struct wf_told_event told; /* its instance is NULL */
	size_t instance;	   /* place in the book's */
	size_t next;		   /* of that instance, from 1; 0: none */
};

/*
 * What belongs to an instance, 0 for none: events, counted from 1, and places
 * of instances, of which the first is the root net, within no other.
 */
struct wf_book_links {
	size_t first_event;
	size_t last_event;
	size_t first_inner; /* a net's tasks, a task's nets */
	size_t last_inner;
	size_t next_inner; /* beside it */
};

struct wf_case_log_page {
	struct wf_yawl_call *call;
	uint64_t number; /* of the case */
	const char *name;
	uint64_t specification;
	const struct wf_spec *spec;		  /* while it is shown */
	const struct wf_told_instance *instances; /* by number */
	struct wf_book_links *links;		  /* one for each of them */
	size_t instance_count, instance_capacity, link_capacity;
	const struct wf_book_event *events;
	size_t event_count, event_capacity;
	struct wf_arena *arena;
};

/*
 * Reads the log of a case and shows it.  first: only its beginning, which is
 * where it started.
 */
typedef void (*wf_book_f)(void *context, const struct wf_case_log_page *book);
enum wf_rc wf_book_show(struct wf_yawl_call *call,
    const struct wf_case_row *row, bool first, wf_book_f show, void *context,
    struct wf_error *err) WF_MUSTCHECK;

/* --- keys ----------------------------------------------------------------- */

uint64_t wf_log_key(const struct wf_case_log_page *book, uint64_t number);
/* Back to the number of the case, and in it. */
uint64_t wf_book_case_of(uint64_t key, uint64_t *number_out);

uint64_t wf_log_key_of_spec(uint64_t specification);
uint64_t wf_log_key_of_net(uint64_t specification, uint32_t decomposition);
uint64_t wf_log_key_of_task(uint64_t specification, const struct wf_spec *spec,
    const struct wf_task *task);
uint64_t wf_log_key_of_type(uint64_t specification, const char *type);
uint64_t wf_log_key_of_service(const char *name);
/* Whether the key is of something in that specification. */
bool wf_book_is_of(uint64_t key, uint64_t specification);

/* --- elements --------------------------------------------------------------
 */

/* Short ones, that name others by their keys. */
void wf_book_put_event(
    const struct wf_case_log_page *book, const struct wf_book_event *event);
void wf_book_put_net(const struct wf_case_log_page *book,
    const struct wf_told_instance *instance);
void wf_book_put_task(const struct wf_case_log_page *book,
    const struct wf_told_instance *instance);
void wf_book_put_data(const struct wf_case_log_page *book,
    const struct wf_book_event *event, const struct wf_told_data *data);
/* <datatype>; also where there is no book. */
void wf_book_put_type(
    struct wf_buffer *xml, uint64_t specification, const char *type);
/* Whole ones, with all that is in them. */
void wf_book_put_whole_task(const struct wf_case_log_page *book,
    const struct wf_told_instance *instance);
void wf_book_put_whole_net(const struct wf_case_log_page *book,
    const struct wf_told_instance *instance);

#endif

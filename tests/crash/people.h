/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The people of mix.wfs: who of them decides, accepts and works in the engines
 * of a process, and what is on their lists.
 */
#ifndef WF_TESTS_CRASH_PEOPLE_H
#define WF_TESTS_CRASH_PEOPLE_H

#include "runtime/engine.h"
#include "worklist/audiences.h"

/* The participants of mix.wfs, from 1 on. */
#define CRASH_PEOPLE 3U
/* The id of a participant. */
const char *crash_person(unsigned number);
/* Whoever has the item; 0: nobody of them. */
unsigned crash_holder(const struct wf_item_row *item);

/* The tasks of mix.wfs that are piled and freed, from 0 on. */
#define CRASH_PILED 2U
const char *crash_piled_task(unsigned task);

/* The URI of the service that gets items of people. */
#define CRASH_SERVICE "http://service.example/"

struct crash_people; /* opaque; safe for all threads */

/*
 * From the file mix.wfs.  forgets: broken on purpose, nobody keeps who is in
 * an audience.
 */
struct crash_people *crash_people_new(const char *mix, bool forgets);
void crash_people_free(struct crash_people **people);
/* For struct wf_engine_settings; lives as long as the people. */
const struct wf_engine_people *crash_people_calls(
    const struct crash_people *people);
/* The queues on the list of a participant, as the store has them now. */
enum wf_rc crash_people_queues(struct crash_people *people,
    struct wf_store *store, unsigned number, struct wf_arena *arena,
    struct wf_texts *queues_out, struct wf_error *err) WF_MUSTCHECK;

/* Piles a task to a person; 0: frees it, whoever it is piled to. */
enum wf_rc crash_people_pile(struct crash_people *people,
    struct wf_store *store, unsigned task, unsigned person) WF_MUSTCHECK;
/* Reads what is piled in the store. */
enum wf_rc crash_people_read_piles(struct crash_people *people,
    struct wf_store *store, struct wf_error *err) WF_MUSTCHECK;
/* Who a task is piled to, as it was read; 0: nobody of them. */
unsigned crash_people_piled(struct crash_people *people, unsigned task);

#endif

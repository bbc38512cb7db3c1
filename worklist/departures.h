/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Participants who were removed, until nobody's items stand in their queues.
 *
 *   removed ──(the same change of the store)──► record ──sweep──► items taken
 *   from the participant, by commands of the engine ──► record removed
 *
 * An item that the participant has, or that only such participants are offered,
 * becomes unoffered.  A sweep gives some commands and waits for no answer; the
 * next one goes on behind them.  A round over all queues begins a minute after
 * the last one, and the record is removed after ten that have found nothing:
 * what was decided with an older organisation may be stored after the first.
 * Another node does the same, also after a restart.
 */
#ifndef WF_WORKLIST_DEPARTURES_H
#define WF_WORKLIST_DEPARTURES_H

#include "people/organisation/organisation.h"
#include "runtime/engine.h"
#include "worklist/absences.h"
#include "worklist/audiences.h"
#include "worklist/deputies.h"
#include "worklist/piles.h"

/* The kind of their records. */
#define WF_DEPARTURE_KIND "departure"
/* Commands that are given and not answered yet. */
#define WF_DEPARTURE_COMMANDS 200U

struct wf_departures; /* opaque; one thread sweeps */

/* Where who has gone may be named. */
struct wf_departure_places {
	struct wf_audiences *audiences;
	struct wf_piles *piles;
	struct wf_absences *absences;
	struct wf_deputies *deputies;
};

struct wf_departures *wf_departures_new(void);
/* The engine has ended. */
void wf_departures_free(struct wf_departures **departures);

/* To be called each second; does nothing while commands are not answered. */
enum wf_rc wf_departures_sweep(struct wf_departures *departures,
    struct wf_engine *engine, struct wf_store *store,
    const struct wf_organisation *organisation,
    const struct wf_departure_places *places,
    struct wf_error *err) WF_MUSTCHECK;

#endif

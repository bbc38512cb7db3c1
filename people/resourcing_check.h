/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong with the elements <resourcing> of a specification, found when
 * it is loaded.
 *
 * All of it are warnings: YAWL loads such specifications, and a rule with an
 * error distributes to nobody (people/resourcing.h).
 */
#ifndef WF_PEOPLE_RESOURCING_CHECK_H
#define WF_PEOPLE_RESOURCING_CHECK_H

#include "base/diagnostics.h"
#include "people/organisation/organisation.h"
#include "spec/spec.h"

/*
 * Adds a warning for each mistake, with the task, the element, its line and
 * what was expected.  Whatever wf_resourcing_read() finds is among them.
 */
void wf_resourcing_check(
    const struct wf_spec *spec, struct wf_diagnostics *diagnostics);

/*
 * Adds a warning for each role, participant, thing and category that a rule
 * names and the organisation does not have; they may still be added to it.
 */
void wf_resourcing_check_names(const struct wf_spec *spec,
    const struct wf_organisation *organisation,
    struct wf_diagnostics *diagnostics);

#endif

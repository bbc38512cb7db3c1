/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice on a specification that was loaded: whether it is sound, and what is
 * wrong with its rules for people.
 */
#ifndef WF_SERVER_SOUNDNESS_H
#define WF_SERVER_SOUNDNESS_H

#include "server/context.h"
#include "verify/verify.h"

/*
 * Of all specifications of a file, which is valid: adds a warning to
 * diagnostics, and a line to the log, for each net that is not sound, and a
 * warning for each net of which that is not decided; and a warning and a line
 * to the log for each mistake in the elements <resourcing>, which with the
 * setting people are ids that the organisation does not have, too.  With
 * diagnostics NULL all goes only to the log.  Takes about a second, and the
 * time to read the file: for the pool.
 */
void wf_server_check_soundness(struct wf_server *server, const char *xml,
    size_t length, struct wf_diagnostics *diagnostics);
/*
 * The same warnings of a file that was read, without the log, within so many
 * states.  reports: gets one for each specification, to be freed.
 */
void wf_server_check_file(struct wf_server *server,
    const struct wf_spec_file *file, uint32_t states,
    struct wf_diagnostics *diagnostics, struct wf_report **reports);
/*
 * The analysis of one of count specifications that share so many states, a
 * part for each net.
 */
struct wf_report *wf_server_analyse(
    const struct wf_spec *spec, size_t count, uint32_t states);

#endif

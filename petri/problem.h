/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A coverability problem read from a file: a net with names, an initial marking
 * and target markings, of which one is to be covered.
 */
#ifndef WF_PETRI_PROBLEM_H
#define WF_PETRI_PROBLEM_H

#include <stddef.h>

#include "base/error.h"
#include "petri/net.h"

/* The maximum number of places, transitions or targets of a file. */
#define WF_PROBLEM_MAXIMUM 1000000U

struct wf_problem {
	struct wf_petri *net;
	const char **places; /* names; in the arena of the net, as all else */
	const char **transitions;
	uint32_t *initial; /* per place; WF_MANY: arbitrarily many */
	struct wf_target *targets;
	uint32_t target_count;
};

/*
 * The format of the tool mist: "vars", "rules", "init", "target".  What is
 * not a net with reset arcs (transfers, tests for zero) is WF_UNSUPPORTED.
 */
enum wf_rc wf_problem_read_mist(struct wf_problem *problem_out,
    const char *text, size_t length, struct wf_error *err) WF_MUSTCHECK;

/*
 * PNML (ISO/IEC 15909-2), place/transition nets.  An arc from a place to a
 * transition resets the place when it says <arctype><text>reset</text>
 * </arctype>, <type value="reset"/>, or <toolspecific ...><reset/>
 * </toolspecific>.  The targets are the net's <finalmarkings>: one <marking>
 * each, with <place idref="..."><text>N</text></place>.
 */
enum wf_rc wf_problem_read_pnml(struct wf_problem *problem_out,
    const char *text, size_t length, struct wf_error *err) WF_MUSTCHECK;

void wf_problem_free(struct wf_problem *problem);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the built-in functions on atomic values share: their arguments and
 * their results.
 */
#ifndef WF_XQUERY_FUNCTIONS_FUNCTIONS_PRIV_H
#define WF_XQUERY_FUNCTIONS_FUNCTIONS_PRIV_H

#include "base/buffer.h"
#include "xquery/atomic/atomic_priv.h"
#include "xquery/item/evaluation.h"

#define WF_CODEPOINT_COLLATION                                                 \
	"http://www.w3.org/2005/xpath-functions/collation/codepoint"

/* The head of a built-in function. */
#define WF_BUILT_IN(c_name)                                                    \
	enum wf_rc wf_fn_##c_name(struct wf_dynamic *dynamic,                  \
	    const struct wf_sequence *arguments, size_t count,                 \
	    struct wf_sequence *result)

/* Several rows may name one function; then it is declared more than once. */
#define WF_FUNCTION(space, name, minimum, maximum, signature, c_name)          \
	WF_BUILT_IN(c_name);
#include "xquery/functions/functions_atomic.def"
#undef WF_FUNCTION

/* The only item of an argument; NULL: the argument is empty. */
const struct wf_atomic *wf_argument(
    const struct wf_sequence *arguments, size_t i);
/*
 * The text of a string argument, "" when it is empty. Counts the steps of
 * reading it.
 */
struct wf_string wf_argument_string(
    struct wf_dynamic *dynamic, const struct wf_sequence *arguments, size_t i);
/* FOCH0002 when argument i is present and not a known collation. */
enum wf_rc wf_argument_collation(struct wf_dynamic *dynamic,
    const struct wf_sequence *arguments, size_t count, size_t i);

enum wf_rc wf_return_atomic(struct wf_dynamic *dynamic,
    struct wf_sequence *result, struct wf_atomic atomic);
enum wf_rc wf_return_boolean(
    struct wf_dynamic *dynamic, struct wf_sequence *result, bool boolean);
enum wf_rc wf_return_integer(
    struct wf_dynamic *dynamic, struct wf_sequence *result, int64_t integer);
/* The text is not copied. */
enum wf_rc wf_return_string(struct wf_dynamic *dynamic,
    struct wf_sequence *result, const char *text, size_t length);

/* Copies the text to the evaluation's arena and returns it. */
enum wf_rc wf_return_text(
    struct wf_dynamic *dynamic, struct wf_sequence *result);

#endif

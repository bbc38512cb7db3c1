/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fixed limits that several folders share, or that users can reach.
 *
 * Names end with the unit.  Bytes of text are counted without a NUL.  What
 * exceeds a limit is refused with a message that names the limit.  Limits that
 * can be set are elsewhere: those of a case in kernel/limits.def, those of a
 * server in cli/admin/settings.def.
 */
#ifndef WF_BASE_LIMITS_H
#define WF_BASE_LIMITS_H

#include <stddef.h> /* a public header declares something */

/* clang-format off */

/* A specification file, and the XML Schema of user types in it. */
#define WF_SPEC_BYTES             (32U << 20)
#define WF_SCHEMA_BYTES           (4U << 20)
/* The id of a task, which is part of the ids of its items. */
#define WF_TASK_ID_BYTES          383U

/* A value: the text of an XML element, and how deep its elements nest. */
#define WF_VALUE_BYTES            (64U << 20)
#define WF_VALUE_DEPTH_ELEMENTS   256U
/* Values of more bytes are stored separately and referred to by number. */
#define WF_VALUE_INLINE_BYTES     2048U

/* The name of a case, its id as launched ("7"); net instances append ".N". */
#define WF_CASE_NAME_BYTES        64U
/* The id of a command, by which a store recognises a repeated one. */
#define WF_COMMAND_ID_BYTES       256U

/* clang-format on */

#endif

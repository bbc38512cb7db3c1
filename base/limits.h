/* SPDX-License-Identifier: Apache-2.0 */
/* Limits that several layers share; those of a net or a case are settings. */
#ifndef WF_BASE_LIMITS_H
#define WF_BASE_LIMITS_H

#include <stddef.h> /* a public header declares something */

/* The largest value that is accepted anywhere, in bytes of its text. */
#define WF_VALUE_MAXIMUM (64U << 20)

/*
 * The longest name of a case (its id, "7" or "order-12"; ids of net instances
 * such as "7.1.2" are longer), in bytes without the NUL.
 */
#define WF_CASE_NAME_BYTES 64U

/* Elements nested deeper than this are refused. */
#define WF_VALUE_DEPTH 256U

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Limits that several layers share; those of a net or a case are settings. */
#ifndef WF_BASE_LIMITS_H
#define WF_BASE_LIMITS_H

/* The largest value that is accepted anywhere, in bytes of its text. */
#define WF_VALUE_MAXIMUM (64U << 20)

/* Elements nested deeper than this are refused. */
#define WF_VALUE_DEPTH 256U

#endif

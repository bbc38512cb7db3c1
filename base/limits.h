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

#include <stddef.h>
#include <stdint.h>

/* clang-format off */

/* Clocks of the nodes of a store may differ by so much. */
#define WF_CLOCKS_MS              INT64_C(60000)

/* A specification file, and the XML Schema of user types in it. */
#define WF_SPEC_BYTES             (32U << 20)
#define WF_SCHEMA_BYTES           (4U << 20)
/* Its URI, and each title, version, id and name in it. */
#define WF_SPEC_NAME_BYTES        4096U
/* The id of a task, which is part of the ids of its items. */
#define WF_TASK_ID_BYTES          383U

/* An organisation: an id, a name, another text, entries of a list. */
#define WF_ORG_NAME_BYTES         255U
#define WF_ORG_TEXT_BYTES         4096U
#define WF_ORG_LINKS_COUNT        1000U
/* An amount of money; exact as a JSON number. */
#define WF_ORG_AMOUNT_MILLIONTHS  INT64_C(999999999000000)
/*
 * A calendar: its text; hours of a day, days that it names one by one (with
 * those of included ones), calendars that it includes.
 */
#define WF_CALENDAR_BYTES         65536U
#define WF_CALENDAR_HOURS         24U
#define WF_CALENDAR_DAYS          20000U
#define WF_CALENDAR_INCLUDES      16U
/* Reminders and escalations of a task. */
#define WF_TIMING_STEPS           20U
/* What is saved of the form of an item, as JSON. */
#define WF_DRAFT_BYTES            (256U << 10)
/* Who an item is offered to, as the decision describes it. */
#define WF_AUDIENCE_BYTES         16384U

/* A value: the text of an XML element, and how deep its elements nest. */
#define WF_VALUE_BYTES            (64U << 20)
#define WF_VALUE_DEPTH_ELEMENTS   256U
/* Values of more bytes are stored separately and referred to by number. */
#define WF_VALUE_INLINE_BYTES     2048U

/* The name of a case, its id as launched ("7"); net instances append ".N". */
#define WF_CASE_NAME_BYTES        64U
#define WF_CASE_ID_PART_BYTES     11U /* ".4294967295" */
/* The id of any net instance ("7.1.2"), and of any work item ("7.1.2:Ask"). */
#define WF_CASE_ID_BYTES          639U
#define WF_ITEM_ID_BYTES          (WF_CASE_ID_BYTES + 1U + WF_TASK_ID_BYTES)
/* Arrays that hold such an id and its NUL. */
#define WF_CASE_ID_SIZE           (WF_CASE_ID_BYTES + 1U)
#define WF_ITEM_ID_SIZE           (WF_ITEM_ID_BYTES + 1U)
/* The id of a command, by which a store recognises a repeated one. */
#define WF_COMMAND_ID_BYTES       256U

/* The name of an account, and its password. */
#define WF_ACCOUNT_NAME_BYTES     64U
#define WF_PASSWORD_MINIMUM_BYTES 8U
#define WF_PASSWORD_BYTES         1023U

/* A service: its name, its URI and address, its secret, its documentation. */
#define WF_SERVICE_NAME_BYTES     100U
#define WF_SERVICE_URI_BYTES      1000U
#define WF_SECRET_MINIMUM_BYTES   16U
#define WF_SECRET_BYTES           1000U
#define WF_SERVICE_TEXT_BYTES     10000U
/* The policy of a service, and of a decomposition in a specification. */
#define WF_POLICY_ATTEMPTS        1000U
#define WF_POLICY_CALLS           1000U /* at the same time */
#define WF_POLICY_FACTOR          10U   /* between two delays, of a service */
#define WF_POLICY_SPEC_FACTOR     1000U /* the same, of a decomposition */
#define WF_POLICY_TIME_MS         (INT64_C(366) * 24 * 3600 * 1000)
/* Recipients of one mail of the built-in service. */
#define WF_MAIL_RECIPIENTS        100U

/* A request: account, origin and key; title or reason; log of item or case. */
#define WF_REQUEST_TEXT_BYTES     256U
/* .. and in the list of participants that a command names. */
#define WF_REQUEST_TARGETS_BYTES  65536U
#define WF_REQUEST_TITLE_BYTES    1024U
/* .. and the context of its trace. */
#define WF_REQUEST_TRACE_BYTES    600U
#define WF_REQUEST_LOG_BYTES      65536U
/* A request that is stored until it is due: many are read back at a time. */
#define WF_REQUEST_STORED_BYTES   ((size_t)4 << 20)

/*
 * Work, in steps of queries, which take 20 to 50 ns each: of all steps of a
 * batch, the least that each step has, and of an inspection.
 */
#define WF_BATCH_WORK             UINT64_C(5000000)
#define WF_STEP_WORK              UINT64_C(50000)
#define WF_INSPECTION_WORK        UINT64_C(5000000)

/* HTTP: parts of a target, and ranges of addresses that may be called. */
#define WF_TARGET_SEGMENTS        8U
#define WF_TARGET_ARGUMENTS       32U
#define WF_ADDRESS_RANGES         64U

/* REST: a short text; a code, moment or duration; a key; a page of a list. */
#define WF_REST_TEXT_BYTES        1000U
#define WF_REST_WORD_BYTES        100U
#define WF_REST_KEY_BYTES         128U
#define WF_REST_PAGE_ROWS         1000U
/* Operations on many cases: cases that one names, and does in a second. */
#define WF_OPERATION_CASES        10000U
#define WF_OPERATION_RATE         1000000U
/* Incidents that one request retries or drops, at most. */
#define WF_INCIDENTS_CLOSED       10000U
#define WF_COMMENT_TEXT_BYTES     4000U
/* The versions of a process that a list by its name can be of. */
#define WF_LIST_VERSIONS          200U
/* The queues of items that a list is of, and its rows: see store.h. */
#define WF_LIST_QUEUES            10000U
#define WF_QUEUED_ROWS            500U
/* Items of a process that are examined to say where its cases stand. */
#define WF_STANDING_ITEMS         10000U
/* An analysis of nets: its states, unless more are asked for, and at most. */
#define WF_SOUNDNESS_STATES       20000U
#define WF_SOUNDNESS_STATES_MOST  200000U
/* REST: items in one claim, how long it waits, how long a lease lasts. */
#define WF_CLAIM_ITEMS            100U
#define WF_CLAIM_WAIT_MS          INT64_C(60000)
#define WF_LEASE_MS               (INT64_C(7) * 24 * 3600 * 1000)

/* YAWL's interfaces: names and passwords, documentation, open sessions. */
#define WF_YAWL_NAME_BYTES        200U
#define WF_YAWL_TEXT_BYTES        10000U
#define WF_YAWL_SESSIONS          100000U

/* clang-format on */

#endif

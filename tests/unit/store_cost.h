/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls of a store cost, counted: steps of SQLite's virtual machine, and
 * rows that PostgreSQL reads.
 */
#ifndef WF_TESTS_STORE_COST_H
#define WF_TESTS_STORE_COST_H

#include "tests/unit/store_fixture.h"

#define STORE_FEW 50
#define STORE_MANY 20000

/* What differs in the SQL that fills one. */
struct store_database {
	const char *name;
	const char *counter; /* the table c of i, from 1 to a number */
	const char *part;    /* a column more, .. */
	const char *part_value;
	const char *head; /* whether i is that of the first stream */
	const char *is;	  /* true */
};

/* SQLite, PostgreSQL. */
extern const struct store_database store_databases[2];

/* Puts n rows of each kind. */
typedef void (*store_cost_fill_f)(const struct store_fixture *f,
    const struct store_database *database, unsigned n);
/* The calls that are counted. */
typedef void (*store_cost_serve_f)(struct store_fixture *f);

/* As PostgreSQL does in the background. */
void store_analyze(
    const struct store_fixture *f, const struct store_database *database);
/* Runs SQL, given as to printf(), that reads i from c, a table of 1 to n. */
void store_fill(const struct store_fixture *f,
    const struct store_database *database, unsigned n, const char *sql, ...)
    WF_PRINTF(4, 5);
/*
 * Of PostgreSQL, by sessions that have ended.  The BRIN index counts ten rows
 * for each page that it names, read or not.
 */
uint64_t store_rows_read(const struct store_fixture *f);
/* Ends the sessions and begins others. */
void store_reopen(struct store_fixture *f);
/* What the calls cost with n rows. */
uint64_t store_cost(const struct store_kind *kind,
    const struct store_database *database, unsigned n, store_cost_fill_f put,
    store_cost_serve_f call);
/* The calls must not cost more with more rows. */
void store_compare_costs_with(unsigned less, unsigned more,
    store_cost_fill_f put, store_cost_serve_f call);
void store_compare_costs(store_cost_fill_f put, store_cost_serve_f call);

#endif

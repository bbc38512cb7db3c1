/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk for SQLite that loses writes: data that was written and not synced is
 * lost in part when the power goes off.
 *
 * It passes everything on to the real files, so that all is as usual while the
 * process lives, and keeps beside them what is surely on disk: the content at
 * the last sync, and the writes since. When the power goes off it leaves in the
 * files the sure content and any of the sectors written since, in any order,
 * one of them torn, and kills the process. Creating, deleting and the order of
 * syncs are not disturbed.
 *
 * Operations (writes, syncs and truncations of all files) are counted.
 */
#ifndef WF_TESTS_UNIT_DISK_H
#define WF_TESTS_UNIT_DISK_H

#include <stdbool.h>
#include <stdint.h>

/* From now on SQLite opens its files on this disk. */
void disk_use(void);
/* The power goes off at the n-th operation; the seed decides what is left. */
void disk_cut(uint64_t n, uint64_t seed);
/* SIGKILL at the n-th operation: what was written stays. */
void disk_kill(uint64_t n);
/* count operations fail from the n-th on: the disk is full, or broken. */
void disk_full(uint64_t n, uint64_t count);
/*
 * count syncs fail, the first of them at the n-th operation or after it; what
 * they should have saved is never saved.
 */
void disk_break(uint64_t n, uint64_t count);
/* Syncs do nothing and report success: a disk that lies. */
void disk_lie(void);
/* The number of operations. */
uint64_t disk_operations(void);
/* The number of them that failed. */
uint64_t disk_failures(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of clients, written before each request and after each answer:
 * one line and one write() each, so that nothing is lost when the
 * process is killed.
 *
 *   B PID                 a process begins: open requests get no answer
 *   I SERIAL ...          it is about to send the request with that serial
 *   A SERIAL ...          an answer to it came
 *   H POSITION NUMBER SEQUENCE   a row of the history was seen
 *   M NUMBER MESSAGE      an announcement arrived, and is acknowledged next
 *   R FIRST COUNT         numbers were reserved
 *   P TASK PERSON         it is about to pile a task to a person, 0: to nobody
 *   Q RC                  the answer to that came
 *
 * Each client has a file of its own, called c0, c1 ..; that is also its
 * account, and k1, k2 .. are its keys.  The records of observers (H, M,
 * R, P, Q) are in files called s0, s1 ..
 */
#ifndef WF_TESTS_CRASH_RECORDS_H
#define WF_TESTS_CRASH_RECORDS_H

#include "runtime/engine.h"

#define CRASH_ITEM_SIZE 128U
#define CRASH_NAME_SIZE 65U
#define CRASH_LINE_SIZE 1024U

/* The data that a request brings along. */
enum crash_form {
	CRASH_NOTHING,
	CRASH_OUTPUT,	 /* <data><text>..</text></data> */
	CRASH_VARIABLES, /* the same, named after the net */
	CRASH_INSTANCE	 /* <x>..</x> */
};

/* All members of a request that are not derived from others. */
struct crash_request {
	uint64_t serial;
	enum wf_request_kind kind;
	enum wf_command_kind command;
	uint64_t number;
	uint64_t specification;
	int64_t at;
	enum crash_form form;
	unsigned size; /* of the text */
	/* Participants, see crash_person(); 0: nobody. */
	unsigned actor;	 /* nobody: an administrator, by force */
	unsigned target; /* who gets the item */
	char item[CRASH_ITEM_SIZE];
};

struct crash_answer {
	uint64_t serial;
	enum wf_rc rc;
	uint64_t number;
	uint64_t sequence;
	uint32_t status;
	bool repeated;
	char item[CRASH_ITEM_SIZE];
	char name[CRASH_NAME_SIZE];
};

/* Opens a client's (or, with 's', an observer's) file to append to it. */
int crash_records_open(const char *folder, char kind, unsigned index);
void crash_record_begin(int fd);
void crash_record_intention(int fd, const struct crash_request *request);
void crash_record_answer(int fd, const struct crash_answer *answer);
void crash_record_row(int fd, const struct wf_cursor *row);
void crash_record_message(int fd, uint64_t number, uint64_t message);
void crash_record_numbers(int fd, uint64_t first, uint64_t count);
void crash_record_pile(int fd, unsigned task, unsigned person);
void crash_record_piled(int fd, enum wf_rc rc);

/* One line as it was read. */
struct crash_line {
	char kind;
	struct crash_request request; /* I */
	struct crash_answer answer;   /* A */
	uint64_t numbers[3];	      /* H, M, R, P; of Q: the code */
};

/*
 * Calls visit for each line of a file; reads 0 lines when there is no such
 * file. A line that is incomplete or unknown ends the program.
 */
void crash_records_read(const char *folder, char kind, unsigned index,
    void (*visit)(void *context, const struct crash_line *line), void *context);

/* The texts of a request; made by crash_request_fill(). */
struct crash_texts {
	char actor[16];
	char key[32];
	char id[48]; /* of the command: "c1/k7" */
	char *data;
};

/*
 * Makes the whole request of client out of its record; net: the name of the
 * root net, for CRASH_VARIABLES.  texts->data is freed with wf_free().
 */
void crash_request_fill(const struct crash_request *request, unsigned client,
    const char *net, struct wf_request *request_out,
    struct crash_texts *texts_out);

/* Ends the program with a sentence. */
_Noreturn void crash_fail(const char *format, ...) WF_PRINTF(1, 2);

#endif

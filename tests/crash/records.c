/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/crash/records.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/crash/people.h"

void crash_fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("crash: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	exit(2);
}

/* --- writing -------------------------------------------------------------- */

static void name_file(
    char path[512], const char *folder, char kind, unsigned index)
{
	snprintf(path, 512, "%s/%c%u", folder, kind, index);
}

/*
 * A process that was killed may have written half a line.  What the line says
 * was not done yet, or was not noticed, so it is as if there were none.
 */
static void drop_half_line(int fd, const char *path)
{
	char tail[CRASH_LINE_SIZE];
	off_t size = lseek(fd, 0, SEEK_END);
	off_t start =
	    size > (off_t)sizeof(tail) ? size - (off_t)sizeof(tail) : 0;
	size_t length = (size_t)(size - start);

	if (size < 0 || pread(fd, tail, length, start) != (ssize_t)length)
		crash_fail("%s: %s", path, strerror(errno));
	while (length > 0 && tail[length - 1] != '\n')
		length--;
	if (ftruncate(fd, start + (off_t)length) != 0)
		crash_fail("%s: %s", path, strerror(errno));
}

int crash_records_open(const char *folder, char kind, unsigned index)
{
	char path[512];
	int fd;

	name_file(path, folder, kind, index);
	fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		crash_fail("%s: %s", path, strerror(errno));
	drop_half_line(fd, path);
	return fd;
}

static void WF_PRINTF(2, 3) put(int fd, const char *format, ...)
{
	char line[CRASH_LINE_SIZE];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= sizeof(line) ||
	    write(fd, line, (size_t)length) != length)
		crash_fail("a record cannot be written");
}

void crash_record_begin(int fd)
{
	put(fd, "B %d\n", (int)getpid());
}

/* An empty word could not be read back. */
static const char *word(const char *text)
{
	return text[0] == '\0' ? "-" : text;
}

void crash_record_intention(int fd, const struct crash_request *r)
{
	put(fd,
	    "I %" PRIu64 " %d %d %" PRIu64 " %" PRIu64 " %" PRId64
	    " %d %u %u %u %s\n",
	    r->serial, (int)r->kind, (int)r->command, r->number,
	    r->specification, r->at, (int)r->form, r->size, r->actor, r->target,
	    word(r->item));
}

void crash_record_answer(int fd, const struct crash_answer *a)
{
	put(fd, "A %" PRIu64 " %s %" PRIu64 " %" PRIu64 " %u %d %s %s\n",
	    a->serial, wf_rc_name(a->rc), a->number, a->sequence, a->status,
	    a->repeated, word(a->item), word(a->name));
}

void crash_record_row(int fd, const struct wf_cursor *row)
{
	put(fd, "H %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", row->position,
	    row->number, row->sequence);
}

void crash_record_message(int fd, uint64_t number, uint64_t message)
{
	put(fd, "M %" PRIu64 " %" PRIu64 "\n", number, message);
}

void crash_record_numbers(int fd, uint64_t first, uint64_t count)
{
	put(fd, "R %" PRIu64 " %" PRIu64 "\n", first, count);
}

void crash_record_pile(int fd, unsigned task, unsigned person)
{
	put(fd, "P %u %u\n", task, person);
}

void crash_record_piled(int fd, enum wf_rc rc)
{
	put(fd, "Q %s\n", wf_rc_name(rc));
}

/* --- reading -------------------------------------------------------------- */

static void take_word(char *text)
{
	if (strcmp(text, "-") == 0)
		text[0] = '\0';
}

static bool read_intention(const char *text, struct crash_request *r)
{
	int kind;
	int command;
	int form;

	if (sscanf(text,
		"I %" SCNu64 " %d %d %" SCNu64 " %" SCNu64 " %" SCNd64
		" %d %u %u %u %127s",
		&r->serial, &kind, &command, &r->number, &r->specification,
		&r->at, &form, &r->size, &r->actor, &r->target, r->item) != 11)
		return false;
	r->kind = (enum wf_request_kind)kind;
	r->command = (enum wf_command_kind)command;
	r->form = (enum crash_form)form;
	take_word(r->item);
	return true;
}

static bool read_answer(const char *text, struct crash_answer *a)
{
	char code[32];
	int repeated;

	if (sscanf(text,
		"A %" SCNu64 " %31s %" SCNu64 " %" SCNu64 " %u %d %127s %64s",
		&a->serial, code, &a->number, &a->sequence, &a->status,
		&repeated, a->item, a->name) != 8)
		return false;
	a->rc = wf_rc_by_name(code);
	a->repeated = repeated != 0;
	take_word(a->item);
	take_word(a->name);
	return true;
}

static bool read_code(const char *text, uint64_t *code_out)
{
	char code[32];

	if (sscanf(text, "Q %31s", code) != 1)
		return false;
	*code_out = (uint64_t)wf_rc_by_name(code);
	return true;
}

static bool read_line(const char *text, struct crash_line *line)
{
	uint64_t *n = line->numbers;

	memset(line, 0, sizeof(*line));
	line->kind = text[0];
	switch (text[0]) {
	case 'I':
		return read_intention(text, &line->request);
	case 'A':
		return read_answer(text, &line->answer);
	case 'H':
		return sscanf(text, "H %" SCNu64 " %" SCNu64 " %" SCNu64, &n[0],
			   &n[1], &n[2]) == 3;
	case 'Q':
		return read_code(text, &n[0]);
	case 'M':
	case 'R':
	case 'P':
		return sscanf(text + 1, " %" SCNu64 " %" SCNu64, &n[0],
			   &n[1]) == 2;
	default:
		return text[0] == 'B';
	}
}

void crash_records_read(const char *folder, char kind, unsigned index,
    void (*visit)(void *context, const struct crash_line *line), void *context)
{
	char path[512];
	char text[CRASH_LINE_SIZE];
	struct crash_line line;
	FILE *file;

	name_file(path, folder, kind, index);
	file = fopen(path, "r");
	if (file == NULL)
		return;
	while (fgets(text, sizeof(text), file) != NULL) {
		if (strchr(text, '\n') == NULL && feof(file))
			break; /* half a line, see drop_half_line() */
		if (!read_line(text, &line))
			crash_fail("%s: no record: %s", path, text);
		visit(context, &line);
	}
	fclose(file);
}

/* --- requests from records ------------------------------------------------ */

static char *make_data(const struct crash_request *r, const char *net)
{
	char letter = (char)('a' + r->serial % 26);
	struct wf_buffer data;

	if (r->form == CRASH_NOTHING)
		return NULL;
	if (r->form == CRASH_OUTPUT)
		net = "data";
	wf_buffer_init(&data, (size_t)1 << 20);
	wf_buffer_printf(&data, "<%s>", r->form == CRASH_INSTANCE ? "x" : net);
	if (r->form != CRASH_INSTANCE)
		wf_buffer_puts(&data, "<text>");
	for (unsigned i = 0; i < r->size; i++)
		wf_buffer_putc(&data, letter);
	if (r->form != CRASH_INSTANCE)
		wf_buffer_puts(&data, "</text>");
	wf_buffer_printf(&data, "</%s>", r->form == CRASH_INSTANCE ? "x" : net);
	return wf_buffer_take(&data);
}

void crash_request_fill(const struct crash_request *r, unsigned client,
    const char *net, struct wf_request *out, struct crash_texts *texts)
{
	snprintf(texts->actor, sizeof(texts->actor), "c%u", client);
	snprintf(texts->key, sizeof(texts->key), "k%" PRIu64, r->serial);
	snprintf(
	    texts->id, sizeof(texts->id), "%s/%s", texts->actor, texts->key);
	texts->data = make_data(r, net);
	memset(out, 0, sizeof(*out));
	out->kind = r->kind;
	out->actor = texts->actor;
	out->key = texts->key;
	/* It remains distinct from others when it is done later. */
	out->origin = texts->id;
	if (r->kind == WF_REQUEST_WITHDRAW) {
		out->start = r->number;
		return;
	}
	out->number = r->number;
	out->command.kind = r->command;
	out->command.item = r->item;
	out->command.data = texts->data;
	out->command.length = texts->data == NULL ? 0 : strlen(texts->data);
	if (r->actor > 0)
		out->command.participant = crash_person(r->actor);
	if (r->target > 0)
		out->command.targets = crash_person(r->target);
	if (r->command == WF_COMMAND_REDIRECT)
		out->command.targets = CRASH_SERVICE;
	out->command.is_administrator = r->actor == 0;
	out->command.is_forced = r->actor == 0;
	out->launch.specification = r->specification;
	out->at = r->at;
}

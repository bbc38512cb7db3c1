/* SPDX-License-Identifier: Apache-2.0 */
#include "yawl/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/clock.h"
#include "base/panic.h"

#define BLANKS " \t\r\n"
#define BETWEEN " \t,"
/* How long the end of a program that is silent may stay unknown. */
#define STEP_MS 20
/* Status of a child that could not become the program. */
#define NOT_STARTED 127

/* --- the command ---------------------------------------------------------- */

/* The path of the list that the word means, in the arena; NULL: none. */
static char *find_program(
    const char *word, const char *allowed, struct wf_arena *arena)
{
	while (*(allowed += strspn(allowed, BETWEEN)) != '\0') {
		size_t length = strcspn(allowed, BETWEEN);
		char *path = wf_arena_strndup(arena, allowed, length);
		const char *last = strrchr(path, '/');

		allowed += length;
		if (strcmp(path, word) == 0 ||
		    (last != NULL && strcmp(last + 1, word) == 0))
			return path;
	}
	return NULL;
}

enum wf_rc wf_program_read(const char *command, const char *allowed,
    struct wf_arena *arena, char ***words_out, struct wf_error *err)
{
	char **words =
	    wf_arena_array(arena, WF_PROGRAM_WORDS + 1, sizeof(*words));
	size_t count = 0;
	char *path;

	if (strlen(command) > WF_PROGRAM_COMMAND_BYTES)
		return wf_fail(err, WF_INVALID,
		    "the command has %zu bytes, expected at most %u",
		    strlen(command), WF_PROGRAM_COMMAND_BYTES);
	while (*(command += strspn(command, BLANKS)) != '\0') {
		size_t length = strcspn(command, BLANKS);

		if (count == WF_PROGRAM_WORDS)
			return wf_fail(err, WF_INVALID,
			    "the command has more than %u words",
			    WF_PROGRAM_WORDS);
		words[count++] = wf_arena_strndup(arena, command, length);
		command += length;
	}
	if (count == 0)
		return wf_fail(err, WF_INVALID, "there is no command");
	path = find_program(words[0], allowed, arena);
	if (path == NULL)
		return wf_fail(err, WF_DENIED,
		    "the program '%.200s' is not one of codelet-programs",
		    words[0]);
	words[0] = path;
	*words_out = words;
	return WF_OK;
}

/* --- the child ------------------------------------------------------------ */

static void limit(int resource, rlim_t most)
{
	struct rlimit limits = { most, most };

	(void)setrlimit(resource, &limits);
}

/* Between fork and exec: only what a signal handler may call. */
static _Noreturn void become(char *const *words, int output, int open_files)
{
	static char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
	static char language[] = "LANG=C.UTF-8";
	char *const environment[] = { path, language, NULL };
	int nothing = open("/dev/null", O_RDONLY);
	sigset_t none;

	(void)setpgid(0, 0);
#ifdef __linux__
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
	(void)signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(output, 1) < 0 ||
	    dup2(output, 2) < 0 || chdir("/") != 0)
		_exit(NOT_STARTED);
	for (int file = 3; file < open_files; file++)
		(void)close(file);
	limit(RLIMIT_CORE, 0);
	execve(words[0], words, environment);
	_exit(NOT_STARTED);
}

static int count_open_files(void)
{
	long most = sysconf(_SC_OPEN_MAX);

	return most < 0 || most > 65536 ? 65536 : (int)most;
}

/* --- the parent ----------------------------------------------------------- */

static bool has_ended(pid_t child)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) !=
		   0 ||
	       info.si_pid == child;
}

/* False: nothing more can come. */
static bool take_output(int input, struct wf_buffer *output)
{
	char text[4096];
	ssize_t size = read(input, text, sizeof(text));

	if (size > 0)
		wf_buffer_append(output, text, (size_t)size);
	return size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Until it has ended, its time is over, or it has written too much. */
static enum wf_rc wait_for(pid_t child, int input, int64_t until,
    const atomic_bool *ends, struct wf_buffer *output, struct wf_error *err)
{
	bool is_open = true;
	bool ended = false;

	while (!ended || is_open) {
		struct pollfd wanted = { .fd = input, .events = POLLIN };
		int ready = poll(&wanted, is_open, ended ? 0 : STEP_MS);

		if (ready > 0)
			is_open = take_output(input, output);
		else if (ended)
			break; /* what it has started has the stream */
		if (output->full)
			return wf_fail(err, WF_LIMIT,
			    "the program has written more than %zu bytes",
			    output->maximum);
		if (!ended)
			ended = has_ended(child);
		if (!ended && wf_monotonic_ms() >= until)
			return wf_fail(err, WF_LIMIT,
			    "the program has not ended in time: see "
			    "codelet-time");
		if (!ended && atomic_load(ends))
			return wf_fail(
			    err, WF_UNAVAILABLE, "the server is ending");
	}
	return WF_OK;
}

static enum wf_rc follow(pid_t child, int input, int64_t milliseconds,
    const atomic_bool *ends, struct wf_buffer *output, struct wf_error *err)
{
	enum wf_rc rc = wait_for(
	    child, input, wf_monotonic_ms() + milliseconds, ends, output, err);
	int status = 0;
	pid_t reaped;

	/* The child is not reaped yet, so the group is still its own. */
	(void)kill(-child, SIGKILL);
	(void)kill(child, SIGKILL);
	while ((reaped = waitpid(child, &status, 0)) < 0 && errno == EINTR)
		;
	if (rc != WF_OK)
		return rc;
	if (reaped < 0)
		return wf_fail(err, WF_IO, "the end of the program is unknown");
	if (!WIFEXITED(status))
		return wf_fail(err, WF_IO, "the program was ended by signal %d",
		    WTERMSIG(status));
	return WEXITSTATUS(status) == NOT_STARTED && output->length == 0
		   ? wf_fail(err, WF_IO, "the program cannot be started")
		   : WF_OK;
}

enum wf_rc wf_program_run(char *const *words, int64_t milliseconds,
    const atomic_bool *ends, struct wf_buffer *output, struct wf_error *err)
{
	int open_files = count_open_files();
	int pipe_ends[2];
	enum wf_rc rc;
	pid_t child;

	wf_assert(words[0] != NULL && milliseconds > 0);
	if (atomic_load(ends))
		return wf_fail(err, WF_UNAVAILABLE, "the server is ending");
	if (pipe(pipe_ends) != 0)
		return wf_fail(err, WF_IO, "no pipe: %s", strerror(errno));
	(void)fcntl(pipe_ends[0], F_SETFD, FD_CLOEXEC);
	(void)fcntl(pipe_ends[1], F_SETFD, FD_CLOEXEC);
	(void)fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK);
	child = fork();
	if (child == 0)
		become(words, pipe_ends[1], open_files);
	(void)close(pipe_ends[1]);
	if (child < 0) {
		rc = wf_fail(err, WF_IO, "no process: %s", strerror(errno));
	} else {
		(void)setpgid(child, child);
		rc = follow(
		    child, pipe_ends[0], milliseconds, ends, output, err);
	}
	(void)close(pipe_ends[0]);
	return rc;
}

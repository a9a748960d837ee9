/* SPDX-License-Identifier: MIT */
/* Does works of one kind in a child process that is kept. Parent and child talk over a socket pair:
   a size in 8 bytes, and the bytes. */
#include "process/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "process/limit.h"

#define CHANNEL 3 /* the socket, in the child */
#define PARTS_MOST 8
#define REFUSED 2 /* the exit status of a child that cannot begin */

struct process_kept {
	const struct process_kept_kind *kind;
	void *context;
	struct base_id owner;
	pid_t pid;	 /* 0: there is no child */
	int channel;	 /* to the child */
	guint works;	 /* given to it */
	bool is_refused; /* the last one could not begin */
};

struct process_kept *
process_kept_new(const struct process_kept_kind *kind, void *context)
{
	struct process_kept *kept = g_new0(struct process_kept, 1);

	kept->kind = kind;
	kept->context = context;
	return kept;
}

static void
kept_end(struct process_kept *kept)
{
	int status = 0;

	if (kept->pid == 0)
		return;
	close(kept->channel);
	kill(kept->pid, SIGKILL);
	while (waitpid(kept->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	kept->is_refused = WIFEXITED(status) && WEXITSTATUS(status) == REFUSED;
	kept->pid = 0;
}

void
process_kept_free(struct process_kept *kept)
{
	kept_end(kept);
	g_free(kept);
}

/* The child's side. */

static void
kept_die(const char *domain, GLogLevelFlags level, const char *message, void *context)
{
	if (level & (G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL))
		_exit(1);
}

/* Ends the child where the parent has gone, or has had no work for long. */
static void
kept_read_all(void *bytes, gsize size)
{
	for (guint8 *at = bytes; size > 0;) {
		ssize_t got = recv(CHANNEL, at, size, 0);

		if (got == 0 || (got < 0 && errno != EINTR))
			_exit(0);
		at += MAX(got, 0);
		size -= (gsize)MAX(got, 0);
	}
}

static void
kept_write_all(const void *bytes, gsize size)
{
	for (const guint8 *at = bytes; size > 0;) {
		ssize_t put = send(CHANNEL, at, size, MSG_NOSIGNAL);

		if (put < 0 && errno != EINTR)
			_exit(0);
		at += MAX(put, 0);
		size -= (gsize)MAX(put, 0);
	}
}

/* Leaves the child no file but the socket. */
static void
kept_drop_files(int channel)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (nothing < 0 || dup2(channel, CHANNEL) < 0)
		_exit(1);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (dup2(nothing, fd) < 0)
			_exit(1);
	if (close_range(CHANNEL + 1, ~0U, 0) != 0)
		_exit(REFUSED);
}

G_NORETURN static void
kept_serve(const struct process_kept *kept, int channel, pid_t parent)
{
	const struct process_kept_kind *kind = kept->kind;
	const struct timeval patience = {.tv_sec = kind->idle_s};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	kept_drop_files(channel);
	g_log_set_default_handler(kept_die, NULL);
	setsockopt(CHANNEL, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	/* The parent ends a work that is late, so its processor time needs no limit. */
	process_limit(0, kind->bytes);
	if (kind->begin && !kind->begin(kept->context, NULL))
		_exit(REFUSED);
	for (;;) {
		guint64 size;
		gsize length;

		kept_read_all(&size, sizeof(size));
		g_autofree char *data = g_malloc(size);
		kept_read_all(data, size);
		g_autoptr(GBytes) result = kind->work(data, size);
		const void *bytes = g_bytes_get_data(result, &length);
		size = length;
		kept_write_all(&size, sizeof(size));
		kept_write_all(bytes, length);
	}
}

/* The parent's side. */

static bool
kept_fail(GError **error, const char *why)
{
	return base_fail(
	    error, PH_ERROR_TEMPORARY, "A child process could not do the work: %s", why);
}

static bool
kept_start(struct process_kept *kept, GError **error)
{
	pid_t parent = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return kept_fail(error, g_strerror(errno));
	pid_t pid = fork();
	if (pid == 0)
		kept_serve(kept, ends[1], parent);
	close(ends[1]);
	if (pid < 0) {
		kept_fail(error, g_strerror(errno));
		close(ends[0]);
		return false;
	}
	kept->pid = pid;
	kept->channel = ends[0];
	kept->works = 0;
	return true;
}

enum kept_outcome { KEPT_DONE, KEPT_DIED, KEPT_LATE };

/* Waits until the socket is ready, as far as errno says that it was not. */
static enum kept_outcome
kept_wait(const struct process_kept *kept, short events, gint64 end)
{
	struct pollfd fd = {kept->channel, events, 0};
	gint64 left = end - base_clock_boot();

	if (errno != EAGAIN && errno != EINTR)
		return KEPT_DIED;
	if (left <= 0)
		return KEPT_LATE;
	poll(&fd, 1, (int)left);
	return KEPT_DONE;
}

static void
kept_advance(struct msghdr *message, gsize size)
{
	while (message->msg_iovlen > 0 && size >= message->msg_iov->iov_len) {
		size -= message->msg_iov->iov_len;
		message->msg_iov++;
		message->msg_iovlen--;
	}
	if (message->msg_iovlen == 0)
		return;
	message->msg_iov->iov_base = (char *)message->msg_iov->iov_base + size;
	message->msg_iov->iov_len -= size;
}

static enum kept_outcome
kept_give(const struct process_kept *kept, const struct iovec *parts, guint count, gint64 end)
{
	struct iovec all[PARTS_MOST + 1];
	struct msghdr message = {.msg_iov = all, .msg_iovlen = count + 1};
	guint64 size = 0;

	g_assert(count <= PARTS_MOST);
	for (guint i = 0; i < count; i++) {
		all[i + 1] = parts[i];
		size += parts[i].iov_len;
	}
	all[0] = (struct iovec){&size, sizeof(size)};
	while (message.msg_iovlen > 0) {
		ssize_t put = sendmsg(kept->channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
		enum kept_outcome outcome = put < 0 ? kept_wait(kept, POLLOUT, end) : KEPT_DONE;

		if (outcome != KEPT_DONE)
			return outcome;
		kept_advance(&message, (gsize)MAX(put, 0));
	}
	return KEPT_DONE;
}

/* Reads at least some bytes of the answer. *got_r: how many; 0: none yet. */
static enum kept_outcome
kept_read(const struct process_kept *kept, void *bytes, gsize size, gint64 end, gsize *got_r)
{
	ssize_t got = recv(kept->channel, bytes, size, MSG_DONTWAIT);

	*got_r = (gsize)MAX(got, 0);
	if (got == 0)
		return KEPT_DIED;
	return got > 0 ? KEPT_DONE : kept_wait(kept, POLLIN, end);
}

#define FIRST_BYTES (64 * 1024)

/* Takes the result. The room grows with the bytes that come, whatever size the child names. */
static enum kept_outcome
kept_take(const struct process_kept *kept, gint64 end, GBytes **result_r)
{
	g_autoptr(GByteArray) answer = g_byte_array_sized_new(FIRST_BYTES);
	guint64 size = sizeof(size);
	bool has_size = false;

	while (!has_size || answer->len < size + sizeof(size)) {
		guint had = answer->len;
		gsize got;

		g_byte_array_set_size(answer, had + MAX(FIRST_BYTES, had));
		enum kept_outcome outcome =
		    kept_read(kept, answer->data + had, answer->len - had, end, &got);
		g_byte_array_set_size(answer, had + (guint)got);
		if (outcome != KEPT_DONE)
			return outcome;
		if (!has_size && answer->len >= sizeof(size)) {
			memcpy(&size, answer->data, sizeof(size));
			has_size = true;
		}
		if ((has_size && size > kept->kind->result_most) ||
		    (has_size && answer->len > size + sizeof(size)))
			return KEPT_DIED;
	}
	g_autoptr(GBytes) whole = g_byte_array_free_to_bytes(g_steal_pointer(&answer));
	*result_r = g_bytes_new_from_bytes(whole, sizeof(size), (gsize)size);
	return KEPT_DONE;
}

static enum kept_outcome
kept_try(struct process_kept *kept, const struct iovec *parts, guint count, GBytes **result_r)
{
	gint64 end = base_clock_boot() + kept->kind->ms;
	enum kept_outcome outcome = kept_give(kept, parts, count, end);

	if (outcome == KEPT_DONE)
		outcome = kept_take(kept, end, result_r);
	kept->works++;
	if (outcome != KEPT_DONE || kept->works >= kept->kind->works)
		kept_end(kept);
	return outcome;
}

GBytes *
process_kept_do(struct process_kept *kept, const struct base_id *owner, const struct iovec *parts,
    guint count, GError **error)
{
	GBytes *result = NULL;
	enum kept_outcome outcome;
	bool is_new;

	if (kept->pid != 0 && !base_id_equal(&kept->owner, owner))
		kept_end(kept);
	do {
		is_new = kept->pid == 0;
		if (is_new && !kept_start(kept, error))
			return NULL;
		kept->owner = *owner;
		outcome = kept_try(kept, parts, count, &result);
	} while (outcome == KEPT_DIED && !is_new);
	if (outcome == KEPT_DIED && kept->is_refused)
		kept_fail(error, "it cannot begin");
	else if (outcome != KEPT_DONE)
		base_fail(error, PH_ERROR_TOO_LARGE, "%s: the child process %s", kept->kind->what,
		    outcome == KEPT_LATE ? "took too long" : "died");
	return result;
}

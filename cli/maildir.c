/* SPDX-License-Identifier: MIT */
/* Reads messages from maildirs and from pipes. */
#include "cli/maildir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static int
maildir_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lists the files of dir/new by name. NOT_FOUND when dir is no maildir. */
static GPtrArray *
maildir_list(const char *dir, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "new", NULL);
	g_autoptr(GError) failure = NULL;
	g_autoptr(GDir) folder = g_dir_open(path, 0, &failure);

	if (!folder) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "%s is not a maildir: %s", dir,
		    failure->message);
		return NULL;
	}
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	for (const char *name; (name = g_dir_read_name(folder));)
		if (*name != '.')
			g_ptr_array_add(names, g_strdup(name));
	g_ptr_array_sort(names, maildir_compare);
	return names;
}

/* Sets the error, unless the file is gone: then another process has handled it. */
static bool
maildir_fail_unless_gone(const char *path, const char *what, GError **error)
{
	if (errno == ENOENT)
		return true;
	g_set_error(
	    error, PH_ERROR, PH_ERROR_FAILED, "%s cannot be %s: %s", path, what, g_strerror(errno));
	return false;
}

/* Moves a message to dir/cur with the flag S (seen). */
static bool
maildir_put_away(const char *dir, const char *name, const char *path, GError **error)
{
	g_autofree char *seen = g_strconcat(name, strstr(name, ":2,") ? NULL : ":2,S", NULL);
	g_autofree char *target = g_build_filename(dir, "cur", seen, NULL);

	return rename(path, target) == 0 || maildir_fail_unless_gone(path, "moved to cur", error);
}

/* Opens a message of dir/new. -1: it cannot be read, or is gone; only the former sets the error. */
static int
maildir_open(const char *path, GError **error)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (file < 0) {
		maildir_fail_unless_gone(path, "read", error);
		return -1;
	}
	if (fstat(file, &st) == 0 && S_ISREG(st.st_mode))
		return file;
	close(file);
	g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "%s is not a message", path);
	return -1;
}

/* The messages of a folder, as far as they are processed. */
struct maildir_round {
	const char *dir;
	GError *first; /* NULL: none has failed */
	bool is_over;  /* no further message is tried */
};

/* Takes over the failure of a message. NULL: it has none. */
static void
maildir_note(struct maildir_round *round, GError *failure)
{
	round->is_over |= g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY) ||
			  g_error_matches(failure, PH_ERROR, PH_ERROR_UNCERTAIN);
	if (!round->first)
		round->first = failure;
	else
		g_clear_error(&failure);
}

static bool
maildir_end(struct maildir_round *round, GError **error)
{
	if (!round->first)
		return true;
	g_propagate_error(error, round->first);
	return false;
}

struct maildir_job {
	bool (*process)(const char *name, int file, void *context, bool *leave_r, GError **error);
	void *context;
};

static void
maildir_process_one(struct maildir_round *round, const char *name, const struct maildir_job *job)
{
	g_autofree char *path = g_build_filename(round->dir, "new", name, NULL);
	GError *failure = NULL;
	int file = maildir_open(path, &failure);
	bool leave = false;

	if (file >= 0) {
		if (!job->process(name, file, job->context, &leave, &failure))
			g_prefix_error(&failure, "%s: ", path);
		else if (!leave)
			maildir_put_away(round->dir, name, path, &failure);
		close(file);
	}
	maildir_note(round, failure);
}

bool
cli_maildir_process(const char *dir,
    bool (*process)(const char *name, int file, void *context, bool *leave_r, GError **error),
    void *context, GError **error)
{
	g_autoptr(GPtrArray) names = maildir_list(dir, error);
	const struct maildir_job job = {process, context};
	struct maildir_round round = {.dir = dir};

	if (!names)
		return false;
	for (guint i = 0; !round.is_over && i < names->len; i++)
		maildir_process_one(&round, names->pdata[i], &job);
	return maildir_end(&round, error);
}

/* Bytes of the messages that are held at once, but for the last of them. */
#define HELD_MOST (1024 * 1024)

/* Reads a message of dir/new; NULL: it cannot be read, or is gone. The caller owns it. */
static GByteArray *
maildir_read(const char *path, const struct cli_maildir_gathering *gathering, GError **error)
{
	int file = maildir_open(path, error);

	if (file < 0)
		return NULL;
	GByteArray *bytes = cli_maildir_read(file, gathering->bytes_most, error);
	if (!bytes)
		g_prefix_error(error, "%s: ", path);
	close(file);
	return bytes;
}

/* Processes the messages that are held, and moves those that are done. */
static void
maildir_flush(
    struct maildir_round *round, GArray *held, const struct cli_maildir_gathering *gathering)
{
	if (held->len == 0)
		return;
	gathering->process(
	    (struct cli_maildir_message *)(void *)held->data, held->len, gathering->context);
	for (guint i = 0; i < held->len; i++) {
		struct cli_maildir_message *message =
		    &g_array_index(held, struct cli_maildir_message, i);
		g_autofree char *path = g_build_filename(round->dir, "new", message->name, NULL);

		if (message->is_done)
			maildir_put_away(round->dir, message->name, path, &message->failure);
		else if (message->failure)
			g_prefix_error(&message->failure, "%s: ", path);
		g_byte_array_unref(message->bytes);
		maildir_note(round, message->failure);
	}
	g_array_set_size(held, 0);
}

bool
cli_maildir_gather(const char *dir, const struct cli_maildir_gathering *gathering, GError **error)
{
	g_autoptr(GPtrArray) names = maildir_list(dir, error);
	g_autoptr(GArray) held = g_array_new(FALSE, FALSE, sizeof(struct cli_maildir_message));
	struct maildir_round round = {.dir = dir};
	gsize size = 0;

	if (!names)
		return false;
	for (guint i = 0; !round.is_over && i < names->len; i++) {
		g_autofree char *path = g_build_filename(dir, "new", names->pdata[i], NULL);
		GError *failure = NULL;
		const struct cli_maildir_message message = {
		    .name = names->pdata[i], .bytes = maildir_read(path, gathering, &failure)};

		if (message.bytes) {
			g_array_append_val(held, message);
			size += message.bytes->len;
		}
		if (failure || held->len == gathering->most || size >= HELD_MOST) {
			maildir_flush(&round, held, gathering);
			size = 0;
		}
		maildir_note(&round, failure);
	}
	if (!round.is_over)
		maildir_flush(&round, held, gathering);
	return maildir_end(&round, error);
}

GByteArray *
cli_maildir_read(int input, guint most, GError **error)
{
	g_autoptr(GByteArray) message = g_byte_array_new();
	guint8 bytes[16 * 1024];
	gssize size;

	while ((size = read(input, bytes, sizeof(bytes))) != 0) {
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0) {
			g_set_error(error, PH_ERROR, PH_ERROR_TEMPORARY,
			    "the message cannot be read: %s", g_strerror(errno));
			return NULL;
		}
		guint room = most - message->len;
		g_byte_array_append(message, bytes, MIN((guint)size, room));
	}
	return g_steal_pointer(&message);
}

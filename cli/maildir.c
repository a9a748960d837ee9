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

struct maildir_job {
	bool (*process)(const char *name, int file, void *context, bool *leave_r, GError **error);
	void *context;
};

static bool
maildir_process_one(
    const char *dir, const char *name, const struct maildir_job *job, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "new", name, NULL);
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	bool leave = false;

	if (file < 0)
		return maildir_fail_unless_gone(path, "read", error);
	if (fstat(file, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(file);
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "%s is not a message", path);
		return false;
	}
	bool processed = job->process(name, file, job->context, &leave, error);
	close(file);
	if (!processed)
		g_prefix_error(error, "%s: ", path);
	return processed && (leave || maildir_put_away(dir, name, path, error));
}

bool
cli_maildir_process(const char *dir,
    bool (*process)(const char *name, int file, void *context, bool *leave_r, GError **error),
    void *context, GError **error)
{
	g_autoptr(GPtrArray) names = maildir_list(dir, error);
	const struct maildir_job job = {process, context};
	g_autoptr(GError) first = NULL;
	bool more = true;

	if (!names)
		return false;
	for (guint i = 0; more && i < names->len; i++) {
		g_autoptr(GError) failure = NULL;

		if (maildir_process_one(dir, names->pdata[i], &job, &failure))
			continue;
		more = !g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY) &&
		       !g_error_matches(failure, PH_ERROR, PH_ERROR_UNCERTAIN);
		if (!first)
			first = g_steal_pointer(&failure);
	}
	if (!first)
		return true;
	g_propagate_error(error, g_steal_pointer(&first));
	return false;
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

/* SPDX-License-Identifier: MIT */
/* Maildirs. */
#include "cli/maildir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static int
compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of what is new, oldest first. */
static GPtrArray *
list(const char *dir, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "new", NULL);
	g_autoptr(GError) failure = NULL;
	g_autoptr(GDir) folder = g_dir_open(path, 0, &failure);

	if (!folder) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "%s is no maildir: %s", dir,
		    failure->message);
		return NULL;
	}
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	for (const char *name; (name = g_dir_read_name(folder));)
		if (*name != '.')
			g_ptr_array_add(names, g_strdup(name));
	g_ptr_array_sort(names, compare);
	return names;
}

/* Whether it is gone is as good as done: another process has it. */
static bool
fail_unless_gone(const char *path, const char *what, GError **error)
{
	if (errno == ENOENT)
		return true;
	g_set_error(
	    error, PH_ERROR, PH_ERROR_FAILED, "%s cannot be %s: %s", path, what, g_strerror(errno));
	return false;
}

/* To cur, with the flag S: somebody has seen it. */
static bool
put_away(const char *dir, const char *name, const char *path, GError **error)
{
	g_autofree char *seen = g_strconcat(name, strstr(name, ":2,") ? NULL : ":2,S", NULL);
	g_autofree char *target = g_build_filename(dir, "cur", seen, NULL);

	return rename(path, target) == 0 || fail_unless_gone(path, "moved to cur", error);
}

struct taking {
	bool (*take)(const char *name, int file, void *context, GError **error);
	void *context;
};

static bool
take_one(const char *dir, const char *name, const struct taking *taking, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "new", name, NULL);
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (file < 0)
		return fail_unless_gone(path, "read", error);
	if (fstat(file, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(file);
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "%s is no message", path);
		return false;
	}
	bool taken = taking->take(name, file, taking->context, error);
	close(file);
	if (!taken)
		g_prefix_error(error, "%s: ", path);
	return taken && put_away(dir, name, path, error);
}

bool
cli_maildir_take(const char *dir,
    bool (*take)(const char *name, int file, void *context, GError **error), void *context,
    GError **error)
{
	g_autoptr(GPtrArray) names = list(dir, error);
	const struct taking taking = {take, context};
	g_autoptr(GError) first = NULL;
	bool more = true;

	if (!names)
		return false;
	for (guint i = 0; more && i < names->len; i++) {
		g_autoptr(GError) failure = NULL;

		if (take_one(dir, names->pdata[i], &taking, &failure))
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

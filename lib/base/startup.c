/* SPDX-License-Identifier: MIT */
/* The start and the end of every program: settings, spool folder, exit status. */
#include "base/startup.h"

#include <errno.h>
#include <malloc.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/error.h"
#include "base/settings.h"

#define LARGE_BYTES (256 * 1024)

static const int statuses[] = {
    [PH_ERROR_INVALID] = EX_DATAERR,
    [PH_ERROR_UNAUTHORIZED] = EX_NOPERM,
    [PH_ERROR_FORBIDDEN] = EX_NOPERM,
    [PH_ERROR_NOT_FOUND] = EX_NOINPUT,
    [PH_ERROR_CONFLICT] = EX_CANTCREAT,
    [PH_ERROR_TOO_LARGE] = EX_DATAERR,
    [PH_ERROR_LIMITED] = EX_TEMPFAIL,
    [PH_ERROR_TEMPORARY] = EX_TEMPFAIL,
    [PH_ERROR_UNCERTAIN] = EX_TEMPFAIL,
    [PH_ERROR_FAILED] = EX_SOFTWARE,
};

int
base_startup_exit(const GError *error)
{
	if (!error)
		return EX_OK;
	if (error->domain != PH_ERROR || error->code < 0 ||
	    error->code >= (int)G_N_ELEMENTS(statuses))
		return EX_SOFTWARE;
	return statuses[error->code];
}

void
base_startup_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	mallopt(M_TRIM_THRESHOLD, 2 * LARGE_BYTES);
}

static char *
user_name(uid_t uid)
{
	const struct passwd *entry = getpwuid(uid);

	return entry ? g_strdup(entry->pw_name) : g_strdup_printf("user %u", (unsigned)uid);
}

static bool
check_owner(const char *dir, uid_t owner, GError **error)
{
	if (owner == geteuid())
		return true;
	g_autofree char *theirs = user_name(owner), *ours = user_name(geteuid());
	return base_fail(error, PH_ERROR_FAILED,
	    "the spool folder %s belongs to %s, but this program runs as %s: run it as the owner "
	    "of the folder, or change that with chown",
	    dir, theirs, ours);
}

bool
base_startup_spool(const struct base_settings *settings, GError **error)
{
	const char *dir = base_settings_text(settings, SETTING_SPOOL_DIR);
	struct stat st;

	if (stat(dir, &st) != 0)
		base_fail(error, PH_ERROR_FAILED,
		    "the spool folder %s cannot be used: %s; make it, or name another with dir in "
		    "section [spool] of the settings",
		    dir, g_strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		base_fail(error, PH_ERROR_FAILED,
		    "%s, which is to be the spool folder, is no folder", dir);
	else if (!check_owner(dir, st.st_uid, error))
		return false;
	else if (st.st_mode & 022)
		base_fail(error, PH_ERROR_FAILED,
		    "other users can write to the spool folder %s: run chmod go-w '%s'", dir, dir);
	else if (access(dir, R_OK | W_OK | X_OK) != 0)
		base_fail(error, PH_ERROR_FAILED, "the spool folder %s cannot be written to: %s",
		    dir, g_strerror(errno));
	else
		return true;
	return false;
}

struct base_settings *
base_startup_read(const char *argument, GError **error)
{
	g_autoptr(GError) failure = NULL;
	struct base_settings *settings = base_settings_load(base_settings_path(argument), &failure);

	if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		base_fail(error, PH_ERROR_NOT_FOUND,
		    "%s (--config FILE or POSTHOUSE_CONFIG=FILE names another)", failure->message);
	else if (!settings)
		g_propagate_error(error, g_steal_pointer(&failure));
	return settings;
}

struct base_settings *
base_startup_settings(const char *argument, GError **error)
{
	AUTO(base_settings) settings = base_startup_read(argument, error);

	return settings && base_startup_spool(settings, error) ? g_steal_pointer(&settings) : NULL;
}

/* SPDX-License-Identifier: MIT */
/* posthouse restore: brings a backup into an empty installation.

   A person who can write to the place of a backup must not decide what this program does here:

   1. The list of the backup is signed. The key to check it comes from outside of the backup where
      there is one: --decrypt, --secret-file, or the secret that this machine has already.
   2. This program runs only those statements of the dump that a dump needs (store/common/load.h).
   3. Settings that come from the backup name files in the folders of the installation alone, or
      below those of --allow. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/secret.h"
#include "cli/archive.h"
#include "cli/backup.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "config/settings.h"
#include "config/startup.h"
#include "db/connection.h"
#include "delivery/recover.h"
#include "service/journal.h"
#include "service/service.h"
#include "store/common/load.h"
#include "store/common/schema.h"
#include "store/outbox/outbox.h"

enum {
	RESTORE_DIR,
	RESTORE_KEY_FILE,
	RESTORE_SECRET_FILE,
	RESTORE_ALLOW,
	RESTORE_UNSIGNED,
	RESTORE_UNTIL,
	RESTORE_STOPPED
};
static const struct cli_parameter parameters[] = {
    [RESTORE_DIR] = {"DIR", "the folder of the backup", .type = PARAMETER_FILE},
    [RESTORE_KEY_FILE] = {"--decrypt", "the file with the key of an encrypted backup", "FILE",
	PARAMETER_FILE},
    [RESTORE_SECRET_FILE] = {"--secret-file",
	"a copy of the installation's secret, by which the backup is checked", "FILE",
	PARAMETER_FILE},
    [RESTORE_ALLOW] = {"--allow",
	"a folder or file besides those of the installation that settings of the backup may name",
	"PATH", PARAMETER_FILE, .repeated = true},
    [RESTORE_UNSIGNED] = {"--unsigned", "take a backup of an older Posthouse, which is not signed",
	.type = PARAMETER_FLAG},
    [RESTORE_UNTIL] = {"--until",
	"the time until which the old installation worked; if not given, the end of the backup",
	"ISO8601", PARAMETER_TIME},
    [RESTORE_STOPPED] = {"--stopped", "the old installation had stopped before the backup",
	.type = PARAMETER_FLAG},
};

static bool
restore_write_file(const char *path, GBytes *bytes, GError **error)
{
	gsize size;
	const char *data = g_bytes_get_data(bytes, &size);
	g_autoptr(GError) failure = NULL;

	return g_file_set_contents_full(path, data, (gssize)size,
		   G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0600, &failure) ||
	       base_fail(error, PH_ERROR_FAILED,
		   "%s cannot be written: its folder has to be there, and this user has to be "
		   "able to write to it: %s",
		   path, failure->message);
}

#define SECRET "service.secret_file"

static bool
has_file(const struct cli_archive *archive, const char *name)
{
	g_auto(GStrv) names = cli_archive_names(archive);

	return g_strv_contains((const char *const *)names, name);
}

static bool
check_complete(const struct cli_archive *archive, const char *dir, GError **error)
{
	static const char *const wanted[] = {
	    BACKUP_SETTINGS, SECRET, BACKUP_JOURNALS, BACKUP_STEPS, BACKUP_DATABASE};

	for (gsize i = 0; i < G_N_ELEMENTS(wanted); i++)
		if (!has_file(archive, wanted[i]))
			return base_invalid(error, "the backup lacks %s/%s", dir, wanted[i]);
	return true;
}

/* The text of the secret that this machine has already; NULL: it has none. */
static bool
read_own_secret(const char *config, char **path_r, char **text_r, GError **error)
{
	*path_r = *text_r = NULL;
	if (!g_file_test(config, G_FILE_TEST_EXISTS))
		return true;
	AUTO(config_settings_file) settings = config_settings_file_read(config, error);
	if (!settings)
		return false;
	*path_r = g_key_file_get_string(settings->keys, "service", "secret_file", NULL);
	if (*path_r && !g_file_get_contents(*path_r, text_r, NULL, NULL))
		*text_r = NULL;
	return true;
}

static bool
fail_other_secret(const char *path, GError **error)
{
	return base_fail(error, PH_ERROR_CONFLICT,
	    "%s has another secret than the backup: remove it, and restore again", path);
}

static struct base_secret *
parse_secret(const char *text, const char *path, GError **error)
{
	struct base_secret *secret = base_secret_parse(text, error);

	if (!secret)
		g_prefix_error(error, "the secret in %s: ", path);
	return secret;
}

/* The secret by which the backup is checked: that of --secret-file, this machine's, or else its
   own, and then *is_own_r is true. A machine's has to be that of the backup. The caller frees it.
 */
static struct base_secret *
restore_read_secret(
    struct cli_call *call, struct cli_archive *archive, bool *is_own_r, GError **error)
{
	const char *given = call->values[RESTORE_SECRET_FILE].text;
	g_autofree char *path = NULL, *ours = NULL;
	gsize size;

	*is_own_r = false;
	if (!read_own_secret(config_settings_path(call->config), &path, &ours, error))
		return NULL;
	g_autoptr(GBytes) bytes = cli_archive_get(archive, SECRET, error);
	if (!bytes)
		return NULL;
	const char *data = g_bytes_get_data(bytes, &size);
	g_autofree char *theirs = g_strndup(data ? data : "", size);
	if (ours && strcmp(ours, theirs) != 0) {
		fail_other_secret(path, error);
		return NULL;
	}
	if (given) {
		g_autofree char *text = config_settings_file_secret(given, error);
		return text ? parse_secret(text, given, error) : NULL;
	}
	*is_own_r = !ours;
	return parse_secret(theirs, ours ? path : "the backup", error);
}

/* Checks the whole backup. *is_own_r: no key from outside of it was there. */
static bool
restore_check(struct cli_call *call, struct cli_archive *archive, bool *is_own_r, GError **error)
{
	const char *dir = call->values[RESTORE_DIR].text;
	bool is_signed = cli_archive_is_signed(archive);

	*is_own_r = !is_signed;
	if (!check_complete(archive, dir, error))
		return false;
	if (!is_signed && !call->values[RESTORE_UNSIGNED].number)
		return base_invalid(error,
		    "the backup in %s is not signed: an older Posthouse made it, or its MANIFEST "
		    "was "
		    "cut off. Add --unsigned if nobody else can have changed it",
		    dir);
	if (!is_signed)
		return cli_archive_check_unsigned(archive, error);
	if (cli_archive_is_encrypted(archive))
		return cli_archive_check(archive, NULL, error);
	AUTO(base_secret) secret = restore_read_secret(call, archive, is_own_r, error);
	return secret && cli_archive_check(archive, secret, error);
}

/* A restore of settings. */
struct restoring {
	struct cli_archive *archive;
	GPtrArray *folders; /* in which files may be; NULL: anywhere */
};

/* A path without symbolic links, also where its last part is not there yet; NULL: its folder is not
   there. The caller owns it. */
static char *
restore_resolve(const char *path)
{
	g_autofree char *plain = g_canonicalize_filename(path, "/");
	g_autofree char *folder = g_path_get_dirname(plain), *name = g_path_get_basename(plain);
	char *whole = realpath(plain, NULL);

	if (whole)
		return whole;
	char *real = realpath(folder, NULL);
	g_autofree char *own = g_strdup(real);
	free(real);
	return own && !g_file_test(plain, G_FILE_TEST_IS_SYMLINK)
		   ? g_build_filename(own, name, NULL)
		   : NULL;
}

/* Whether a path is that of folder or below it; not in a folder or file whose name begins with a
   full stop. */
static bool
is_below(const char *path, const char *folder)
{
	gsize size = strlen(folder);

	if (strncmp(path, folder, size) != 0 || (path[size] && path[size] != '/'))
		return false;
	return strstr(path + size, "/.") == NULL;
}

static bool
check_path(const char *name, const char *path, void *context, GError **error)
{
	const struct restoring *restoring = context;
	g_autofree char *real = restore_resolve(path);

	for (guint i = 0; real && i < restoring->folders->len; i++)
		if (is_below(real, restoring->folders->pdata[i]))
			return true;
	return base_invalid(error,
	    "%s in the settings of the backup is %s, which is in no folder of this installation: "
	    "add "
	    "--allow %s if it is right",
	    name, path, path);
}

static void
add_folder(struct restoring *restoring, const char *path)
{
	char *real = realpath(path, NULL);

	/* Those that have the files of others belong to no installation. */
	if (real && strcmp(real, "/") != 0 && strcmp(real, SYSCONFDIR) != 0 &&
	    strcmp(real, "/etc") != 0)
		g_ptr_array_add(restoring->folders, g_strdup(real));
	free(real);
}

/* The folders of an installation whose settings the backup has. */
static void
add_folders(struct restoring *restoring, const char *config, const struct cli_value *allowed)
{
	g_autofree char *folder = g_path_get_dirname(config);

	restoring->folders = g_ptr_array_new_with_free_func(g_free);
	add_folder(restoring, folder);
	add_folder(restoring, SYSCONFDIR "/posthouse");
	add_folder(restoring, "/var/spool/posthouse");
	add_folder(restoring, "/var/lib/posthouse");
	for (char *const *path = allowed->texts; path && *path; path++) {
		char *real = restore_resolve(*path);

		g_ptr_array_add(restoring->folders, real ? real : g_strdup(*path));
	}
}

/* Checks the paths of settings before they are in their place. */
static bool
restore_check_settings(struct restoring *restoring, GBytes *bytes, GError **error)
{
	g_autoptr(GError) failure = NULL;
	g_autofree char *path = NULL;
	int fd = g_file_open_tmp("posthouse-XXXXXX", &path, &failure);

	if (fd < 0)
		return base_fail(error, PH_ERROR_FAILED, "%s", failure->message);
	close(fd);
	AUTO(config_settings_file)
	settings =
	    restore_write_file(path, bytes, error) ? config_settings_file_read(path, error) : NULL;
	g_unlink(path);
	if (!settings)
		return false;
	g_autofree char *spool = g_key_file_get_string(settings->keys, "spool", "dir", NULL);
	return cli_backup_files(settings, check_path, restoring, error) &&
	       (!spool || check_path("spool.dir", spool, restoring, error));
}

/* Writes a file of the backup to the path that the settings of this machine give it, unless there
   is one. The secret must then be the same: without it no DKIM key can be read, and no link is
   valid. */
static bool
restore_file(const char *name, const char *path, void *context, GError **error)
{
	struct restoring *restoring = context;
	g_autofree char *text = NULL;
	gsize size;

	if (!has_file(restoring->archive, name))
		return true;
	g_autoptr(GBytes) bytes = cli_archive_get(restoring->archive, name, error);
	if (!bytes)
		return false;
	if (!g_file_get_contents(path, &text, &size, NULL))
		return restore_write_file(path, bytes, error);
	g_autoptr(GBytes) ours = g_bytes_new_static(text, size);
	return strcmp(name, SECRET) != 0 || g_bytes_equal(ours, bytes) ||
	       fail_other_secret(path, error);
}

/* Restores the settings and their files, as far as this machine does not have them. */
static bool
restore_settings(struct restoring *restoring, struct cli_call *call, GError **error)
{
	const char *path = config_settings_path(call->config);

	if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
		g_autoptr(GBytes) bytes =
		    cli_archive_get(restoring->archive, BACKUP_SETTINGS, error);

		add_folders(restoring, path, &call->values[RESTORE_ALLOW]);
		if (!bytes || !restore_check_settings(restoring, bytes, error) ||
		    !restore_write_file(path, bytes, error))
			return false;
	}
	AUTO(config_settings_file) settings = config_settings_file_read(path, error);
	return settings && cli_backup_files(settings, restore_file, restoring, error);
}

static bool
feed(const guint8 *bytes, gsize size, void *context, GError **error)
{
	return store_load_take(context, bytes, size, error);
}

static bool
restore_load(struct cli_archive *archive, const struct config_settings *settings, const char *name,
    GError **error)
{
	AUTO(db) db = db_open(settings, error);
	AUTO(store_load) restore_load = db ? store_load_new(db, error) : NULL;

	return restore_load && cli_archive_read(archive, name, feed, restore_load, error) &&
	       store_load_end(restore_load, error);
}

static bool
restore_check_empty(struct db *db, const struct config_settings *settings, GError **error)
{
	bool is_empty;

	if (!store_schema_is_empty(db, &is_empty, error))
		return false;
	return is_empty || base_fail(error, PH_ERROR_CONFLICT,
			       "the database %s has tables already; restore into an empty one "
			       "(DROP DATABASE and "
			       "CREATE DATABASE make it empty)",
			       config_settings_text(settings, SETTING_DATABASE_NAME));
}

/* Decides on the messages that the old installation may have sent after the moment of the backup.
 */
static bool
restore_settle(struct service *service, struct cli_archive *archive, bool has_stopped, gint64 until,
    guint64 *count_r, GError **error)
{
	const char *dir = config_settings_text(service->settings, SETTING_SPOOL_DIR);
	g_autoptr(GBytes) sent = cli_archive_get(archive, BACKUP_JOURNALS, error);

	if (!sent || !service_journal_restore(dir, sent, error) ||
	    !delivery_recover(service, NULL, error))
		return false;
	*count_r = 0;
	if (has_stopped)
		return store_outbox_free(service->db, base_clock_now(), &(guint64){0}, error);
	return store_outbox_doubt(service->db, base_clock_now(),
	    MAX(until, cli_archive_number(archive, BACKUP_ENDED)), count_r, error);
}

static void
restore_say(struct cli_call *call, const struct config_settings *settings, gint64 begun,
    guint64 doubtful, bool is_own)
{
	bool holds = config_settings_choice(settings, SETTING_SMTP_UNCERTAIN) == UNCERTAIN_HOLD;
	char time[CLOCK_ISO_SIZE];

	cli_output_say(call->output,
	    FIELDS(cli_time("begun", begun), cli_number("uncertain", (gint64)doubtful),
		cli_text("then", holds ? "hold" : "retry")),
	    "The backup of %s is restored. The old installation may have sent %" G_GUINT64_FORMAT
	    " messages of it; they will be %s ([smtp] uncertain).%s",
	    base_clock_format(begun, time), doubtful, holds ? "held" : "sent again",
	    is_own ? " Only its own secret vouches for it: whoever could write to the backup could "
		     "have changed it."
		   : "");
}

static bool
restore_fill(struct cli_call *call, struct cli_archive *archive,
    const struct config_settings *settings, bool is_own, GError **error)
{
	guint64 doubtful;

	if (!restore_load(archive, settings, BACKUP_DATABASE, error) ||
	    !restore_load(archive, settings, BACKUP_STEPS, error))
		return false;
	AUTO(service) service = service_open(settings);
	service->db = db_open(settings, error);
	if (!service->db || !store_schema_migrate(service->db, NULL, NULL, error) ||
	    !restore_settle(service, archive, call->values[RESTORE_STOPPED].number != 0,
		call->values[RESTORE_UNTIL].number, &doubtful, error))
		return false;
	restore_say(call, settings, cli_archive_number(archive, BACKUP_BEGUN), doubtful, is_own);
	return true;
}

static bool
restore(struct cli_call *call, GError **error)
{
	AUTO(cli_archive)
	archive = cli_archive_open(
	    call->values[RESTORE_DIR].text, call->values[RESTORE_KEY_FILE].text, error);

	if (!archive)
		return false;
	gint64 version = cli_archive_number(archive, BACKUP_SCHEMA);
	if (version > store_schema_latest())
		return base_fail(error, PH_ERROR_FAILED,
		    "the backup has schema version %d, newer than this program's %d: install the "
		    "newer Posthouse",
		    (int)version, store_schema_latest());
	struct restoring restoring = {archive, NULL};
	bool is_own;
	bool done = restore_check(call, archive, &is_own, error) &&
		    restore_settings(&restoring, call, error);
	g_clear_pointer(&restoring.folders, g_ptr_array_unref);
	if (!done)
		return false;
	AUTO(config_settings) settings = config_startup_settings(call->config, error);
	if (!settings)
		return false;
	AUTO(db) db = db_open(settings, error);
	return db && restore_check_empty(db, settings, error) &&
	       restore_fill(call, archive, settings, is_own, error);
}

static const struct cli_command commands[] = {
    {NULL,
	"Restore a backup into an empty database. Settings and files of secrets that are missing "
	"are restored too.",
	NEED_NOTHING, .of_files = true, PARAMETERS(parameters), .run = restore},
};

const struct cli_noun cli_noun_restore = {"restore", commands, G_N_ELEMENTS(commands)};

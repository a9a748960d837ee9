/* SPDX-License-Identifier: MIT */
/* posthouse backup: writes database, settings, secrets and journals into a folder. */
#include "cli/backup.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "cli/archive.h"
#include "cli/call.h"
#include "cli/dump.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "config/settings.h"
#include "service/journal.h"
#include "store/common/schema.h"

#define BUFFER (256 * 1024)

bool
cli_backup_files(const struct config_settings_file *settings,
    bool (*visit)(const char *name, const char *path, void *context, GError **error), void *context,
    GError **error)
{
	g_auto(GStrv) groups = g_key_file_get_groups(settings->keys, NULL);

	for (char **group = groups; *group; group++) {
		g_auto(GStrv) keys = g_key_file_get_keys(settings->keys, *group, NULL, NULL);

		for (char **key = keys; keys && *key; key++) {
			g_autofree char *path =
			    g_key_file_get_string(settings->keys, *group, *key, NULL);
			g_autofree char *name = g_strdup_printf("%s.%s", *group, *key);

			if (g_str_has_suffix(*key, "_file") && path && *path &&
			    !visit(name, path, context, error))
				return false;
		}
	}
	return true;
}

/* Puts a file of this machine into the backup. */
static bool
put_file(const char *name, const char *path, void *context, GError **error)
{
	g_autofree char *text = NULL;
	gsize size;
	g_autoptr(GError) failure = NULL;

	if (!g_file_get_contents(path, &text, &size, &failure))
		return base_fail(error, PH_ERROR_FAILED, "%s", failure->message);
	g_autoptr(GBytes) bytes = g_bytes_new_take(g_steal_pointer(&text), size);
	return cli_archive_put(context, name, bytes, error);
}

static bool
put_settings(struct cli_archive *archive, const char *path, GError **error)
{
	AUTO(config_settings_file) settings = config_settings_file_read(path, error);

	return settings && put_file(BACKUP_SETTINGS, path, archive, error) &&
	       cli_backup_files(settings, put_file, archive, error);
}

static bool
put_output(struct cli_archive *archive, int fd, GError **error)
{
	g_autofree guint8 *bytes = g_malloc(BUFFER);
	ssize_t got;

	while ((got = read(fd, bytes, BUFFER)) > 0 || (got < 0 && errno == EINTR))
		if (got > 0 && !cli_archive_write(archive, bytes, (gsize)got, error))
			return false;
	return got == 0 || base_fail(error, PH_ERROR_FAILED, "cannot read: %s", g_strerror(errno));
}

/* Puts what mariadb-dump writes into a file of the backup. */
static bool
put_dump(struct cli_archive *archive, const struct config_settings *settings, const char *name,
    const char *const *options, const char *const *tables, GError **error)
{
	struct cli_dump dump;
	g_autoptr(GError) failure = NULL;

	if (!cli_dump_export(&dump, settings, options, tables, error))
		return false;
	bool done = cli_archive_begin(archive, name, &failure) &&
		    put_output(archive, dump.fd, &failure) && cli_archive_end(archive, &failure);
	if (!cli_dump_end(&dump, done ? error : NULL))
		done = false;
	if (failure)
		g_propagate_error(error, g_steal_pointer(&failure));
	return done;
}

/* The steps come before the tables: a migration in between can then be run again on what is
   restored. */
static bool
put_database(struct cli_archive *archive, const struct config_settings *settings, GError **error)
{
	static const char *const none[] = {NULL}, *const steps[] = {BACKUP_STEPS_TABLE, NULL};
	g_autofree char *without = g_strdup_printf("--ignore-table=%s." BACKUP_STEPS_TABLE,
	    config_settings_text(settings, SETTING_DATABASE_NAME));

	return put_dump(archive, settings, BACKUP_STEPS, none, steps, error) &&
	       put_dump(archive, settings, BACKUP_DATABASE, (const char *[]){without, NULL}, none,
		   error);
}

/* The journals come before the database: a message of which they know was sent before the moment
   of the database, and one that was recorded meanwhile is known to both. */
static bool
backup_put_all(struct cli_call *call, struct cli_archive *archive, GError **error)
{
	const char *dir = config_settings_text(call->settings, SETTING_SPOOL_DIR);
	g_autoptr(GBytes) sent = service_journal_sent(dir);
	int version;

	if (!store_schema_version(call->db, &version, error))
		return false;
	cli_archive_note(archive, BACKUP_SCHEMA, version);
	cli_archive_note(archive, BACKUP_BEGUN, base_clock_now());
	if (!put_settings(archive, config_settings_path(call->config), error) ||
	    !cli_archive_put(archive, BACKUP_JOURNALS, sent, error) ||
	    !put_database(archive, call->settings, error))
		return false;
	cli_archive_note(archive, BACKUP_ENDED, base_clock_now());
	return cli_archive_finish(archive, error);
}

enum { BACKUP_DIR, BACKUP_KEY_FILE };
static const struct cli_parameter parameters[] = {
    [BACKUP_DIR] = {"DIR", "the folder to make; it must not exist", .type = PARAMETER_FILE},
    [BACKUP_KEY_FILE] = {"--encrypt",
	"encrypt with the key in this file: a line of 32 characters or more", "FILE",
	PARAMETER_FILE},
};

static bool
back_up(struct cli_call *call, GError **error)
{
	const char *dir = call->values[BACKUP_DIR].text;
	AUTO(cli_archive)
	archive = cli_archive_create(
	    dir, call->values[BACKUP_KEY_FILE].text, config_settings_secret(call->settings), error);

	if (!archive || !backup_put_all(call, archive, error))
		return false;
	char time[CLOCK_ISO_SIZE];
	gint64 begun = cli_archive_number(archive, BACKUP_BEGUN);
	cli_output_say(call->output,
	    FIELDS(cli_text("dir", dir), cli_time("begun", begun),
		cli_time("ended", cli_archive_number(archive, BACKUP_ENDED)),
		cli_truth("encrypted", call->values[BACKUP_KEY_FILE].text != NULL)),
	    "The backup of %s is in %s.", base_clock_format(begun, time), dir);
	return true;
}

static const struct cli_command commands[] = {
    {NULL,
	"Back up the installation into a new folder: database, settings, secrets and journals. The "
	"service works meanwhile. It needs the program mariadb-dump.",
	NEED_SCHEMA, PARAMETERS(parameters), .run = back_up},
};

const struct cli_noun cli_noun_backup = {"backup", commands, G_N_ELEMENTS(commands)};

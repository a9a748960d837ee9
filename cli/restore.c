/* SPDX-License-Identifier: MIT */
/* posthouse restore: brings a backup into an empty installation. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/settings.h"
#include "base/startup.h"
#include "cli/archive.h"
#include "cli/backup.h"
#include "cli/call.h"
#include "cli/dump.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "core/core.h"
#include "core/journal.h"
#include "core/recover.h"
#include "db/connection.h"
#include "store/outbox.h"
#include "store/schema.h"

static bool
write_file(const char *path, GBytes *bytes, GError **error)
{
	gsize size;
	const char *data = g_bytes_get_data(bytes, &size);
	g_autoptr(GError) failure = NULL;

	return g_file_set_contents_full(path, data, (gssize)size,
		   G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0600, &failure) ||
	       base_fail(error, PH_ERROR_FAILED, "%s", failure->message);
}

#define SECRET "service.secret_file"

/* Writes a file of the backup to the path that the settings of this machine give it, unless there
   is one. The secret must then be the same: without it no DKIM key can be read, and no link is
   valid. */
static bool
restore_file(const char *name, const char *path, void *context, GError **error)
{
	struct cli_archive *archive = context;
	g_auto(GStrv) names = cli_archive_names(archive);
	g_autofree char *text = NULL;
	gsize size;

	if (!g_strv_contains((const char *const *)names, name))
		return true;
	g_autoptr(GBytes) bytes = cli_archive_get(archive, name, error);
	if (!bytes)
		return false;
	if (!g_file_get_contents(path, &text, &size, NULL))
		return write_file(path, bytes, error);
	g_autoptr(GBytes) ours = g_bytes_new_static(text, size);
	if (strcmp(name, SECRET) == 0 && !g_bytes_equal(ours, bytes))
		return base_fail(error, PH_ERROR_CONFLICT,
		    "%s has another secret than the backup: remove it, and restore again", path);
	return true;
}

/* Restores the settings and their files, as far as this machine does not have them. */
static bool
restore_settings(struct cli_archive *archive, const char *path, GError **error)
{
	if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
		g_autoptr(GBytes) bytes = cli_archive_get(archive, BACKUP_SETTINGS, error);

		if (!bytes || !write_file(path, bytes, error))
			return false;
	}
	AUTO(base_settings_file) settings = base_settings_file_read(path, error);
	return settings && cli_backup_files(settings, restore_file, archive, error);
}

/* Gives a piece to the program that reads it. Its complaint comes later. */
static bool
feed(const guint8 *bytes, gsize size, void *context, GError **error)
{
	const struct cli_dump *dump = context;

	while (size > 0) {
		ssize_t written = write(dump->fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return base_fail(error, PH_ERROR_FAILED, "%s ended too early", dump->name);
		bytes += written;
		size -= (gsize)written;
	}
	return true;
}

static bool
load(struct cli_archive *archive, const struct base_settings *settings, const char *name,
    GError **error)
{
	struct cli_dump dump;
	g_autoptr(GError) failure = NULL;

	if (!cli_dump_import(&dump, settings, error))
		return false;
	bool fed = cli_archive_read(archive, name, feed, &dump, &failure);
	if (!cli_dump_end(&dump, error))
		return false;
	if (!fed)
		g_propagate_error(error, g_steal_pointer(&failure));
	return fed;
}

static bool
check_empty(struct db *db, const struct base_settings *settings, GError **error)
{
	bool is_empty;

	if (!store_schema_is_empty(db, &is_empty, error))
		return false;
	return is_empty || base_fail(error, PH_ERROR_CONFLICT,
			       "the database %s has tables already; restore into an empty one "
			       "(DROP DATABASE and "
			       "CREATE DATABASE make it empty)",
			       base_settings_text(settings, SETTING_DATABASE_NAME));
}

/* Decides on the messages that the old installation may have sent after the moment of the backup.
 */
static bool
settle(struct core *core, struct cli_archive *archive, bool has_stopped, gint64 until,
    guint64 *count_r, GError **error)
{
	const char *dir = base_settings_text(core->settings, SETTING_SPOOL_DIR);
	g_autoptr(GBytes) sent = cli_archive_get(archive, BACKUP_JOURNALS, error);

	if (!sent || !core_journal_restore(dir, sent, error) || !core_recover(core, error))
		return false;
	*count_r = 0;
	if (has_stopped)
		return store_outbox_free(core->db, base_clock_now(), &(guint64){0}, error);
	return store_outbox_doubt(core->db, base_clock_now(),
	    MAX(until, cli_archive_number(archive, BACKUP_ENDED)), count_r, error);
}

enum { RESTORE_DIR, RESTORE_KEY_FILE, RESTORE_UNTIL, RESTORE_STOPPED };
static const struct cli_parameter parameters[] = {
    [RESTORE_DIR] = {"DIR", "the folder of the backup", .type = PARAMETER_FILE},
    [RESTORE_KEY_FILE] = {"--decrypt", "the file with the key of an encrypted backup", "FILE",
	PARAMETER_FILE},
    [RESTORE_UNTIL] = {"--until",
	"the time until which the old installation worked; if not given, the end of the backup",
	"ISO8601", PARAMETER_TIME},
    [RESTORE_STOPPED] = {"--stopped", "the old installation had stopped before the backup",
	.type = PARAMETER_FLAG},
};

static void
say(struct cli_call *call, const struct base_settings *settings, gint64 begun, guint64 doubtful)
{
	bool holds = base_settings_choice(settings, SETTING_SMTP_UNCERTAIN) == UNCERTAIN_HOLD;
	char time[CLOCK_ISO_SIZE];

	cli_output_say(call->output,
	    FIELDS(cli_time("begun", begun), cli_number("uncertain", (gint64)doubtful),
		cli_text("then", holds ? "hold" : "retry")),
	    "The backup of %s is restored. The old installation may have sent %" G_GUINT64_FORMAT
	    " messages of it; they will be %s ([smtp] uncertain).",
	    base_clock_format(begun, time), doubtful, holds ? "held" : "sent again");
}

static bool
fill(struct cli_call *call, struct cli_archive *archive, const struct base_settings *settings,
    GError **error)
{
	guint64 doubtful;

	if (!load(archive, settings, BACKUP_DATABASE, error) ||
	    !load(archive, settings, BACKUP_STEPS, error))
		return false;
	AUTO(core) core = core_open(settings);
	core->db = db_open(settings, error);
	if (!core->db || !store_schema_migrate(core->db, NULL, NULL, error) ||
	    !settle(core, archive, call->values[RESTORE_STOPPED].number != 0,
		call->values[RESTORE_UNTIL].number, &doubtful, error))
		return false;
	say(call, settings, cli_archive_number(archive, BACKUP_BEGUN), doubtful);
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
	signal(SIGPIPE, SIG_IGN);
	if (!restore_settings(archive, base_settings_path(call->config), error))
		return false;
	AUTO(base_settings) settings = base_startup_settings(call->config, error);
	if (!settings)
		return false;
	AUTO(db) db = db_open(settings, error);
	return db && check_empty(db, settings, error) && fill(call, archive, settings, error);
}

static const struct cli_command commands[] = {
    {NULL,
	"Restore a backup into an empty database. Settings and files of secrets that are missing "
	"are restored too. It needs the program mariadb.",
	NEED_NOTHING, .of_files = true, PARAMETERS(parameters), .run = restore},
};

const struct cli_noun cli_noun_restore = {"restore", commands, G_N_ELEMENTS(commands)};

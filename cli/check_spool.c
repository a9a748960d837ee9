/* SPDX-License-Identifier: MIT */
/* Checks the spool folder: its place, its space, its journals, and whether cron works in it. */
#include "cli/doctor.h"

#include <errno.h>
#include <string.h>
#include <sys/statfs.h>

#include "base/clock.h"
#include "base/limits/unit.h"
#include "config/settings.h"
#include "config/startup.h"
#include "relay/relay.h"
#include "service/heartbeat.h"
#include "service/journal.h"
#include "store/outbox/outbox.h"

#define LITTLE_SPACE (100LL * LIMIT_MIB)
#define NO_SPACE (10LL * LIMIT_MIB)

/* File systems (magic numbers of statfs(2)) that other machines share, or that a restart of the
   machine empties. */
static const struct {
	long type;
	const char *name, *trouble;
} doubtful[] = {
    {0x6969, "NFS", "shared with other machines"},
    {0xff534d42, "CIFS", "shared with other machines"},
    {0xfe534d42, "SMB", "shared with other machines"},
    {0x517b, "SMB", "shared with other machines"},
    {0x5346414f, "AFS", "shared with other machines"},
    {0x01161970, "GFS2", "shared with other machines"},
    {0x7461636f, "OCFS2", "shared with other machines"},
    {0x00c36400, "Ceph", "shared with other machines"},
    {0x01021997, "9P", "shared with other machines"},
    {0x65735546, "FUSE", "perhaps shared with other machines"},
    {0x01021994, "tmpfs", "lost when the machine starts again"},
    {0x858458f6, "ramfs", "lost when the machine starts again"},
};

/* There is neither space nor a journal to look at where the folder is missing. */
static void
spool_is_away(struct cli_doctor *doctor, const char *remedy, const char *why)
{
	cli_check_bad(doctor, "spool", STATE_FAIL, remedy, "%s", why);
	doctor->lacks_spool = true;
}

static void
check_spool_check_type(struct cli_doctor *doctor, const char *dir, const struct statfs *fs)
{
	for (gsize i = 0; i < G_N_ELEMENTS(doubtful); i++)
		if ((guint32)fs->f_type == (guint32)doubtful[i].type) {
			cli_check_bad(doctor, "spool", STATE_WARN,
			    cli_check_advice("Set SETTING to a folder on a disk of this machine.",
				SETTING_SPOOL_DIR),
			    "%s is on %s, %s", dir, doubtful[i].name, doubtful[i].trouble);
			return;
		}
	cli_check_ok(doctor, "spool", "%s", dir);
}

static void
check_space(struct cli_doctor *doctor, const struct statfs *fs)
{
	gint64 space = (gint64)fs->f_bavail * (gint64)fs->f_bsize;
	bool ok = space >= LITTLE_SPACE && (fs->f_ffree > 0 || fs->f_files == 0);

	if (ok)
		cli_check_ok(doctor, "space",
		    "%" G_GINT64_FORMAT " MiB are free in the spool folder", space / LIMIT_MIB);
	else
		cli_check_bad(doctor, "space", space < NO_SPACE ? STATE_FAIL : STATE_WARN,
		    "Free some space there: nothing is sent while the journal cannot be written.",
		    "%" G_GINT64_FORMAT " MiB and %" G_GUINT64_FORMAT
		    " files are free in the spool folder",
		    space / LIMIT_MIB, (guint64)fs->f_ffree);
}

/* Whether a journal can be begun, and the files of the relays can be opened. */
static bool
can_write(const struct config_settings *settings, GError **error)
{
	g_autoptr(GError) failure = NULL;
	AUTO(service_journal)
	journal = service_journal_open(config_settings_text(settings, SETTING_SPOOL_DIR), error);

	if (!journal)
		return false;
	relay_is_any_free(settings, true, &failure);
	if (failure)
		g_propagate_error(error, g_steal_pointer(&failure));
	return !*error;
}

void
cli_check_spool(struct cli_doctor *doctor)
{
	struct statfs fs;
	g_autoptr(GError) error = NULL;

	if (!doctor->settings)
		return;
	const char *dir = config_settings_text(doctor->settings, SETTING_SPOOL_DIR);
	if (!config_startup_spool(doctor->settings, &error)) {
		spool_is_away(doctor,
		    "It must belong to the user who runs the web server's processes and cron's.",
		    error->message);
		return;
	}
	if (statfs(dir, &fs) != 0) {
		g_autofree char *why = g_strdup_printf("%s: %s", dir, g_strerror(errno));

		spool_is_away(doctor, "Look at the disk of this folder.", why);
		return;
	}
	if (can_write(doctor->settings, &error))
		check_spool_check_type(doctor, dir, &fs);
	else
		cli_check_bad(doctor, "spool", STATE_FAIL,
		    "Free some space if the disk is full; else give all files of the spool folder "
		    "to the user who runs the web server's processes and cron's.",
		    "%s", error->message);
	doctor->is_basis = false;
	check_space(doctor, &fs);
}

#define MINUTE_MS (60 * 1000LL)
#define RUN_MS (5 * MINUTE_MS)
#define DUE_MS (60 * MINUTE_MS)
#define JOURNAL_MS (10 * MINUTE_MS)

static const char cron_remedy[] =
    "Let cron run posthouse-spool --for 55 each minute, as the user who owns the spool folder.";

void
cli_check_cron(struct cli_doctor *doctor)
{
	gint64 due = 0, now = base_clock_now();
	g_autoptr(GError) error = NULL;

	if (!doctor->settings || !doctor->db || doctor->lacks_spool)
		return;
	gint64 last = service_heartbeat_last(doctor->settings);
	if (!store_outbox_next(doctor->db, &due, &error)) {
		cli_check_failed(doctor, "cron", error);
		return;
	}
	g_autofree char *ago =
	    last > 0 ? g_strdup_printf("posthouse-spool last worked here %d minutes ago",
			   (int)((now - last) / MINUTE_MS))
		     : g_strdup("posthouse-spool has never worked here");
	if (due > 0 && due < now - DUE_MS && last < due)
		cli_check_bad(doctor, "cron", STATE_FAIL, cron_remedy,
		    "%s, and a message or a step has been due for %d minutes", ago,
		    (int)((now - due) / MINUTE_MS));
	else if (last < now - RUN_MS)
		cli_check_bad(doctor, "cron", STATE_WARN, cron_remedy, "%s", ago);
	else
		cli_check_ok(doctor, "cron", "%s", ago);
}

void
cli_check_journals(struct cli_doctor *doctor)
{
	if (!doctor->settings || doctor->lacks_spool)
		return;
	const char *dir = config_settings_text(doctor->settings, SETTING_SPOOL_DIR);
	guint left = service_journal_left(dir, base_clock_now() - JOURNAL_MS);
	if (left > 0)
		cli_check_bad(doctor, "journals", STATE_WARN,
		    "Run posthouse-spool on this machine: it reads them, and records what was "
		    "sent.",
		    "journals of processes that ended without recording what they sent: %u, "
		    "older than 10 minutes",
		    left);
	else
		cli_check_ok(doctor, "journals", "none is left over");
}

/* SPDX-License-Identifier: MIT */
/* Whether the spool folder keeps what is put there. */
#include <errno.h>
#include <sys/statfs.h>

#include "base/limits.h"
#include "base/settings.h"
#include "base/startup.h"
#include "cli/check.h"

#define LITTLE_SPACE (100LL * LIMIT_MIB)
#define NO_SPACE (10LL * LIMIT_MIB)

/* File systems whose locks or contents are not this machine's alone, or do not outlive it; by
   statfs(2). */
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

static void
check_type(struct cli_examination *examination, const char *dir, const struct statfs *fs)
{
	for (gsize i = 0; i < G_N_ELEMENTS(doubtful); i++)
		if ((guint32)fs->f_type == (guint32)doubtful[i].type) {
			cli_check_bad(examination, "spool", STATE_WARN,
			    "Set dir in section [spool] to a folder on a disk of this machine.",
			    "%s is on %s, %s", dir, doubtful[i].name, doubtful[i].trouble);
			return;
		}
	cli_check_ok(examination, "spool", "%s", dir);
}

static void
check_space(struct cli_examination *examination, const struct statfs *fs)
{
	gint64 space = (gint64)fs->f_bavail * (gint64)fs->f_bsize;
	bool ok = space >= LITTLE_SPACE && (fs->f_ffree > 0 || fs->f_files == 0);

	if (ok)
		cli_check_ok(examination, "space",
		    "%" G_GINT64_FORMAT " MiB are free in the spool folder", space / LIMIT_MIB);
	else
		cli_check_bad(examination, "space", space < NO_SPACE ? STATE_FAIL : STATE_WARN,
		    "Make room there: nothing is sent while the journal cannot be written.",
		    "%" G_GINT64_FORMAT " MiB and %" G_GUINT64_FORMAT
		    " files are free in the spool folder",
		    space / LIMIT_MIB, (guint64)fs->f_ffree);
}

void
cli_check_spool(struct cli_examination *examination)
{
	struct statfs fs;
	g_autoptr(GError) error = NULL;

	if (!examination->settings)
		return;
	const char *dir = base_settings_text(examination->settings, SETTING_SPOOL_DIR);
	if (!base_startup_spool(examination->settings, &error)) {
		cli_check_bad(examination, "spool", STATE_FAIL,
		    "It belongs to the one user under whom the pool and cron run.", "%s",
		    error->message);
		return;
	}
	if (statfs(dir, &fs) != 0) {
		cli_check_bad(
		    examination, "spool", STATE_FAIL, NULL, "%s: %s", dir, g_strerror(errno));
		return;
	}
	check_type(examination, dir, &fs);
	check_space(examination, &fs);
}

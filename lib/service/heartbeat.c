/* SPDX-License-Identifier: MIT */
/* Notes when the spool works: the time is that of a file without content. */
#include "service/heartbeat.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/settings.h"

static char *
heartbeat_path_of(const struct config_settings *settings)
{
	return g_build_filename(
	    config_settings_text(settings, SETTING_SPOOL_DIR), "last-run", NULL);
}

void
service_heartbeat_note(const struct config_settings *settings)
{
	g_autofree char *path = heartbeat_path_of(settings);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return;
	futimens(fd, NULL);
	close(fd);
}

gint64
service_heartbeat_last(const struct config_settings *settings)
{
	g_autofree char *path = heartbeat_path_of(settings);
	struct stat file;

	return stat(path, &file) == 0 ? (gint64)file.st_mtime * 1000 : 0;
}

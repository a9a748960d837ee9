/* SPDX-License-Identifier: MIT */
/* Checks that the programs can write their log. Opens its target without a change to it. */
#include "cli/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "config/settings.h"

/* Opens the file. One that is not there yet is not made: then its folder has to be writable. False
   with errno. */
static bool
can_open(const char *path)
{
	g_autofree char *folder = g_path_get_dirname(path);
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || (errno == ENOENT && access(folder, W_OK | X_OK) == 0);
}

/* Connects to the socket of syslog. False with errno. */
static bool
can_connect(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	bool done = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
	int fault = errno;
	if (fd >= 0)
		close(fd);
	errno = fault;
	return done;
}

void
cli_check_log(struct cli_doctor *doctor)
{
	if (!doctor->settings)
		return;
	const char *to = config_settings_text(doctor->settings, SETTING_LOG_TO);
	const char *socket = config_settings_text(doctor->settings, SETTING_LOG_SOCKET);
	bool is_syslog = strcmp(to, "syslog") == 0, is_file = g_path_is_absolute(to);
	if (is_syslog && !can_connect(socket))
		cli_check_bad(doctor, "log", STATE_FAIL,
		    "Start the system's log, or correct to and socket in section [log].",
		    "syslog at %s cannot be written: %s", socket, g_strerror(errno));
	else if (is_file && !can_open(to))
		cli_check_bad(doctor, "log", STATE_FAIL,
		    "Give the file, or its folder, to the user who runs the web server's processes "
		    "and cron's, or correct to in section [log].",
		    "%s cannot be written: %s", to, g_strerror(errno));
	else
		cli_check_ok(doctor, "log", "%s", to);
}

/* SPDX-License-Identifier: MIT */
/* Slots for large requests: locks on bytes of a file that all processes of a host share. */
#include "service/large.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/request.h"
#include "config/settings.h"
#include "process/lock.h"

#define FILE_NAME "requests.large"
#define LOOK_MS 20

static int
large_open_file(const struct config_settings *settings)
{
	g_autofree char *path =
	    g_build_filename(config_settings_text(settings, SETTING_SPOOL_DIR), FILE_NAME, NULL);

	return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

static bool
try_all(int fd, gint64 slots)
{
	for (gint64 i = 0; i < slots; i++)
		if (process_lock_byte(fd, F_OFD_SETLK, F_WRLCK, (off_t)i))
			return true;
	return false;
}

static bool
wait_for_one(int fd, gint64 slots, gint64 ms)
{
	gint64 deadline = base_clock_boot() + ms;

	while (!try_all(fd, slots)) {
		if (base_clock_boot() >= deadline)
			return false;
		g_usleep(LOOK_MS * 1000);
	}
	return true;
}

static bool
large_take(struct service_large *large, gint64 ms)
{
	gint64 slots = config_settings_number(large->settings, SETTING_LIMITS_LARGE_REQUESTS);
	int fd = large->is_taken || slots == 0 ? -1 : large_open_file(large->settings);

	if (fd < 0)
		return true;
	if (!wait_for_one(fd, slots, ms)) {
		close(fd);
		return false;
	}
	large->fd = fd;
	large->is_taken = true;
	return true;
}

bool
service_large_enter(struct service_large *large, GError **error)
{
	return large_take(large, LIMIT_LARGE_WAIT_MS) ||
	       base_fail(error, PH_ERROR_TEMPORARY,
		   "a large request was refused: %" G_GINT64_FORMAT
		   " others are served ([limits] large_requests)",
		   config_settings_number(large->settings, SETTING_LIMITS_LARGE_REQUESTS));
}

bool
service_large_try(struct service_large *large)
{
	return large_take(large, 0);
}

void
service_large_leave(struct service_large *large)
{
	if (large->is_taken)
		close(large->fd);
	large->is_taken = false;
}

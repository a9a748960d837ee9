/* SPDX-License-Identifier: MIT */
/* Takes and ends turns to count people: locks on bytes of a file in the spool directory. */
#include "segment/turn.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/id.h"
#include "config/settings.h"
#include "process/lock.h"
#include "service/service.h"

struct segment_turn {
	int fd; /* -1: the file cannot be written */
	gint64 deadline;
};

/* The last bytes of an id are random. */
static off_t
turn_place_of(const struct base_id *workspace)
{
	guint64 place = 0;

	memcpy(&place, workspace->bytes + sizeof(workspace->bytes) - 5, 5);
	return (off_t)place;
}

gint64
segment_turn_time(const struct service *service)
{
	return base_clock_boot_ns() +
	       config_settings_number(service->settings, SETTING_LIMITS_COUNT_MS) *
		   (CLOCK_SECOND_NS / 1000);
}

struct segment_turn *
segment_turn_take(struct service *service, const struct base_id *workspace, GError **error)
{
	gint64 wait = config_settings_number(service->settings, SETTING_LIMITS_COUNT_WAIT_MS);
	g_autofree char *path = g_build_filename(
	    config_settings_text(service->settings, SETTING_SPOOL_DIR), "segments.turns", NULL);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0 && !process_lock_wait(fd, turn_place_of(workspace), wait)) {
		close(fd);
		base_fail(error, PH_ERROR_TEMPORARY,
		    "another request counts people of this workspace ([limits] count_wait_ms)");
		return NULL;
	}
	struct segment_turn *turn = g_new(struct segment_turn, 1);
	turn->fd = fd;
	turn->deadline = segment_turn_time(service);
	return turn;
}

void
segment_turn_end(struct segment_turn *turn)
{
	if (turn->fd >= 0)
		close(turn->fd);
	g_free(turn);
}

gint64
segment_turn_deadline(const struct segment_turn *turn)
{
	return turn->deadline;
}

/* SPDX-License-Identifier: MIT */
/* Takes and frees the slots of requests that fetch: locks on bytes of a file in the spool
   directory. */
#include "service/fetching.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/id.h"
#include "config/settings.h"
#include "process/lock.h"
#include "service/service.h"

bool
service_fetching_begin(
    struct service *service, const struct base_id *workspace, int *slot_r, GError **error)
{
	gint64 slots = config_settings_number(service->settings, SETTING_LIMITS_FETCHING_REQUESTS);
	g_autofree char *path = g_build_filename(
	    config_settings_text(service->settings, SETTING_SPOOL_DIR), "requests.fetching", NULL);
	guint64 place = 0;

	*slot_r = slots == 0 ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (*slot_r < 0)
		return true;
	/* The last bytes of an id are random. */
	memcpy(&place, workspace->bytes + sizeof(workspace->bytes) - 5, 5);
	for (gint64 i = 0; i < slots; i++)
		if (process_lock_byte(*slot_r, F_OFD_SETLK, F_WRLCK, (off_t)(place * 1024) + i))
			return true;
	close(*slot_r);
	*slot_r = -1;
	return base_fail(
	    error, PH_ERROR_LIMITED, "Too many requests fetch attachments. Try again in 1 s");
}

void
service_fetching_end(int slot)
{
	if (slot >= 0)
		close(slot);
}

/* SPDX-License-Identifier: MIT */
/* Notes which broadcasts have new results. */
#include "core/watched.h"

#include <stdbool.h>

#include "core/core.h"
#include "store/event.h"

static bool
matters(const struct store_event *event)
{
	return event->type == EMAIL_BROADCAST &&
	       (event->status == EVENT_SENT || event->status == EVENT_BOUNCED ||
		   event->status == EVENT_FAILED || event->status == EVENT_COMPLAINED);
}

static bool
is_known(const GArray *watched, const struct store_event *event)
{
	for (guint i = watched->len; i > 0; i--)
		if (base_id_equal(&g_array_index(watched, struct core_watched, i - 1).email_id,
			&event->email_id))
			return true;
	return false;
}

void
core_watched_add(struct core *core, const struct store_event *events, guint count)
{
	for (guint i = 0; i < count; i++) {
		const struct core_watched watched = {events[i].workspace_id, events[i].email_id};

		if (!matters(&events[i]))
			continue;
		if (!core->watched)
			core->watched = g_array_new(FALSE, FALSE, sizeof(struct core_watched));
		if (!is_known(core->watched, &events[i]))
			g_array_append_val(core->watched, watched);
	}
}

/* SPDX-License-Identifier: MIT */
/* Notes which broadcasts have new results, and whose messages lacked a link. */
#include "core/watched.h"

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

#define LACKING_MOST 100 /* broadcasts that are remembered */

void
core_watched_lack(
    struct core *core, const struct base_id *workspace, const struct base_id *broadcast)
{
	const struct core_lacking lacking = {*workspace, *broadcast, false};

	if (!core->lacking)
		core->lacking = g_array_new(FALSE, FALSE, sizeof(struct core_lacking));
	for (guint i = 0; i < core->lacking->len; i++)
		if (base_id_equal(
			&g_array_index(core->lacking, struct core_lacking, i).broadcast_id,
			broadcast))
			return;
	if (core->lacking->len == LACKING_MOST)
		g_array_remove_index(core->lacking, 0);
	g_array_append_val(core->lacking, lacking);
}

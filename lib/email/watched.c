/* SPDX-License-Identifier: MIT */
/* Notes which broadcasts have new results, and whose messages lacked a link. */
#include "email/watched.h"

#include "service/service.h"
#include "store/email/event.h"

static bool
matters(const struct store_event *event)
{
	return event->type == EMAIL_BROADCAST &&
	       (event->status == EVENT_SENT || event->status == EVENT_BOUNCED ||
		   event->status == EVENT_FAILED || event->status == EVENT_COMPLAINED);
}

static bool
watched_is_known(const GArray *watched, const struct store_event *event)
{
	for (guint i = watched->len; i > 0; i--)
		if (base_id_equal(&g_array_index(watched, struct email_watched, i - 1).email_id,
			&event->email_id))
			return true;
	return false;
}

void
email_watched_add(struct service *service, const struct store_event *events, guint count)
{
	for (guint i = 0; i < count; i++) {
		const struct email_watched watched = {events[i].workspace_id, events[i].email_id};

		if (!matters(&events[i]))
			continue;
		if (!service->watched)
			service->watched = g_array_new(FALSE, FALSE, sizeof(struct email_watched));
		if (!watched_is_known(service->watched, &events[i]))
			g_array_append_val(service->watched, watched);
	}
}

#define LACKING_MOST 100 /* broadcasts that are remembered */

void
email_watched_lack(
    struct service *service, const struct base_id *workspace, const struct base_id *broadcast)
{
	const struct email_lacking lacking = {*workspace, *broadcast, false};

	if (!service->lacking)
		service->lacking = g_array_new(FALSE, FALSE, sizeof(struct email_lacking));
	for (guint i = 0; i < service->lacking->len; i++)
		if (base_id_equal(
			&g_array_index(service->lacking, struct email_lacking, i).broadcast_id,
			broadcast))
			return;
	if (service->lacking->len == LACKING_MOST)
		g_array_remove_index(service->lacking, 0);
	g_array_append_val(service->lacking, lacking);
}

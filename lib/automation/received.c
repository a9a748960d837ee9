/* SPDX-License-Identifier: MIT */
/* Records received mail as events of contacts. */
#include "automation/received.h"

#include <string.h>

#include "automation/event.h"
#include "base/clock.h"
#include "base/error.h"
#include "json/strict.h"
#include "json/value.h"
#include "service/once.h"
#include "service/service.h"
#include "store/received/event.h"

#define BATCH 20
#define AGAIN_MS ((gint64)5 * 60 * 1000) /* a claimed event is due again */

/* Records an event that is claimed. */
static bool
received_record(struct service *service, const struct store_received_event *event, GError **error)
{
	AUTO(json) properties = json_parse(event->properties, strlen(event->properties), error);
	const struct automation_event_input input = {.name = "email.received",
	    .email = event->address,
	    .properties = properties,
	    .timestamp = event->timestamp,
	    .timed = true,
	    .is_ours = true};
	struct automation_recording *recording =
	    properties ? automation_event_check(service, &event->workspace_id, &input, NULL, error)
		       : NULL;
	AUTO(service_once) request = recording ? &recording->request : NULL;

	if (!recording)
		return false;
	recording->apart = true;
	return service_once_store_one(service, request, error);
}

/* An event that cannot be recorded is of nobody: its address is no contact's. */
static bool
received_finish(struct service *service, const struct store_received_event *event, GError **error)
{
	g_autoptr(GError) failure = NULL;

	if (!received_record(service, event, &failure) &&
	    !g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID)) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	return store_received_event_remove(service->db, &event->workspace_id, &event->id, error);
}

bool
automation_received_run(struct service *service, guint *count_r, GError **error)
{
	gint64 now = base_clock_now();
	g_autoptr(GPtrArray) events = store_received_event_list(service->db, now, BATCH, error);

	*count_r = 0;
	if (!events)
		return false;
	for (guint i = 0; i < events->len; i++) {
		const struct store_received_event *event = events->pdata[i];
		bool claimed;

		if (!store_received_event_claim(
			service->db, event, now, now + AGAIN_MS, &claimed, error) ||
		    (claimed && !received_finish(service, event, error)))
			return false;
		*count_r += claimed;
	}
	return true;
}

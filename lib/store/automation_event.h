/* SPDX-License-Identifier: MIT */
#ifndef STORE_AUTOMATION_EVENT_H
#define STORE_AUTOMATION_EVENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* Something that a contact did, or that became of an email that a workflow sent. Times are epoch
 * ms.
 */
struct store_automation_event {
	struct base_id id;
	struct base_id workspace_id;
	struct base_id contact_id;
	char *name;  /* trimmed, in lower case */
	char *email; /* of the contact; read by lists alone */
	gint64 timestamp;
	char *properties; /* JSON object */
	gint64 created;
};

void store_automation_event_free(struct store_automation_event *event);
DEFINE_AUTO(store_automation_event, store_automation_event_free)

/* Those of a contact, newest first, at most limit, older than before (NULL: from the newest on), as
   an array of struct store_automation_event. The caller owns it. */
GPtrArray *store_automation_event_list(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, const struct base_id *before, guint limit, GError **error);

#endif

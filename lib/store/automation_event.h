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
struct automation_event {
	struct id id;
	struct id workspace_id;
	struct id contact_id;
	char *name;  /* trimmed, in lower case */
	char *email; /* of the contact; read by lists alone */
	gint64 timestamp;
	char *properties; /* JSON object */
	gint64 created;
};

#endif

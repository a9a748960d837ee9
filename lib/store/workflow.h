#ifndef STORE_WORKFLOW_H
#define STORE_WORKFLOW_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* Stored as number. */
enum workflow_status { WORKFLOW_DRAFT = 1, WORKFLOW_ACTIVE = 2, WORKFLOW_PAUSED = 3 };

/* Who made it. Stored as number. */
enum workflow_author { AUTHOR_USER = 1, AUTHOR_KEY = 2 };

/* A workflow; versions count its saved designs from 1, and active_version is 0 before the first
 * activation. Times are epoch ms. */
struct workflow {
	struct id id;
	struct id workspace_id;
	char *name;
	enum workflow_status status;
	guint current_version, active_version;
	char *created_by; /* an email address, or the id of a key */
	enum workflow_author created_by_type;
	gint64 created, updated;
	char *design; /* of current_version, as it was saved; NULL in lists */
};

#endif

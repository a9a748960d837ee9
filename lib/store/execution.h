#ifndef STORE_EXECUTION_H
#define STORE_EXECUTION_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* Stored as number. */
enum execution_status {
	EXECUTION_IN_PROGRESS = 1,
	EXECUTION_WAITING = 2,
	EXECUTION_COMPLETED = 3,
	EXECUTION_FAILED = 4,
	EXECUTION_CANCELLED = 5,
};

/* Stored as number. */
enum cancellation {
	CANCELLATION_NONE = 0,
	CANCELLATION_MANUAL = 1,
	CANCELLATION_CONTACT_DELETED = 2,
	CANCELLATION_WORKFLOW_DELETED = 3,
};

/* A run of one version of a workflow for one contact. Times are epoch ms, 0 = none. */
struct execution {
	struct id id;
	struct id workspace_id;
	struct id workflow_id;
	struct id contact_id;
	struct id event_id; /* that started it */
	char *email;
	guint version;
	enum execution_status status;
	char *step_id; /* the node it stands at */
	guint step_count;
	gint64 step_time; /* when that became due */
	gint64 ready_at;  /* when the engine is to look at it */
	gint64 wait_until;
	gint64 released; /* the time of the event that has let it go */
	guint attempts;
	guint depth;
	char *error_step, *error_message; /* of FAILED, else NULL */
	enum cancellation cancellation;
	gint64 created, updated, completed;
};

#endif

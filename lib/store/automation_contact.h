#ifndef STORE_AUTOMATION_CONTACT_H
#define STORE_AUTOMATION_CONTACT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* Somebody to whom events happen. Times are epoch ms. */
struct automation_contact {
	struct id id;
	struct id workspace_id;
	char *email;	  /* as first given */
	char *address;	  /* the form in which emails are compared */
	char *properties; /* JSON object; NULL in lists */
	gint64 first_seen, last_seen;
	char *last_event; /* its name */
	gint64 event_count;
	gint64 created, updated;
};

#endif

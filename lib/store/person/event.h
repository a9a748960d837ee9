/* SPDX-License-Identifier: MIT */
/* The events of all emails of one address, newest first. Errors that a function does not name are
   those of db/statement.h. */
#ifndef STORE_PERSON_EVENT_H
#define STORE_PERSON_EVENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/email/event.h"

struct db;

/* An event of an email that a person got. */
struct store_person_event {
	struct base_id id, email_id;
	enum store_event_status status;
	bool automated;	  /* an open or click by a machine */
	gint64 timestamp; /* epoch ms */
	char *response;	  /* of a server; these are NULL where there is none */
	char *ip, *user_agent, *link;
	bool has_workflow, has_broadcast, has_topic;
	struct base_id workflow_id;  /* that sent the email, if has_workflow */
	struct base_id broadcast_id; /* of which the email is a part, if has_broadcast */
	struct base_id topic_id;     /* of the email, if has_topic */
};

/* A place among them. */
struct store_person_event_place {
	gint64 time; /* epoch ms */
	struct base_id id;
};

/* A page of the events of an address, newest first, at most limit, behind a place, as an array of
   struct store_person_event. Looks at the newest LIMIT_HISTORY_EMAILS emails of the address. The
   caller owns it. */
GPtrArray *store_person_event_list(struct db *db, const struct base_id *workspace,
    const char *address, const struct store_person_event_place *place, guint limit, GError **error);

#endif

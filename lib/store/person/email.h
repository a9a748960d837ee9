/* SPDX-License-Identifier: MIT */
/* The emails to one address, of every kind. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_PERSON_EMAIL_H
#define STORE_PERSON_EMAIL_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/email/event.h"

struct db;

/* An email, as one of its recipients got it. Times are epoch ms, 0 = none. */
struct store_person_email {
	struct base_id id;
	enum store_email_type type;
	bool has_broadcast, has_workflow;
	struct base_id broadcast_id; /* if has_broadcast: the email is a part of it */
	struct base_id workflow_id;  /* if has_workflow */
	char *subject;
	char *variables; /* of a broadcast whose subject has tags: the values that it has for all
			    people (struct store_email); else NULL */
	enum store_event_status status; /* of the recipient's latest event; 0: none yet */
	gint64 created, scheduled_at, cancelled;
};

/* A page of emails, newest first, at most limit, older than before (NULL: from the newest on), as
   an array of struct store_person_email. The caller owns it. */
GPtrArray *store_person_email_list(struct db *db, const struct base_id *workspace,
    const char *address, const struct base_id *before, guint limit, GError **error);

#endif

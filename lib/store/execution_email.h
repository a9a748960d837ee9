/* SPDX-License-Identifier: MIT */
#ifndef STORE_EXECUTION_EMAIL_H
#define STORE_EXECUTION_EMAIL_H

#include <glib.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/event.h"

struct db;

/* What became of an email, in short. */
struct store_execution_email_event {
	enum store_event_status status;
	gint64 timestamp;
};

/* An email that an execution sent. Times are epoch ms. */
struct store_execution_email {
	struct base_id email_id;
	struct base_id workflow_id;
	struct base_id execution_id;
	char *subject;
	char *recipient;	 /* its address */
	gint64 created, updated; /* updated: its latest event */
	GArray *events;		 /* struct store_execution_email_event, oldest first */
};

void store_execution_email_free(struct store_execution_email *email);
DEFINE_AUTO(store_execution_email, store_execution_email_free)

/* Those of a workflow, newest first, at most limit, older than before (NULL: from the newest on),
   as an array of struct store_execution_email. The caller owns it. */
GPtrArray *store_execution_email_list(struct db *db, const struct base_id *workspace,
    const struct base_id *workflow, const struct base_id *before, guint limit, GError **error);

/* All of an execution, oldest first. The caller owns them. */
GPtrArray *store_execution_email_of(struct db *db, const struct base_id *workspace,
    const struct base_id *execution, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
/* Feedback: the events of emails that workflows sent, queued for these workflows. Errors that a
   function does not name are those of db/statement.h. */
#ifndef STORE_AUTOMATION_FEEDBACK_H
#define STORE_AUTOMATION_FEEDBACK_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/email/event.h"
#include "store/person/person.h"

/* An email that an execution has sent. */
struct store_sent_email {
	struct base_id email_id;
	struct base_id workspace_id;
	struct base_id workflow_id;
	struct base_id execution_id;
	struct base_id contact_id;
	const char *step_id;
	guint depth; /* of the execution */
};

/* Inside a transaction: records the execution that sent each email. */
bool store_automation_feedback_sent(
    struct db *db, const struct store_sent_email *sent, guint count, GError **error);

/* An event in the queue, with its email and its contact, which is locked. */
struct store_feedback {
	struct base_id event_id;
	struct store_sent_email sent; /* without step_id */
	enum store_event_status status;
	gint64 timestamp; /* epoch ms */
	char *link;
	/* An own event (store/automation/own.h), which has no email, has these; else NULL: */
	char *name;
	char *properties; /* JSON; of person.updated the person before the change */
	char *became;	  /* of person.updated: the person after it */
	bool is_caused;	  /* a step caused it: sent has workflow_id and depth */
	bool has_target;
	struct base_id target_id; /* the one workflow that it is told to */
	struct store_person *contact;
};

#define STORE_FEEDBACK_MOST 50 /* events that a claim takes */

/* Inside a transaction: locks the oldest events of the queue that are due at now (epoch ms), in
   their order, as an array of struct store_feedback. Passes over the events of contacts that
   another transaction has locked, and an event that one has locked with all later ones of its
   contact, so that no event is overtaken. Where many events of few contacts stand in front, which
   are all locked, it takes the oldest event of each other contact. The caller owns the array. */
GPtrArray *store_automation_feedback_claim(struct db *db, gint64 now, GError **error);

/* Inside a transaction: removes the events from the queue. */
bool store_automation_feedback_remove(struct db *db, const GPtrArray *feedback, GError **error);

/* The events of a contact. All borrowed. */
struct store_automation_feedback_search {
	const struct base_id *contact;
	enum store_event_status status; /* of emails, with this status; EVENT_NONE: own events */
	const char *name;		/* of own events; NULL: of emails */
	gint64 before;			/* they are older than this, epoch ms; 0: of any age */
};

/* Whether the queue has some. */
bool store_automation_feedback_pending(struct db *db,
    const struct store_automation_feedback_search *search, bool *pending_r, GError **error);

/* Inside a transaction: removes the feedback of a contact that is being removed. */
bool store_automation_feedback_forget(struct db *db, const struct base_id *contact, GError **error);

/* Inside a transaction: removes the opens and clicks of an email since a time (epoch ms) that
   turned out to be a program's. */
bool store_automation_feedback_drop(struct db *db, const struct base_id *workspace,
    const struct base_id *email, gint64 since, GError **error);

#endif

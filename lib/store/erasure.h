/* SPDX-License-Identifier: MIT */
/* What is stored of a person, piece by piece, so that core/erase.h can remove it. All calls but the
   last are made inside a transaction; addresses are in the form in which they are compared. */
#ifndef STORE_ERASURE_H
#define STORE_ERASURE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* How much was removed. */
struct store_erasure {
	guint64 contacts;	     /* of all audiences */
	guint64 emails;		     /* that nobody else got, as a whole */
	guint64 shared;		     /* that others got too, without the person and what they say */
	guint64 events;		     /* of these and those */
	guint64 messages;	     /* that were waiting to leave for the person alone, */
	guint64 leaving;	     /* and of them and others those that a process was sending */
	guint64 automation_contacts; /* one, or none */
	guint64 automation_events, executions;
};

/* From all audiences of the workspace, which count them no more. */
bool store_erasure_contacts(struct db *db, const struct base_id *workspace, const char *address,
    struct store_erasure *erasure, GError **error);

/* The automation contact, with all that happened to it, and what those have left who had the
   address before and were deleted. */
bool store_erasure_automation(struct db *db, const struct base_id *workspace, const char *address,
    struct store_erasure *erasure, GError **error);

/* An email that has the person among its recipients. */
struct store_erasure_email {
	struct base_id id;
	char *to, *cc, *bcc, *reply_to; /* its lists, NULL where there is none */
	guint others;			/* how many recipients are somebody else */
};

void store_erasure_email_clear(struct store_erasure_email *email);

/* The next such email, locked; *found_r false when there is none. What it has is cleared by the
   caller. */
bool store_erasure_next(struct db *db, const struct base_id *workspace, const char *address,
    struct store_erasure_email *email_r, bool *found_r, GError **error);

/* Removes an email with its recipients, events, contents and copies. */
bool store_erasure_remove(struct db *db, const struct base_id *workspace,
    const struct store_erasure_email *email, struct store_erasure *erasure, GError **error);

/* Removes the person from an email that others got: with the lists as they are to be from now on
   ("" for to that has nobody left), the person's events and own copies, and then all that the email
   says: subject, contents, variables, headers and tags, at once or, where some of it has still to
   leave, when that is over (store_erasure_sweep). The recipient's row stays, so that the numbers of
   the others do, with the address "". */
bool store_erasure_strip(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_erasure_email *email, struct store_erasure *erasure, GError **error);

/* Outside a transaction: removes a batch of contents that waited; *more_r tells whether there may
   be more. Any number of processes may do it at once. */
bool store_erasure_sweep(struct db *db, bool *more_r, GError **error);

#endif

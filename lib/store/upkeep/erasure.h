/* SPDX-License-Identifier: MIT */
/* The rows about a person, in the pieces in which person/erase.h removes them. All calls but the
   last run inside a transaction; addresses are in the form in which they are compared. */
#ifndef STORE_UPKEEP_ERASURE_H
#define STORE_UPKEEP_ERASURE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* The number of removed rows of each kind. */
struct store_erasure {
	guint64 contacts; /* of all audiences */
	guint64 emails;	  /* removed whole: nobody else got them */
	guint64 shared;	  /* stripped of the person and of their content: others got them, too */
	guint64 events;	  /* of both kinds of emails */
	guint64 messages; /* that waited to leave for the person alone */
	guint64 leaving;  /* outbox entries, of any kind, that a process was sending */
	guint64 automation_contacts; /* one, or none */
	guint64 automation_events, executions;
};

/* Removes the person's contacts from all audiences of the workspace, and adjusts their counters. */
bool store_erasure_contacts(struct db *db, const struct base_id *workspace, const char *address,
    struct store_erasure *erasure, GError **error);

/* Removes the person with the events and executions, and the rows left by deleted automation
   contacts of the same address. */
bool store_erasure_person(struct db *db, const struct base_id *workspace, const char *address,
    struct store_erasure *erasure, GError **error);

/* An email that has the person among its recipients. */
struct store_erasure_email {
	struct base_id id;
	char *to, *cc, *bcc, *reply_to; /* its lists, NULL where there is none */
	guint others;			/* how many recipients are somebody else */
};

void store_erasure_email_clear(struct store_erasure_email *email);

/* Locks and reads the next email that has the person among its recipients; *found_r false when
   there is none. The caller clears it. */
bool store_erasure_next(struct db *db, const struct base_id *workspace, const char *address,
    struct store_erasure_email *email_r, bool *found_r, GError **error);

/* Removes an email with its recipients, events, contents and outbox entries. */
bool store_erasure_remove(struct db *db, const struct base_id *workspace,
    const struct store_erasure_email *email, struct store_erasure *erasure, GError **error);

/* Removes the person from an email that others got, too: stores the new lists of addresses (""
   for an empty to), removes the person's events and outbox entries, and then the email's
   subject, contents, variables, headers and tags: at once, or, while outbox entries of it wait,
   later (store_erasure_sweep). The recipient's row stays with the address "", so that the other
   recipients keep their numbers. */
bool store_erasure_strip(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_erasure_email *email, struct store_erasure *erasure, GError **error);

/* Outside a transaction: removes a batch of such contents whose email has left; *more_r tells
   whether there may be more. Any number of processes may call it at once. */
bool store_erasure_sweep(struct db *db, bool *more_r, GError **error);

#endif

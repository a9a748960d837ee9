/* SPDX-License-Identifier: MIT */
/* The table recipient_status, by which lists find recipients of a rare status: each recipient whose
   latest status is neither sent nor delivered has a row of it there, but those of broadcasts, which
   no list has. A recipient may have rows of rare statuses that it had before, so that one that is
   opened and then clicked costs no search for the row of the open; a reader compares the
   recipient's own status. A common status takes all rows away. Errors that a function does not name
   are those of db/statement.h. */
#ifndef STORE_EMAIL_STATUS_H
#define STORE_EMAIL_STATUS_H

#include "store/email/event.h"

/* The greatest of the common statuses, and all others, as text of a statement. */
#define STATUS_COMMON EVENT_DELIVERED
#define STATUS_RARE_SQL "3, 4, 5, 6, 7, 8, 9, 10, 54"

/* Removes all rows of an email. Values: the email, the workspace. Array binding takes no key. */
#define STATUS_REMOVE_SQL                                                                          \
	"DELETE FROM recipient_status WHERE email_id = ? AND workspace_id = ?"                     \
	" AND status IN (" STATUS_RARE_SQL ")"

/* Inside a transaction that has set the statuses of these recipients: adds the rows of those that
   are rare. all: each event has become its recipient's latest one. */
bool store_status_note(
    struct db *db, const struct store_event *const *events, guint count, bool all, GError **error);

/* Likewise: takes away the rows of the recipients whose status is common now. */
bool store_status_forget(
    struct db *db, const struct store_event *const *events, guint count, GError **error);

/* Likewise, of all recipients of an email that were erased. */
bool store_status_forget_erased(
    struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error);

/* The step of the schema that adds the rows of recipients from before, in batches, while the
   service works. A step that was interrupted begins anew. */
bool store_status_join(struct db *db, GError **error);

/* The step that removes rows without a recipient, likewise: programs of the version before removed
   emails and left their rows. */
bool store_status_clean(struct db *db, GError **error);

#endif

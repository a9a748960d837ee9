/* SPDX-License-Identifier: MIT */
/* The columns of recipients and events (db/columns.h), which several statements read beside those
   of their emails. */
#ifndef STORE_EMAIL_COLUMNS_H
#define STORE_EMAIL_COLUMNS_H

#include "db/columns.h"

struct base_id;
struct store_email;
struct store_email_recipient;
struct store_event;

/* The columns of a recipient r. */
#define RECIPIENT_COLUMNS(FIRST, NEXT)                                                             \
	FIRST(kind, "r.kind")                                                                      \
	NEXT(address, "r.address")                                                                 \
	NEXT(status, "r.status")                                                                   \
	NEXT(status_at, "r.status_at")                                                             \
	NEXT(sent_at, "r.sent_at")

/* Columns of an event v: what happened; that with its time and recipient; all that the row has but
   for the id of the email. */
#define EVENT_DETAIL_COLUMNS(FIRST, NEXT)                                                          \
	FIRST(smtp_response, "v.smtp_response")                                                    \
	NEXT(enhanced_code, "v.enhanced_code")                                                     \
	NEXT(bounce_type, "v.bounce_type")                                                         \
	NEXT(ip, "v.ip")                                                                           \
	NEXT(user_agent, "v.user_agent")                                                           \
	NEXT(link, "v.link")                                                                       \
	NEXT(automated, "v.automated")                                                             \
	NEXT(relay, "v.relay")
#define EVENT_TIME_COLUMNS(FIRST, NEXT)                                                            \
	FIRST(recipient, "v.recipient")                                                            \
	NEXT(status, "v.status")                                                                   \
	NEXT(timestamp, "v.timestamp")                                                             \
	EVENT_DETAIL_COLUMNS(NEXT, NEXT)
#define EVENT_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(id, "v.id")                                                                          \
	NEXT(workspace_id, "v.workspace_id")                                                       \
	EVENT_TIME_COLUMNS(NEXT, NEXT)

/* Make a recipient, or an event of this email, of a row whose columns of their lists begin at
   first. NULL when the row has no event. The caller frees them. The email gets the time at which
   it was sent, if that of the recipient is the first. */
struct store_email_recipient *store_email_recipient_read(
    const struct db_rows *rows, guint first, struct store_email *email);
struct store_event *store_event_read(
    const struct db_rows *rows, guint first, const struct base_id *email);

#endif

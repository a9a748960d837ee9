/* SPDX-License-Identifier: MIT */
/* The record of who changed what over HTTP (GET /v1/audit). */
#ifndef FCGI_API_AUDIT_H
#define FCGI_API_AUDIT_H

#include <glib.h>
#include <stdbool.h>

#include "store/workspace/audit.h"
#include "text/network.h"

struct service;
struct db;
struct fcgi_call;
struct fcgi_route;

/* The client of a call, for a row of the audit: actor, address and request. It borrows from the
   call and from text_r. */
struct store_audit fcgi_audit_client(
    const struct fcgi_call *call, const char *action, char text_r[ADDRESS_TEXT_SIZE]);

/* The change that a route makes: *type_r is the resource ("domain"; the caller frees it), and the
   result the word behind it: "created", "changed" or "deleted", of an old version "restored", and
   of a broadcast what became of it: "scheduled" (which is "sent" where it leaves now),
   "unscheduled", "paused", "resumed", "cancelled". NULL when the audit has nothing of it: it reads,
   it is public, it sends emails or events or works on these, or its handler does it.
 */
const char *fcgi_audit_change(const struct fcgi_route *route, char **type_r);

/* Deferred: a change that a call makes in this transaction, and that is answered with this JSON.
   Nothing where the audit has nothing of it. */
bool fcgi_audit_write(
    struct db *db, const struct fcgi_call *call, const char *answer, GError **error);

/* Stores the changes that these calls have made, if they have a successful reply: in one
   transaction, after those of the changes. A failure is logged. */
void fcgi_audit_store(struct service *service, struct fcgi_call *const *calls, guint count);

#endif

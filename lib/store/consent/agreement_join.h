/* SPDX-License-Identifier: MIT */
/* A step of the schema that works in batches: decides for the people of before whether they have
   given reason to be mailed by broadcasts to segments (store/consent/agreement.h). Errors that a
   function does not name are those of db/statement.h. */
#ifndef STORE_CONSENT_AGREEMENT_JOIN_H
#define STORE_CONSENT_AGREEMENT_JOIN_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* A membership that is subscribed is a reason. So is a request that has made the person, unless a
   membership is unsubscribed: nothing tells which of both was later. The service may work
   meanwhile; people for whom it is decided already stay as they are, so a step that was interrupted
   begins anew. *count_r: the people who were decided. *lost_r: of these, those whom segments
   reached before, and do not any more. */
bool store_agreement_join(struct db *db, guint64 *count_r, guint64 *lost_r, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef CORE_RECORD_H
#define CORE_RECORD_H

#include <glib.h>
#include <stdbool.h>

#include "store/outbox.h"

struct core;
struct core_message;

/* Records what became of the parcels of a claim, in one transaction: events, the recipients' latest
   status, and what is left in the outbox. session is why the session could not be had, NULL when it
   could. A parcel whose claim has been lost meanwhile is passed over: whoever has it now records
   it. Errors of db/transaction.h, and then nothing is recorded. */
bool core_record(struct core *core, const struct store_outbox_claim *claim,
    struct core_message *const *parcels, guint count, const GError *session, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
/* Erases a person from a workspace.

   Removed are:
   - contacts with the person's email, in all audiences;
   - the automation contact with its properties, events and executions, also those that an
     automation contact of that email left behind when it was deleted;
   - emails that only this person got, with their outbox entries;
   - from emails with other recipients: the person's place among the recipients and in the address
     lists, the person's events, and html, text, subject and variables, since they were written to
     this person too. Outbox entries of the other recipients are still sent; the contents are
   removed afterwards (upkeep/retention.h). Ids, times, senders, and the other recipients with their
   events stay.

   A hash of the address, made with the installation's secret, stays on the suppression list. The
   person gets no more mail until the address is taken off the list.

   Not searched are the contents and senders of emails to other people, and the users of the
   workspace. Answers kept for idempotency keys hold only ids, and only for a day. */
#ifndef PERSON_ERASE_H
#define PERSON_ERASE_H

#include <glib.h>
#include <stdbool.h>

#include "store/upkeep/erasure.h"

struct service;

/* Erases the person with this email. If a call ends with an error, the next call goes on where it
   ended. A message that a process is sending at that moment may still leave (erasure_r->leaving);
   nothing is recorded of it. INVALID "email must be ..."; errors of db/transaction.h. */
bool person_erase(struct service *service, const struct base_id *workspace, const char *email,
    struct store_erasure *erasure_r, GError **error);

#endif

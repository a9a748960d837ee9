/* SPDX-License-Identifier: MIT */
/* Forgetting a person.

   What is removed from a workspace: contacts of that email in all audiences; the automation contact
   with its properties, events and executions, and those that one deleted before has left; emails
   that the person alone got, as a whole, with what had still to leave; and of emails that others
   got too the person's place among the recipients and in the lists of addresses, the events, and
   all that the email says, for that was said to this person as well: what the others have still to
   get they get, and then it goes (core/tidy.h). Ids, times, senders, and the other recipients with
   their events stay.

   What is left is a hash of the address, under the installation's secret, on the suppression list:
   no mail goes to the person any more until the address is taken off the list.

   Not looked for: emails to others that name the person in what they say or as sender, and users
   of the workspace. Kept answers for idempotency keys hold ids alone, for a day. */
#ifndef CORE_ERASE_H
#define CORE_ERASE_H

#include <glib.h>
#include <stdbool.h>

#include "store/erasure.h"

struct core;

/* INVALID "email must be ...". Where it was broken off, the next call goes on. A message that a
   process is sending at that moment may still leave (erasure_r->leaving); nothing is recorded of
   it. */
bool core_erase(struct core *core, const struct base_id *workspace, const char *email,
    struct store_erasure *erasure_r, GError **error);

#endif

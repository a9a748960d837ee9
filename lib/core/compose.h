/* SPDX-License-Identifier: MIT */
#ifndef CORE_COMPOSE_H
#define CORE_COMPOSE_H

#include <glib.h>

struct core;
struct store_email;

/* Instead of a recipient: the message is for several. */
#define COMPOSE_SHARED G_MAXUINT

/* The complete message of an email whose contents have been read, for the recipient of this number,
   signed with its domain's keys; each time the same but for the time of the signature. Where
   something of it is each recipient's own (enum store_email_tracking), a shared one is without
   that. The caller owns it. NOT_FOUND or INVALID when it can never be sent (its domain is gone,
   ...); TEMPORARY or FAILED when it cannot be composed now. */
GBytes *core_compose(
    struct core *core, const struct store_email *email, guint recipient, GError **error);

#endif

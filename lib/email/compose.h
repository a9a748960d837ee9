/* SPDX-License-Identifier: MIT */
/* The message of a stored email, composed and signed. */
#ifndef EMAIL_COMPOSE_H
#define EMAIL_COMPOSE_H

#include <glib.h>
#include <stdbool.h>

struct service;
struct store_email;

/* In place of a recipient's number: the message goes to several recipients. */
#define COMPOSE_SHARED G_MAXUINT

/* Composes the complete message (RFC 5322) of an email for the recipient with this number, signed
   with the keys of its domain. The email's contents must have been read. Composing twice gives the
   same bytes, except for the time of the signature. A shared message has no pixel, no tracked links
   and no List-Unsubscribe, since these name one recipient. NOT_FOUND or INVALID when the message
   can never be sent, for instance because its domain was removed; TEMPORARY or FAILED when it
   cannot be composed now. *lacked_link_r (NULL: not needed): it is one of a broadcast, and got a
   footer, since its reader would not see a link to unsubscribe. The caller owns the result. */
GBytes *email_compose(struct service *service, const struct store_email *email, guint recipient,
    bool *lacked_link_r, GError **error);

/* Does the same for a message whose only recipient is reader, though recipient may be
   COMPOSE_SHARED: a complaint about it names the reader (RFC 9477). */
GBytes *email_compose_for(struct service *service, const struct store_email *email, guint recipient,
    guint reader, bool *lacked_link_r, GError **error);

/* The message of an email in 7 bit, signed, for a relay without 8BITMIME. *message_r is NULL where
   email_compose gives 7 bit already, as it does unless another program composed the message, and
   where that one must not be changed (mail/wire.h). reader: as of email_compose_for. False with an
   error of email_compose. The caller owns it. */
bool email_compose_7bit(struct service *service, const struct store_email *email, guint reader,
    GBytes **message_r, GError **error);

/* The same without the signature and the address for complaints, so that the domain may be gone. */
GBytes *email_compose_unsigned(
    struct service *service, const struct store_email *email, guint recipient, GError **error);

/* The Message-ID of an email's message for a recipient, with < and >: all have the same one, but
   those of a broadcast's part. NULL when the sender cannot be read. The caller owns it. */
char *email_compose_message_id(const struct store_email *email, guint recipient);

#endif

#ifndef CORE_CONTACT_H
#define CORE_CONTACT_H

#include <glib.h>

/* The form in which an email, as a client gives it, is compared with others: its normal form
   (mail/address.h) in lower case. INVALID "email must be ..." when it is no bare address or has
   more than LIMIT_ADDRESS_BYTES. The caller owns it. */
char *core_contact_address(const char *email, GError **error);

#endif

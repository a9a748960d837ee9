/* SPDX-License-Identifier: MIT */
/* The addresses that messages and DNS records of ours name, each with a token (link/token.h). */
#ifndef LINK_OWN_ADDRESS_H
#define LINK_OWN_ADDRESS_H

#include <glib.h>
#include <stdbool.h>

#include "link/token.h"

struct service;
struct store_email;

enum link_own_kind {
	LINK_OWN_NONE,
	LINK_OWN_RETURN_PATH, /* b+ */
	LINK_OWN_UNSUBSCRIBE, /* u+ */
	LINK_OWN_COMPLAINT,   /* c+ */
	LINK_OWN_REPORTS,     /* d+, about a domain */
	LINK_OWN_REPLY,	      /* r+ */
};

/* The kind of an address, or of a local part alone, with an authentic token, whatever its host is;
   LINK_OWN_NONE for any other. *token_r (may be NULL) is set where it is not LINK_OWN_NONE; of a
   return path or an address for complaints that several recipients share, its recipient is
   RETURN_PATH_SHARED. */
enum link_own_kind link_own_address(
    const struct service *service, const char *address, struct link_token *token_r);

/* Whether an address is a fixed return path: [smtp] return_path, or that of a relay. */
bool link_own_address_is_fixed(const struct service *service, const char *address);

/* The address for replies to an email, r+TOKEN@send.DOMAIN with the label of its domain. The caller
   owns it. */
char *link_own_address_reply(
    const struct service *service, const struct store_email *email, guint recipient);

#endif

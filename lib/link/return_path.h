/* SPDX-License-Identifier: MIT */
/* Return paths, envelope ids and addresses for complaints, by which a returned message is
   recognised.

   A message to one recipient carries a token that names the recipient (link/token.h). A message to
   several carries a token without a recipient: the email's id, and a tag made with the
   installation's secret (base/secret.h). Earlier versions put the latter on all messages, and those
   still on their way come back with it. */
#ifndef LINK_RETURN_PATH_H
#define LINK_RETURN_PATH_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "link/token.h"

struct service;
struct store_email;

/* In place of a recipient's number: the message has several recipients, or the recipient is not
   known. */
#define RETURN_PATH_SHARED G_MAXUINT

/* The message that a return path or an envelope id names. */
struct link_return_path {
	struct base_id email;
	guint recipient; /* its number in the email, or RETURN_PATH_SHARED */
};

/* The host of a domain's return paths, LABEL.DOMAIN. label: NULL is "send". The caller owns it. */
char *link_return_path_host(const char *label, const char *domain);

/* Makes the return path: [smtp] return_path, or b+<token>@send.<domain> when that is not set, with
   the label that the domain has for send. The caller owns it. */
char *link_return_path(
    const struct service *service, const struct store_email *email, guint recipient);

#define RETURN_PATH_ENVID_SIZE TOKEN_HEX_SIZE

/* Makes the ENVID (RFC 3461 section 4.4), which servers see and readers do not: a token for the
   same message that differs from the return path's. */
void link_return_path_envid(const struct service *service, const struct link_return_path *path,
    char envid_r[RETURN_PATH_ENVID_SIZE]);

/* Finds the first b+<token> in text: an address, a local part, or a header field with addresses.
   Upper and lower case are the same, since some servers change the case. False, with *path_r
   untouched, when there is none with a valid tag. */
bool link_return_path_read(
    const struct service *service, const char *text, struct link_return_path *path_r);

/* Makes the token for complaints about a message (RFC 9477), which its readers see. */
void link_return_path_complaint(const struct service *service, const struct link_return_path *path,
    char token_r[RETURN_PATH_ENVID_SIZE]);

/* Reads a token for complaints, which must be the whole text, or the local part of the first
   c+<token> in text. False as above. */
bool link_return_path_read_complaint(
    const struct service *service, const char *text, struct link_return_path *path_r);
bool link_return_path_find_complaint(
    const struct service *service, const char *text, struct link_return_path *path_r);

/* Reads an ENVID, which must be the whole text. False as above. */
bool link_return_path_read_envid(
    const struct service *service, const char *text, struct link_return_path *path_r);

#endif

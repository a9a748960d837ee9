/* SPDX-License-Identifier: MIT */
/* Tokens. A token stands in the links and the pixel of a message, in its unsubscribe address, and
   in the return path and envelope id of a message to one recipient.

   It names an email and one of its recipients, and is authenticated with the installation's secret
   (base/secret.h). The tag also covers the kind of the token and the destination of a link, so a
   token cannot be used for another purpose. It is TOKEN_TEXT_SIZE - 1 characters of base64url. */
#ifndef LINK_TOKEN_H
#define LINK_TOKEN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct base_secret;
struct config_settings;

enum link_token_kind {
	TOKEN_OPEN,
	TOKEN_CLICK,
	TOKEN_UNSUBSCRIBE,
	TOKEN_RETURN_PATH,
	TOKEN_ENVID,
	TOKEN_CONFIRM,	  /* email: the id of a confirmation (store/consent/confirmation.h) */
	TOKEN_ATTACHMENT, /* recipient: the attachment's number; destination: the end of its time */
	TOKEN_REPLY,	  /* in a Reply-To */
	TOKEN_COMPLAINT,  /* in an address for complaints */
	TOKEN_DOMAIN,	  /* email: the id of a domain, in the address for reports about it */
	TOKEN_RECEIVED,	  /* email: the id of a received mail; recipient: LINK_RECEIVED_RAW or the
			     number of an attachment; destination: the end of its time */
};

#define TOKEN_TEXT_SIZE 37
#define TOKEN_HEX_SIZE 55
/* The size of a token that signs somebody in (submit/sign_in.h): 43 base64url characters and the
   NUL. */
#define LINK_SIGN_IN_TOKEN_SIZE 44

struct link_token {
	enum link_token_kind kind;
	struct base_id email;
	guint recipient; /* its number in the email, or that of an attachment */
	guint links;	 /* number of different links in the message, at most
			    TOKEN_LINKS_MAX */
};

#define TOKEN_LINKS_MAX 255
#define LINK_RECEIVED_RAW 255 /* the whole message */

/* Writes a token. destination: of a click, else NULL. */
void link_token_write(const struct base_secret *secret, const struct link_token *token,
    const char *destination, char text_r[TOKEN_TEXT_SIZE]);

/* The URL of a file until a time (epoch ms): that of the service, a letter of /t, and the token
   with the time as its destination. The caller owns it. */
char *link_token_file_url(const struct config_settings *settings, char letter,
    const struct link_token *token, gint64 expires);

/* Reads a token. False, with *token_r untouched, unless link_token_write would write exactly this
   text for this kind and destination with one of the secrets. */
bool link_token_read(const struct base_secret *secret, enum link_token_kind kind, const char *text,
    const char *destination, struct link_token *token_r);

/* Write and read a token in hexadecimal, for the local part of an address. Servers may change the
   case of a local part, so the case is ignored. */
void link_token_write_hex(
    const struct base_secret *secret, const struct link_token *token, char text_r[TOKEN_HEX_SIZE]);
bool link_token_read_hex(const struct base_secret *secret, enum link_token_kind kind,
    const char *text, struct link_token *token_r);

#endif

/* SPDX-License-Identifier: MIT */
/* Tokens: what the links and the pixel of a message, the address to unsubscribe, and the return
 * path and envelope id of a copy to one recipient are known by.
 *
 * A token names an email and one of its recipients, and is authenticated with the installation's
 * secret (base/secret.h): the kind, and the destination of a link, are part of what is, so that a
 * token is good for nothing else. It is TOKEN_TEXT_SIZE - 1 characters of base64url.
 */
#ifndef CORE_TOKEN_H
#define CORE_TOKEN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct base_secret;

enum core_token_kind { TOKEN_OPEN, TOKEN_CLICK, TOKEN_UNSUBSCRIBE, TOKEN_RETURN_PATH, TOKEN_ENVID };

#define TOKEN_TEXT_SIZE 37
#define TOKEN_HEX_SIZE 55

struct core_token {
	enum core_token_kind kind;
	struct base_id email;
	guint recipient; /* its number in the email */
	guint links;	 /* how many different links the copy has; what is past TOKEN_LINKS_MAX is
			    that */
};

#define TOKEN_LINKS_MAX 255

/* destination: of a click, else NULL. */
void core_token_write(const struct base_secret *secret, const struct core_token *token,
    const char *destination, char text_r[TOKEN_TEXT_SIZE]);

/* False, and *token_r untouched, unless text is just what core_token_write would write for this
   kind and destination, with any of the secrets. */
bool core_token_read(const struct base_secret *secret, enum core_token_kind kind, const char *text,
    const char *destination, struct core_token *token_r);

/* The same in hexadecimal, for the local part of an address: servers on the way may change its
   case, which counts for nothing here. */
void core_token_write_hex(
    const struct base_secret *secret, const struct core_token *token, char text_r[TOKEN_HEX_SIZE]);
bool core_token_read_hex(const struct base_secret *secret, enum core_token_kind kind,
    const char *text, struct core_token *token_r);

#endif

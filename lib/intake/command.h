/* SPDX-License-Identifier: MIT */
/* For this room: the arguments of MAIL and RCPT (RFC 5321 section 4.1.2). */
#ifndef INTAKE_COMMAND_H
#define INTAKE_COMMAND_H

#include <glib.h>
#include <stdbool.h>

/* MAIL or RCPT. */
struct intake_path_kind {
	const char *word;   /* FROM or TO */
	const char *field;  /* the name of the address in a sentence */
	const char *refuse; /* the reply's codes for a bad address */
	bool may_be_empty;
};

extern const struct intake_path_kind intake_reverse_path, intake_forward_path;

/* Reads `FROM:<address>` with what follows. Brackets may be missing, and a blank may stand behind
   the colon. postmaster without a domain is that of hostname, unless this is NULL (RFC 5321
   section 4.1.1.3); postmaster and abuse at hostname are addresses even if it has no dot.
   *address_r is the address in its normal form, "" for none; the caller owns it. *rest_r are the
   parameters. False with the reply, which the caller owns. */
bool intake_path_read(const struct intake_path_kind *kind, const char *hostname, char *text,
    char **address_r, char **rest_r, char **reply_r);

/* Checks the parameters of MAIL: SIZE, BODY and AUTH, of which only a SIZE above size matters.
   False with the reply. */
bool intake_mail_parameters(const char *text, gsize size, char **reply_r);

/* RCPT has no parameters. */
bool intake_rcpt_parameters(const char *text, char **reply_r);

/* The reply for a message that is larger than size. The caller owns it. */
char *intake_too_large(gsize size);

#endif

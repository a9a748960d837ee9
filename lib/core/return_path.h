/* SPDX-License-Identifier: MIT */
/* By what a copy of an email is known again when it comes back: its return path, and its envelope
   id.

   A copy to one recipient has a token with the recipient in it (core/token.h). A copy to several
   has one without: the email's id, and a tag that only the installation's secret makes
   (base/secret.h). Until that was told apart every copy had the latter, and what is on its way
   still comes back with it. */
#ifndef CORE_RETURN_PATH_H
#define CORE_RETURN_PATH_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "core/token.h"

struct core;
struct store_email;

/* In place of a recipient's number: the copy has several, or it is not known who had it. */
#define RETURN_PATH_SHARED G_MAXUINT

/* The copy that a return path or an envelope id is of. */
struct core_return_path {
	struct base_id email;
	guint recipient; /* its number in the email, or RETURN_PATH_SHARED */
};

/* [smtp] return_path, or where that is not set b+<token>@send.<domain>. The caller owns it. */
char *core_return_path(const struct core *core, const struct store_email *email, guint recipient);

#define RETURN_PATH_ENVID_SIZE TOKEN_HEX_SIZE

/* The ENVID (RFC 3461 section 4.4), which servers see and readers do not: another token of the
   same copy. */
void core_return_path_envid(const struct core *core, const struct core_return_path *copy,
    char envid_r[RETURN_PATH_ENVID_SIZE]);

/* Finds the first b+<token> in text, be it an address, its local part, or a header field with
   addresses; upper and lower case are the same, as some servers hold it. False, and *copy_r
   untouched, unless the tag is ours. */
bool core_return_path_read(
    const struct core *core, const char *text, struct core_return_path *copy_r);

/* The same of an ENVID, which text must be. */
bool core_return_path_read_envid(
    const struct core *core, const char *text, struct core_return_path *copy_r);

#endif

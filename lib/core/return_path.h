/* By what an email is known again when it comes back: its return path, and its envelope id. Both
   hold the email's id and a tag that only the installation's secret makes (base/secret.h). */
#ifndef CORE_RETURN_PATH_H
#define CORE_RETURN_PATH_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct core;
struct email;

/* [smtp] return_path, or where that is not set b+<id and tag>@send.<domain>. The caller owns it. */
char *core_return_path(const struct core *core, const struct email *email);

#define RETURN_PATH_ENVID_SIZE 49

/* The ENVID (RFC 3461 section 4.4), which servers see and readers do not: id and another tag. */
void core_return_path_envid(
    const struct core *core, const struct id *email, char envid_r[RETURN_PATH_ENVID_SIZE]);

/* Finds the first b+<id and tag> in text, be it an address, its local part, or a header field with
   addresses; upper and lower case are the same, as some servers hold it. False, and *email_r
   untouched, unless the tag is ours. */
bool core_return_path_read(const struct core *core, const char *text, struct id *email_r);

/* The same of an ENVID, which text must be. */
bool core_return_path_read_envid(const struct core *core, const char *text, struct id *email_r);

#endif

#ifndef CORE_COMPOSE_H
#define CORE_COMPOSE_H

#include <glib.h>

struct core;
struct email;
struct id;

/* The complete message of an email whose contents have been read, signed with its domain's keys;
   each time the same but for the time of the signature. The caller owns it. NOT_FOUND or INVALID
   when it can never be sent (its domain is gone, ...); TEMPORARY or FAILED when it cannot be
   composed now. */
GBytes *core_compose(struct core *core, const struct email *email, GError **error);

/* The return path of an email, b+<id and tag>@send.<domain>: reports that come back for it are
   known by the tag. The caller owns it. */
char *core_compose_return_path(struct core *core, const struct email *email);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_OVERRIDE_H
#define FCGI_HANDLERS_OVERRIDE_H

#include <glib.h>
#include <stdbool.h>

#include "store/choice.h"

struct call;
struct json;

/* The override that a client gives, which goes on the record with the key and its user: a member of
   the body, true, false or text; or a parameter of the query. It is stored in override, and borrows
   from the call; *given_r is it, or NULL where there is none. INVALID as of core_consent_read. */
bool override_read(const struct call *call, const struct json *member, struct override *override,
    const struct override **given_r, GError **error);
bool override_read_query(
    struct call *call, struct override *override, const struct override **given_r, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef FCGI_HANDLERS_OVERRIDE_H
#define FCGI_HANDLERS_OVERRIDE_H

#include <glib.h>
#include <stdbool.h>

#include "store/choice.h"

struct fcgi_call;
struct json;

/* The override that a client gives, which goes on the record with the key and its user: a member of
   the body, true, false or text; or a parameter of the query. It is stored in override, and borrows
   from the call; *given_r is it, or NULL where there is none. INVALID as of core_consent_read. */
bool fcgi_override_read(const struct fcgi_call *call, const struct json *member,
    struct store_consent_override *override, const struct store_consent_override **given_r,
    GError **error);
bool fcgi_override_read_query(struct fcgi_call *call, struct store_consent_override *override,
    const struct store_consent_override **given_r, GError **error);

#endif

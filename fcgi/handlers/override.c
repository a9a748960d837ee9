/* SPDX-License-Identifier: MIT */
/* Who goes against the choice of a person who has unsubscribed. */
#include "fcgi/handlers/override.h"

#include "core/consent.h"
#include "fcgi/call.h"
#include "fcgi/request.h"
#include "json/value.h"

static bool
read_text(const struct fcgi_call *call, const char *text, struct store_consent_override *override,
    const struct store_consent_override **given_r, GError **error)
{
	*override =
	    (struct store_consent_override){.user = &call->key.user_id, .key = &call->key.id};
	return core_consent_read(text, override, given_r, error);
}

bool
fcgi_override_read(const struct fcgi_call *call, const struct json *member,
    struct store_consent_override *override, const struct store_consent_override **given_r,
    GError **error)
{
	const char *text = !member			      ? NULL
			   : json_kind(member) == JSON_STRING ? json_string(member, NULL)
			   : json_boolean(member)	      ? "true"
							      : "false";

	return read_text(call, text, override, given_r, error);
}

bool
fcgi_override_read_query(struct fcgi_call *call, struct store_consent_override *override,
    const struct store_consent_override **given_r, GError **error)
{
	const char *text;

	return fcgi_request_query(call->request, "override", &text, error) &&
	       read_text(call, text, override, given_r, error);
}

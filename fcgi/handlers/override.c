/* SPDX-License-Identifier: MIT */
/* Who goes against the choice of a person who has unsubscribed. */
#include "fcgi/handlers/override.h"

#include "core/consent.h"
#include "fcgi/call.h"
#include "fcgi/request.h"
#include "json/value.h"

static bool
read_text(const struct call *call, const char *text, struct override *override,
    const struct override **given_r, GError **error)
{
	*override = (struct override){.user = &call->key.user_id, .key = &call->key.id};
	return core_consent_read(text, override, given_r, error);
}

bool
override_read(const struct call *call, const struct json *member, struct override *override,
    const struct override **given_r, GError **error)
{
	const char *text = !member			      ? NULL
			   : json_kind(member) == JSON_STRING ? json_string(member, NULL)
			   : json_boolean(member)	      ? "true"
							      : "false";

	return read_text(call, text, override, given_r, error);
}

bool
override_read_query(
    struct call *call, struct override *override, const struct override **given_r, GError **error)
{
	const char *text;

	return request_query(call->request, "override", &text, error) &&
	       read_text(call, text, override, given_r, error);
}

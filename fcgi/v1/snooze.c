/* SPDX-License-Identifier: MIT */
/* Pauses of mailings (/v1/people/{email}/snooze). */
#include "fcgi/v1/handlers.h"

#include "api/fields.h"
#include "consent/consent.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "person/snooze.h"

struct input {
	const struct json *override; /* NULL: null, or not given */
	gint64 until;
};

static const struct json_field fields[] = {FIELDS_SNOOZE_CHANGE(struct input)};

const struct json_table fcgi_snooze_body = JSON_TABLE(fields);

static bool
snooze_reply(struct fcgi_call *call, bool done, const struct store_snooze *snooze)
{
	return done && fcgi_page_reply_view(call, &person_snooze_view, snooze);
}

bool
fcgi_snooze_get(struct fcgi_call *call, GError **error)
{
	struct store_snooze snooze;
	bool done = person_snooze_get(
	    call->service, &call->key.workspace_id, call->arguments[0], &snooze, error);

	return snooze_reply(call, done, &snooze);
}

static bool
snooze_put(struct fcgi_call *call, struct person_snooze_operator *operator, gint64 until,
    struct store_snooze *snooze_r, GError **error)
{
	operator->until = until;
	return person_snooze(
	    call->service, &call->key.workspace_id, call->arguments[0], operator, snooze_r, error);
}

bool
fcgi_snooze_put(struct fcgi_call *call, GError **error)
{
	const struct store_consent_act act = fcgi_call_act(call);
	struct person_snooze_operator operator= {.act = &act};
	struct store_consent_override override;
	struct store_snooze snooze;
	struct input input = {0};
	bool done =
	    json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) &&
	    fcgi_call_override(call, input.override, &override, &operator.override, error) &&
	    snooze_put(call, &operator, input.until, &snooze, error);

	return snooze_reply(call, done, &snooze);
}

bool
fcgi_snooze_delete(struct fcgi_call *call, GError **error)
{
	const struct store_consent_act act = fcgi_call_act(call);
	struct person_snooze_operator operator= {.act = &act};
	struct store_consent_override override;

	if (!fcgi_call_override_query(call, &override, &operator.override, error) ||
	    !person_snooze_end(
		call->service, &call->key.workspace_id, call->arguments[0], &operator, error))
		return false;
	fcgi_reply_message(call->reply, "Snooze ended");
	return true;
}

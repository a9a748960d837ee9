/* SPDX-License-Identifier: MIT */
/* Takes events of contacts, which start and continue workflows (POST /v1/events). */
#include "fcgi/handlers/handlers.h"

#include "automation/event.h"
#include "fcgi/call.h"
#include "json/fields.h"
#include "store/idempotency.h"

/* clang-format off */
static const struct json_field fields[] = {
	JSON_FIELD("event_name", FIELD_STRING, struct automation_event_input, name, .required = true),
	JSON_FIELD("email", FIELD_STRING, struct automation_event_input, email, .required = true, .min = 1),
	JSON_FIELD("properties", FIELD_OBJECT, struct automation_event_input, properties),
};
/* clang-format on */

const struct json_table fcgi_events_body = JSON_TABLE(fields);

bool
fcgi_events_post(struct fcgi_call *call, GError **error)
{
	struct automation_event_input input = {0};
	struct automation_event_answer answer;
	struct store_idempotency key = {0};
	bool given;

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) ||
	    !fcgi_call_idempotency(call, &key, &given, error) ||
	    !automation_event_record(
		call->core, &call->key.workspace_id, &input, given ? &key : NULL, &answer, error))
		return false;
	if (answer.replayed)
		fcgi_reply_header(call->reply, "Idempotent-Replayed", "true");
	fcgi_reply_json_text(call->reply, 200, answer.text);
	return true;
}

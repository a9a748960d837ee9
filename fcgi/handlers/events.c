/* What contacts do, as clients tell it. */
#include "fcgi/handlers/events.h"

#include "automation/event.h"
#include "fcgi/call.h"
#include "fcgi/handlers/idempotency.h"
#include "json/fields.h"
#include "store/idempotency.h"

/* clang-format off */
static const struct json_field fields[] = {
	JSON_FIELD("event_name", FIELD_STRING, struct automation_event_input, name, .required = true),
	JSON_FIELD("email", FIELD_STRING, struct automation_event_input, email, .required = true, .min = 1),
	JSON_FIELD("properties", FIELD_OBJECT, struct automation_event_input, properties),
};
/* clang-format on */

const struct json_table events_body = JSON_TABLE(fields);

bool
events_post(struct call *call, GError **error)
{
	struct automation_event_input input = {0};
	struct automation_answer answer;
	struct idempotency key = {0};
	bool given;

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) ||
	    !idempotency_read(call, &key, &given, error) ||
	    !automation_event_take(
		call->core, &call->key.workspace_id, &input, given ? &key : NULL, &answer, error))
		return false;
	if (answer.replayed)
		reply_header(call->reply, "Idempotent-Replayed", "true");
	reply_json_text(call->reply, 200, answer.text);
	return true;
}

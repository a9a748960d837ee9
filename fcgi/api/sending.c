/* SPDX-License-Identifier: MIT */
/* Says which emails wait, and what their checks look up, by their JSON. */
#include "fcgi/api/sending.h"

#include "config/settings.h"
#include "email/prefetch.h"
#include "fcgi/api/context.h"
#include "json/value.h"
#include "service/service.h"

/* An email that is attempted at once waits for a relay, and an attachment by URL for its server. */
static bool
sending_waits(const struct fcgi_call *call)
{
	const struct json *attachments = json_member_get(call->json, "attachments");
	gsize count = attachments && json_kind(attachments) == JSON_ARRAY
			  ? json_array_length(attachments)
			  : 0;

	for (gsize i = 0; i < count; i++) {
		const struct json *attachment = json_array_at(attachments, i);
		if (json_kind(attachment) == JSON_OBJECT && json_member_get(attachment, "path"))
			return true;
	}
	return config_settings_choice(call->service->settings, SETTING_SERVICE_MODE) == MODE_SYNC;
}

/* A member that is a text, or an array of one text; else NULL. */
static const char *
only_text(const struct json *object, const char *name)
{
	const struct json *value = json_member_get(object, name);

	if (value && json_kind(value) == JSON_ARRAY && json_array_length(value) == 1)
		value = json_array_at(value, 0);
	return value && json_kind(value) == JSON_STRING ? json_string(value, NULL) : NULL;
}

/* The sender and the only recipient. */
static void
sending_foresee(const struct fcgi_call *call, struct email_prefetch *ahead)
{
	email_prefetch_add(ahead, &call->key.workspace_id, only_text(call->json, "from"),
	    only_text(call->json, "to"));
}

const struct fcgi_gathering fcgi_sending_gathering = {sending_waits, sending_foresee};

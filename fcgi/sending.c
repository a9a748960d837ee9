/* SPDX-License-Identifier: MIT */
/* Attempts an email that a request has stored, in sync mode. */
#include "fcgi/sending.h"

#include "config/log.h"
#include "config/settings.h"
#include "core/ahead.h"
#include "core/core.h"
#include "core/deliver.h"
#include "core/submit.h"
#include "fcgi/call.h"
#include "json/value.h"

/* Waits until the delivery that the request started has ended, and logs its trouble. */
static void
finish_delivery(struct core *core, void *data)
{
	struct core_delivery *delivery = data;

	core_deliver_wait(delivery, 0);
	if (core_deliver_trouble(delivery))
		config_log("delivery: %s", core_deliver_trouble(delivery)->message);
	core_deliver_free(delivery);
}

void
fcgi_sending_follow(struct fcgi_call *call, struct core_request *request)
{
	struct core_sending *sending = (struct core_sending *)request;
	struct core_delivery *delivery = core_send_attempt(call->core, sending);

	if (sending->trouble)
		config_log("%s", sending->trouble->message);
	if (delivery)
		fcgi_call_after(call, finish_delivery, delivery);
}

static void
attempt_later(struct core *core, void *data)
{
	struct core_sending *sending = data;
	struct core_delivery *delivery = core_send_attempt(core, sending);

	if (sending->trouble)
		config_log("%s", sending->trouble->message);
	core_request_free(&sending->request);
	if (delivery)
		finish_delivery(core, delivery);
}

void
fcgi_sending_later(struct fcgi_call *call, struct core_sending *sending)
{
	if (sending)
		fcgi_call_after(call, attempt_later, sending);
}

bool
fcgi_sending_waits(const struct fcgi_call *call)
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
	return config_settings_choice(call->core->settings, SETTING_SERVICE_MODE) == MODE_SYNC;
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

void
fcgi_sending_foresee(const struct fcgi_call *call, struct core_ahead *ahead)
{
	core_ahead_add(ahead, &call->key.workspace_id, only_text(call->json, "from"),
	    only_text(call->json, "to"));
}

/* SPDX-License-Identifier: MIT */
/* Attempts an email that a request has stored, in sync mode. */
#include "fcgi/api/sending.h"

#include "config/log.h"
#include "config/settings.h"
#include "delivery/delivery.h"
#include "email/prefetch.h"
#include "fcgi/api/context.h"
#include "json/value.h"
#include "service/service.h"
#include "submit/submit.h"

/* Waits until the delivery that the request started has ended, and logs its trouble. */
static void
finish_delivery(struct service *service, void *data)
{
	struct delivery *delivery = data;

	delivery_wait(delivery, 0);
	if (delivery_trouble(delivery))
		config_log("delivery: %s", delivery_trouble(delivery)->message);
	delivery_free(delivery);
}

void
fcgi_sending_follow(struct fcgi_call *call, struct service_once *request)
{
	struct submit_sending *sending = (struct submit_sending *)request;
	struct delivery *delivery = submit_send_attempt(call->service, sending);

	if (sending->trouble)
		config_log("%s", sending->trouble->message);
	if (delivery)
		fcgi_call_after(call, finish_delivery, delivery);
}

static void
attempt_later(struct service *service, void *data)
{
	struct submit_sending *sending = data;
	struct delivery *delivery = submit_send_attempt(service, sending);

	if (sending->trouble)
		config_log("%s", sending->trouble->message);
	service_once_free(&sending->request);
	if (delivery)
		finish_delivery(service, delivery);
}

void
fcgi_sending_later(struct fcgi_call *call, struct submit_sending *sending)
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

void
fcgi_sending_foresee(const struct fcgi_call *call, struct email_prefetch *ahead)
{
	email_prefetch_add(ahead, &call->key.workspace_id, only_text(call->json, "from"),
	    only_text(call->json, "to"));
}

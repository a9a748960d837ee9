/* SPDX-License-Identifier: MIT */
/* Tells the log what became of the attempts to deliver a message. */
#include "delivery/attempt_log.h"

#include <string.h>

#include "base/clock.h"
#include "config/log_line.h"
#include "config/settings.h"
#include "delivery/message.h"
#include "email/test_address.h"
#include "relay/destination.h"
#include "service/metrics.h"
#include "service/service.h"

#define REPLY_BYTES 500

static const char *
result_of(const struct delivery_message *message, const struct smtp_recipient *recipient)
{
	switch (recipient->outcome) {
	case SMTP_SENT:
		return "sent";
	case SMTP_PERMANENT:
		return recipient->stage == SMTP_STAGE_RCPT ? "bounced" : "failed";
	case SMTP_TEMPORARY:
	case SMTP_UNCERTAIN:
		return message->gave_up ? "failed" : "delayed";
	default:
		return NULL;
	}
}

static const char *
attempt_log_domain_of(const char *address)
{
	const char *at = address ? strrchr(address, '@') : NULL;

	return at ? at + 1 : NULL;
}

static void
attempt_log_log_attempt(const struct delivery_message *message,
    const struct smtp_recipient *recipient, const char *relay, const char *result)
{
	bool sent = recipient->outcome == SMTP_SENT;
	struct config_log_line line;

	if (!config_log_line_begin(&line, sent ? LEVEL_INFO : LEVEL_WARNING, "attempt"))
		return;
	config_log_line_id(&line, "email", &message->entry.email_id);
	config_log_line_id(&line, "copy", &message->entry.id);
	config_log_line_text(&line, "relay", relay);
	config_log_line_text(&line, "domain", attempt_log_domain_of(recipient->address));
	config_log_line_address(&line, "to", recipient->address);
	config_log_line_text(&line, "result", result);
	if (recipient->code > 0)
		config_log_line_number(&line, "code", recipient->code);
	config_log_line_text(
	    &line, "enhanced", recipient->enhanced[0] ? recipient->enhanced : NULL);
	config_log_line_masked(&line, "reply", recipient->text, REPLY_BYTES);
	config_log_line_number(&line, "ms", message->took_us / 1000);
	config_log_line_end(&line);
}

void
delivery_attempt_log_tell(struct service *service, struct relay_destinations *destinations,
    const struct delivery_message *message)
{
	bool is_test = message->entry.is_test, tried = false;

	if ((message->relay < 0 && !is_test) || message->finished == 0)
		return;
	const char *relay =
	    is_test ? TEST_ADDRESS_RELAY
		    : config_settings_relay(service->settings, (guint)message->relay)->name;
	for (guint i = 0; i < message->smtp.count; i++) {
		const struct smtp_recipient *recipient = &message->smtp.recipients[i];
		const char *result = result_of(message, recipient);

		if (!result)
			continue;
		attempt_log_log_attempt(message, recipient, relay, result);
		if (is_test)
			continue;
		g_autofree char *domain = relay_destination_domain(recipient->address);
		service_metrics_add(METRIC_ATTEMPTS, 1, relay,
		    relay_destination_known(destinations, domain), result, NULL);
		if (message->source.index >= 0)
			service_metrics_add(METRIC_SOURCE_ATTEMPTS, 1, relay,
			    config_settings_relay(service->settings, (guint)message->relay)
				->sources[message->source.index],
			    result, NULL);
		tried = true;
	}
	if (tried)
		service_metrics_observe(service, METRIC_ATTEMPT_SECONDS, relay, message->took_us);
}

void
delivery_attempt_log_certificate(const struct config_relay *relay, gint64 end)
{
	if (end > 0)
		service_metrics_certificate(relay, end);
}

void
delivery_attempt_log_refused(
    const struct config_relay *relay, const char *stage, const struct relay_refusal *refusal)
{
	struct config_log_line line;

	service_metrics_refused(relay, stage, base_clock_now() + RELAY_REST_MS);
	if (!config_log_line_begin(&line, LEVEL_WARNING, "relay"))
		return;
	config_log_line_text(&line, "relay", relay->name);
	config_log_line_masked(&line, "reason", refusal->text, REPLY_BYTES);
	config_log_line_end(&line);
}

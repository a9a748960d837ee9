/* SPDX-License-Identifier: MIT */
/* Tells the log what became of the attempts to deliver a message. */
#include "core/attempt.h"

#include <string.h>

#include "base/clock.h"
#include "base/log_line.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/destination.h"
#include "core/message.h"
#include "core/metrics.h"
#include "core/test_address.h"

#define REPLY_BYTES 500

static const char *
result_of(const struct core_message *message, const struct smtp_recipient *recipient)
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
domain_of(const char *address)
{
	const char *at = address ? strrchr(address, '@') : NULL;

	return at ? at + 1 : NULL;
}

static void
log_attempt(const struct core_message *message, const struct smtp_recipient *recipient,
    const char *relay, const char *result)
{
	bool sent = recipient->outcome == SMTP_SENT;
	struct base_log_line line;

	if (!base_log_line_begin(&line, sent ? LEVEL_INFO : LEVEL_WARNING, "attempt"))
		return;
	base_log_line_id(&line, "email", &message->entry.email_id);
	base_log_line_id(&line, "copy", &message->entry.id);
	base_log_line_text(&line, "relay", relay);
	base_log_line_text(&line, "domain", domain_of(recipient->address));
	base_log_line_address(&line, "to", recipient->address);
	base_log_line_text(&line, "result", result);
	if (recipient->code > 0)
		base_log_line_number(&line, "code", recipient->code);
	base_log_line_text(&line, "enhanced", recipient->enhanced[0] ? recipient->enhanced : NULL);
	base_log_line_masked(&line, "reply", recipient->text, REPLY_BYTES);
	base_log_line_number(&line, "ms", message->took_us / 1000);
	base_log_line_end(&line);
}

void
core_attempt_tell(
    struct core *core, struct core_destinations *destinations, const struct core_message *message)
{
	bool is_test = message->entry.is_test, tried = false;

	if ((message->relay < 0 && !is_test) || message->finished == 0)
		return;
	const char *relay = is_test
				? TEST_ADDRESS_RELAY
				: base_settings_relay(core->settings, (guint)message->relay)->name;
	for (guint i = 0; i < message->smtp.count; i++) {
		const struct smtp_recipient *recipient = &message->smtp.recipients[i];
		const char *result = result_of(message, recipient);

		if (!result)
			continue;
		log_attempt(message, recipient, relay, result);
		if (is_test)
			continue;
		g_autofree char *domain = core_destination_domain(recipient->address);
		core_metrics_add(METRIC_ATTEMPTS, 1, relay,
		    core_destination_known(destinations, domain), result, NULL);
		tried = true;
	}
	if (tried)
		core_metrics_observe(core, METRIC_ATTEMPT_SECONDS, relay, message->took_us);
}

void
core_attempt_certificate(const struct base_relay *relay, gint64 end)
{
	if (end > 0)
		core_metrics_certificate(relay, end);
}

void
core_attempt_refused(
    const struct base_relay *relay, const char *stage, const struct core_relay_refusal *refusal)
{
	struct base_log_line line;

	core_metrics_refused(relay, stage, base_clock_now() + RELAY_REST_MS);
	if (!base_log_line_begin(&line, LEVEL_WARNING, "relay"))
		return;
	base_log_line_text(&line, "relay", relay->name);
	base_log_line_masked(&line, "reason", refusal->text, REPLY_BYTES);
	base_log_line_end(&line);
}

/* SPDX-License-Identifier: MIT */
/* Decides how test addresses behave, and answers in place of a relay. */
#include "core/test_address.h"

#include <string.h>

#include "base/clock.h"
#include "core/message.h"

/* The domains for tests, and the behaviour of names that are not among those below. */
static const struct {
	const char *name;
	bool resend; /* it is one under /resend alone */
	enum core_test_address other;
} domains[] = {
    {"test.posthouse.invalid", false, TEST_ADDRESS_BOUNCED},
    {"resend.dev", true, TEST_ADDRESS_UNKNOWN},
};

static const struct {
	const char *name;
	bool resend; /* it is one @resend.dev, too */
	enum core_test_address behaviour;
} names[] = {
    {"delivered", true, TEST_ADDRESS_DELIVERED},
    {"bounced", true, TEST_ADDRESS_BOUNCED},
    {"complained", true, TEST_ADDRESS_COMPLAINED},
    {"delayed", false, TEST_ADDRESS_DELAYED},
    {"suppressed", true, TEST_ADDRESS_SUPPRESSED},
};

enum core_test_address
core_test_address(const char *address, bool resend)
{
	const char *domain = strrchr(address, '@') + 1;
	gsize length = strcspn(address, "+@");
	guint d = 0;

	while (d < G_N_ELEMENTS(domains) &&
	       ((domains[d].resend && !resend) || strcmp(domains[d].name, domain) != 0))
		d++;
	if (d == G_N_ELEMENTS(domains))
		return TEST_ADDRESS_NONE;
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if ((names[i].resend || !domains[d].resend) && strlen(names[i].name) == length &&
		    g_ascii_strncasecmp(names[i].name, address, length) == 0)
			return names[i].behaviour;
	return domains[d].other;
}

bool
core_test_address_bounces_late(const char *address)
{
	return core_test_address(address, false) == TEST_ADDRESS_NONE &&
	       core_test_address(address, true) == TEST_ADDRESS_BOUNCED;
}

static void
reply(struct smtp_recipient *recipient, enum smtp_outcome outcome, int code, const char *enhanced)
{
	recipient->outcome = outcome;
	recipient->stage = SMTP_STAGE_RCPT;
	recipient->code = code;
	g_strlcpy(recipient->enhanced, enhanced, sizeof(recipient->enhanced));
	recipient->text = g_strdup("test address");
}

void
core_test_address_answer(struct core_message *message)
{
	for (guint i = 0; i < message->smtp.count; i++) {
		struct smtp_recipient *recipient = &message->smtp.recipients[i];
		enum core_test_address behaviour = core_test_address(recipient->address, true);

		if (behaviour == TEST_ADDRESS_BOUNCED || behaviour == TEST_ADDRESS_UNKNOWN)
			reply(recipient, SMTP_PERMANENT, 550, "5.1.1");
		else if (behaviour == TEST_ADDRESS_DELAYED && message->entry.attempts == 0)
			reply(recipient, SMTP_TEMPORARY, 450, "4.2.0");
		else
			recipient->outcome = SMTP_SENT;
	}
	message->finished = base_clock_now();
}

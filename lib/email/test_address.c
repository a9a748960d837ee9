/* SPDX-License-Identifier: MIT */
/* Decides how test addresses behave. */
#include "email/test_address.h"

#include <glib.h>
#include <string.h>

/* The domains for tests, and the behaviour of names that are not among those below. */
static const struct {
	const char *name;
	bool compat; /* it is one only where the email asks for it */
	enum email_test_address other;
} domains[] = {
    {"test.posthouse.invalid", false, TEST_ADDRESS_BOUNCED},
    {"resend.dev", true, TEST_ADDRESS_UNKNOWN},
};

static const struct {
	const char *name;
	bool compat; /* it is one at such a domain, too */
	enum email_test_address behaviour;
} names[] = {
    {"delivered", true, TEST_ADDRESS_DELIVERED},
    {"bounced", true, TEST_ADDRESS_BOUNCED},
    {"complained", true, TEST_ADDRESS_COMPLAINED},
    {"delayed", false, TEST_ADDRESS_DELAYED},
    {"suppressed", true, TEST_ADDRESS_SUPPRESSED},
};

enum email_test_address
email_test_address(const char *address, bool compat)
{
	const char *domain = strrchr(address, '@') + 1;
	gsize length = strcspn(address, "+@");
	guint d = 0;

	while (d < G_N_ELEMENTS(domains) &&
	       ((domains[d].compat && !compat) || strcmp(domains[d].name, domain) != 0))
		d++;
	if (d == G_N_ELEMENTS(domains))
		return TEST_ADDRESS_NONE;
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if ((names[i].compat || !domains[d].compat) && strlen(names[i].name) == length &&
		    g_ascii_strncasecmp(names[i].name, address, length) == 0)
			return names[i].behaviour;
	return domains[d].other;
}

bool
email_test_address_bounces_late(const char *address)
{
	return email_test_address(address, false) == TEST_ADDRESS_NONE &&
	       email_test_address(address, true) == TEST_ADDRESS_BOUNCED;
}

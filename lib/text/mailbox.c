/* SPDX-License-Identifier: MIT */
/* Tells which mailboxes can be sent to, and the provider of one by the domain of its address. */
#include "text/mailbox.h"

#include <glib.h>
#include <string.h>

#include "base/limits/email.h"
#include "text/hostname.h"

bool
text_mailbox_sendable(const char *address)
{
	gsize local = strcspn(address, "@");

	if (strlen(address) > LIMIT_ADDRESS_BYTES || local == 0 || local > LIMIT_LOCAL_PART_BYTES ||
	    address[local] != '@' || address[0] == '-')
		return false;
	for (gsize i = 0; i < local; i++)
		if (!g_ascii_isalnum(address[i]) && !strchr(".!#$%&'*+-/=?^_`{|}~", address[i]))
			return false;
	return text_hostname_is_host(address + local + 1);
}

/* The providers: their words, their domains, and the labels in front of the domains that they have
   in many countries. */
static const struct {
	const char *word, *domains[5], *labels[4];
} providers[] = {
    [MAILBOX_OTHER] = {"other", {NULL}, {NULL}},
    [MAILBOX_GMAIL] = {"gmail", {"gmail.com", "googlemail.com"}, {NULL}},
    [MAILBOX_MICROSOFT] = {"microsoft", {"outlook.com", "hotmail.com", "live.com", "msn.com"},
	{"outlook", "hotmail", "live"}},
    [MAILBOX_YAHOO] = {"yahoo", {"yahoo.com", "ymail.com", "aol.com"}, {"yahoo"}},
    [MAILBOX_APPLE] = {"apple", {"icloud.com", "me.com", "mac.com"}, {NULL}},
    [MAILBOX_GMX] = {"gmx", {"gmx.com", "gmx.net"}, {"gmx"}},
};

enum text_mailbox
text_mailbox_of_domain(const char *domain)
{
	for (guint i = 1; i < G_N_ELEMENTS(providers); i++)
		if (g_strv_contains(providers[i].domains, domain))
			return (enum text_mailbox)i;
	return MAILBOX_OTHER;
}

/* Whether a domain ends like those of a country: ".fr", ".co.uk", ".com.br". */
static bool
is_of_country(const char *end)
{
	if (g_str_has_prefix(end, ".co.") || g_str_has_prefix(end, ".com."))
		end = strchr(end + 1, '.');
	return strlen(end) == strlen(".fr") && !strchr(end + 1, '.');
}

static enum text_mailbox
of_country(const char *domain)
{
	gsize length = strcspn(domain, ".");
	g_autofree char *label = g_strndup(domain, length);

	if (!is_of_country(domain + length))
		return MAILBOX_OTHER;
	for (guint i = 1; i < G_N_ELEMENTS(providers); i++)
		if (g_strv_contains(providers[i].labels, label))
			return (enum text_mailbox)i;
	return MAILBOX_OTHER;
}

const char *
text_mailbox_word(const char *address)
{
	const char *at = strrchr(address, '@');
	g_autofree char *domain = g_ascii_strdown(at ? at + 1 : address, -1);
	enum text_mailbox mailbox = text_mailbox_of_domain(domain);

	return providers[mailbox ? mailbox : of_country(domain)].word;
}

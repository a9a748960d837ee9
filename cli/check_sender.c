/* SPDX-License-Identifier: MIT */
/* Checks what receivers know of the sending machine: the names of its addresses, and blocklists. */
#include "cli/doctor.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits/fetch.h"
#include "config/settings.h"
#include "dns/question.h"
#include "dns/resolver.h"
#include "mail/address.h"
#include "store/common/server.h"

/* The name that a relay is greeted with. */
static const char *
helo_of(const struct config_relay *relay)
{
	return *relay->helo ? relay->helo : g_get_host_name();
}

/* An IPv4 address from back to front, with a suffix: 4.3.2.1.in-addr.arpa. The caller owns it. */
static char *
reverse(const char *address, const char *suffix)
{
	g_auto(GStrv) bytes = g_strsplit(address, ".", 4);

	return g_strv_length(bytes) == 4 ? g_strdup_printf("%s.%s.%s.%s.%s", bytes[3], bytes[2],
					       bytes[1], bytes[0], suffix)
					 : g_strdup(suffix);
}

/* The answers, separated by commas; "no name" for none. The caller owns the text. */
static char *
list_answers(const struct dns_question *question)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new();

	for (guint i = 0; i < question->answers->len; i++) {
		const struct dns_answer *answer = question->answers->pdata[i];
		g_ptr_array_add(texts, answer->text);
	}
	g_ptr_array_add(texts, NULL);
	return g_strjoinv(", ", (char **)texts->pdata);
}

static bool
has_answer(const struct dns_question *question, const char *text)
{
	for (guint i = 0; i < question->answers->len; i++) {
		const struct dns_answer *answer = question->answers->pdata[i];

		if (g_ascii_strcasecmp(answer->text, text) == 0)
			return true;
	}
	return false;
}

/* Compares the name and the address of sessions. remedy: of a disagreement. */
static void
check_sender_compare(struct cli_faults *faults, const char *source, const char *helo,
    const struct dns_question *address, const struct dns_question *pointer, const char *remedy)
{
	g_autofree char *addresses = list_answers(address), *names = list_answers(pointer);

	if (address->outcome == DNS_NO_ANSWER || pointer->outcome == DNS_NO_ANSWER) {
		cli_faults_add(faults, STATE_WARN, "Correct servers in section [dns].",
		    "DNS gives no answer for %s and %s", helo, source);
		return;
	}
	if (!has_answer(address, source))
		cli_faults_add(faults, STATE_WARN, remedy, "%s, the name of EHLO, has %s%s, not %s",
		    helo, *addresses ? "the address " : "no address", addresses, source);
	if (!has_answer(pointer, helo))
		cli_faults_add(faults, STATE_WARN, remedy,
		    "%s has %s%s in DNS (PTR), not %s, the name of EHLO", source,
		    *names ? "the name " : "no name", names, helo);
}

/* Asks DNS about an address of a relay, and compares. False when it cannot be asked. */
static bool
check_sender_source(struct cli_doctor *doctor, struct cli_faults *faults,
    const struct config_relay *relay, const char *source)
{
	const struct config_source *own = config_settings_source_of(doctor->settings, source);
	bool has_own = own && *own->helo;
	const char *helo = has_own ? own->helo : helo_of(relay);
	g_autofree char *reversed = reverse(source, "in-addr.arpa");
	g_autofree char *remedy = g_strdup_printf(
	    "Have the owner of the address name it so (PTR), and set helo in section "
	    "[%s %s] to that name.",
	    has_own ? "source" : "relay", has_own ? source : relay->name);
	g_autoptr(GError) error = NULL;
	AUTO(dns_question) address = cli_check_ask_dns(doctor, helo, DNS_A, &error);
	AUTO(dns_question)
	pointer = address ? cli_check_ask_dns(doctor, reversed, DNS_PTR, &error) : NULL;

	if (!pointer) {
		cli_faults_add(
		    faults, STATE_WARN, "Correct servers in section [dns].", "%s", error->message);
		return false;
	}
	check_sender_compare(faults, source, helo, address, pointer, remedy);
	return true;
}

void
cli_check_helo(struct cli_doctor *doctor)
{
	struct cli_faults faults = {.texts = NULL};
	bool asked = true;
	guint count = 0;

	if (!doctor->settings)
		return;
	for (guint i = 0; asked && i < config_settings_relay_count(doctor->settings); i++) {
		const struct config_relay *relay = config_settings_relay(doctor->settings, i);

		for (guint k = 0; asked && relay->sources[k]; k++, count++)
			asked = check_sender_source(doctor, &faults, relay, relay->sources[k]);
	}
	if (cli_faults_tell(&faults, doctor, "helo"))
		return;
	if (count > 0)
		cli_check_ok(doctor, "helo", "the names of EHLO and those of the addresses agree");
	else
		cli_check_ok(doctor, "helo", "no relay has a source, whose name could be compared");
}

/* The nearest domain of any workspace by which mail from a name may be sent; NULL: there is none.
 */
static const struct store_server_domain *
domain_for(const struct cli_doctor *doctor, const char *name)
{
	for (const char *suffix = name; suffix && strchr(suffix, '.');
	     suffix = strchr(suffix, '.') + 1)
		for (guint i = 0; i < doctor->domains->len; i++) {
			const struct store_server_domain *domain = doctor->domains->pdata[i];

			if (domain->may_send && g_ascii_strcasecmp(domain->name, suffix) == 0)
				return domain;
		}
	return NULL;
}

/* A service without a sender of its own depends on the domains of its workspaces. */
static void
tell_no_sender(struct cli_doctor *doctor)
{
	struct store_inventory inventory;
	g_autoptr(GError) error = NULL;

	if (!store_server_count(doctor->db, base_clock_now(), &inventory, &error))
		cli_check_failed(doctor, "sender", error);
	else if (inventory.workspaces > 1)
		cli_check_bad(doctor, "sender", STATE_WARN, "Set sender in section [service].",
		    "mail that signs people in comes from the default senders of their workspaces");
	else if (doctor->only)
		cli_check_ok(doctor, "sender",
		    "mail that signs people in comes from the default sender of the workspace");
}

void
cli_check_service_sender(struct cli_doctor *doctor)
{
	if (!doctor->db || !doctor->domains)
		return;
	const char *sender = config_settings_text(doctor->settings, SETTING_SERVICE_SENDER);
	if (!*sender) {
		tell_no_sender(doctor);
		return;
	}
	AUTO(mail_address) from = mail_address_parse(sender, NULL);
	const char *name = from ? mail_address_domain(from) : sender;
	const struct store_server_domain *domain = from ? domain_for(doctor, name) : NULL;
	if (domain)
		cli_check_ok(doctor, "sender", "%s, signed by %s", sender, domain->name);
	else
		cli_check_bad(doctor, "sender", STATE_WARN,
		    cli_check_advice("Add its domain to a workspace (posthouse domain add), and "
				     "verify it; or set SETTING to an address in a domain that "
				     "may send.",
			SETTING_SERVICE_SENDER),
		    "no workspace may send from %s: mail that signs people in is not signed, and "
		    "may "
		    "be refused",
		    name);
}

static const char *const address_lists[] = {
    "zen.spamhaus.org", "bl.spamcop.net", "b.barracudacentral.org", "psbl.surriel.com", NULL};
static const char *const domain_lists[] = {"dbl.spamhaus.org", NULL};

/* The sending addresses: the sources of relays, and those of the names of EHLO. An array of char *,
   which the caller owns. */
static GPtrArray *
sending_addresses(const struct cli_doctor *doctor)
{
	GPtrArray *addresses = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < config_settings_relay_count(doctor->settings); i++) {
		const struct config_relay *relay = config_settings_relay(doctor->settings, i);
		AUTO(dns_question) named = NULL;

		for (guint k = 0; relay->sources[k]; k++)
			g_ptr_array_add(addresses, g_strdup(relay->sources[k]));
		if (!*relay->source)
			named = cli_check_ask_dns(doctor, helo_of(relay), DNS_A, NULL);
		for (guint k = 0; named && k < named->answers->len; k++) {
			const struct dns_answer *answer = named->answers->pdata[k];
			g_ptr_array_add(addresses, g_strdup(answer->text));
		}
	}
	return addresses;
}

/* Whether an answer says that the thing is listed. 127.255.255.x and 127.0.1.255 say that the list
   does not answer us. */
static bool
check_sender_is_listed(const struct dns_question *question)
{
	const struct dns_answer *answer =
	    question->outcome == DNS_FOUND ? question->answers->pdata[0] : NULL;

	return answer && g_str_has_prefix(answer->text, "127.") &&
	       !g_str_has_prefix(answer->text, "127.255.255.") &&
	       strcmp(answer->text, "127.0.1.255") != 0;
}

/* A thing on a list, if it is there. */
struct listing {
	const char *thing, *list;
	struct dns_question *question;
};

static void
free_listing(void *data)
{
	struct listing *listing = data;

	dns_question_free(listing->question);
	g_free(listing);
}

/* Adds the questions whether thing is on the lists. name: its part of each question. */
static void
add_listings(GPtrArray *listings, const char *thing, const char *const *lists, bool is_address)
{
	for (; *lists; lists++) {
		struct listing *listing = g_new(struct listing, 1);
		g_autofree char *name =
		    is_address ? reverse(thing, *lists) : g_strdup_printf("%s.%s", thing, *lists);

		*listing = (struct listing){thing, *lists, dns_question_new(name, DNS_A)};
		g_ptr_array_add(listings, listing);
	}
}

/* Asks all at once. False when no DNS server can be asked. */
static bool
ask_listings(const struct cli_doctor *doctor, const GPtrArray *listings)
{
	g_autoptr(GPtrArray) questions = g_ptr_array_new();

	for (guint i = 0; i < listings->len; i++)
		g_ptr_array_add(questions, ((struct listing *)listings->pdata[i])->question);
	return dns_ask(config_settings_list(doctor->settings, SETTING_DNS_SERVERS),
	    (struct dns_question *const *)questions->pdata, questions->len, LIMIT_DNS_MS, NULL);
}

static void
judge_listings(struct cli_doctor *doctor, const GPtrArray *listings)
{
	struct cli_faults faults = {.texts = NULL};
	guint answered = 0;

	for (guint i = 0; i < listings->len; i++) {
		const struct listing *listing = listings->pdata[i];

		answered += listing->question->outcome != DNS_NO_ANSWER;
		if (check_sender_is_listed(listing->question))
			cli_faults_add(&faults, STATE_WARN,
			    "Find out why on the list's own page, end that, and ask it to take the "
			    "entry out.",
			    "%s is listed at %s", listing->thing, listing->list);
	}
	if (listings->len > 0 && answered == 0)
		cli_faults_add(&faults, STATE_WARN, "Correct servers in section [dns].",
		    "DNS gives no answer for any blocklist");
	if (!cli_faults_tell(&faults, doctor, "blocklists"))
		cli_check_ok(doctor, "blocklists", "nothing is listed, in %u of %u questions",
		    answered, listings->len);
}

void
cli_check_blocklists(struct cli_doctor *doctor)
{
	g_autoptr(GPtrArray) listings = g_ptr_array_new_with_free_func(free_listing);

	if (!doctor->settings || (!doctor->asks_blocklists && !doctor->only))
		return;
	g_autoptr(GPtrArray) addresses = sending_addresses(doctor);
	for (guint i = 0; i < addresses->len; i++)
		add_listings(listings, addresses->pdata[i], address_lists, true);
	for (guint i = 0; doctor->domains && i < doctor->domains->len; i++) {
		const struct store_server_domain *domain = doctor->domains->pdata[i];
		add_listings(listings, domain->name, domain_lists, false);
	}
	if (listings->len > 0 && !ask_listings(doctor, listings))
		cli_check_bad(doctor, "blocklists", STATE_WARN, "Correct servers in section [dns].",
		    "no DNS server can be asked");
	else
		judge_listings(doctor, listings);
}

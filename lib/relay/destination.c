/* SPDX-License-Identifier: MIT */
/* Joins domains to destinations by their names and their MX records, and keeps the results in a
   file.

   The file is an array of numbers. The hash of a domain chooses the place of its number, which
   holds 40 further bits of the hash, the provider, and the minute of the lookup. Such a number is
   written and read as a whole, so nobody locks the file; of two domains in one place the later one
   stays. */
#include "relay/destination.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits/fetch.h"
#include "config/settings.h"
#include "dns/resolver.h"
#include "text/mailbox.h"

#define FILE_NAME "destinations"
#define PLACES 16384
#define MARK_BITS 40
#define PROVIDER_BITS 3
#define MINUTE_BITS 21 /* four years */
#define MINUTE_MS 60000
#define KEPT_MINUTES (24 * 60)

G_STATIC_ASSERT(MARK_BITS + PROVIDER_BITS + MINUTE_BITS == 64);

/* The providers: their names, and the domains of their MX. A number of the file is an index from 1
   on, which is that of text/mailbox.h; 0: the domain itself. */
static const struct {
	const char *name, *mx[3];
} providers[] = {
    [MAILBOX_GMAIL - 1] = {"gmail.com", {"google.com", "googlemail.com"}},
    [MAILBOX_MICROSOFT - 1] = {"outlook.com", {"outlook.com"}},
    [MAILBOX_YAHOO - 1] = {"yahoo.com", {"yahoodns.net"}},
    [MAILBOX_APPLE - 1] = {"icloud.com", {"icloud.com"}},
};

G_STATIC_ASSERT(G_N_ELEMENTS(providers) < 1 << PROVIDER_BITS);

struct relay_destinations {
	const struct config_settings *settings;
	int fd; /* -1: there is no file */
};

char *
relay_destination_domain(const char *address)
{
	const char *at = strrchr(address, '@');

	return g_ascii_strdown(at ? at + 1 : address, -1);
}

/* The number of the provider that has a domain; 0: none. */
static guint
destination_by_name(const char *domain)
{
	guint number = text_mailbox_of_domain(domain);

	return number <= G_N_ELEMENTS(providers) ? number : 0;
}

const char *
relay_destination_by_name(const char *domain)
{
	guint number = destination_by_name(domain);

	return number ? providers[number - 1].name : NULL;
}

/* Whether host is domain or below it. */
static bool
destination_is_in(const char *host, const char *domain)
{
	gsize size = strlen(host), tail = strlen(domain);

	if (size < tail || g_ascii_strcasecmp(host + size - tail, domain) != 0)
		return false;
	return size == tail || host[size - tail - 1] == '.';
}

/* The number of the provider that has an MX host; 0: none. */
static guint
by_mx(const char *given)
{
	g_autofree char *host = g_strdup(given);

	if (g_str_has_suffix(host, "."))
		host[strlen(host) - 1] = '\0';
	for (guint i = 0; i < G_N_ELEMENTS(providers); i++)
		for (guint j = 0; providers[i].mx[j]; j++)
			if (destination_is_in(host, providers[i].mx[j]))
				return i + 1;
	return 0;
}

struct relay_destinations *
relay_destination_open(const struct config_settings *settings)
{
	struct relay_destinations *destinations = g_new0(struct relay_destinations, 1);
	g_autofree char *path =
	    g_build_filename(config_settings_text(settings, SETTING_SPOOL_DIR), FILE_NAME, NULL);

	destinations->settings = settings;
	destinations->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return destinations;
}

void
relay_destination_close(struct relay_destinations *destinations)
{
	if (destinations->fd >= 0)
		close(destinations->fd);
	g_free(destinations);
}

/* The hash of a domain: the place of its number, and the mark in it. */
static void
destination_hash(const char *domain, off_t *place_r, guint64 *mark_r)
{
	g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 digest[32];
	gsize size = sizeof(digest);
	guint64 mark;
	guint32 place;

	g_checksum_update(checksum, (const guchar *)domain, -1);
	g_checksum_get_digest(checksum, digest, &size);
	memcpy(&mark, digest, sizeof(mark));
	memcpy(&place, digest + sizeof(mark), sizeof(place));
	*place_r = (off_t)(place % PLACES) * (off_t)sizeof(guint64);
	*mark_r = mark >> (64 - MARK_BITS);
}

static guint64
minute_of_now(void)
{
	return (guint64)(base_clock_now() / MINUTE_MS) & ((1 << MINUTE_BITS) - 1);
}

/* The number of a domain's provider, 0 for none. False when it has to be looked up. */
static bool
destination_recall(
    const struct relay_destinations *destinations, const char *domain, guint *number_r)
{
	guint64 kept, mark, minutes = (1 << MINUTE_BITS) - 1;
	off_t place;

	*number_r = destination_by_name(domain);
	if (*number_r)
		return true;
	destination_hash(domain, &place, &mark);
	if (destinations->fd < 0 ||
	    pread(destinations->fd, &kept, sizeof(kept), place) != (ssize_t)sizeof(kept) ||
	    kept >> (64 - MARK_BITS) != mark)
		return false;
	*number_r = (guint)(kept >> MINUTE_BITS) & ((1 << PROVIDER_BITS) - 1);
	return kept != 0 && *number_r <= G_N_ELEMENTS(providers) &&
	       ((minute_of_now() - kept) & minutes) < KEPT_MINUTES;
}

static void
destination_keep(const struct relay_destinations *destinations, const char *domain, guint number)
{
	guint64 mark;
	off_t place;

	destination_hash(domain, &place, &mark);
	guint64 kept = mark << (64 - MARK_BITS) | (guint64)number << MINUTE_BITS | minute_of_now();
	/* If this fails, the domain is only looked up again. */
	if (destinations->fd >= 0 && pwrite(destinations->fd, &kept, sizeof(kept), place) < 0)
		g_debug("destinations: %s", g_strerror(errno));
}

static const char *
destination_name_of(guint number, const char *domain)
{
	return number ? providers[number - 1].name : domain;
}

const char *
relay_destination_known(struct relay_destinations *destinations, const char *domain)
{
	guint number;

	return destination_recall(destinations, domain, &number)
		   ? destination_name_of(number, domain)
		   : domain;
}

/* The number of the provider that the best MX of an answer belongs to; 0: none. */
static guint
destination_judge(const struct dns_question *question)
{
	guint32 best = G_MAXUINT32;
	guint number = 0;

	for (guint i = 0; question->outcome == DNS_FOUND && i < question->answers->len; i++) {
		const struct dns_answer *answer = question->answers->pdata[i];
		guint own = by_mx(answer->text);

		if (answer->number < best || (answer->number == best && own))
			number = own;
		best = MIN(best, answer->number);
	}
	return number;
}

void
relay_destination_find(struct relay_destinations *destinations, const char *const *domains,
    guint count, const char **names_r)
{
	g_autoptr(GHashTable) asked = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) questions = g_ptr_array_new_with_free_func(dns_question_destroy);
	guint number;

	for (guint i = 0; i < count; i++) {
		names_r[i] = destination_recall(destinations, domains[i], &number)
				 ? destination_name_of(number, domains[i])
				 : NULL;
		if (names_r[i] || !g_hash_table_add(asked, (char *)domains[i]))
			continue;
		g_ptr_array_add(questions, dns_question_new(domains[i], DNS_MX));
	}
	if (questions->len == 0)
		return;
	/* A resolver that cannot be set up is as good as none that answers. */
	dns_ask(config_settings_list(destinations->settings, SETTING_DNS_SERVERS),
	    (struct dns_question *const *)questions->pdata, questions->len,
	    LIMIT_DESTINATION_DNS_MS, NULL);
	for (guint q = 0; q < questions->len; q++) {
		const struct dns_question *question = questions->pdata[q];

		number = destination_judge(question);
		destination_keep(destinations, question->name, number);
		for (guint i = 0; i < count; i++)
			if (!names_r[i] && !strcmp(domains[i], question->name))
				names_r[i] = destination_name_of(number, domains[i]);
	}
}

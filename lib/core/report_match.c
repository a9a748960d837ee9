/* Of which email, and of whom, a report is. */
#include "core/report_match.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "core/core.h"
#include "core/return_path.h"
#include "mail/address.h"
#include "mail/report.h"
#include "store/report.h"

static bool
read_token(const struct core *core, const struct mail_report *report, const char *const *envelope,
    struct id *email_r)
{
	for (; *envelope; envelope++)
		if (core_return_path_read(core, *envelope, email_r))
			return true;
	for (guint i = 0; i < report->paths->len; i++)
		if (core_return_path_read(core, report->paths->pdata[i], email_r))
			return true;
	return report->envid && core_return_path_read_envid(core, report->envid, email_r);
}

/* *email_r stays NULL when there is no such email. */
static bool
find(struct core *core, const struct id *id, struct reported **email_r, GError **error)
{
	g_autoptr(GError) failure = NULL;

	*email_r = store_report_find(core->db, id, &failure);
	if (*email_r || g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		return true;
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

/* A Message-ID as core/compose.c makes it. */
static bool
read_message_id(const char *message_id, struct id *id_r, const char **domain_r)
{
	const char *at = strchr(message_id, '@');

	if (!at || at - message_id != ID_TEXT_SIZE - 1)
		return false;
	g_autofree char *text = g_strndup(message_id, ID_TEXT_SIZE - 1);
	*domain_r = at + 1;
	return base_id_parse(text, id_r);
}

static bool
is_believed(const struct reported *email, const char *domain)
{
	AUTO(mail_address) sender = mail_address_parse(email->sender, NULL);

	return sender && g_ascii_strcasecmp(mail_address_domain(sender), domain) == 0 &&
	       email->sent >= base_clock_now() - REPORT_MATCH_WEAK_MS;
}

static bool
match_message_id(
    struct core *core, const struct mail_report *report, struct reported **email_r, GError **error)
{
	const char *domain;
	struct id id;

	for (guint i = 0; i < report->message_ids->len; i++) {
		AUTO(reported) email = NULL;

		if (!read_message_id(report->message_ids->pdata[i], &id, &domain))
			continue;
		if (!find(core, &id, &email, error))
			return false;
		if (!email || !is_believed(email, domain))
			continue;
		*email_r = g_steal_pointer(&email);
		return true;
	}
	return true;
}

bool
core_report_match(struct core *core, const struct mail_report *report, const char *const *envelope,
    struct reported **email_r, bool *strong_r, GError **error)
{
	struct id id;

	*email_r = NULL;
	*strong_r = read_token(core, report, envelope, &id);
	return *strong_r ? find(core, &id, email_r, error)
			 : match_message_id(core, report, email_r, error);
}

static bool
find_recipient(const struct reported *email, const char *address, guint *number_r)
{
	for (guint i = 0; address && i < email->recipients->len; i++)
		if (mail_report_names(address, email->recipients->pdata[i])) {
			*number_r = i;
			return true;
		}
	return false;
}

static bool
is_only(const struct reported *email, bool strong, guint *number_r)
{
	*number_r = 0;
	return strong && email->recipients->len == 1;
}

bool
core_report_match_recipient(const struct reported *email, const struct mail_report_recipient *said,
    bool strong, guint *number_r)
{
	return find_recipient(email, said->original, number_r) ||
	       find_recipient(email, said->final, number_r) || is_only(email, strong, number_r);
}

bool
core_report_match_addressee(
    const struct reported *email, const struct mail_report *report, bool strong, guint *number_r)
{
	guint found = 0, number;

	for (guint i = 0; i < report->addressees->len; i++)
		if (find_recipient(email, report->addressees->pdata[i], &number)) {
			found += found == 0 || number != *number_r;
			*number_r = number;
		}
	return found == 1 || (found == 0 && is_only(email, strong, number_r));
}

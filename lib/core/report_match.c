/* SPDX-License-Identifier: MIT */
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
    struct core_return_path *copy_r)
{
	for (; *envelope; envelope++)
		if (core_return_path_read(core, *envelope, copy_r))
			return true;
	for (guint i = 0; i < report->paths->len; i++)
		if (core_return_path_read(core, report->paths->pdata[i], copy_r))
			return true;
	return report->envid && core_return_path_read_envid(core, report->envid, copy_r);
}

/* *email_r stays NULL when there is no such email. */
static bool
find(struct core *core, const struct base_id *id, struct store_reported **email_r, GError **error)
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
read_message_id(const char *message_id, struct base_id *id_r, const char **domain_r)
{
	const char *at = strchr(message_id, '@');

	if (!at || at - message_id != ID_TEXT_SIZE - 1)
		return false;
	g_autofree char *text = g_strndup(message_id, ID_TEXT_SIZE - 1);
	*domain_r = at + 1;
	return base_id_parse(text, id_r);
}

static bool
is_believed(const struct store_reported *email, const char *domain)
{
	AUTO(mail_address) sender = mail_address_parse(email->sender, NULL);

	return sender && g_ascii_strcasecmp(mail_address_domain(sender), domain) == 0 &&
	       email->sent >= base_clock_now() - REPORT_MATCH_WEAK_MS;
}

static bool
match_message_id(struct core *core, const struct mail_report *report,
    struct store_reported **email_r, GError **error)
{
	const char *domain;
	struct base_id id;

	for (guint i = 0; i < report->message_ids->len; i++) {
		AUTO(store_reported) email = NULL;

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

/* Every copy of an email to one recipient is that one's. */
static guint
owner_of(const struct store_reported *email, const struct core_return_path *copy)
{
	return copy->recipient == RETURN_PATH_SHARED && email->recipients->len == 1
		   ? 0
		   : copy->recipient;
}

bool
core_report_match(struct core *core, const struct mail_report *report, const char *const *envelope,
    struct store_reported **email_r, guint *recipient_r, GError **error)
{
	struct core_return_path copy;

	*email_r = NULL;
	*recipient_r = RETURN_PATH_SHARED;
	if (!read_token(core, report, envelope, &copy))
		return match_message_id(core, report, email_r, error);
	if (!find(core, &copy.email, email_r, error))
		return false;
	if (*email_r)
		*recipient_r = owner_of(*email_r, &copy);
	return true;
}

static bool
find_recipient(const struct store_reported *email, const char *address, guint *number_r)
{
	for (guint i = 0; address && i < email->recipients->len; i++)
		if (mail_report_names(address, email->recipients->pdata[i])) {
			*number_r = i;
			return true;
		}
	return false;
}

static bool
is_known(const struct store_reported *email, guint number)
{
	return number < email->recipients->len &&
	       *(const char *)email->recipients->pdata[number] != '\0';
}

bool
core_report_match_recipient(const struct store_reported *email,
    const struct mail_report_recipient *said, guint recipient, guint *number_r)
{
	bool named = find_recipient(email, said->original, number_r) ||
		     find_recipient(email, said->final, number_r);

	if (recipient == RETURN_PATH_SHARED)
		return named;
	/* Nobody of ours is named where the mailbox forwards its mail. */
	if (named && *number_r != recipient)
		return false;
	*number_r = recipient;
	return is_known(email, recipient);
}

bool
core_report_match_addressee(const struct store_reported *email, const struct mail_report *report,
    guint recipient, guint *number_r)
{
	guint found = 0, number;

	if (recipient != RETURN_PATH_SHARED) {
		*number_r = recipient;
		return report->recipients->len == 0 && is_known(email, recipient);
	}
	for (guint i = 0; i < report->addressees->len; i++)
		if (find_recipient(email, report->addressees->pdata[i], &number)) {
			found += found == 0 || number != *number_r;
			*number_r = number;
		}
	return found == 1;
}

/* SPDX-License-Identifier: MIT */
/* Finds the email that a report is about, and what it says of whom. */
#include "feedback/report_match.h"

#include <string.h>

#include "base/clock.h"
#include "consent/unsubscribe.h"
#include "link/token.h"
#include "mail/address.h"
#include "store/email/event.h"

/* A Message-ID is evidence for so long. */
#define MESSAGE_ID_MS ((gint64)30 * 24 * 60 * 60 * 1000)

/* Reads the token of the unsubscribe address or page in the message complained about. */
static bool
report_read_list(const struct service *service, const struct mail_report *report,
    struct link_return_path *path_r)
{
	struct link_token token;

	for (guint i = 0; i < report->lists->len; i++)
		if (consent_unsubscribe_read(service, report->lists->pdata[i], &token)) {
			*path_r = (struct link_return_path){token.email, token.recipient};
			return true;
		}
	return false;
}

/* Reads the token of the address for complaints that the report was sent to. */
static bool
report_read_complaint(const struct service *service, const struct mail_report *report,
    const char *const *envelope, struct link_return_path *path_r)
{
	for (; *envelope; envelope++)
		if (link_return_path_find_complaint(service, *envelope, path_r))
			return true;
	for (guint i = 0; i < report->paths->len; i++)
		if (link_return_path_find_complaint(service, report->paths->pdata[i], path_r))
			return true;
	return false;
}

/* Reads the token in the field CFBL-Feedback-ID of the message complained about. */
static bool
report_read_feedback_id(const struct service *service, const struct mail_report *report,
    struct link_return_path *path_r)
{
	for (guint i = 0; i < report->feedback_ids->len; i++)
		if (link_return_path_read_complaint(
			service, report->feedback_ids->pdata[i], path_r))
			return true;
	return false;
}

/* The first token that is authentic decides, in this order. */
static bool
report_read_token(const struct service *service, const struct mail_report *report,
    const char *const *envelope, struct link_return_path *path_r)
{
	bool complains = report->kind == MAIL_REPORT_COMPLAINT;

	for (const char *const *to = envelope; *to; to++)
		if (link_return_path_read(service, *to, path_r))
			return true;
	if (complains && report_read_complaint(service, report, envelope, path_r))
		return true;
	for (guint i = 0; i < report->paths->len; i++)
		if (link_return_path_read(service, report->paths->pdata[i], path_r))
			return true;
	if (report->envid && link_return_path_read_envid(service, report->envid, path_r))
		return true;
	return complains && (report_read_feedback_id(service, report, path_r) ||
				report_read_list(service, report, path_r));
}

bool
feedback_report_is_of_other_form(
    const struct service *service, const struct feedback_report_reading *reading)
{
	const struct mail_report *report = reading->report;
	struct link_return_path path;

	return report->kind == MAIL_REPORT_COMPLAINT && strcmp(report->format, "ARF") != 0 &&
	       report_read_complaint(service, report, reading->envelope, &path);
}

/* Reads a Message-ID as email/compose.c makes it. The number of a recipient is passed over: it is
   no evidence of its own. */
static bool
read_message_id(const char *message_id, struct base_id *id_r, const char **domain_r)
{
	const char *at = strchr(message_id, '@');

	if (!at || strcspn(message_id, ".@") != ID_TEXT_SIZE - 1)
		return false;
	g_autofree char *text = g_strndup(message_id, ID_TEXT_SIZE - 1);
	*domain_r = at + 1;
	return base_id_parse(text, id_r);
}

static bool
is_believed(const struct store_reported *email, const char *domain)
{
	AUTO(mail_address) sender = mail_address_reread(email->sender, NULL);

	return sender && g_ascii_strcasecmp(mail_address_domain(sender), domain) == 0 &&
	       email->sent >= base_clock_now() - MESSAGE_ID_MS;
}

void
feedback_report_seek(
    const struct service *service, struct feedback_report_reading *reading, GArray *ids)
{
	const GPtrArray *message_ids = reading->report->message_ids;
	const char *domain;
	struct base_id id;

	reading->has_path =
	    report_read_token(service, reading->report, reading->envelope, &reading->path);
	if (reading->has_path)
		g_array_append_val(ids, reading->path.email);
	for (guint i = 0; !reading->has_path && i < message_ids->len; i++)
		if (read_message_id(message_ids->pdata[i], &id, &domain))
			g_array_append_val(ids, id);
}

/* The email with this id among those found; NULL: it is not there. */
static struct store_reported *
report_pick(const GPtrArray *found, const struct base_id *id)
{
	for (guint i = 0; i < found->len; i++) {
		struct store_reported *email = found->pdata[i];

		if (base_id_equal(&email->id, id))
			return email;
	}
	return NULL;
}

static struct store_reported *
match_message_id(const struct mail_report *report, const GPtrArray *found)
{
	const char *domain;
	struct base_id id;

	for (guint i = 0; i < report->message_ids->len; i++) {
		struct store_reported *email =
		    read_message_id(report->message_ids->pdata[i], &id, &domain)
			? report_pick(found, &id)
			: NULL;

		if (email && is_believed(email, domain))
			return email;
	}
	return NULL;
}

/* The recipient that a message was for. An email with one recipient has no other. */
static guint
owner_of(const struct store_reported *email, const struct link_return_path *path)
{
	return path->recipient == RETURN_PATH_SHARED && email->recipients->len == 1
		   ? 0
		   : path->recipient;
}

void
feedback_report_match(struct feedback_report_reading *reading, const GPtrArray *found)
{
	reading->recipient = RETURN_PATH_SHARED;
	reading->email = reading->has_path ? report_pick(found, &reading->path.email)
					   : match_message_id(reading->report, found);
	if (reading->has_path && reading->email)
		reading->recipient = owner_of(reading->email, &reading->path);
}

static bool
report_find_recipient(const struct store_reported *email, const char *address, guint *number_r)
{
	for (guint i = 0; address && i < email->recipients->len; i++)
		if (mail_report_names(address, email->recipients->pdata[i])) {
			*number_r = i;
			return true;
		}
	return false;
}

static bool
report_is_known(const struct store_reported *email, guint number)
{
	return number < email->recipients->len &&
	       *(const char *)email->recipients->pdata[number] != '\0';
}

/* Finds the recipient that reported is about. With RETURN_PATH_SHARED as recipient it is the one
   with the original address, else with the final address; otherwise it is recipient, unless another
   recipient of the email is named, or in a complaint anybody else. */
static bool
match_recipient(const struct store_reported *email, enum mail_report_kind kind,
    const struct mail_report_recipient *reported, guint recipient, guint *number_r)
{
	bool named = report_find_recipient(email, reported->original, number_r) ||
		     report_find_recipient(email, reported->final, number_r);

	if (recipient == RETURN_PATH_SHARED)
		return named;
	/* A mailbox that forwards its mail makes a bounce name a stranger. A stranger who complains
	   is none of our recipients. */
	if (named ? *number_r != recipient : kind == MAIL_REPORT_COMPLAINT)
		return false;
	*number_r = recipient;
	return report_is_known(email, recipient);
}

/* Finds the only recipient among addresses. */
static bool
find_only(const struct store_reported *email, const GPtrArray *addresses, guint *number_r)
{
	guint found = 0, number;

	for (guint i = 0; i < addresses->len; i++)
		if (report_find_recipient(email, addresses->pdata[i], &number)) {
			found += found == 0 || number != *number_r;
			*number_r = number;
		}
	return found == 1;
}

/* Whether some statement of a report names a recipient of the email. */
static bool
report_names_any(const struct store_reported *email, const struct mail_report *report)
{
	guint number;

	for (guint i = 0; i < report->recipients->len; i++) {
		const struct mail_report_recipient *reported = report->recipients->pdata[i];

		if (report_find_recipient(email, reported->original, &number) ||
		    report_find_recipient(email, reported->final, &number))
			return true;
	}
	return false;
}

/* Finds the recipient of a statement that names none, in a report that names none of the email's:
   the one that its words mention, else the one that the returned message is addressed to. */
static bool
match_nobody(const struct store_reported *email, const struct mail_report *report,
    const struct mail_report_recipient *reported, guint *number_r)
{
	return !reported->original && !reported->final && !report_names_any(email, report) &&
	       (find_only(email, report->mentioned, number_r) ||
		   find_only(email, report->addressees, number_r));
}

/* Finds the recipient of a complaint that names none: with RETURN_PATH_SHARED as recipient the only
   one that the message is addressed to, otherwise recipient. */
static bool
match_addressee(const struct store_reported *email, const struct mail_report *report,
    guint recipient, guint *number_r)
{
	if (recipient != RETURN_PATH_SHARED) {
		*number_r = recipient;
		return report->recipients->len == 0 && report_is_known(email, recipient);
	}
	return find_only(email, report->addressees, number_r);
}

static enum store_event_status
report_status_of(enum mail_report_action action)
{
	switch (action) {
	case MAIL_REPORT_FAILED:
		return EVENT_BOUNCED;
	case MAIL_REPORT_DELAYED:
		return EVENT_DELAYED;
	case MAIL_REPORT_DELIVERED:
	case MAIL_REPORT_RELAYED:
	case MAIL_REPORT_EXPANDED:
		return EVENT_DELIVERED;
	case MAIL_REPORT_UNKNOWN:
		break;
	}
	return EVENT_COMPLAINED;
}

/* Whether the recipient has an event of this status already: an alias may lead to several
 * addresses. */
static bool
report_is_there(
    const struct feedback_report_reading *reading, guint number, enum store_event_status status)
{
	for (guint i = 0; i < reading->events->len; i++) {
		const struct store_event *event =
		    &g_array_index(reading->events, struct store_event, i);

		if (event->recipient == number && event->status == status)
			return true;
	}
	return false;
}

static void
report_add_event(struct feedback_report_reading *reading, guint number,
    const struct mail_report_recipient *reported)
{
	struct store_event event = {
	    .workspace_id = reading->email->workspace_id,
	    .email_id = reading->email->id,
	    .type = reading->email->type,
	    .recipient = number,
	    .mailed = reading->email->is_mailing ? reading->email->recipients->pdata[number] : NULL,
	    .status = reported ? report_status_of(reported->action) : EVENT_COMPLAINED,
	    .timestamp = base_clock_now(),
	    .origin = &reading->email->origin,
	    .address = reading->email->recipients->pdata[number],
	};

	if (report_is_there(reading, number, event.status))
		return;
	if (event.status == EVENT_BOUNCED || event.status == EVENT_DELAYED) {
		event.smtp_response = reported->diagnostic;
		event.enhanced_code = *reported->status ? reported->status : NULL;
	}
	if (event.status == EVENT_BOUNCED)
		event.bounce_type = reported->is_transient ? BOUNCE_TRANSIENT : BOUNCE_PERMANENT;
	bool gone = event.status == EVENT_BOUNCED && reported->is_gone;
	g_array_append_val(reading->events, event);
	g_array_append_val(reading->gone, gone);
}

/* Whether a statement names the only recipient that the report can be about. */
static bool
report_names_own(
    const struct feedback_report_reading *reading, const struct mail_report_recipient *reported)
{
	guint number;

	return (report_find_recipient(reading->email, reported->original, &number) ||
		   report_find_recipient(reading->email, reported->final, &number)) &&
	       number == reading->recipient;
}

/* Whether some statement names that recipient: then those about strangers say nothing of it. */
static bool
report_any_names_own(const struct feedback_report_reading *reading)
{
	const GPtrArray *recipients = reading->report->recipients;

	for (guint i = 0; i < recipients->len; i++)
		if (report_names_own(reading, recipients->pdata[i]))
			return true;
	return false;
}

void
feedback_report_collect(struct feedback_report_reading *reading)
{
	const struct mail_report *report = reading->report;
	const struct store_reported *email = reading->email;
	bool named = report_any_names_own(reading);
	guint number = 0;

	for (guint i = 0; i < report->recipients->len; i++) {
		const struct mail_report_recipient *reported = report->recipients->pdata[i];
		bool passes = !named || report_names_own(reading, reported);

		if (passes &&
		    (match_recipient(email, report->kind, reported, reading->recipient, &number) ||
			(reading->recipient == RETURN_PATH_SHARED &&
			    match_nobody(email, report, reported, &number))))
			report_add_event(reading, number, reported);
		else
			reading->strangers++;
	}
	if (report->kind == MAIL_REPORT_COMPLAINT && reading->events->len == 0 &&
	    match_addressee(email, report, reading->recipient, &number))
		report_add_event(reading, number, NULL);
}

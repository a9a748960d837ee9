/* SPDX-License-Identifier: MIT */
/* Records the delivery reports and complaints that come back. */
#include "feedback/report.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/report.h"
#include "consent/unsubscribe.h"
#include "db/transaction.h"
#include "delivery/bounce.h"
#include "email/watched.h"
#include "feedback/broadcast_health.h"
#include "link/return_path.h"
#include "link/token.h"
#include "mail/address.h"
#include "mail_report/report.h"
#include "person/suppress.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/common/found.h"
#include "store/common/settle.h"
#include "store/email/event.h"
#include "store/feedback/report.h"

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

/* Whether a complaint came to an address that takes those of one form alone. */
static bool
report_is_of_other_form(
    const struct service *service, const struct mail_report *report, const char *const *envelope)
{
	struct link_return_path path;

	return report->kind == MAIL_REPORT_COMPLAINT && strcmp(report->format, "ARF") != 0 &&
	       report_read_complaint(service, report, envelope, &path);
}

/* Finds an email by its id; *email_r is NULL when there is none. */
static bool
report_find(struct service *service, const struct base_id *id, struct store_reported **email_r,
    GError **error)
{
	g_autoptr(GError) failure = NULL;

	*email_r = store_report_find(service->db, id, &failure);
	return store_found(g_steal_pointer(&failure), NULL, error);
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

static bool
match_message_id(struct service *service, const struct mail_report *report,
    struct store_reported **email_r, GError **error)
{
	const char *domain;
	struct base_id id;

	for (guint i = 0; i < report->message_ids->len; i++) {
		AUTO(store_reported) email = NULL;

		if (!read_message_id(report->message_ids->pdata[i], &id, &domain))
			continue;
		if (!report_find(service, &id, &email, error))
			return false;
		if (!email || !is_believed(email, domain))
			continue;
		*email_r = g_steal_pointer(&email);
		return true;
	}
	return true;
}

/* The recipient that a message was for. An email with one recipient has no other. */
static guint
owner_of(const struct store_reported *email, const struct link_return_path *path)
{
	return path->recipient == RETURN_PATH_SHARED && email->recipients->len == 1
		   ? 0
		   : path->recipient;
}

/* Finds the email that a report is about: NULL in *email_r when it is none of ours, or not known;
   the caller frees it. *recipient_r is the number of the only recipient that the report can be
   about; RETURN_PATH_SHARED when the evidence does not say. */
static bool
match_report(struct service *service, const struct mail_report *report, const char *const *envelope,
    struct store_reported **email_r, guint *recipient_r, GError **error)
{
	struct link_return_path path;

	*email_r = NULL;
	*recipient_r = RETURN_PATH_SHARED;
	if (!report_read_token(service, report, envelope, &path))
		return match_message_id(service, report, email_r, error);
	if (!report_find(service, &path.email, email_r, error))
		return false;
	if (*email_r)
		*recipient_r = owner_of(*email_r, &path);
	return true;
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

/* A report that is being recorded. */
struct recording {
	struct service *service;
	const struct mail_report *report;
	struct store_reported *email;
	guint recipient; /* the only one it can be about, or RETURN_PATH_SHARED */
	GArray *events;	 /* struct store_event */
	GArray *gone;	 /* bool: whether the mailbox of the event does not exist */
	struct feedback_report_result *result;
};

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
report_is_there(const struct recording *recording, guint number, enum store_event_status status)
{
	for (guint i = 0; i < recording->events->len; i++) {
		const struct store_event *event =
		    &g_array_index(recording->events, struct store_event, i);

		if (event->recipient == number && event->status == status)
			return true;
	}
	return false;
}

static void
report_add_event(
    struct recording *recording, guint number, const struct mail_report_recipient *reported)
{
	struct store_event event = {
	    .workspace_id = recording->email->workspace_id,
	    .email_id = recording->email->id,
	    .type = recording->email->type,
	    .recipient = number,
	    .mailed =
		recording->email->is_mailing ? recording->email->recipients->pdata[number] : NULL,
	    .status = reported ? report_status_of(reported->action) : EVENT_COMPLAINED,
	    .timestamp = base_clock_now(),
	    .origin = &recording->email->origin,
	    .address = recording->email->recipients->pdata[number],
	};

	if (report_is_there(recording, number, event.status))
		return;
	if (event.status == EVENT_BOUNCED || event.status == EVENT_DELAYED) {
		event.smtp_response = reported->diagnostic;
		event.enhanced_code = *reported->status ? reported->status : NULL;
	}
	if (event.status == EVENT_BOUNCED)
		event.bounce_type = reported->is_transient ? BOUNCE_TRANSIENT : BOUNCE_PERMANENT;
	bool gone = event.status == EVENT_BOUNCED && reported->is_gone;
	g_array_append_val(recording->events, event);
	g_array_append_val(recording->gone, gone);
}

/* Whether a statement names the only recipient that the report can be about. */
static bool
report_names_own(const struct recording *recording, const struct mail_report_recipient *reported)
{
	guint number;

	return (report_find_recipient(recording->email, reported->original, &number) ||
		   report_find_recipient(recording->email, reported->final, &number)) &&
	       number == recording->recipient;
}

/* Whether some statement names that recipient: then those about strangers say nothing of it. */
static bool
report_any_names_own(const struct recording *recording)
{
	const GPtrArray *recipients = recording->report->recipients;

	for (guint i = 0; i < recipients->len; i++)
		if (report_names_own(recording, recipients->pdata[i]))
			return true;
	return false;
}

static void
report_collect(struct recording *recording)
{
	const struct mail_report *report = recording->report;
	const struct store_reported *email = recording->email;
	bool named = report_any_names_own(recording);
	guint number = 0;

	for (guint i = 0; i < report->recipients->len; i++) {
		const struct mail_report_recipient *reported = report->recipients->pdata[i];
		bool passes = !named || report_names_own(recording, reported);

		if (passes && (match_recipient(
				   email, report->kind, reported, recording->recipient, &number) ||
				  (recording->recipient == RETURN_PATH_SHARED &&
				      match_nobody(email, report, reported, &number))))
			report_add_event(recording, number, reported);
		else
			recording->result->strangers++;
	}
	if (report->kind == MAIL_REPORT_COMPLAINT && recording->events->len == 0 &&
	    match_addressee(email, report, recording->recipient, &number))
		report_add_event(recording, number, NULL);
}

/* Suppresses by a report whose evidence proves its recipient. */
static bool
believe(const struct recording *recording, const struct store_event *event, bool gone,
    bool *suppressed_r, GError **error)
{
	const struct service *service = recording->service;
	const char *address = recording->email->recipients->pdata[event->recipient];
	const struct delivery_bounce bounce = {
	    &event->workspace_id, &event->email_id, address, event->bounce_type, gone};
	const struct person_suppress_addition addition = {
	    event->workspace_id, event->email_id, address, SUPPRESSION_COMPLAINED};

	if (event->status == EVENT_BOUNCED)
		return delivery_bounce_suppress(service, &bounce, suppressed_r, error);
	*suppressed_r = event->status == EVENT_COMPLAINED;
	return !*suppressed_r || person_suppress_put(service, &addition, error);
}

static bool
report_doubt(const struct recording *recording, const struct store_event *event, bool gone,
    bool *suppressed_r, GError **error)
{
	bool complained = event->status == EVENT_COMPLAINED;

	*suppressed_r = false;
	if (!complained && !gone && event->bounce_type != BOUNCE_TRANSIENT)
		return true;
	return delivery_bounce_doubt(recording->service, recording->email, event->recipient,
	    complained ? HEARSAY_COMPLAINED
	    : gone     ? HEARSAY_GONE
		       : HEARSAY_FULL,
	    suppressed_r, error);
}

static bool
feedback_report_suppress(const struct recording *recording, guint number, GError **error)
{
	const struct store_event *event =
	    &g_array_index(recording->events, struct store_event, number);
	bool gone = g_array_index(recording->gone, bool, number);
	bool proves = recording->recipient != RETURN_PATH_SHARED;
	bool suppressed;

	if (!(proves ? believe : report_doubt)(recording, event, gone, &suppressed, error))
		return false;
	recording->result->suppressed += suppressed;
	return true;
}

static bool
write_report(struct db *db, void *context, GError **error)
{
	struct recording *recording = context;
	GArray *events = recording->events;

	recording->result->suppressed = 0;
	if (!store_report_insert(db, recording->email, recording->report->digest, error))
		return false;
	for (guint i = 0; i < events->len; i++)
		if (!feedback_report_suppress(recording, i, error))
			return false;
	return store_event_insert(
	    db, (struct store_event *)(void *)events->data, events->len, error);
}

static bool
report_record(struct recording *recording, GError **error)
{
	struct feedback_report_result *result = recording->result;
	g_autoptr(GError) failure = NULL;

	if (recording->events->len == 0) {
		result->outcome = REPORT_NOBODY;
		return true;
	}
	if (recording->email->reports >= LIMIT_REPORTS) {
		result->outcome = REPORT_TOO_MANY;
		return true;
	}
	result->outcome = REPORT_RECORDED;
	result->events = recording->events->len;
	if (db_transact(recording->service->db, write_report, recording, &failure)) {
		const struct store_event *events = (void *)recording->events->data;

		service_metrics_events(events, recording->events->len);
		AUTO(email_watch) watch = email_watch_new();
		email_watch_add(watch, events, recording->events->len);
		feedback_broadcast_health(recording->service, watch);
		return true;
	}
	result->outcome = REPORT_REPEATED;
	result->events = result->suppressed = 0;
	/* The sender drops its copy now, and the first COMMIT may still wait for the disk. */
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT))
		return store_settle(recording->service->db, error);
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

/* Whether a report is of a kind that is recorded: a delivery report, or feedback that the mail was
   not wanted (RFC 5965 section 7.3). */
static bool
tells(const struct mail_report *report)
{
	static const char *const unwanted[] = {
	    "abuse", "fraud", "virus", "other", "opt-out", "opt-out-list", NULL};

	return report->kind == MAIL_REPORT_DELIVERY ||
	       (report->kind == MAIL_REPORT_COMPLAINT &&
		   (!report->feedback || g_strv_contains(unwanted, report->feedback)));
}

static bool
report_unsubscribe(struct service *service, const struct mail_report *report,
    const char *const *envelope, struct feedback_report_result *result, GError **error)
{
	bool done = false;

	for (; *envelope && !done; envelope++)
		if (!consent_unsubscribe_by_address(service, *envelope, &done, error))
			return false;
	for (guint i = 0; i < report->paths->len && !done; i++)
		if (!consent_unsubscribe_by_address(service, report->paths->pdata[i], &done, error))
			return false;
	if (done)
		result->outcome = REPORT_UNSUBSCRIBED;
	return true;
}

static bool
report_take(struct service *service, const struct mail_report *report, const char *const *envelope,
    struct feedback_report_result *result_r, GError **error)
{
	guint recipient;

	*result_r =
	    (struct feedback_report_result){.outcome = REPORT_NONE, .format = report->format};
	if (report->kind == MAIL_REPORT_NONE)
		return report_unsubscribe(service, report, envelope, result_r, error);
	if (!tells(report) || report_is_of_other_form(service, report, envelope))
		return true;
	result_r->outcome = REPORT_STRANGE;
	AUTO(store_reported) email = NULL;
	if (!match_report(service, report, envelope, &email, &recipient, error))
		return false;
	if (!email)
		return true;
	result_r->email = email->id;
	g_autoptr(GArray) events = g_array_new(FALSE, TRUE, sizeof(struct store_event));
	g_autoptr(GArray) gone = g_array_new(FALSE, TRUE, sizeof(bool));
	struct recording recording = {service, report, email, recipient, events, gone, result_r};
	report_collect(&recording);
	return report_record(&recording, error);
}

/* Counts a complaint. */
static void
report_count(const struct mail_report *report, enum feedback_report_outcome outcome)
{
	if (report->kind == MAIL_REPORT_COMPLAINT && outcome != REPORT_NONE)
		service_metrics_add(METRIC_REPORTS, 1, "complaint",
		    outcome == REPORT_RECORDED	 ? "recorded"
		    : outcome == REPORT_REPEATED ? "repeated"
						 : "refused",
		    NULL);
}

const char *
feedback_report_outcome_name(enum feedback_report_outcome outcome)
{
	static const char *const names[] = {
	    [REPORT_NONE] = "no report",
	    [REPORT_STRANGE] = "not ours",
	    [REPORT_UNSUBSCRIBED] = "unsubscribed",
	    [REPORT_NOBODY] = "no recipient",
	    [REPORT_REPEATED] = "repeated",
	    [REPORT_TOO_MANY] = "too many",
	    [REPORT_RECORDED] = "recorded",
	};

	return names[outcome];
}

bool
feedback_report(struct service *service, const void *message, gsize size,
    const char *const *envelope, struct feedback_report_result *result_r, GError **error)
{
	AUTO(mail_report) report = mail_report_parse(message, size);
	bool done = report_take(service, report, envelope, result_r, error);

	if (done)
		report_count(report, result_r->outcome);
	return done;
}

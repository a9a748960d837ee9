/* SPDX-License-Identifier: MIT */
/* What came back tells of our emails. */
#include "core/report.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "core/bounce.h"
#include "core/core.h"
#include "core/report_match.h"
#include "core/suppress.h"
#include "core/unsubscribe.h"
#include "db/transaction.h"
#include "mail/report.h"
#include "mail/report_parse.h"
#include "store/event.h"
#include "store/report.h"

/* A report that is being recorded. */
struct recording {
	struct core *core;
	const struct mail_report *report;
	struct store_reported *email;
	guint recipient; /* whose copy it is about: core/report_match.h */
	GArray *events;	 /* struct store_event */
	struct core_report_result *result;
};

static enum store_event_status
status_of(enum mail_report_action action)
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

/* Once for each recipient and status, however many addresses an alias led to. */
static bool
is_there(const struct recording *recording, guint number, enum store_event_status status)
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
add_event(struct recording *recording, guint number, const struct mail_report_recipient *said)
{
	struct store_event event = {
	    .workspace_id = recording->email->workspace_id,
	    .email_id = recording->email->id,
	    .type = recording->email->type,
	    .recipient = number,
	    .status = said ? status_of(said->action) : EVENT_COMPLAINED,
	    .timestamp = base_clock_now(),
	};

	if (is_there(recording, number, event.status))
		return;
	if (event.status == EVENT_BOUNCED || event.status == EVENT_DELAYED) {
		event.smtp_response = said->diagnostic;
		event.enhanced_code = *said->status ? said->status : NULL;
	}
	if (event.status == EVENT_BOUNCED)
		event.bounce_type = core_bounce_type(said->code, said->status);
	g_array_append_val(recording->events, event);
}

static void
collect(struct recording *recording)
{
	const struct mail_report *report = recording->report;
	const struct store_reported *email = recording->email;
	guint number;

	for (guint i = 0; i < report->recipients->len; i++) {
		const struct mail_report_recipient *said = report->recipients->pdata[i];

		if (core_report_match_recipient(email, said, recording->recipient, &number))
			add_event(recording, number, said);
		else
			recording->result->strangers++;
	}
	if (report->kind == MAIL_REPORT_COMPLAINT && recording->events->len == 0 &&
	    core_report_match_addressee(email, report, recording->recipient, &number))
		add_event(recording, number, NULL);
}

/* A reply's code alone says too little: nobody knows to what it was the reply. */
static bool
is_final(const struct store_event *event)
{
	return event->status == EVENT_BOUNCED && core_suppress_is_final(0, event->enhanced_code);
}

/* For a report that proves whose it is. */
static bool
believe(const struct recording *recording, const struct store_event *event, bool *suppressed_r,
    GError **error)
{
	const struct core *core = recording->core;
	const char *address = recording->email->recipients->pdata[event->recipient];
	const struct base_id *workspace = &event->workspace_id;

	if (event->status == EVENT_BOUNCED)
		return core_bounce_suppress(core, workspace, address, event->bounce_type,
		    is_final(event), suppressed_r, error);
	*suppressed_r = event->status == EVENT_COMPLAINED;
	return !*suppressed_r || core_suppress_put(core, workspace, address, SUPPRESSION_COMPLAINED,
				     SUPPRESSION_ALL, error);
}

static bool
doubt(const struct recording *recording, const struct store_event *event, bool *suppressed_r,
    GError **error)
{
	bool complained = event->status == EVENT_COMPLAINED;

	*suppressed_r = false;
	if (!complained && !is_final(event) && event->bounce_type != BOUNCE_TRANSIENT)
		return true;
	return core_bounce_doubt(recording->core, recording->email, event->recipient,
	    complained	      ? HEARSAY_COMPLAINED
	    : is_final(event) ? HEARSAY_GONE
			      : HEARSAY_FULL,
	    suppressed_r, error);
}

static bool
suppress(const struct recording *recording, const struct store_event *event, GError **error)
{
	bool proves = recording->recipient != RETURN_PATH_SHARED;
	bool suppressed;

	if (!(proves ? believe : doubt)(recording, event, &suppressed, error))
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
		if (!suppress(recording, &g_array_index(events, struct store_event, i), error))
			return false;
	return store_event_insert(
	    db, (struct store_event *)(void *)events->data, events->len, error);
}

static bool
record(struct recording *recording, GError **error)
{
	struct core_report_result *result = recording->result;
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
	if (db_transact(recording->core->db, write_report, recording, &failure))
		return true;
	result->outcome = REPORT_REPEATED;
	result->events = result->suppressed = 0;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT))
		return true;
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

/* Feedback that says that the mail was not wanted (RFC 5965 section 7.3); of the rest nothing is to
   be recorded. */
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
unsubscribe(struct core *core, const struct mail_report *report, const char *const *envelope,
    struct core_report_result *result, GError **error)
{
	bool done = false;

	for (; *envelope && !done; envelope++)
		if (!core_unsubscribe_by_address(core, *envelope, &done, error))
			return false;
	for (guint i = 0; i < report->paths->len && !done; i++)
		if (!core_unsubscribe_by_address(core, report->paths->pdata[i], &done, error))
			return false;
	if (done)
		result->outcome = REPORT_UNSUBSCRIBED;
	return true;
}

bool
core_report(struct core *core, const void *message, gsize size, const char *const *envelope,
    struct core_report_result *result_r, GError **error)
{
	AUTO(mail_report) report = mail_report_parse(message, size);
	guint recipient;

	*result_r = (struct core_report_result){.outcome = REPORT_NONE, .format = report->format};
	if (report->kind == MAIL_REPORT_NONE)
		return unsubscribe(core, report, envelope, result_r, error);
	if (!tells(report))
		return true;
	result_r->outcome = REPORT_STRANGE;
	AUTO(store_reported) email = NULL;
	if (!core_report_match(core, report, envelope, &email, &recipient, error))
		return false;
	if (!email)
		return true;
	result_r->email = email->id;
	g_autoptr(GArray) events = g_array_new(FALSE, TRUE, sizeof(struct store_event));
	struct recording recording = {core, report, email, recipient, events, result_r};
	collect(&recording);
	return record(&recording, error);
}

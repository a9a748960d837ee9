/* SPDX-License-Identifier: MIT */
/* Records the delivery reports and complaints that come back.

   Reports that come together share their statements:
   1. All are parsed; the emails that they may be about are found by one statement for 50 of them.
   2. Each gets its email and its events.
   3. One transaction stores them. If one of them was recorded before, or cannot be, all are undone.
   4. Those that are not done then are taken one by one, by the same steps. */
#include "feedback/report.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/report.h"
#include "consent/unsubscribe.h"
#include "db/transaction.h"
#include "delivery/bounce.h"
#include "email/watched.h"
#include "feedback/broadcast_health.h"
#include "feedback/report_match.h"
#include "person/suppress.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/common/settle.h"
#include "store/email/event.h"

/* One transaction takes so many events of several reports. */
#define EVENTS_TOGETHER 200

/* A report that is being recorded. */
struct recording {
	struct feedback_report_taking *taking;
	struct mail_report *report;
	struct feedback_report_reading reading;
	bool is_stored; /* by the transaction */
	bool is_left;	/* it is to be taken by itself */
};

/* Reports that are being recorded together. */
struct gathering {
	struct service *service;
	struct recording *recordings;
	guint count;
	GPtrArray *found;  /* struct store_reported: the emails that they are about */
	GArray *events;	   /* struct store_event: what the transaction stores */
	GArray *additions; /* struct person_suppress_addition: the addresses that bounced */
	struct delivery_bounce_counts *transients;
};

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

/* Unsubscribes the reader to whose address a message came that is no report. */
static bool
report_unsubscribe(struct service *service, const struct recording *recording, GError **error)
{
	const char *const *envelope = recording->taking->envelope;
	const GPtrArray *paths = recording->report->paths;
	bool done = false;

	for (; *envelope && !done; envelope++)
		if (!consent_unsubscribe_by_address(service, *envelope, &done, error))
			return false;
	for (guint i = 0; i < paths->len && !done; i++)
		if (!consent_unsubscribe_by_address(service, paths->pdata[i], &done, error))
			return false;
	if (done)
		recording->taking->result.outcome = REPORT_UNSUBSCRIBED;
	return true;
}

static struct gathering
gathering_begin(struct service *service, struct feedback_report_taking *takings, guint count)
{
	struct gathering gathering = {
	    .service = service,
	    .recordings = g_new0(struct recording, count),
	    .count = count,
	    .events = g_array_new(FALSE, FALSE, sizeof(struct store_event)),
	    .additions = g_array_new(FALSE, FALSE, sizeof(struct person_suppress_addition)),
	};

	for (guint i = 0; i < count; i++) {
		struct recording *recording = &gathering.recordings[i];
		struct mail_report *report = mail_report_parse(takings[i].message, takings[i].size);

		takings[i].result = (struct feedback_report_result){
		    .outcome = REPORT_NONE, .format = report->format};
		recording->taking = &takings[i];
		recording->report = report;
		recording->reading = (struct feedback_report_reading){
		    .report = report,
		    .envelope = takings[i].envelope,
		    .events = g_array_new(FALSE, TRUE, sizeof(struct store_event)),
		    .gone = g_array_new(FALSE, TRUE, sizeof(bool)),
		};
	}
	return gathering;
}

static void
gathering_clear(struct gathering *gathering)
{
	for (guint i = 0; i < gathering->count; i++) {
		struct recording *recording = &gathering->recordings[i];

		g_array_unref(recording->reading.events);
		g_array_unref(recording->reading.gone);
		mail_report_free(recording->report);
	}
	g_free(gathering->recordings);
	g_clear_pointer(&gathering->found, g_ptr_array_unref);
	g_array_unref(gathering->events);
	g_array_unref(gathering->additions);
}

/* Looks at what a report is, and adds the ids of the emails that it may be about. */
static void
recording_seek(const struct service *service, struct recording *recording, GArray *ids)
{
	const struct mail_report *report = recording->report;

	recording->is_left = report->kind == MAIL_REPORT_NONE;
	if (!tells(report) || feedback_report_is_of_other_form(service, &recording->reading))
		return;
	recording->taking->result.outcome = REPORT_STRANGE;
	feedback_report_seek(service, &recording->reading, ids);
}

/* Finds the email of a report, its events, and whether they are to be stored. */
static void
recording_match(struct recording *recording, const GPtrArray *found, guint *events)
{
	struct feedback_report_reading *reading = &recording->reading;
	struct feedback_report_result *result = &recording->taking->result;

	if (result->outcome != REPORT_STRANGE)
		return;
	feedback_report_match(reading, found);
	if (!reading->email)
		return;
	feedback_report_collect(reading);
	result->email = reading->email->id;
	result->strangers = reading->strangers;
	if (reading->events->len == 0) {
		result->outcome = REPORT_NOBODY;
	} else if (reading->email->reports >= LIMIT_REPORTS) {
		result->outcome = REPORT_TOO_MANY;
	} else if (*events > 0 && *events + reading->events->len > EVENTS_TOGETHER) {
		recording->is_left = true;
	} else {
		result->outcome = REPORT_RECORDED;
		result->events = reading->events->len;
		*events += reading->events->len;
		reading->email->reports++;
		recording->is_stored = true;
	}
}

/* Finds the emails of all. *events_r: the number of events to be stored. */
static bool
gathering_match(struct gathering *gathering, guint *events_r, GError **error)
{
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));

	for (guint i = 0; i < gathering->count; i++)
		recording_seek(gathering->service, &gathering->recordings[i], ids);
	gathering->found = store_report_find_all(
	    gathering->service->db, (const struct base_id *)(void *)ids->data, ids->len, error);
	if (!gathering->found)
		return false;
	*events_r = 0;
	for (guint i = 0; i < gathering->count; i++)
		recording_match(&gathering->recordings[i], gathering->found, events_r);
	return true;
}

/* Puts the addresses on the list that have bounced so far. */
static bool
gathering_suppress(struct gathering *gathering, GError **error)
{
	GArray *additions = gathering->additions;
	bool done = additions->len == 0 ||
		    person_suppress_put_all(gathering->service,
			(const struct person_suppress_addition *)(void *)additions->data,
			additions->len, error);

	g_array_set_size(additions, 0);
	return done;
}

/* Suppresses by a report whose evidence proves its recipient. */
static bool
believe(struct gathering *gathering, const struct store_reported *email,
    const struct store_event *event, bool gone, bool *suppressed_r, GError **error)
{
	const char *address = email->recipients->pdata[event->recipient];
	const struct delivery_bounce bounce = {
	    &event->workspace_id, &event->email_id, address, event->bounce_type, gone};
	const bool complained = event->status == EVENT_COMPLAINED;
	const struct person_suppress_addition addition = {event->workspace_id, event->email_id,
	    address, complained ? SUPPRESSION_COMPLAINED : SUPPRESSION_BOUNCED};

	*suppressed_r = complained;
	/* The first reason of an address counts. */
	if (complained)
		return gathering_suppress(gathering, error) &&
		       person_suppress_put(gathering->service, &addition, error);
	if (event->status != EVENT_BOUNCED)
		return true;
	if (!delivery_bounce_judge(
		gathering->service, &bounce, gathering->transients, suppressed_r, error))
		return false;
	if (*suppressed_r)
		g_array_append_val(gathering->additions, addition);
	return true;
}

static bool
report_doubt(struct gathering *gathering, const struct store_reported *email,
    const struct store_event *event, bool gone, bool *suppressed_r, GError **error)
{
	bool complained = event->status == EVENT_COMPLAINED;

	*suppressed_r = false;
	if (!complained && !gone && event->bounce_type != BOUNCE_TRANSIENT)
		return true;
	return gathering_suppress(gathering, error) &&
	       delivery_bounce_doubt(gathering->service, email, event->recipient,
		   complained ? HEARSAY_COMPLAINED
		   : gone     ? HEARSAY_GONE
			      : HEARSAY_FULL,
		   suppressed_r, error);
}

static bool
recording_suppress(struct gathering *gathering, const struct recording *recording, GError **error)
{
	const struct feedback_report_reading *reading = &recording->reading;
	bool proves = reading->recipient != RETURN_PATH_SHARED, suppressed;

	recording->taking->result.suppressed = 0;
	for (guint i = 0; i < reading->events->len; i++) {
		const struct store_event *event =
		    &g_array_index(reading->events, struct store_event, i);
		bool gone = g_array_index(reading->gone, bool, i);

		if (!(proves ? believe : report_doubt)(
			gathering, reading->email, event, gone, &suppressed, error))
			return false;
		recording->taking->result.suppressed += suppressed;
	}
	return true;
}

static bool
write_reports(struct db *db, void *context, GError **error)
{
	struct gathering *gathering = context;
	g_autofree struct store_report *reports = g_new(struct store_report, gathering->count);
	AUTO(delivery_bounce_counts) transients = delivery_bounce_counts_new();
	GArray *events = gathering->events;
	guint count = 0;

	gathering->transients = transients;
	g_array_set_size(gathering->additions, 0);
	g_array_set_size(events, 0);
	for (guint i = 0; i < gathering->count; i++) {
		const struct recording *recording = &gathering->recordings[i];
		const GArray *own = recording->reading.events;

		if (!recording->is_stored)
			continue;
		reports[count++] =
		    (struct store_report){recording->reading.email, recording->report->digest};
		g_array_append_vals(events, own->data, own->len);
	}
	if (!store_report_insert(db, reports, count, error))
		return false;
	for (guint i = 0; i < gathering->count; i++)
		if (gathering->recordings[i].is_stored &&
		    !recording_suppress(gathering, &gathering->recordings[i], error))
			return false;
	return gathering_suppress(gathering, error) &&
	       store_event_insert(
		   db, (struct store_event *)(void *)events->data, events->len, error);
}

static bool
gathering_store(struct gathering *gathering, GError **error)
{
	if (!db_transact(gathering->service->db, write_reports, gathering, error))
		return false;
	const struct store_event *events = (void *)gathering->events->data;
	guint count = gathering->events->len;
	AUTO(email_watch) watch = email_watch_new();

	service_metrics_events(events, count);
	email_watch_add(watch, events, count);
	feedback_broadcast_health(gathering->service, watch);
	return true;
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

/* Takes the only one of a gathering. */
static bool
report_take_alone(struct gathering *gathering, GError **error)
{
	struct recording *recording = gathering->recordings;
	struct feedback_report_result *result = &recording->taking->result;
	g_autoptr(GError) failure = NULL;
	guint events;

	if (recording->report->kind == MAIL_REPORT_NONE)
		return report_unsubscribe(gathering->service, recording, error);
	if (!gathering_match(gathering, &events, error))
		return false;
	if (events == 0 || gathering_store(gathering, &failure))
		return true;
	result->outcome = REPORT_REPEATED;
	result->events = result->suppressed = 0;
	/* The sender drops its copy now, and the first COMMIT may still wait for the disk. */
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT))
		return store_settle(gathering->service->db, error);
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

/* Takes several at once, if all of them can be recorded. */
static void
report_take_together(struct service *service, struct feedback_report_taking *takings, guint count)
{
	struct gathering gathering = gathering_begin(service, takings, count);
	guint events;
	bool done = gathering_match(&gathering, &events, NULL) &&
		    (events == 0 || gathering_store(&gathering, NULL));

	for (guint i = 0; i < count && done; i++)
		if (!gathering.recordings[i].is_left) {
			takings[i].is_done = true;
			report_count(gathering.recordings[i].report, takings[i].result.outcome);
		}
	gathering_clear(&gathering);
}

static bool
report_take_one(struct service *service, struct feedback_report_taking *taking, GError **error)
{
	struct gathering gathering = gathering_begin(service, taking, 1);

	taking->is_done = report_take_alone(&gathering, error);
	if (taking->is_done)
		report_count(gathering.recordings->report, taking->result.outcome);
	gathering_clear(&gathering);
	return taking->is_done;
}

bool
feedback_report(struct service *service, const void *message, gsize size,
    const char *const *envelope, struct feedback_report_result *result_r, GError **error)
{
	struct feedback_report_taking taking = {message, size, envelope};
	bool done = report_take_one(service, &taking, error);

	*result_r = taking.result;
	return done;
}

void
feedback_report_all(struct service *service, struct feedback_report_taking *takings, guint count)
{
	bool more = true;

	if (count > 1)
		report_take_together(service, takings, count);
	for (guint i = 0; i < count && more; i++) {
		GError **failure = &takings[i].failure;

		more = takings[i].is_done || report_take_one(service, &takings[i], failure) ||
		       (!g_error_matches(*failure, PH_ERROR, PH_ERROR_TEMPORARY) &&
			   !g_error_matches(*failure, PH_ERROR, PH_ERROR_UNCERTAIN));
	}
}

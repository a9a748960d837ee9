/* SPDX-License-Identifier: MIT */
/* Records the feedback on workflow emails as events of their contacts. */
#include "automation/feedback.h"

#include <string.h>

#include "automation/contact.h"
#include "automation/design_cache.h"
#include "automation/event_dispatch.h"
#include "automation/own.h"
#include "rule/event_name.h"
#include "base/clock.h"
#include "base/error.h"
#include "db/transaction.h"
#include "json/strict.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/automation/event.h"
#include "store/automation/feedback.h"
#include "store/automation/start.h"
#include "store/automation/workflow.h"
#include "store/webhook/enqueue.h"

#define TOGETHER_MS 20

struct run {
	struct service *service;
	struct automation_feedback_batch batch;
};

static void
feedback_write_id(struct json_writer *writer, const char *key, const struct base_id *id)
{
	char text[ID_TEXT_SIZE];

	json_writer_string(writer, key, base_id_format(id, text));
}

static char *
properties_of(const struct store_feedback *feedback)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	feedback_write_id(writer, "email_id", &feedback->sent.email_id);
	feedback_write_id(writer, "workflow_id", &feedback->sent.workflow_id);
	feedback_write_id(writer, "execution_id", &feedback->sent.execution_id);
	if (feedback->link)
		json_writer_string(writer, "link", feedback->link);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

/* Returns the time of the event. Feedback rows of one contact that came together get increasing
   times, since no two events of a contact may have the same. */
static gint64
feedback_time_of(
    const struct store_feedback *feedback, const struct automation_locked_contact *locked)
{
	gint64 time = feedback->timestamp, last = locked->contact->last_seen;

	if (time <= last && time > last - TOGETHER_MS)
		return last + 1;
	/* Own events of one transaction have one time. */
	return feedback->name && time <= locked->told ? locked->told + 1 : time;
}

/* The properties of the event, as JSON. NULL: the event did not happen. The caller owns it. */
static char *
feedback_print(const struct store_feedback *feedback)
{
	if (!feedback->name)
		return properties_of(feedback);
	if (strcmp(feedback->name, "person.updated") == 0)
		return feedback->became
			   ? automation_own_changed(feedback->properties, feedback->became)
			   : NULL;
	/* The database writes spaces. */
	AUTO(json)
	json = json_parse(feedback->properties, strlen(feedback->properties), NULL);
	return json ? json_print(json) : NULL;
}

/* Begins the one workflow that an event is told to, unless that is no longer active. */
static bool
feedback_begin(struct service *service, const struct store_feedback *feedback,
    struct automation_locked_contact *locked, GError **error)
{
	struct store_person *contact = locked->contact;
	AUTO(json)
	properties = json_parse(feedback->properties, strlen(feedback->properties), NULL);
	const struct store_person *const people[] = {contact};
	struct store_start_trace trace = {false};
	struct store_start_workflow workflow;
	gint64 now = base_clock_now();

	if (!store_start_workflow(
		service->db, &contact->workspace_id, &feedback->target_id, &workflow, error))
		return false;
	if (workflow.is_deleted || workflow.status != WORKFLOW_ACTIVE)
		return true;
	if (!store_start_traces(service->db, &feedback->target_id, people, 1, &trace, error))
		return false;
	struct automation_beginning beginning = {.workflow_id = &feedback->target_id,
	    .version = workflow.version,
	    .entered = trace.entered,
	    .runs = trace.runs};
	const struct automation_recorded_event recorded = {.contact = contact,
	    .locked = locked,
	    .event_id = &feedback->event_id,
	    .name = feedback->name,
	    .properties = properties,
	    .time = feedback->timestamp,
	    .beginning = &beginning};
	const struct store_automation_event event = {.id = feedback->event_id,
	    .workspace_id = contact->workspace_id,
	    .contact_id = contact->id,
	    .name = feedback->name,
	    .timestamp = feedback->timestamp,
	    .properties = feedback->properties,
	    .created = now};
	if (!automation_event_begin(service, &recorded, error))
		return false;
	return beginning.reason != START_REASON_NONE ||
	       (automation_locked_contact_store_event(
		    locked, feedback->name, feedback->timestamp, now, error) &&
		   store_automation_event_insert(service->db, &event, 1, error) &&
		   (!workflow.is_told || store_webhook_enqueue_started(
					     service->db, contact, &feedback->event_id, error)));
}

static bool
record_one(struct service *service, const struct store_feedback *feedback,
    struct automation_locked_contact *locked, GError **error)
{
	g_autofree char *name = feedback->name ? g_strdup(feedback->name)
					       : g_strconcat(EVENT_NAME_RESERVED,
						     store_event_name(feedback->status), NULL);
	g_autofree char *text = feedback_print(feedback);
	AUTO(json) properties = text ? json_parse(text, strlen(text), NULL) : NULL;
	struct store_person *contact = locked->contact;
	gint64 now = base_clock_now();
	gint64 time = feedback_time_of(feedback, locked);
	const struct store_automation_event event = {
	    .id = feedback->event_id,
	    .workspace_id = contact->workspace_id,
	    .contact_id = contact->id,
	    .name = name,
	    .timestamp = time,
	    .properties = text,
	    .created = now,
	};
	g_autoptr(GArray) targets =
	    store_workflow_trigger_targets(service->db, contact, name, error);
	const struct automation_recorded_event recorded = {
	    .contact = contact,
	    .locked = locked,
	    .event_id = &event.id,
	    .name = name,
	    .properties = properties,
	    .time = time,
	    .targets = targets,
	    .sent = !feedback->name || feedback->is_caused ? &feedback->sent : NULL,
	    .status = feedback->status,
	};
	bool deduplicated;

	if (!properties)
		return true;
	locked->told = time;
	return targets && automation_event_dispatch(service, &recorded, &deduplicated, error) &&
	       automation_locked_contact_store_event(locked, name, time, now, error) &&
	       store_automation_event_insert(service->db, &event, 1, error);
}

/* Returns the contact of a feedback row, the same object for all rows of a contact. */
static struct automation_locked_contact *
locked_contact_of(
    struct service *service, GHashTable *contacts, struct store_feedback *feedback, GError **error)
{
	struct automation_locked_contact *locked =
	    g_hash_table_lookup(contacts, &feedback->contact->id);

	if (locked)
		return locked;
	locked = automation_locked_contact_new(service, g_steal_pointer(&feedback->contact), error);
	if (locked)
		g_hash_table_insert(contacts, &locked->contact->id, locked);
	return locked;
}

static bool
record_batch(struct db *db, void *context, GError **error)
{
	struct run *run = context;
	g_autoptr(GPtrArray) queue = store_automation_feedback_claim(db, base_clock_now(), error);
	g_autoptr(GHashTable) contacts = automation_locked_contact_table();

	if (!queue)
		return false;
	run->batch =
	    (struct automation_feedback_batch){queue->len, queue->len == STORE_FEEDBACK_MOST, 0};
	for (guint i = 0; i < queue->len; i++) {
		struct store_feedback *feedback = queue->pdata[i];
		struct automation_locked_contact *locked =
		    locked_contact_of(run->service, contacts, feedback, error);

		if (!locked || !(feedback->has_target ? feedback_begin : record_one)(
				   run->service, feedback, locked, error))
			return false;
		run->batch.newest = feedback->timestamp;
	}
	return store_automation_feedback_remove(db, queue, error);
}

bool
automation_feedback_run(
    struct service *service, struct automation_feedback_batch *batch_r, GError **error)
{
	struct run run = {.service = service};

	automation_design_cache_trim(service);
	bool done = db_transact(service->db, record_batch, &run, error);
	*batch_r = done ? run.batch : (struct automation_feedback_batch){.count = 0};
	return done;
}

/* SPDX-License-Identifier: MIT */
/* Takes in, as events of the contacts, what became of the emails that workflows sent them. */
#include "automation/feedback.h"

#include <string.h>

#include "automation/event_name.h"
#include "automation/intake.h"
#include "automation/design_cache.h"
#include "automation/locked_contact.h"
#include "base/clock.h"
#include "base/error.h"
#include "core/core.h"
#include "db/transaction.h"
#include "json/strict.h"
#include "json/writer.h"
#include "store/automation_event_write.h"
#include "store/automation_feedback.h"
#include "store/workflow_trigger.h"

#define BATCH 50
#define TOGETHER_MS 20

struct work {
	struct core *core;
	guint limit, count;
};

static void
write_id(struct json_writer *writer, const char *key, const struct base_id *id)
{
	char text[ID_TEXT_SIZE];

	json_writer_string(writer, key, base_id_format(id, text));
}

static char *
properties_of(const struct store_feedback *feedback)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	write_id(writer, "email_id", &feedback->sent.email_id);
	write_id(writer, "workflow_id", &feedback->sent.workflow_id);
	write_id(writer, "execution_id", &feedback->sent.execution_id);
	if (feedback->link)
		json_writer_string(writer, "link", feedback->link);
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

/* Its own, but no two of one contact have the same: those that came together keep their order. */
static gint64
time_of(const struct store_feedback *feedback, const struct store_automation_contact *contact)
{
	gint64 time = feedback->timestamp, last = contact->last_seen;

	return time <= last && time > last - TOGETHER_MS ? last + 1 : time;
}

static bool
take_one(struct core *core, const struct store_feedback *feedback,
    struct automation_locked_contact *person, GError **error)
{
	g_autofree char *name =
	    g_strconcat(EVENT_NAME_RESERVED, store_event_name(feedback->status), NULL);
	g_autofree char *text = properties_of(feedback);
	AUTO(json) properties = json_parse(text, strlen(text), NULL);
	struct store_automation_contact *contact = person->contact;
	gint64 now = base_clock_now();
	gint64 time = time_of(feedback, contact);
	const struct store_automation_event event = {
	    .id = feedback->event_id,
	    .workspace_id = contact->workspace_id,
	    .contact_id = contact->id,
	    .name = name,
	    .timestamp = time,
	    .properties = text,
	    .created = now,
	};
	const struct store_automation_event *const events[] = {&event};
	g_autoptr(GArray) targets = store_workflow_trigger_targets(core->db, contact, name, error);
	const struct automation_intake intake = {
	    .contact = contact,
	    .contact_properties = person->properties,
	    .event_id = &event.id,
	    .name = name,
	    .properties = properties,
	    .time = time,
	    .targets = targets,
	    .sent = &feedback->sent,
	    .status = feedback->status,
	};
	bool deduplicated;

	return targets && automation_intake(core, &intake, &deduplicated, error) &&
	       automation_locked_contact_see(person, name, time, now, error) &&
	       store_automation_event_insert(core->db, events, 1, error);
}

/* One person for all of a contact's events. */
static struct automation_locked_contact *
person_of(struct core *core, GHashTable *persons, struct store_feedback *feedback, GError **error)
{
	struct automation_locked_contact *person =
	    g_hash_table_lookup(persons, &feedback->contact->id);

	if (person)
		return person;
	person = automation_locked_contact_new(core, g_steal_pointer(&feedback->contact), error);
	if (person)
		g_hash_table_insert(persons, &person->contact->id, person);
	return person;
}

static bool
take_some(struct db *db, void *context, GError **error)
{
	struct work *work = context;
	g_autoptr(GPtrArray) queue = store_automation_feedback_claim(db, work->limit, error);
	g_autoptr(GHashTable) persons = automation_locked_contact_table();

	if (!queue)
		return false;
	work->count = queue->len;
	for (guint i = 0; i < queue->len; i++) {
		struct store_feedback *feedback = queue->pdata[i];
		struct automation_locked_contact *person =
		    person_of(work->core, persons, feedback, error);

		if (!person || !take_one(work->core, feedback, person, error))
			return false;
	}
	return store_automation_feedback_remove(db, queue, error);
}

bool
automation_feedback_run(struct core *core, guint *count_r, GError **error)
{
	struct work work = {core, BATCH, 0};

	automation_design_cache_trim(core);
	bool done = db_transact(core->db, take_some, &work, error);
	*count_r = done ? work.count : 0;
	return done;
}

/* SPDX-License-Identifier: MIT */
/* Locks, changes and removes automation contacts. */
#include "automation/contact.h"

#include <string.h>

#include "rule/properties.h"
#include "automation/rules.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "db/transaction.h"
#include "json/strict.h"
#include "json/writer.h"
#include "person/contact.h"
#include "segment/segment.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/feedback.h"
#include "store/automation/own.h"
#include "store/automation/workflow.h"
#include "store/person/people.h"
#include "store/person/person.h"

struct automation_locked_contact *
automation_locked_contact_new(struct service *service, struct store_person *contact, GError **error)
{
	struct automation_locked_contact *locked = g_new0(struct automation_locked_contact, 1);

	locked->service = service;
	locked->contact = contact;
	locked->properties =
	    json_parse_as("properties", contact->properties, strlen(contact->properties), error);
	if (locked->properties)
		return locked;
	if (error && *error)
		(*error)->code = PH_ERROR_FAILED;
	automation_locked_contact_free(locked);
	return NULL;
}

void
automation_locked_contact_free(struct automation_locked_contact *locked)
{
	g_clear_pointer(&locked->contact, store_person_free);
	g_clear_pointer(&locked->properties, json_free);
	g_clear_pointer(&locked->fields, json_free);
	g_clear_pointer(&locked->segments, g_hash_table_unref);
	g_free(locked);
}

static guint
contact_hash_id(const void *data)
{
	const struct base_id *id = data;

	return (guint)id->bytes[15] << 24 | (guint)id->bytes[14] << 16 | (guint)id->bytes[13] << 8 |
	       id->bytes[12];
}

static gboolean
contact_equal_ids(const void *a, const void *b)
{
	return base_id_equal(a, b);
}

GHashTable *
automation_locked_contact_table(void)
{
	return g_hash_table_new_full(
	    contact_hash_id, contact_equal_ids, NULL, automation_locked_contact_destroy);
}

static struct store_person *
contact_make(const struct base_id *workspace, const char *address, const char *email)
{
	struct store_person *contact = g_new0(struct store_person, 1);

	contact->id = base_id_new();
	contact->workspace_id = *workspace;
	contact->email = g_strdup(email);
	contact->address = g_strdup(address);
	contact->properties = g_strdup("{}");
	return contact;
}

/* Locks the contact with this address. NOT_FOUND "Contact not found", also for a person that has
   had no event. The caller frees it. */
static struct automation_locked_contact *
lock_existing(
    struct service *service, const struct base_id *workspace, const char *address, GError **error)
{
	struct store_person *contact;

	if (!store_person_lock(service->db, workspace, address, &contact, error))
		return NULL;
	if (contact && contact->seen)
		return automation_locked_contact_new(service, contact, error);
	g_clear_pointer(&contact, store_person_free);
	store_person_missing(error);
	return NULL;
}

struct automation_locked_contact *
automation_locked_contact_of(struct service *service, struct store_workflow_sought *sought,
    const char *email, GError **error)
{
	bool is_new = !sought->contact;
	struct automation_locked_contact *locked = automation_locked_contact_new(service,
	    is_new ? contact_make(sought->workspace, sought->address, email)
		   : g_steal_pointer(&sought->contact),
	    error);

	if (locked)
		locked->is_new = is_new;
	return locked;
}

bool
automation_locked_contact_read_fields(struct automation_locked_contact *locked, GError **error)
{
	const struct store_person *contact = locked->contact;
	AUTO(json_writer) writer = json_writer_new();
	AUTO(store_person) person = NULL;

	if (locked->fields)
		return true;
	if (!locked->is_new && !(person = store_people_get_id(locked->service->db,
				     &contact->workspace_id, &contact->id, error)))
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "email", contact->email);
	json_writer_string(writer, "first_name", person ? person->first_name : NULL);
	json_writer_string(writer, "last_name", person ? person->last_name : NULL);
	json_writer_string(writer, "language", person ? person->language : NULL);
	json_writer_string(writer, "time_zone", person ? person->time_zone : NULL);
	if (person) {
		json_writer_integer(writer, "created", person->created);
		json_writer_boolean(writer, "subscribed", person->is_subscribed);
	}
	json_writer_end_object(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	locked->fields = json_parse(text, strlen(text), NULL);
	return true;
}

bool
automation_locked_contact_before(struct automation_locked_contact *locked, GError **error)
{
	const struct store_person *contact = locked->contact;
	/* The engine reads people without it. */
	g_autofree char *made =
	    contact->address ? NULL : person_contact_address(contact->email, NULL);
	const char *address = made ? made : contact->address;

	return !locked->changed || locked->is_new || !address ||
	       store_own_people_before(
		   locked->service->db, &locked->contact->workspace_id, &address, 1, error);
}

bool
automation_locked_contact_store(struct automation_locked_contact *locked, GError **error)
{
	struct store_person *contact = locked->contact;
	const struct store_person *const contacts[] = {contact};
	struct db *db = locked->service->db;

	if (!locked->is_new && !locked->changed)
		return true;
	contact->updated = base_clock_now();
	if (locked->is_new)
		contact->created = contact->updated;
	/* The event that makes the contact is counted later. */
	if (!contact->last_event)
		contact->last_event = g_strdup("");
	bool stored = locked->is_new ? store_person_insert(db, contact, error)
				     : store_person_properties(db, contacts, 1, error);
	locked->is_new = locked->changed = false;
	return stored;
}

static bool
contact_read_segment(
    const struct base_id *segment, const struct json_place *place, void *context, GError **error)
{
	struct automation_locked_contact *locked = context;
	const struct store_person *contact = locked->contact;
	bool is_in;

	if (!automation_locked_contact_store(locked, error) ||
	    !segment_has(
		locked->service, &contact->workspace_id, segment, &contact->id, &is_in, error))
		return false;
	if (!locked->segments)
		locked->segments = automation_rules_segments_new();
	if (is_in)
		g_hash_table_add(locked->segments, g_memdup2(segment, sizeof(*segment)));
	else
		g_hash_table_remove(locked->segments, segment);
	return true;
}

bool
automation_locked_contact_read_segments(
    struct automation_locked_contact *locked, const struct automation_rules *rules, GError **error)
{
	return automation_rules_each_segment(rules, NULL, contact_read_segment, locked, error);
}

bool
automation_locked_contact_merge(
    struct automation_locked_contact *locked, const struct json *patch, GError **error)
{
	if (json_member_count(patch) == 0)
		return true;
	g_autofree char *merged = rule_properties_merge(locked->properties, patch);
	gsize size = strlen(merged);
	if (strcmp(merged, locked->contact->properties) == 0)
		return true;
	if (size > LIMIT_CONTACT_PROPERTIES_BYTES) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "properties must be at most %d bytes with those that the contact has",
		    LIMIT_CONTACT_PROPERTIES_BYTES);
		return false;
	}
	struct json *parsed = json_parse_as("properties", merged, size, error);
	if (!parsed)
		return false;
	json_free(locked->properties);
	locked->properties = parsed;
	g_free(locked->contact->properties);
	locked->contact->properties = g_steal_pointer(&merged);
	locked->changed = true;
	return true;
}

static bool
contact_store_seen(struct automation_locked_contact *locked, GError **error)
{
	struct store_person shown = *locked->contact;

	if (!locked->changed)
		shown.properties = NULL;
	locked->changed = false;
	return store_person_seen(locked->service->db, &shown, error);
}

void
automation_locked_contact_count_event(
    struct automation_locked_contact *locked, const char *name, gint64 time, gint64 now)
{
	struct store_person *contact = locked->contact;

	contact->event_count++;
	contact->updated = now;
	if (time >= contact->last_seen) {
		contact->last_seen = time;
		g_free(contact->last_event);
		contact->last_event = g_strdup(name);
	}
	if (locked->is_new)
		contact->created = now;
	if (!contact->seen || time < contact->first_seen)
		contact->first_seen = time;
	contact->seen = true;
}

bool
automation_locked_contact_store_event(struct automation_locked_contact *locked, const char *name,
    gint64 time, gint64 now, GError **error)
{
	automation_locked_contact_count_event(locked, name, time, now);
	if (!locked->is_new)
		return contact_store_seen(locked, error);
	locked->is_new = locked->changed = false;
	return store_person_insert(locked->service->db, locked->contact, error);
}

struct change {
	struct service *service;
	const struct base_id *workspace;
	char *address;
	const struct json *patch;
	char *merged;
	guint cancelled; /* executions */
};

static bool
contact_find_address(struct change *change, const char *email, GError **error)
{
	change->address = person_contact_address(email, NULL);
	if (!change->address)
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Contact not found");
	return change->address;
}

static bool
patch(struct db *db, void *context, GError **error)
{
	struct change *change = context;
	AUTO(automation_locked_contact) locked =
	    lock_existing(change->service, change->workspace, change->address, error);

	if (!locked || !automation_locked_contact_merge(locked, change->patch, error))
		return false;
	locked->contact->updated = base_clock_now();
	g_free(change->merged);
	change->merged = g_strdup(locked->contact->properties);
	const struct store_person *const contacts[] = {locked->contact};
	return store_person_properties(db, contacts, 1, error);
}

bool
automation_contact_patch(struct service *service, const struct base_id *workspace,
    const char *email, const struct json *properties, char **merged_r, GError **error)
{
	struct change change = {.service = service, .workspace = workspace, .patch = properties};
	bool done = contact_find_address(&change, email, error) &&
		    db_transact(service->db, patch, &change, error);

	if (!done)
		g_clear_pointer(&change.merged, g_free);
	*merged_r = change.merged;
	g_free(change.address);
	return done;
}

static bool
contact_remove_one(struct db *db, void *context, GError **error)
{
	struct change *change = context;
	AUTO(automation_locked_contact) locked =
	    lock_existing(change->service, change->workspace, change->address, error);

	if (!locked)
		return false;
	const struct base_id *id = &locked->contact->id;
	return store_execution_cancel_contact(
		   db, id, base_clock_now(), &change->cancelled, error) &&
	       store_automation_feedback_forget(db, id, error) &&
	       store_person_remove(db, change->workspace, id, true, error);
}

bool
automation_contact_remove(
    struct service *service, const struct base_id *workspace, const char *email, GError **error)
{
	struct change change = {.service = service, .workspace = workspace};
	bool done = contact_find_address(&change, email, error) &&
		    db_transact(service->db, contact_remove_one, &change, error);

	if (done && change.cancelled > 0)
		service_metrics_add(METRIC_EXECUTIONS_ENDED, change.cancelled, "cancelled", NULL);
	g_free(change.address);
	return done;
}

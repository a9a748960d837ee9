/* SPDX-License-Identifier: MIT */
/* A contact in the hand of a transaction: its properties, and that something happened to it. */
#include "automation/locked_contact.h"

#include <string.h>

#include "automation/properties.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "core/core.h"
#include "json/strict.h"
#include "store/automation_contact_write.h"
#include "store/workflow_trigger.h"

struct automation_locked_contact *
automation_locked_contact_new(
    struct core *core, struct store_automation_contact *contact, GError **error)
{
	struct automation_locked_contact *person = g_new0(struct automation_locked_contact, 1);

	person->core = core;
	person->contact = contact;
	person->properties =
	    json_parse_as("properties", contact->properties, strlen(contact->properties), error);
	if (person->properties)
		return person;
	if (error && *error)
		(*error)->code = PH_ERROR_FAILED;
	automation_locked_contact_free(person);
	return NULL;
}

void
automation_locked_contact_free(struct automation_locked_contact *person)
{
	g_clear_pointer(&person->contact, store_automation_contact_free);
	g_clear_pointer(&person->properties, json_free);
	g_free(person);
}

static guint
hash_id(const void *data)
{
	const struct base_id *id = data;

	return (guint)id->bytes[15] << 24 | (guint)id->bytes[14] << 16 | (guint)id->bytes[13] << 8 |
	       id->bytes[12];
}

static gboolean
equal_ids(const void *a, const void *b)
{
	return base_id_equal(a, b);
}

static void
free_person(void *person)
{
	automation_locked_contact_free(person);
}

GHashTable *
automation_locked_contact_table(void)
{
	return g_hash_table_new_full(hash_id, equal_ids, NULL, free_person);
}

static struct store_automation_contact *
make(const struct base_id *workspace, const char *address, const char *email)
{
	struct store_automation_contact *contact = g_new0(struct store_automation_contact, 1);

	contact->id = base_id_new();
	contact->workspace_id = *workspace;
	contact->email = g_strdup(email);
	contact->address = g_strdup(address);
	contact->properties = g_strdup("{}");
	return contact;
}

struct automation_locked_contact *
automation_locked_contact_lock(
    struct core *core, const struct base_id *workspace, const char *address, GError **error)
{
	struct store_automation_contact *contact;

	if (!store_automation_contact_lock(core->db, workspace, address, &contact, error))
		return NULL;
	if (contact)
		return automation_locked_contact_new(core, contact, error);
	store_automation_contact_missing(error);
	return NULL;
}

struct automation_locked_contact *
automation_locked_contact_lock_for(struct core *core, const struct base_id *workspace,
    const char *address, const char *email, const char *event_name, GArray **targets_r,
    GError **error)
{
	struct store_automation_contact *contact;
	g_autoptr(GArray) targets =
	    store_workflow_trigger_lock(core->db, workspace, address, event_name, &contact, error);

	if (!targets)
		return NULL;
	bool is_new = !contact;
	struct automation_locked_contact *person = automation_locked_contact_new(
	    core, is_new ? make(workspace, address, email) : contact, error);
	if (!person)
		return NULL;
	person->is_new = is_new;
	*targets_r = g_steal_pointer(&targets);
	return person;
}

bool
automation_locked_contact_merge(
    struct automation_locked_contact *person, const struct json *patch, GError **error)
{
	if (json_member_count(patch) == 0)
		return true;
	g_autofree char *merged = automation_properties_merge(person->properties, patch);
	gsize size = strlen(merged);
	if (strcmp(merged, person->contact->properties) == 0)
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
	json_free(person->properties);
	person->properties = parsed;
	g_free(person->contact->properties);
	person->contact->properties = g_steal_pointer(&merged);
	person->changed = true;
	return true;
}

static bool
store_seen(struct automation_locked_contact *person, GError **error)
{
	struct store_automation_contact shown = *person->contact;
	const struct store_automation_contact *const contacts[] = {&shown};

	if (!person->changed)
		shown.properties = NULL;
	return store_automation_contact_seen(person->core->db, contacts, 1, error);
}

bool
automation_locked_contact_see(struct automation_locked_contact *person, const char *name,
    gint64 time, gint64 now, GError **error)
{
	struct store_automation_contact *contact = person->contact;

	contact->event_count++;
	contact->updated = now;
	if (time >= contact->last_seen) {
		contact->last_seen = time;
		g_free(contact->last_event);
		contact->last_event = g_strdup(name);
	}
	if (person->is_new) {
		contact->first_seen = time;
		contact->created = now;
	}
	bool stored = person->is_new
			  ? store_automation_contact_insert(person->core->db, contact, error)
			  : store_seen(person, error);
	person->is_new = person->changed = false;
	return stored;
}

/* SPDX-License-Identifier: MIT */
/* Checks and records the events that clients send. */
#include "automation/event.h"

#include <string.h>

#include "automation/contact.h"
#include "automation/design_cache.h"
#include "automation/event_dispatch.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "consent/consent.h"
#include "json/strict.h"
#include "json/writer.h"
#include "person/contact.h"
#include "rule/event_name.h"
#include "service/service.h"
#include "store/automation/event.h"
#include "store/automation/own.h"
#include "store/automation/workflow.h"
#include "store/person/person.h"

static struct automation_recording *
recording_of(const struct service_once *request)
{
	return (struct automation_recording *)request;
}

static bool
event_insert_event(struct service *service, const struct automation_recording *recording,
    const struct store_person *contact, GError **error)
{
	const struct store_automation_event event = {
	    .id = recording->event_id,
	    .workspace_id = *recording->workspace,
	    .contact_id = contact->id,
	    .name = recording->name,
	    .timestamp = recording->timestamp,
	    .properties = recording->properties,
	    .created = contact->updated,
	};

	return store_automation_event_insert(service->db, &event, 1, error);
}

static bool
event_dispatch(struct service *service, struct automation_recording *recording,
    struct automation_locked_contact *locked, GArray *targets, GError **error)
{
	const struct automation_recorded_event recorded = {
	    .contact = locked->contact,
	    .locked = locked,
	    .event_id = &recording->event_id,
	    .name = recording->name,
	    .properties = recording->input.properties,
	    .time = recording->timestamp,
	    .targets = targets,
	    .only_domain = recording->only_domain,
	};

	return automation_event_dispatch(service, &recorded, &recording->deduplicated, error);
}

/* After a COMMIT without a reply, finds out whether it stored the event. We hold the contact's
   lock, so the earlier transaction has ended either way. A new contact has no row to lock: then the
   unique key of the address stops one of the two transactions. */
static bool
event_is_recorded(struct service *service, const struct automation_recording *recording,
    bool *there_r, GError **error)
{
	*there_r = false;
	return !recording->request.maybe_stored ||
	       store_automation_event_there(
		   service->db, recording->workspace, &recording->event_id, there_r, error);
}

/* Sets the event's time and id. The clock is read under the contact's lock, and times of one
   contact are all different, so no event is older than a decision that was made without it, but for
   one that the client says happened before: decisions that were made stay. An
   event of a new contact whose first COMMIT had no reply keeps its time and id:
   1. The first transaction may still be running, and both insert the contact.
   2. The later of the two fails on the unique key of the address, and runs again.
   3. is_recorded then finds the event of the other by its id. */
static void
set_time_and_id(struct automation_recording *recording,
    const struct automation_locked_contact *locked, gint64 now)
{
	if (recording->request.maybe_stored && locked->is_new)
		return;
	recording->timestamp = recording->input.timed && recording->input.timestamp < now
				   ? recording->input.timestamp
				   : MAX(now, locked->contact->last_seen + 1);
	recording->event_id = base_id_at(recording->timestamp);
}

static bool
event_record(struct service *service, struct automation_recording *recording,
    struct store_workflow_sought *sought, GError **error)
{
	AUTO(automation_locked_contact) locked =
	    automation_locked_contact_of(service, sought, recording->input.email, error);
	bool there;

	if (!locked || !event_is_recorded(service, recording, &there, error))
		return false;
	if (there)
		return true;
	gint64 now = base_clock_now();
	set_time_and_id(recording, locked, now);
	const struct json *merged = recording->apart ? NULL : recording->input.properties;
	if (!automation_locked_contact_merge(locked, merged, error))
		return false;
	if (locked->changed)
		store_own_after(service->db, recording->timestamp);
	return automation_locked_contact_before(locked, error) &&
	       event_dispatch(service, recording, locked, sought->targets, error) &&
	       automation_locked_contact_store_event(
		   locked, recording->name, recording->timestamp, now, error) &&
	       event_insert_event(service, recording, locked->contact, error);
}

/* The addresses of new contacts may have left all mailings before. */
static bool
flag_new(struct service *service, const struct store_workflow_sought *sought, const bool *is_new,
    guint count, GError **error)
{
	g_autofree const char **addresses = g_new(const char *, count);
	guint found = 0;

	for (guint i = 0; i < count; i++) {
		if (is_new[i])
			addresses[found++] = sought[i].address;
		bool ends =
		    i + 1 == count || !base_id_equal(sought[i].workspace, sought[i + 1].workspace);
		if (!ends || found == 0)
			continue;
		if (!consent_flag(
			service->db, service, sought[i].workspace, addresses, found, error))
			return false;
		found = 0;
	}
	return true;
}

/* Records events of different contacts, sorted by workspace. */
static bool
record_round(
    struct service *service, struct automation_recording *const *round, guint count, GError **error)
{
	g_autofree bool *is_new = g_new(bool, count);
	g_autofree struct store_workflow_sought *sought =
	    g_new0(struct store_workflow_sought, count);

	for (guint i = 0; i < count; i++)
		sought[i] = (struct store_workflow_sought){
		    round[i]->workspace, round[i]->address, round[i]->name, NULL, NULL};
	if (!store_workflow_trigger_lock(service->db, sought, count, error))
		return false;
	bool done = true;
	for (guint i = 0; i < count; i++) {
		is_new[i] = !sought[i].contact;
		done = done && event_record(service, round[i], &sought[i], error);
		g_clear_pointer(&sought[i].contact, store_person_free);
		g_array_unref(sought[i].targets);
	}
	return done && flag_new(service, sought, is_new, count, error);
}

/* By workspace and contact. */
static int
event_by_lock(const void *a, const void *b)
{
	const struct automation_recording *const *x = a, *const *y = b;
	int order = memcmp((*x)->workspace, (*y)->workspace, sizeof(struct base_id));

	return order ? order : strcmp((*x)->address, (*y)->address);
}

/* Moves the first event of each contact from rest to round. Both are sorted. */
static guint
take_round(struct automation_recording **rest, guint *count, struct automation_recording **round)
{
	guint taken = 0, left = 0;

	for (guint i = 0; i < *count; i++)
		if (taken > 0 && event_by_lock(&rest[i], &round[taken - 1]) == 0)
			rest[left++] = rest[i];
		else
			round[taken++] = rest[i];
	*count = left;
	return taken;
}

/* Each round has an event of each contact. The keys come last: the workflows decide the answers. */
static bool
event_store(
    struct service *service, struct service_once *const *requests, guint count, GError **error)
{
	g_autofree struct automation_recording **rest = g_new(struct automation_recording *, count);
	g_autofree struct automation_recording **round =
	    g_new(struct automation_recording *, count);
	guint left = count;

	for (guint i = 0; i < count; i++)
		rest[i] = recording_of(requests[i]);
	base_array_sort(rest, count, sizeof(struct automation_recording *), event_by_lock);
	while (left > 0) {
		guint taken = take_round(rest, &left, round);

		if (!record_round(service, round, taken, error))
			return false;
	}
	return service_once_take(service, requests, count, error);
}

static void
free_recording(struct service_once *request)
{
	struct automation_recording *recording = recording_of(request);

	g_free(recording->name);
	g_free(recording->email);
	g_free(recording->address);
	g_free(recording->properties);
	g_free(recording);
}

static const struct service_once_kind kind = {.store = event_store, .free = free_recording};

static bool
check_time(const struct automation_event_input *input, GError **error)
{
	gint64 now = base_clock_now();

	return !input->timed ||
	       (input->timestamp >= now - LIMIT_EVENT_PAST_MS &&
		   input->timestamp <= now + LIMIT_EVENT_AHEAD_MS) ||
	       base_invalid(
		   error, "timestamp must be at most 30 days ago and at most 5 minutes ahead");
}

static bool
event_check(struct automation_recording *recording, GError **error)
{
	const struct automation_event_input *input = &recording->input;

	recording->name = rule_event_name("event_name", input->name, error);
	if (!recording->name)
		return false;
	if (!input->is_ours && rule_event_name_reserved(recording->name))
		return base_invalid(error, "event_name must not begin with " EVENT_NAME_RESERVED);
	if (rule_event_name_is_own(recording->name))
		return base_invalid(
		    error, "event_name %s is told by Posthouse itself", recording->name);
	recording->address = person_contact_recipient(input->email, error);
	if (!recording->address)
		return false;
	if (!check_time(input, error))
		return false;
	recording->properties = input->properties ? json_print(input->properties) : g_strdup("{}");
	return strlen(recording->properties) <= LIMIT_EVENT_PROPERTIES_BYTES ||
	       base_invalid(
		   error, "properties must be at most %d bytes", LIMIT_EVENT_PROPERTIES_BYTES);
}

struct automation_recording *
automation_event_check(struct service *service, const struct base_id *workspace,
    const struct automation_event_input *input, const struct service_idempotency *idempotency,
    GError **error)
{
	struct automation_recording *recording = g_new0(struct automation_recording, 1);
	AUTO(service_once) request = &recording->request;

	automation_design_cache_trim(service);
	request->kind = &kind;
	if (idempotency)
		request->idempotency = *idempotency;
	recording->workspace = workspace;
	recording->input = *input;
	recording->input.email = recording->email = g_strdup(input->email);
	if (!event_check(recording, error) || !service_once_find(service, request, error))
		return NULL;
	request = NULL;
	return recording;
}

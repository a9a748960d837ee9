/* SPDX-License-Identifier: MIT */
/* Tells the people of a start its event. */
#include "start/begin.h"

#include <string.h>

#include "automation/begun.h"
#include "automation/contact.h"
#include "automation/design.h"
#include "automation/design_cache.h"
#include "automation/event_dispatch.h"
#include "automation/node.h"
#include "rule/event_name.h"
#include "base/clock.h"
#include "consent/consent.h"
#include "db/statement.h"
#include "json/strict.h"
#include "service/service.h"
#include "store/automation/event.h"
#include "store/automation/start.h"
#include "store/automation/workflow.h"
#include "store/person/person.h"
#include "store/webhook/enqueue.h"

/* The deferred rows of so many people are written by one statement, whose size comes again. */
#define TOGETHER 32

/* The people of a transaction, all of one start. */
struct crowd {
	struct service *service;
	struct store_start *start;
	const struct store_start_workflow *workflow;
	struct json *properties; /* of the event */
	struct automation_begun *begun;
	gint64 now;    /* epoch ms */
	GArray *ids;   /* struct base_id, of events at that time, the next one last */
	GArray *hooks; /* struct begin_hook: entries of which a webhook is to hear */
};

/* A person who has entered the workflow. */
struct begin_hook {
	const struct store_person *contact;
	struct base_id event_id;
};

static void
begin_count(struct store_start *start, enum store_start_reason reason)
{
	start->people++;
	if (reason == START_REASON_NONE)
		start->started++;
	else if (reason == START_FILTER)
		start->filter++;
	else
		start->reentry++;
}

static const char *
begin_event_name(const struct store_start *start)
{
	return start->source == START_SCHEDULE ? EVENT_NAME_SCHEDULE : EVENT_NAME_STARTED;
}

/* The event of a person who has entered the workflow. */
static void
begin_add_event(const struct crowd *crowd, const struct automation_recorded_event *recorded)
{
	const struct store_automation_event event = {
	    .id = *recorded->event_id,
	    .workspace_id = crowd->start->workspace_id,
	    .contact_id = recorded->contact->id,
	    .name = (char *)recorded->name,
	    .timestamp = recorded->time,
	    .properties = crowd->start->properties,
	    .created = crowd->now,
	};
	const struct begin_hook hook = {recorded->contact, event.id};

	automation_begun_event(crowd->begun, &event);
	if (crowd->workflow->is_told)
		g_array_append_val(crowd->hooks, hook);
}

static int
begin_last_first(const void *a, const void *b)
{
	return memcmp(b, a, sizeof(struct base_id));
}

/* Makes ids for the events of so many people. Rows of events are stored in the order of people, and
   fastest if that is the order of their ids too. */
static GArray *
begin_make_ids(gint64 now, guint count)
{
	GArray *ids = g_array_sized_new(FALSE, FALSE, sizeof(struct base_id), count);

	for (guint i = 0; i < count; i++) {
		struct base_id id = base_id_at(now);

		g_array_append_val(ids, id);
	}
	g_array_sort(ids, begin_last_first);
	return ids;
}

/* The id of an event at this time. */
static struct base_id
begin_take_id(const struct crowd *crowd, gint64 time)
{
	GArray *ids = crowd->ids;

	if (time != crowd->now || ids->len == 0)
		return base_id_at(time);
	struct base_id id = g_array_index(ids, struct base_id, ids->len - 1);
	g_array_set_size(ids, ids->len - 1);
	return id;
}

/* The event's time is that of store_person_told. One who is kept out gets no event, but is a person
   from now on. */
static bool
begin_one(const struct crowd *crowd, struct automation_locked_contact *locked,
    struct automation_beginning *beginning, GError **error)
{
	gint64 time = MAX(crowd->now, locked->contact->last_seen + 1);
	struct base_id event_id = begin_take_id(crowd, time);
	const struct automation_recorded_event recorded = {
	    .contact = locked->contact,
	    .locked = locked,
	    .event_id = &event_id,
	    .name = begin_event_name(crowd->start),
	    .properties = crowd->properties,
	    .time = time,
	    .beginning = beginning,
	};

	if (!automation_event_begin(crowd->service, &recorded, error))
		return false;
	bool begun = beginning->reason == START_REASON_NONE;
	begin_count(crowd->start, beginning->reason);
	if (begun)
		begin_add_event(crowd, &recorded);
	if (locked->is_new)
		return automation_locked_contact_store_event(
		    locked, recorded.name, time, crowd->now, error);
	if (begun) {
		automation_locked_contact_count_event(locked, recorded.name, time, crowd->now);
		automation_begun_told(crowd->begun, &locked->contact->id);
	}
	return true;
}

/* Stores the rows of all, and tells webhooks, which read them. */
static bool
begin_store(const struct crowd *crowd, GError **error)
{
	const struct store_person_told told = {
	    &crowd->start->workspace_id, begin_event_name(crowd->start), crowd->now};

	if (!automation_begun_store(crowd->begun, crowd->service, &told, error))
		return false;
	for (guint i = 0; i < crowd->hooks->len; i++) {
		const struct begin_hook *hook = &g_array_index(crowd->hooks, struct begin_hook, i);

		if (!store_webhook_enqueue_started(
			crowd->service->db, hook->contact, &hook->event_id, error))
			return false;
	}
	return true;
}

/* The addresses of new people may have left all mailings before. */
static bool
begin_flag(const struct crowd *crowd, const GPtrArray *people, const bool *is_new, GError **error)
{
	g_autoptr(GPtrArray) addresses = g_ptr_array_new();

	for (guint i = 0; i < people->len; i++) {
		const struct automation_locked_contact *locked = people->pdata[i];

		if (is_new[i])
			g_ptr_array_add(addresses, locked->contact->address);
	}
	return addresses->len == 0 ||
	       consent_flag(crowd->service->db, crowd->service, &crowd->start->workspace_id,
		   (const char *const *)addresses->pdata, addresses->len, error);
}

/* Reads what people have left in the workflow, where its trigger's re-entry asks for it. */
static bool
begin_read_traces(const struct crowd *crowd, const struct store_person *const *people, guint count,
    struct store_start_trace *traces, GError **error)
{
	const struct base_id *workflow = &crowd->start->workflow_id;
	const struct automation_cached_design *cached =
	    automation_design_cache_get(crowd->service, workflow, crowd->workflow->version, error);
	const struct automation_node_trigger *trigger =
	    cached && cached->design ? automation_design_trigger(cached->design) : NULL;

	if (!cached)
		return false;
	return !trigger || trigger->reentry == REENTRY_EVERY ||
	       store_start_traces(crowd->service->db, workflow, people, count, traces, error);
}

static bool
begin_all(const struct crowd *crowd, const GPtrArray *people, struct automation_beginning *last_r,
    GError **error)
{
	guint count = people->len;
	g_autofree const struct store_person **rows = g_new(const struct store_person *, count);
	g_autofree struct store_start_trace *traces = g_new0(struct store_start_trace, count);
	g_autofree bool *is_new = g_new(bool, count);

	for (guint i = 0; i < count; i++) {
		const struct automation_locked_contact *locked = people->pdata[i];

		rows[i] = locked->contact;
		is_new[i] = locked->is_new;
	}
	if (!begin_read_traces(crowd, rows, count, traces, error))
		return false;
	for (guint i = 0; i < count; i++) {
		struct automation_beginning beginning = {
		    .workflow_id = &crowd->start->workflow_id,
		    .start_id = &crowd->start->id,
		    .version = crowd->workflow->version,
		    .entered = traces[i].entered,
		    .runs = traces[i].runs,
		    .begun = crowd->begun,
		};

		if (i % TOGETHER == TOGETHER - 1 && !db_run_deferred(crowd->service->db, error))
			return false;
		if (!begin_one(crowd, people->pdata[i], &beginning, error))
			return false;
		if (last_r)
			*last_r = beginning;
	}
	return begin_store(crowd, error) && begin_flag(crowd, people, is_new, error);
}

bool
start_begin(struct service *service, struct store_start *start,
    const struct store_start_workflow *workflow, const GPtrArray *people,
    struct automation_beginning *last_r, GError **error)
{
	AUTO(json) properties = json_parse(start->properties, strlen(start->properties), error);
	g_autoptr(GArray) hooks = g_array_new(FALSE, FALSE, sizeof(struct begin_hook));
	/* A request is answered before the first steps. */
	AUTO(automation_begun) begun = automation_begun_new(last_r ? NULL : properties);
	gint64 now = base_clock_now();
	g_autoptr(GArray) ids = begin_make_ids(now, people->len);
	const struct crowd crowd = {service, start, workflow, properties, begun, now, ids, hooks};

	return properties && begin_all(&crowd, people, last_r, error);
}

static GPtrArray *
begin_list(void)
{
	return g_ptr_array_new_with_free_func(automation_locked_contact_destroy);
}

/* Wraps the person, or a new one. */
static bool
begin_add(struct service *service, GPtrArray *list, struct store_workflow_sought *sought,
    const char *email, GError **error)
{
	struct automation_locked_contact *locked =
	    automation_locked_contact_of(service, sought, email, error);

	if (locked)
		g_ptr_array_add(list, locked);
	return locked != NULL;
}

GPtrArray *
start_begin_addresses(struct service *service, const struct store_start *start,
    const char *const *addresses, const char *const *emails, guint count, GError **error)
{
	const struct base_id *workspace = &start->workspace_id;
	g_autoptr(GPtrArray) list = begin_list();
	g_autoptr(GPtrArray) people =
	    store_person_lock_addresses(service->db, workspace, addresses, count, error);
	g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);

	if (!people)
		return NULL;
	for (guint i = 0; i < people->len; i++)
		g_hash_table_insert(
		    known, ((struct store_person *)people->pdata[i])->address, people->pdata[i]);
	g_ptr_array_set_free_func(people, NULL);
	bool done = true;
	for (guint i = 0; i < count; i++) {
		struct store_person *person = NULL;

		g_hash_table_steal_extended(known, addresses[i], NULL, (void **)&person);
		struct store_workflow_sought sought = {workspace, addresses[i], NULL, person, NULL};
		if (done)
			done = begin_add(service, list, &sought, emails[i], error);
		else
			g_clear_pointer(&person, store_person_free);
	}
	return done ? g_steal_pointer(&list) : NULL;
}

GPtrArray *
start_begin_ids(
    struct service *service, const struct store_start *start, const GArray *ids, GError **error)
{
	g_autoptr(GPtrArray) list = begin_list();
	g_autoptr(GPtrArray) people = store_person_lock_ids(service->db, &start->workspace_id,
	    (const struct base_id *)(const void *)ids->data, ids->len, error);

	/* In the order of their ids, in which rows are stored fastest. */
	while (people && people->len > 0) {
		struct automation_locked_contact *locked = automation_locked_contact_new(
		    service, g_ptr_array_steal_index(people, 0), error);

		if (!locked)
			return NULL;
		g_ptr_array_add(list, locked);
	}
	return people ? g_steal_pointer(&list) : NULL;
}

/* SPDX-License-Identifier: MIT */
/* Simulates a workflow for one contact (POST /v1/workflows/simulate). */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "automation/design.h"
#include "automation/design_check.h"
#include "rule/event_name.h"
#include "automation/rules.h"
#include "automation/simulate.h"
#include "automation/simulate_due.h"
#include "automation/simulation_view.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"
#include "person/contact.h"
#include "person/person.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/automation/workflow.h"
#include "text/language.h"

struct contact_input {
	const char *email, *first_name, *last_name, *language, *time_zone;
	const struct json *properties;
	const char **segments; /* owned */
};

struct event_input {
	const char *name;
	gint64 time;
	const struct json *properties;
};

#define NO_TIME G_MAXINT64 /* where the request gives none */

struct input {
	const struct json *design; /* an object, or its text */
	const char *workflow;	   /* an id */
	const struct json *contact;
	GArray *events; /* of struct event_input; NULL: none */
	gint64 until, from;
	const struct json *responses;
};

/* clang-format off */
static const struct json_field contact_fields[] = {
	JSON_FIELD("email", FIELD_STRING, struct contact_input, email),
	JSON_FIELD("first_name", FIELD_STRING, struct contact_input, first_name),
	JSON_FIELD("last_name", FIELD_STRING, struct contact_input, last_name),
	JSON_FIELD("language", FIELD_STRING, struct contact_input, language),
	JSON_FIELD("time_zone", FIELD_STRING, struct contact_input, time_zone),
	JSON_FIELD("properties", FIELD_OBJECT, struct contact_input, properties),
	JSON_FIELD("segments", FIELD_STRINGS, struct contact_input, segments, .max = LIMIT_SIMULATION_SEGMENTS),
};

static const struct json_field event_fields[] = {
	JSON_FIELD("event_name", FIELD_STRING, struct event_input, name, .required = true),
	JSON_FIELD("timestamp", FIELD_TIME, struct event_input, time, .required = true),
	JSON_FIELD("properties", FIELD_OBJECT, struct event_input, properties),
};

static const struct json_field fields[] = {
	JSON_FIELD("design", FIELD_JSON, struct input, design, .kinds = JSON_KIND(JSON_OBJECT) | JSON_KIND(JSON_STRING)),
	JSON_FIELD("workflow_id", FIELD_STRING, struct input, workflow),
	JSON_FIELD("contact", FIELD_OBJECT, struct input, contact, .elements = contact_fields, .element_count = G_N_ELEMENTS(contact_fields)),
	JSON_FIELD("until", FIELD_TIME, struct input, until),
	JSON_FIELD("from", FIELD_TIME, struct input, from),
	JSON_FIELD("responses", FIELD_OBJECT, struct input, responses, .max = LIMIT_DESIGN_NODES),
	JSON_FIELD("events", FIELD_LIST, struct input, events, .max = LIMIT_SIMULATION_EVENTS,
		JSON_ELEMENTS(event_fields, struct event_input)),
};
/* clang-format on */

const struct json_table fcgi_simulation_body = JSON_TABLE(fields);

/* The newest design of a workflow. The caller frees it. */
static struct automation_design *
saved_design(struct fcgi_call *call, const char *workflow, GError **error)
{
	struct base_id id;

	if (!base_id_parse(workflow, &id)) {
		store_workflow_missing(error);
		return NULL;
	}
	AUTO(store_workflow) found =
	    store_workflow_get(call->service->db, &call->key.workspace_id, &id, error);
	return found ? automation_design_parse(found->design ? found->design : "",
			   found->design ? strlen(found->design) : 0, error)
		     : NULL;
}

/* The design that is given, without faults. Its templates and senders are not looked for, as in
   posthouse workflow simulate. The caller frees it. */
static struct automation_design *
simulation_read_design(struct fcgi_call *call, const struct input *input, GError **error)
{
	const struct automation_design_lookup lookup = {.sender = ""};
	g_autofree char *printed = NULL;
	gsize size;
	const char *text = fcgi_workflows_design(input->design, &size, &printed);

	if (!text == !input->workflow) {
		base_invalid(error, "give either design or workflow_id");
		return NULL;
	}
	AUTO(automation_design) design = text ? automation_design_parse_strict(text, size, error)
					      : saved_design(call, input->workflow, error);
	return design && automation_design_check(design, &lookup, error) ? g_steal_pointer(&design)
									 : NULL;
}

static bool
simulation_check_contact(const struct contact_input *input, GError **error)
{
	const struct person_contact_fields names = {
	    .first_name = input->first_name, .last_name = input->last_name};
	g_autofree char *address = NULL, *unused = NULL;

	return (!input->email || (address = person_contact_address(input->email, error))) &&
	       person_contact_check(&names, &unused, error) &&
	       person_check_language(input->language, error) &&
	       person_check_time_zone(input->time_zone, error);
}

static bool
simulation_read_segments(const char *const *ids, GHashTable *segments, GError **error)
{
	for (guint i = 0; ids && ids[i]; i++) {
		struct base_id id;

		if (!base_id_parse(ids[i], &id))
			return base_invalid(error, "segments[%u] is not a segment", i);
		g_hash_table_add(segments, g_memdup2(&id, sizeof(id)));
	}
	return true;
}

/* Reads the contact: without an email of its own, a property of that name decides its side of a
   split. texts keeps what the simulation borrows. */
static bool
simulation_read_contact(const struct json *contact, struct automation_simulation_input *simulation,
    GStringChunk *texts, GError **error)
{
	struct contact_input input = {NULL};
	bool is_good = !contact || (json_fields_read(contact, contact_fields,
					G_N_ELEMENTS(contact_fields), &input, error) &&
				       simulation_check_contact(&input, error) &&
				       simulation_read_segments((const char *const *)input.segments,
					   simulation->segments, error));

	g_free(input.segments);
	if (!is_good) {
		g_prefix_error(error, "contact.");
		return false;
	}
	if (!input.email)
		input.email = json_string(json_member_get(input.properties, "email"), NULL);
	g_autofree char *language = text_language_standard(input.language);
	simulation->contact = automation_simulation_contact(input.email);
	simulation->email = input.email;
	simulation->first_name = input.first_name;
	simulation->last_name = input.last_name;
	simulation->language = language ? g_string_chunk_insert(texts, language) : NULL;
	simulation->time_zone = input.time_zone;
	simulation->properties = input.properties;
	return true;
}

/* Reads the events, as an array of struct automation_simulation_event with names in names. The
   caller owns it. */
static GArray *
simulation_read_events(const GArray *given, GStringChunk *names, GError **error)
{
	g_autoptr(GArray) events =
	    g_array_new(FALSE, FALSE, sizeof(struct automation_simulation_event));

	for (guint i = 0; given && i < given->len; i++) {
		const struct event_input *input = &g_array_index(given, struct event_input, i);
		g_autofree char *field = g_strdup_printf("events[%u].event_name", i);
		g_autofree char *name = rule_event_name(field, input->name, error);

		if (!name)
			return NULL;
		const struct automation_simulation_event event = {
		    g_string_chunk_insert(names, name), input->time, input->properties};
		g_array_append_val(events, event);
	}
	return g_steal_pointer(&events);
}

static void
simulation_reply(struct fcgi_call *call, const struct automation_simulation *simulation)
{
	AUTO(json_writer) writer = json_writer_new();

	automation_simulation_write(writer, simulation);
	fcgi_reply_json(call->reply, 200, writer);
}

static void
simulation_free_document(gpointer document)
{
	json_free(document);
}

static bool
simulation_check_responses(const struct json *responses, GError **error)
{
	struct json_iterator members = json_members(responses);
	const struct json *value;
	const char *node;

	while (json_iterator_next(&members, &node, &value)) {
		const struct json *status = json_member_get(value, "status");
		gint64 number = json_integer(status);

		if (json_kind(value) != JSON_OBJECT)
			return base_invalid(error, "responses.%s must be an object", node);
		if (status && (json_kind(status) != JSON_INTEGER ||
				  (number != 0 && (number < 200 || number > 599))))
			return base_invalid(
			    error, "responses.%s.status must be 200 to 599, or 0", node);
	}
	return true;
}

/* With from, events may be left out, since those that come by themselves are added. */
static bool
simulation_check_times(const struct input *input, GError **error)
{
	if (input->from == NO_TIME)
		return (input->events && input->events->len > 0) ||
		       base_invalid(error, "events is required");
	return input->until != NO_TIME || base_invalid(error, "until is required with from");
}

static bool
simulation_simulate(struct fcgi_call *call, const struct input *input, GError **error)
{
	g_autoptr(GStringChunk) names = g_string_chunk_new(1024);
	g_autoptr(GHashTable) segments = automation_rules_segments_new();
	g_autoptr(GPtrArray) documents = g_ptr_array_new_with_free_func(simulation_free_document);
	struct automation_simulation_input simulation = {
	    .segments = segments,
	    .until = input->until == NO_TIME ? NULL : &input->until,
	    .responses = input->responses,
	    .lines = LIMIT_SIMULATION_TRACE,
	    .deadline = base_clock_boot() + LIMIT_SIMULATION_MS,
	};
	if (!simulation_check_times(input, error) ||
	    !simulation_check_responses(input->responses, error))
		return false;
	g_autoptr(GArray) events =
	    simulation_read_contact(input->contact, &simulation, names, error)
		? simulation_read_events(input->events, names, error)
		: NULL;
	AUTO(automation_design) design = events ? simulation_read_design(call, input, error) : NULL;

	if (!design)
		return false;
	simulation.design = design;
	if (input->from != NO_TIME)
		automation_simulate_due(&simulation, input->from, events, documents);
	simulation.events = (const struct automation_simulation_event *)(void *)events->data;
	simulation.event_count = events->len;
	AUTO(automation_simulation) result = automation_simulate(&simulation);
	if (result->expired)
		return base_invalid(error, "The simulation takes more than %d s: give fewer events",
		    LIMIT_SIMULATION_MS / 1000);
	simulation_reply(call, result);
	return true;
}

bool
fcgi_simulation_run(struct fcgi_call *call, GError **error)
{
	struct input input = {.until = NO_TIME, .from = NO_TIME};
	bool done = json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) &&
		    simulation_simulate(call, &input, error);

	json_fields_free(fields, G_N_ELEMENTS(fields), &input);
	return done;
}

/* SPDX-License-Identifier: MIT */
/* posthouse workflow check and simulate: read a design from a file, and check or simulate it. */
#include "cli/workflow_file.h"

#include <string.h>
#include <sysexits.h>

#include "automation/design.h"
#include "automation/design_check.h"
#include "rule/event_name.h"
#include "automation/rules.h"
#include "automation/simulate.h"
#include "automation/simulate_due.h"
#include "automation/simulation_view.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "cli/call.h"
#include "cli/output.h"
#include "cli/text.h"
#include "cli/value.h"
#include "config/settings.h"
#include "json/writer.h"
#include "json/strict.h"
#include "person/person.h"
#include "store/workspace/workspace.h"

/* Reads the design in the file that is the value of a parameter. Errors of cli_value_read_file and
   automation_design_parse_strict. The caller frees the design. */
static struct automation_design *
workflow_file_read_design(
    const struct cli_parameter *parameter, const char *path, GBytes **text_r, GError **error)
{
	g_autoptr(GBytes) text = cli_value_read_file(parameter, path, LIMIT_DESIGN_BYTES, error);
	gsize size;

	if (!text)
		return NULL;
	const char *bytes = g_bytes_get_data(text, &size);
	struct automation_design *design =
	    automation_design_parse_strict(bytes ? bytes : "", size, error);
	if (design && text_r)
		*text_r = g_steal_pointer(&text);
	return design;
}

enum { CHECK_FILE };
const struct cli_parameter cli_workflow_check_parameters[WORKFLOW_CHECK_PARAMETERS] = {
    [CHECK_FILE] = {"FILE", "the design, as an editor saves it: JSON", NULL, PARAMETER_FILE},
};

static GPtrArray *
find_faults(struct cli_call *call, const struct automation_design *design, GError **error)
{
	struct automation_design_store store = {
	    call->db, call->workspace ? &call->workspace->id : NULL, {NULL, NULL}};
	struct automation_design_lookup lookup = {
	    .template_find = automation_design_template,
	    .published_find = automation_design_published,
	    .domain_find = automation_design_domain,
	    .topic_find = automation_design_topic,
	    .audience_find = automation_design_audience,
	    .segment_find = automation_design_segment,
	    .url_check = automation_design_url,
	    .secret_find = automation_design_secret,
	    .segment_frozen = automation_design_frozen,
	    .context = &store,
	};

	if (call->workspace)
		lookup.sender = call->workspace->default_sender;
	else
		lookup = (struct automation_design_lookup){.sender = ""};
	if (call->settings)
		store.rules =
		    (struct fetch_rules){config_settings_list(call->settings, SETTING_FETCH_ALLOW),
			config_settings_list(call->settings, SETTING_FETCH_PORTS)};
	return automation_design_faults(design, &lookup, error);
}

/* Writes the warnings, or the other faults. */
static void
tell_faults(struct cli_call *call, const GPtrArray *faults, bool warnings)
{
	for (guint i = 0; i < faults->len; i++) {
		const struct automation_design_fault *fault = faults->pdata[i];
		g_autofree char *line =
		    g_strconcat(warnings ? "Warning: " : "", fault->message, "\n", NULL);

		if (fault->of_sender == warnings)
			cli_output_item(call->output,
			    FIELDS(
				cli_text("node", fault->node), cli_text("message", fault->message)),
			    line);
	}
}

static guint
count_serious(const GPtrArray *faults)
{
	guint count = 0;

	for (guint i = 0; i < faults->len; i++)
		count += !((const struct automation_design_fault *)faults->pdata[i])->of_sender;
	return count;
}

static void
workflow_file_tell(
    struct cli_call *call, const struct automation_design *design, const GPtrArray *faults)
{
	guint nodes = automation_design_nodes(design)->len;
	guint edges = automation_design_edges(design)->len;
	bool valid = count_serious(faults) == 0;

	if (call->json)
		cli_output_facts(
		    call->output, FIELDS(cli_truth("valid", valid), cli_number("nodes", nodes),
				      cli_number("edges", edges),
				      cli_truth("templates_checked", call->workspace != NULL)));
	else if (valid)
		cli_output_progress(
		    call->output, "The design is valid. Nodes: %u, edges: %u.", nodes, edges);
	cli_output_list_begin(call->output, "faults", NULL);
	tell_faults(call, faults, false);
	cli_output_list_next(call->output);
	cli_output_list_begin(call->output, "warnings", NULL);
	tell_faults(call, faults, true);
	cli_output_list_end(call->output);
	if (call->lack)
		cli_output_progress(call->output,
		    "Templates and the default sender were not checked: %s.", call->lack->message);
}

bool
cli_workflow_check(struct cli_call *call, GError **error)
{
	const char *path = call->values[CHECK_FILE].text;
	AUTO(automation_design) design = workflow_file_read_design(
	    &cli_workflow_check_parameters[CHECK_FILE], path, NULL, error);
	g_autoptr(GPtrArray) faults = design ? find_faults(call, design, error) : NULL;

	if (!faults)
		return false;
	workflow_file_tell(call, design, faults);
	guint serious = count_serious(faults);
	if (serious == 0)
		return true;
	g_autofree char *count = cli_count(serious, "fault", "faults");
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s has %s", path, count);
	return false;
}

enum {
	SIMULATE_FILE,
	SIMULATE_CONTACT,
	SIMULATE_EVENT,
	SIMULATE_UNTIL,
	SIMULATE_ID,
	SIMULATE_ZONE,
	SIMULATE_SEGMENT,
	SIMULATE_FROM,
	SIMULATE_RESPONSE
};
const struct cli_parameter cli_workflow_simulate_parameters[WORKFLOW_SIMULATE_PARAMETERS] = {
    [SIMULATE_FILE] = {"FILE", "the design, as an editor saves it: JSON", NULL, PARAMETER_FILE},
    [SIMULATE_CONTACT] = {"--contact", "the contact's properties before the first event: an object",
	"JSON|FILE", PARAMETER_FILE},
    [SIMULATE_EVENT] = {"--event",
	"an event of the contact: its name, its time (ISO 8601) and its properties: an object",
	"NAME@TIME[:JSON]", PARAMETER_FILE, .repeated = true},
    [SIMULATE_UNTIL] = {"--until", "stop at this time; if not given, at the end", "TIME",
	PARAMETER_TIME},
    [SIMULATE_ID] = {"--id",
	"the contact's id, by which a split decides; if not given, it is derived from the property "
	"email",
	"ID", PARAMETER_ID},
    [SIMULATE_ZONE] = {"--zone", "the contact's IANA time zone", "ZONE", .max = 100},
    [SIMULATE_SEGMENT] = {"--segment", "a segment that the contact is in all the time", "ID",
	PARAMETER_ID, .repeated = true},
    [SIMULATE_FROM] = {"--from",
	"begin at this time: dates and ticks of the trigger come by themselves, until --until",
	"TIME", PARAMETER_TIME},
    [SIMULATE_RESPONSE] = {"--response",
	"what a request node is answered: its id, a status (0: no answer) and JSON; if not given, "
	"200 and {}",
	"NODE=STATUS[:JSON]", PARAMETER_FILE, .repeated = true},
};

/* The events of the simulated contact. */
struct event_list {
	GArray *events;	  /* of struct automation_simulation_event */
	GPtrArray *names; /* their names */
	GPtrArray *documents;
};

static void
workflow_file_free_document(gpointer json)
{
	json_free(json);
}

static void
event_list_free(struct event_list *event_list)
{
	g_array_unref(event_list->events);
	g_ptr_array_unref(event_list->names);
	g_ptr_array_unref(event_list->documents);
	g_free(event_list);
}
DEFINE_AUTO(event_list, event_list_free)

static bool
refuse_event(const char *given, const char *what, GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
	    "--event must be NAME@TIME or NAME@TIME:JSON, such as "
	    "order.placed@2026-11-20T08:00:00Z:{\"amount\": 5}, not \"%s\": %s",
	    given, what);
	return false;
}

static bool
workflow_file_read_properties(struct event_list *event_list, const char *text,
    struct automation_simulation_event *event, GError **error)
{
	struct json *json = json_parse_as("--event", text, strlen(text), error);

	if (!json)
		return false;
	g_ptr_array_add(event_list->documents, json);
	event->properties = json;
	return true;
}

static bool
workflow_file_read_event(struct event_list *event_list, const char *given, GError **error)
{
	const char *at = strchr(given, '@');
	const char *json = at ? strstr(at, ":{") : NULL;
	struct automation_simulation_event event = {0};
	struct cli_value time = {0};

	if (!g_utf8_validate(given, -1, NULL))
		return refuse_event("...", "it is not UTF-8", error);
	if (!at)
		return refuse_event(given, "the @ is missing", error);
	g_autofree char *given_name = g_strndup(given, (gsize)(at - given));
	char *name = rule_event_name("--event: the name", given_name, error);
	if (!name)
		return false;
	g_ptr_array_add(event_list->names, name);
	event.name = name;
	g_autofree char *given_time =
	    json ? g_strndup(at + 1, (gsize)(json - at - 1)) : g_strdup(at + 1);
	if (!cli_value_read(
		&cli_workflow_simulate_parameters[SIMULATE_UNTIL], given_time, &time, NULL))
		return refuse_event(given, "the time is not ISO 8601", error);
	g_free(time.text);
	event.time = time.number;
	if (json && !workflow_file_read_properties(event_list, json + 1, &event, error))
		return false;
	g_array_append_val(event_list->events, event);
	return true;
}

static struct event_list *
workflow_file_read_events(char *const *events, GError **error)
{
	AUTO(event_list) event_list = g_new0(struct event_list, 1);

	event_list->events = g_array_new(FALSE, FALSE, sizeof(struct automation_simulation_event));
	event_list->names = g_ptr_array_new_with_free_func(g_free);
	event_list->documents = g_ptr_array_new_with_free_func(workflow_file_free_document);
	for (; events && *events; events++)
		if (!workflow_file_read_event(event_list, *events, error))
			return NULL;
	return g_steal_pointer(&event_list);
}

static struct json *
workflow_file_read_contact(const char *given, GError **error)
{
	g_autoptr(GBytes) text = NULL;
	gsize size;

	if (!given)
		return json_parse("{}", strlen("{}"), error);
	if (given[strspn(given, " \t\r\n")] == '{')
		text = g_bytes_new(given, strlen(given));
	else
		text = cli_value_read_file(&cli_workflow_simulate_parameters[SIMULATE_CONTACT],
		    given, LIMIT_DESIGN_BYTES, error);
	if (!text)
		return NULL;
	const char *bytes = g_bytes_get_data(text, &size);
	return json_parse_as("--contact", bytes ? bytes : "", size, error);
}

static void
tell_line(struct cli_call *call, const struct automation_simulation_line *line)
{
	cli_output_row(
	    call->output, FIELDS(cli_time("time", line->time),
			      line->execution ? cli_number("execution", line->execution)
					      : cli_text("execution", NULL),
			      cli_text("step", line->node), cli_text("action", line->action),
			      cli_text("branch", line->branch), cli_text("why", line->why)));
}

/* Tells the simulation in JSON as the API does. */
static void
tell_object(struct cli_call *call, const struct automation_simulation *simulation)
{
	AUTO(json_writer) writer = json_writer_new();

	automation_simulation_write(writer, simulation);
	g_autofree char *object = json_writer_take(writer, NULL);
	cli_output_object(call->output, NULL, object);
}

static void
tell_simulation(struct cli_call *call, const struct automation_simulation *simulation)
{
	if (call->json) {
		tell_object(call, simulation);
		return;
	}
	cli_output_list_begin(call->output, "trace", NULL);
	for (guint i = 0; i < simulation->lines->len; i++)
		tell_line(call, simulation->lines->pdata[i]);
	cli_output_list_end(call->output);
	cli_output_progress(call->output,
	    "Executions: %u started, %u completed, %u failed, %u waiting.", simulation->started,
	    simulation->completed, simulation->failed, simulation->waiting);
	cli_output_progress(call->output, "The contact: %s", simulation->properties);
}

/* The segments of these ids; NULL when one is none. The caller owns the set. */
static GHashTable *
workflow_file_read_segments(char *const *ids, GError **error)
{
	g_autoptr(GHashTable) segments = automation_rules_segments_new();

	for (; ids && *ids; ids++) {
		struct base_id id;

		if (!base_id_parse(*ids, &id)) {
			base_invalid(error, "--segment must be an id, not \"%s\"", *ids);
			return NULL;
		}
		g_hash_table_add(segments, g_memdup2(&id, sizeof(id)));
	}
	return g_steal_pointer(&segments);
}

static bool
workflow_file_write_response(struct json_writer *writer, const char *given, GError **error)
{
	const char *equals = g_utf8_validate(given, -1, NULL) ? strrchr(given, '=') : NULL;
	const char *colon = strchr(given, ':');
	guint64 status;

	/* The JSON may have an = too. */
	for (const char *at = strchr(given, '='); colon && at && at < colon;
	     at = strchr(at + 1, '='))
		equals = at;
	const char *json = equals ? strchr(equals, ':') : NULL;
	g_autofree char *number = !equals ? NULL
				  : json  ? g_strndup(equals + 1, (gsize)(json - equals - 1))
					  : g_strdup(equals + 1);
	if (!equals || equals == given ||
	    !g_ascii_string_to_unsigned(number, 10, 0, 599, &status, NULL) ||
	    (status > 0 && status < 200))
		return base_invalid(error,
		    "--response must be NODE=STATUS or NODE=STATUS:JSON, such as "
		    "score=200:{\"score\": 5}, not \"%s\"",
		    given);
	g_autofree char *node = g_strndup(given, (gsize)(equals - given));
	json_writer_begin_object(writer, node);
	json_writer_integer(writer, "status", (gint64)status);
	if (json)
		json_writer_raw(writer, "body", json + 1, strlen(json + 1));
	json_writer_end_object(writer);
	return true;
}

/* The answers that nodes get, as an object. The caller frees it. */
static struct json *
workflow_file_read_responses(char *const *responses, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	for (; responses && *responses; responses++)
		if (!workflow_file_write_response(writer, *responses, error))
			return NULL;
	json_writer_end_object(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	return json_parse_as("--response", text, strlen(text), error);
}

static bool
workflow_file_check_times(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	bool from = values[SIMULATE_FROM].text;

	if (from ? values[SIMULATE_UNTIL].text != NULL : values[SIMULATE_EVENT].texts != NULL)
		return true;
	call->status = EX_USAGE;
	return base_invalid(error,
	    from ? "--until is required with --from" : "--event NAME@TIME[:JSON] ... is missing");
}

bool
cli_workflow_simulate(struct cli_call *call, GError **error)
{
	const struct automation_design_lookup lookup = {.sender = ""};
	const struct cli_value *values = call->values;
	g_autoptr(GPtrArray) documents =
	    g_ptr_array_new_with_free_func(workflow_file_free_document);
	if (!workflow_file_check_times(call, error))
		return false;
	AUTO(automation_design) design =
	    workflow_file_read_design(&cli_workflow_simulate_parameters[SIMULATE_FILE],
		values[SIMULATE_FILE].text, NULL, error);
	if (!design || !automation_design_check(design, &lookup, error))
		return false;
	AUTO(json) contact = workflow_file_read_contact(values[SIMULATE_CONTACT].text, error);
	AUTO(event_list) event_list =
	    contact ? workflow_file_read_events(values[SIMULATE_EVENT].texts, error) : NULL;
	g_autoptr(GHashTable) segments =
	    event_list ? workflow_file_read_segments(values[SIMULATE_SEGMENT].texts, error) : NULL;
	const char *zone = values[SIMULATE_ZONE].text;
	AUTO(json) responses =
	    segments ? workflow_file_read_responses(values[SIMULATE_RESPONSE].texts, error) : NULL;
	if (!responses || !person_check_time_zone(zone, error))
		return false;
	const char *email = json_string(json_member_get(contact, "email"), NULL);
	struct automation_simulation_input input = {
	    .design = design,
	    .contact = values[SIMULATE_ID].text ? values[SIMULATE_ID].id
						: automation_simulation_contact(email),
	    .email = email,
	    .time_zone = zone,
	    .segments = segments,
	    .properties = contact,
	    .until = values[SIMULATE_UNTIL].text ? &values[SIMULATE_UNTIL].number : NULL,
	    .responses = responses,
	    .lines = call->json ? LIMIT_SIMULATION_TRACE : 0,
	};
	if (values[SIMULATE_FROM].text)
		automation_simulate_due(
		    &input, values[SIMULATE_FROM].number, event_list->events, documents);
	input.events = (const struct automation_simulation_event *)(void *)event_list->events->data;
	input.event_count = event_list->events->len;
	AUTO(automation_simulation) simulation = automation_simulate(&input);
	tell_simulation(call, simulation);
	return true;
}

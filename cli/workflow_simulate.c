/* SPDX-License-Identifier: MIT */
/* posthouse workflow simulate. */
#include <string.h>

#include "automation/design.h"
#include "automation/design_check.h"
#include "automation/event_name.h"
#include "automation/simulate.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"
#include "cli/call.h"
#include "cli/output.h"
#include "cli/workflow_file.h"
#include "json/strict.h"

enum { SIMULATE_FILE, SIMULATE_CONTACT, SIMULATE_EVENT, SIMULATE_UNTIL, SIMULATE_ID };
const struct cli_parameter cli_workflow_simulate_parameters[WORKFLOW_SIMULATE_PARAMETERS] = {
    [SIMULATE_FILE] = {"FILE", "the design, as an editor saves it: JSON", NULL, PARAMETER_FILE},
    [SIMULATE_CONTACT] = {"--contact", "the contact's properties before the first event: an object",
	"JSON|FILE", PARAMETER_FILE},
    [SIMULATE_EVENT] = {"--event",
	"an event of the contact: its name, its time (ISO 8601) and its properties: an object",
	"NAME@TIME[:JSON]", PARAMETER_FILE, .required = true, .repeated = true},
    [SIMULATE_UNTIL] = {"--until", "look no further than this; without it, to the end", "TIME",
	PARAMETER_TIME},
    [SIMULATE_ID] = {"--id",
	"the contact's id, by which a split puts it on a side; without it one that depends on its "
	"property email",
	"ID", PARAMETER_ID},
};

/* What the simulated contact does. */
struct script {
	GArray *events;	  /* of struct automation_simulation_event */
	GPtrArray *names; /* theirs */
	GPtrArray *documents;
};

static void
free_document(gpointer json)
{
	json_free(json);
}

static void
script_free(struct script *script)
{
	g_array_unref(script->events);
	g_ptr_array_unref(script->names);
	g_ptr_array_unref(script->documents);
	g_free(script);
}
DEFINE_AUTO(script, script_free)

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
read_properties(struct script *script, const char *text, struct automation_simulation_event *event,
    GError **error)
{
	struct json *json = json_parse_as("--event", text, strlen(text), error);

	if (!json)
		return false;
	g_ptr_array_add(script->documents, json);
	event->properties = json;
	return true;
}

static bool
read_event(struct script *script, const char *given, GError **error)
{
	const char *at = strchr(given, '@');
	const char *json = at ? strstr(at, ":{") : NULL;
	struct automation_simulation_event event = {0};
	struct cli_value time = {0};

	if (!g_utf8_validate(given, -1, NULL))
		return refuse_event("...", "it is not UTF-8", error);
	if (!at)
		return refuse_event(given, "there is no @", error);
	g_autofree char *given_name = g_strndup(given, (gsize)(at - given));
	char *name = automation_event_name("--event: the name", given_name, error);
	if (!name)
		return false;
	g_ptr_array_add(script->names, name);
	event.name = name;
	g_autofree char *given_time =
	    json ? g_strndup(at + 1, (gsize)(json - at - 1)) : g_strdup(at + 1);
	if (!cli_value_read(
		&cli_workflow_simulate_parameters[SIMULATE_UNTIL], given_time, &time, NULL))
		return refuse_event(given, "there is no ISO 8601 time", error);
	g_free(time.text);
	event.time = time.number;
	if (json && !read_properties(script, json + 1, &event, error))
		return false;
	g_array_append_val(script->events, event);
	return true;
}

static struct script *
read_script(char *const *events, GError **error)
{
	AUTO(script) script = g_new0(struct script, 1);

	script->events = g_array_new(FALSE, FALSE, sizeof(struct automation_simulation_event));
	script->names = g_ptr_array_new_with_free_func(g_free);
	script->documents = g_ptr_array_new_with_free_func(free_document);
	for (; *events; events++)
		if (!read_event(script, *events, error))
			return NULL;
	return g_steal_pointer(&script);
}

static struct json *
read_contact(const char *given, GError **error)
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

/* Always the same for the same email. */
static struct base_id
id_of(const struct json *contact)
{
	const char *email = json_string(json_member_get(contact, "email"), NULL);
	guint8 digest[SHA256_SIZE];
	struct base_id id;

	base_secret_sha256(email ? email : "", email ? strlen(email) : 0, digest);
	memcpy(id.bytes, digest, sizeof(id.bytes));
	return id;
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

static void
tell(struct cli_call *call, const struct automation_simulation *simulation)
{
	if (call->json)
		cli_output_facts(call->output, FIELDS(cli_number("started", simulation->started),
						   cli_number("completed", simulation->completed),
						   cli_number("failed", simulation->failed),
						   cli_number("waiting", simulation->waiting),
						   cli_text("properties", simulation->properties)));
	cli_output_list_begin(call->output, "trace", NULL);
	for (guint i = 0; i < simulation->lines->len; i++)
		tell_line(call, simulation->lines->pdata[i]);
	cli_output_list_end(call->output);
	cli_output_progress(call->output,
	    "Executions: %u started, %u completed, %u failed, %u waiting.", simulation->started,
	    simulation->completed, simulation->failed, simulation->waiting);
	cli_output_progress(call->output, "The contact: %s", simulation->properties);
}

bool
cli_workflow_simulate(struct cli_call *call, GError **error)
{
	const struct automation_design_world world = {.sender = ""};
	const struct cli_value *values = call->values;
	AUTO(automation_design)
	design = cli_workflow_read(&cli_workflow_simulate_parameters[SIMULATE_FILE],
	    values[SIMULATE_FILE].text, NULL, error);
	if (!design || !automation_design_check(design, &world, error))
		return false;
	AUTO(json) contact = read_contact(values[SIMULATE_CONTACT].text, error);
	AUTO(script) script = contact ? read_script(values[SIMULATE_EVENT].texts, error) : NULL;
	if (!script)
		return false;
	const struct automation_simulation_input input = {
	    .design = design,
	    .contact = values[SIMULATE_ID].text ? values[SIMULATE_ID].id : id_of(contact),
	    .properties = contact,
	    .events = (const struct automation_simulation_event *)(void *)script->events->data,
	    .event_count = script->events->len,
	    .until = values[SIMULATE_UNTIL].number,
	};
	AUTO(automation_simulation) simulation = automation_simulate(&input);
	tell(call, simulation);
	return true;
}

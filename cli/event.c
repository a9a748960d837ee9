/* SPDX-License-Identifier: MIT */
/* posthouse event: records an event of a contact. */
#include "automation/event.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "base/limits/workflow.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/event.h"
#include "json/strict.h"
#include "json/writer.h"
#include "store/workspace/workspace.h"

enum { SEND_NAME, SEND_EMAIL, SEND_PROPERTY, SEND_TIMESTAMP };
static const struct cli_parameter send_parameters[] = {
    [SEND_NAME] = {"NAME", "the name of the event", .max = LIMIT_NAME_LENGTH},
    [SEND_EMAIL] = {"EMAIL", "to whom", .type = PARAMETER_ADDRESS},
    [SEND_PROPERTY] = {"PROPERTY",
	"a property of the event, as KEY=VALUE; a value that is valid JSON is read as JSON, any "
	"other "
	"as text",
	.optional = true, .repeated = true, .max = LIMIT_EVENT_PROPERTIES_BYTES},
    [SEND_TIMESTAMP] = {"--timestamp", "when it happened, at most 30 days ago; now if not given",
	"TIME", PARAMETER_TIME},
};

struct json *
cli_event_properties(const char *name, char *const *given, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	gsize size;

	json_writer_begin_object(writer, NULL);
	for (; given && *given; given++) {
		const char *sign = strchr(*given, '=');

		if (!sign || sign == *given) {
			g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
			    "%s must be KEY=VALUE, not \"%s\"", name, *given);
			return NULL;
		}
		g_autofree char *key = g_strndup(*given, (gsize)(sign - *given));
		cli_value_write(writer, key, sign + 1);
	}
	json_writer_end_object(writer);
	/* Parsing refuses keys that are given twice. */
	g_autofree char *text = json_writer_take(writer, &size);
	return json_parse_as(name, text, size, error);
}

static bool
event_send(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	struct service *service = call->service;
	AUTO(json) properties =
	    cli_event_properties("PROPERTY", values[SEND_PROPERTY].texts, error);
	const struct automation_event_input input = {
	    .name = values[SEND_NAME].text,
	    .email = values[SEND_EMAIL].text,
	    .properties = properties,
	    .timestamp = values[SEND_TIMESTAMP].number,
	    .timed = values[SEND_TIMESTAMP].text != NULL,
	};
	char time[CLOCK_ISO_SIZE];

	if (!properties)
		return false;
	struct automation_recording *event =
	    automation_event_check(service, &call->workspace->id, &input, NULL, error);
	AUTO(service_once) request = event ? &event->request : NULL;
	if (!request || !service_once_store_one(service, request, error))
		return false;
	const char *status = event->deduplicated ? "deduplicated" : "processed";
	cli_output_say(call->output,
	    FIELDS(cli_text("status", status), cli_id("event_id", &event->event_id),
		cli_time("timestamp", event->timestamp)),
	    "The event is %s, of %s.", status, base_clock_format(event->timestamp, time));
	return true;
}

static const struct cli_command commands[] = {
    {"send",
	"Record an event of a contact: it starts workflows, and releases executions that wait for "
	"it.",
	NEED_WORKSPACE, PARAMETERS(send_parameters), .run = event_send},
};

const struct cli_noun cli_noun_event = {"event", commands, G_N_ELEMENTS(commands)};

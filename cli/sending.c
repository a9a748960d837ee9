/* SPDX-License-Identifier: MIT */
/* posthouse sending: shows and sets when mailings may leave, and how many a person gets. */
#include <string.h>

#include "base/clock.h"
#include "base/limits/unit.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/value.h"
#include "json/strict.h"
#include "json/unknown.h"
#include "json/writer.h"
#include "sending/rules.h"
#include "store/outbox/sending.h"
#include "store/workspace/workspace.h"

#define FILE_BYTES LIMIT_MIB
#define TOPIC_OPTION                                                                               \
	{                                                                                          \
		"--topic", "of this topic; if not given, of the workspace", "ID",                  \
		    .type = PARAMETER_ID                                                           \
	}

/* The topic that is named; NULL: none. */
static const struct base_id *
sending_topic(const struct cli_value *value)
{
	return value->text ? &value->id : NULL;
}

static void
sending_say(struct cli_call *call, const struct sending_rules *rules)
{
	g_autofree char *hours = sending_rules_print_hours(&rules->hours);
	g_autofree char *cap = sending_rules_print_cap(&rules->cap);

	cli_output_thing(call->output, FIELDS(cli_json("hours", hours), cli_json("cap", cap)));
}

enum { SHOW_TOPIC };
static const struct cli_parameter show_parameters[] = {[SHOW_TOPIC] = TOPIC_OPTION};

static bool
sending_show(struct cli_call *call, GError **error)
{
	AUTO(store_sending)
	stored = store_sending_get(
	    call->db, &call->workspace->id, sending_topic(&call->values[SHOW_TOPIC]), error);
	struct sending_rules rules;

	if (!stored || !sending_rules_parse(stored->hours, stored->cap, &rules, error))
		return false;
	sending_say(call, &rules);
	return true;
}

enum { SET_FILE, SET_TOPIC };
static const struct cli_parameter set_parameters[] = {
    [SET_FILE] = {"FILE", "the rules, as JSON", .type = PARAMETER_FILE},
    [SET_TOPIC] = TOPIC_OPTION,
};

static bool
sending_read(struct cli_call *call, struct sending_rules *rules_r, GError **error)
{
	g_autoptr(GBytes) bytes = cli_value_read_file(
	    &set_parameters[SET_FILE], call->values[SET_FILE].text, FILE_BYTES, error);
	gsize size;

	if (!bytes)
		return false;
	const char *text = g_bytes_get_data(bytes, &size);
	AUTO(json) document = json_parse_as("FILE", text ? text : "", size, error);
	return document && cli_call_check_members(call, document, &sending_rules_body, error) &&
	       sending_rules_read(document, rules_r, error);
}

static bool
sending_set(struct cli_call *call, GError **error)
{
	const struct base_id *topic = sending_topic(&call->values[SET_TOPIC]);
	AUTO(store_sending) stored = g_new0(struct store_sending, 1);
	struct sending_rules rules;

	if (!sending_read(call, &rules, error))
		return false;
	stored->hours = sending_rules_print_hours(&rules.hours);
	stored->cap = sending_rules_print_cap(&rules.cap);
	stored->has_topic = topic;
	if (topic) {
		stored->topic_id = *topic;
		cli_output_about(call->output, topic, NULL);
	}
	if (!store_sending_put(call->db, &call->workspace->id, stored, base_clock_now(), error))
		return false;
	sending_say(call, &rules);
	return true;
}

static const struct cli_command commands[] = {
    {"show", "Show when mailings may leave, and how many a person gets.", NEED_WORKSPACE,
	PARAMETERS(show_parameters), .run = sending_show},
    {"set", "Set when mailings may leave, and how many a person gets.", NEED_WORKSPACE,
	PARAMETERS(set_parameters), .audit = "sending.changed", .run = sending_set},
};

const struct cli_noun cli_noun_sending = {"sending", commands, G_N_ELEMENTS(commands)};

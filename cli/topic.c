/* SPDX-License-Identifier: MIT */
/* posthouse topic: adds, lists and removes topics of mailings. */
#include "store/consent/topic.h"

#include "base/limits/person.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "person/choose.h"
#include "store/workspace/workspace.h"

enum { ADD_NAME, ADD_OPT_IN, ADD_PRIVATE, ADD_DESCRIPTION };
static const struct cli_parameter add_parameters[] = {
    [ADD_NAME] = {"NAME", "as people see it", .max = LIMIT_NAME_LENGTH},
    [ADD_OPT_IN] = {"--opt-in", "nobody is in it until it is chosen", .type = PARAMETER_FLAG},
    [ADD_PRIVATE] = {"--private", "people do not see it on their page", .type = PARAMETER_FLAG},
    [ADD_DESCRIPTION] = {"--description", "what people see below the name", "TEXT",
	.max = LIMIT_TOPIC_DESCRIPTION_LENGTH},
};

static bool
topic_add(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	AUTO(store_topic) topic = g_new0(struct store_topic, 1);
	char id[ID_TEXT_SIZE];

	topic->workspace_id = call->workspace->id;
	topic->name = g_strdup(values[ADD_NAME].text);
	topic->description =
	    g_strdup(values[ADD_DESCRIPTION].text ? values[ADD_DESCRIPTION].text : "");
	topic->is_opt_in = values[ADD_OPT_IN].number != 0;
	topic->is_public = values[ADD_PRIVATE].number == 0;
	if (!person_choose_check_name("NAME", topic->name, error) ||
	    !store_topic_create(call->db, topic, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_id("id", &topic->id), cli_text("name", topic->name),
		cli_text("description", topic->description), cli_truth("public", topic->is_public),
		cli_truth("opt_in", topic->is_opt_in), cli_number("created", topic->created),
		cli_number("updated", topic->updated)),
	    "Topic added: %s", base_id_format(&topic->id, id));
	return true;
}

static bool
topic_list(struct cli_call *call, GError **error)
{
	g_autoptr(GPtrArray) topics =
	    store_topic_list(call->db, &call->workspace->id, NULL, LIMIT_TOPICS, error);

	if (!topics)
		return false;
	cli_output_list_begin(call->output, "topics", "There are no topics yet.");
	for (guint i = 0; i < topics->len; i++) {
		const struct store_topic *topic = topics->pdata[i];

		cli_output_row(call->output,
		    FIELDS(cli_id("id", &topic->id), cli_text("name", topic->name),
			cli_text("description", topic->description),
			cli_truth("public", topic->is_public),
			cli_truth("opt_in", topic->is_opt_in), cli_time("created", topic->created),
			cli_time("updated", topic->updated)));
	}
	cli_output_list_end(call->output);
	return true;
}

enum { REMOVE_ID };
static const struct cli_parameter remove_parameters[] = {
    [REMOVE_ID] = {"ID", "of the topic", .max = LIMIT_NAME_LENGTH},
};

static bool
remove_topic(struct cli_call *call, GError **error)
{
	const char *text = call->values[REMOVE_ID].text;
	struct base_id id;

	if (!base_id_parse(text, &id))
		return store_topic_missing(error);
	if (!store_topic_remove(call->db, &call->workspace->id, &id, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_id("id", &id)), "Topic removed: %s", text);
	return true;
}

static const struct cli_command commands[] = {
    {"add", "Add a topic of mailings.", NEED_WORKSPACE, PARAMETERS(add_parameters),
	.audit = "topic.created", .run = topic_add},
    {"list", "List the topics.", NEED_WORKSPACE, .run = topic_list},
    {"remove", "Remove a topic, and what people chose of it.", NEED_WORKSPACE,
	PARAMETERS(remove_parameters), .audit = "topic.deleted", .run = remove_topic},
};

const struct cli_noun cli_noun_topic = {"topic", commands, G_N_ELEMENTS(commands)};

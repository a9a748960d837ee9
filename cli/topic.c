/* SPDX-License-Identifier: MIT */
/* posthouse topic: adds, lists and removes topics of mailings. */
#include "topic/topic.h"

#include "base/limits/person.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
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
	const struct topic_input input = {
	    .name = values[ADD_NAME].text,
	    .description = values[ADD_DESCRIPTION].text,
	    .is_public = values[ADD_PRIVATE].number ? TOPIC_NO : TOPIC_YES,
	    .is_opt_in = values[ADD_OPT_IN].number ? TOPIC_YES : TOPIC_NO,
	    .what = add_parameters[ADD_NAME].name,
	};
	AUTO(store_topic) topic = topic_create(call->db, &call->workspace->id, &input, error);
	char id[ID_TEXT_SIZE];

	if (!topic)
		return false;
	cli_output_say_view(call->output, &(struct cli_thing){&topic_view, topic},
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
	for (guint i = 0; i < topics->len; i++)
		cli_output_row_view(
		    call->output, &(struct cli_thing){&topic_view, topics->pdata[i]});
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

	if (!topic_id(text, &id, error) ||
	    !store_topic_remove(call->db, &call->workspace->id, &id, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_id("id", &id), cli_text("message", "Topic deleted")), "Topic removed: %s",
	    text);
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

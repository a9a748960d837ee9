/* SPDX-License-Identifier: MIT */
/* posthouse received: shows, forwards and removes mail that came in. */
#include <string.h>

#include "base/limits/email.h"
#include "base/limits/list.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "received/forward.h"
#include "received/view.h"
#include "store/received/received.h"
#include "store/workspace/workspace.h"

/* The parameters of the verbs that take one mail. */
enum { ID };
static const struct cli_parameter id_parameters[] = {
    [ID] = {"ID", "of the mail, as posthouse received list shows it", .type = PARAMETER_ID},
};

static struct cli_field
received_member(const struct json *row, const char *name)
{
	return cli_text(name, json_string(json_member_get(row, name), NULL));
}

/* Lists a mail: in JSON the row of GET /v1/received. */
static bool
received_list_one(struct cli_call *call, const struct store_received *received, GError **error)
{
	AUTO(json) row = json_parse(received->summary, strlen(received->summary), error);

	if (!row)
		return false;
	cli_output_object(call->output, &received->id, received->summary);
	if (call->json)
		return true;
	g_autofree char *recipients = json_print(json_member_get(row, "recipients"));
	cli_output_row(
	    call->output, FIELDS(cli_id("id", &received->id), received_member(row, "from"),
			      cli_json("recipients", recipients), received_member(row, "subject"),
			      received_member(row, "automatic"), cli_number("size", received->size),
			      cli_time("created", json_integer(json_member_get(row, "created")))));
	return true;
}

static bool
received_list_run(struct cli_call *call, GError **error)
{
	const struct store_received_filter filter = {NULL};
	g_autoptr(GPtrArray) list =
	    store_received_list(call->db, &call->workspace->id, &filter, LIMIT_PAGE, error);

	if (!list)
		return false;
	cli_output_list_begin(call->output, "received", "There is no received mail yet.");
	for (guint i = 0; i < list->len; i++)
		if (!received_list_one(call, list->pdata[i], error))
			return false;
	cli_output_list_end(call->output);
	return true;
}

/* Shows the mail to people: its fields, and its text. */
static void
received_show_plain(struct cli_call *call, const struct json *mail)
{
	g_autofree char *recipients = json_print(json_member_get(mail, "recipients"));
	g_autofree char *to = json_print(json_member_get(mail, "to"));
	g_autofree char *cc = json_print(json_member_get(mail, "cc"));
	const char *text = json_string(json_member_get(mail, "text"), NULL);

	cli_output_facts(call->output,
	    FIELDS(received_member(mail, "id"),
		cli_time("created", json_integer(json_member_get(mail, "created"))),
		cli_json("recipients", recipients), received_member(mail, "from"),
		cli_json("to", to), cli_json("cc", cc), received_member(mail, "subject"),
		received_member(mail, "message_id"), received_member(mail, "automatic"),
		received_member(mail, "email_id"),
		cli_number("size", json_integer(json_member_get(mail, "size"))),
		cli_number("attachments", json_integer(json_member_get(mail, "attachment_count"))),
		received_member(mail, "error")));
	if (!text)
		return;
	g_autofree char *below = g_strconcat("\n", text, NULL);
	g_autoptr(GBytes) bytes = g_bytes_new_static(below, strlen(below));
	cli_output_text(call->output, "text", bytes);
}

static bool
received_show(struct cli_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	AUTO(store_received)
	received = store_received_get(call->db, &call->workspace->id, &call->values[ID].id, error);

	if (!received || !received_view_write(writer, call->service, received, error))
		return false;
	gsize size;
	g_autofree char *object = json_writer_take(writer, &size);
	AUTO(json) mail = json_parse(object, size, error);
	if (!mail)
		return false;
	if (call->json)
		cli_output_object(call->output, &received->id, object);
	else
		received_show_plain(call, mail);
	return true;
}

static bool
received_raw(struct cli_call *call, GError **error)
{
	g_autoptr(GBytes) raw =
	    store_received_raw(call->db, &call->workspace->id, &call->values[ID].id, error);

	if (raw)
		cli_output_text(call->output, "raw", raw);
	return raw != NULL;
}

enum { FORWARD_ID, FORWARD_TO };
static const struct cli_parameter forward_parameters[] = {
    [FORWARD_ID] = {"ID", "of the mail", .type = PARAMETER_ID},
    [FORWARD_TO] = {"ADDRESS", "to whom it goes", .type = PARAMETER_ADDRESS, .repeated = true},
};

static bool
received_forward_run(struct cli_call *call, GError **error)
{
	const struct received_forward_wish wish = {
	    .to = (const char *const *)call->values[FORWARD_TO].texts};
	struct base_id email;
	char text[ID_TEXT_SIZE];

	if (!received_forward(call->service, &call->workspace->id, &call->values[FORWARD_ID].id,
		&wish, &email, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_id("id", &email)), "Forwarded by email %s.",
	    base_id_format(&email, text));
	return true;
}

static bool
received_remove(struct cli_call *call, GError **error)
{
	const struct base_id *id = &call->values[ID].id;

	if (!store_received_remove(call->db, &call->workspace->id, id, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_id("id", id), cli_truth("removed", true),
		cli_text("message", "Received email deleted")),
	    "Received mail removed: %s", call->values[ID].text);
	return true;
}

static const struct cli_command commands[] = {
    {"list", "List the newest mail that came in.", NEED_WORKSPACE, .run = received_list_run},
    {"show", "Show a mail.", NEED_WORKSPACE, PARAMETERS(id_parameters), .run = received_show},
    {"raw", "Write the bytes of a mail.", NEED_WORKSPACE, PARAMETERS(id_parameters),
	.run = received_raw},
    {"forward", "Forward a mail.", NEED_WORKSPACE, PARAMETERS(forward_parameters),
	.run = received_forward_run},
    {"remove", "Remove a mail.", NEED_WORKSPACE, PARAMETERS(id_parameters),
	.audit = "received.deleted", .run = received_remove},
};

const struct cli_noun cli_noun_received = {"received", commands, G_N_ELEMENTS(commands)};

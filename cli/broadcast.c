/* SPDX-License-Identifier: MIT */
/* posthouse broadcast: writes, checks, tests and sends broadcasts, and moves them on. */
#include <string.h>
#include <sysexits.h>

#include "base/error.h"
#include "base/limits/broadcast.h"
#include "base/limits/email.h"
#include "base/limits/person.h"
#include "broadcast/check.h"
#include "broadcast/draft.h"
#include "broadcast/report.h"
#include "broadcast/schedule.h"
#include "broadcast/state.h"
#include "broadcast/test_send.h"
#include "broadcast/view.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "email/attachment.h"
#include "json/strict.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/workspace/workspace.h"

#define HOUR_MS (60LL * 60 * 1000)

#define BROADCAST_ID                                                                               \
	{                                                                                          \
		"ID", "of the broadcast", .type = PARAMETER_ID                                     \
	}

enum { ONE_ID };
static const struct cli_parameter one_parameters[] = {
    [ONE_ID] = BROADCAST_ID,
};

/* The object of a broadcast. The caller owns it. */
static char *
broadcast_print(const struct store_broadcast *broadcast, bool brief)
{
	AUTO(json_writer) writer = json_writer_new();

	broadcast_view_write(writer, broadcast, brief);
	return json_writer_take(writer, NULL);
}

/* Answers with the broadcast as it is now, after what was done; not if that failed. deed: for
   people. */
static bool
broadcast_say(
    struct cli_call *call, bool done, const struct base_id *id, const char *deed, GError **error)
{
	AUTO(store_broadcast)
	broadcast = done ? store_broadcast_get(call->db, &call->workspace->id, id, error) : NULL;
	char text[ID_TEXT_SIZE];

	if (!broadcast)
		return false;
	g_autofree char *object = broadcast_print(broadcast, false);
	cli_output_object(call->output, id, object);
	cli_output_progress(call->output, "Broadcast %s: %s", deed, base_id_format(id, text));
	return true;
}

enum { PUT_FILE, PUT_ATTACH };
static const struct cli_parameter put_parameters[] = {
    [PUT_FILE] = {"FILE", "the draft, as JSON; with \"id\" the draft with this id is changed",
	.type = PARAMETER_FILE},
    [PUT_ATTACH] = {"--attach", "a file that each message has, besides those that FILE names",
	"PATH", PARAMETER_FILE, .repeated = true},
};

/* Bytes of the file. */
#define DRAFT_BYTES (2 * (LIMIT_HTML_BYTES + LIMIT_TEXT_BYTES + LIMIT_BROADCAST_ATTACHMENTS_BYTES))

/* Writes a file as an attachment. */
static bool
broadcast_write_file(struct json_writer *writer, const char *path, GError **error)
{
	g_autoptr(GBytes) bytes = cli_value_read_bytes(
	    &put_parameters[PUT_ATTACH], path, LIMIT_BROADCAST_ATTACHMENTS_BYTES, error);
	g_autofree char *name = g_path_get_basename(path);
	gsize size;

	if (!bytes)
		return false;
	const guchar *data = g_bytes_get_data(bytes, &size);
	g_autofree char *content = g_base64_encode(data, size);
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "filename", name);
	json_writer_string(writer, "content_type", email_attachment_type(name));
	json_writer_string(writer, "content", content);
	json_writer_end_object(writer);
	return true;
}

/* The draft with files behind the attachments that it has. The caller owns it. */
static struct json *
broadcast_attach(const struct json *given, char *const *paths, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct json_iterator members = json_members(given);
	const struct json *own = json_member_get(given, "attachments"), *value;
	const char *key;

	if (own && json_kind(own) != JSON_ARRAY) {
		base_invalid(error, "attachments must be an array");
		return NULL;
	}
	json_writer_begin_object(writer, NULL);
	while (json_iterator_next(&members, &key, &value))
		if (strcmp(key, "attachments") != 0)
			json_writer_value(writer, key, value);
	json_writer_begin_array(writer, "attachments");
	for (gsize i = 0; own && i < json_array_length(own); i++)
		json_writer_value(writer, NULL, json_array_at(own, i));
	for (; *paths; paths++)
		if (!broadcast_write_file(writer, *paths, error))
			return NULL;
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	return json_parse(text, strlen(text), error);
}

static bool
broadcast_put(struct cli_call *call, GError **error)
{
	g_autoptr(GBytes) bytes = cli_value_read_file(
	    &put_parameters[PUT_FILE], call->values[PUT_FILE].text, DRAFT_BYTES, error);
	const struct base_id *workspace = &call->workspace->id;
	struct base_id id;
	gsize size;

	if (!bytes)
		return false;
	const char *text = g_bytes_get_data(bytes, &size);
	AUTO(json) file = json_parse_as("FILE", text ? text : "", size, error);
	if (!file)
		return false;
	if (json_kind(file) != JSON_OBJECT)
		return base_invalid(error, "FILE must be an object");
	char **paths = call->values[PUT_ATTACH].texts;
	AUTO(json) attached = paths ? broadcast_attach(file, paths, error) : NULL;
	if (paths && !attached)
		return false;
	const struct json *given = attached ? attached : file;
	if (!cli_call_check_members(call, given, &broadcast_file, error) ||
	    !broadcast_check_body(given, error))
		return false;
	const struct json *known = json_member_get(given, "id");
	if (!known) {
		call->audit = "broadcast.created";
		return broadcast_say(call,
		    broadcast_create(call->service, workspace, given, NULL, &id, error), &id,
		    "created", error);
	}
	if (json_kind(known) != JSON_STRING || !base_id_parse(json_string(known, NULL), &id))
		return base_fail(error, PH_ERROR_NOT_FOUND, "Broadcast not found");
	return broadcast_say(call,
	    broadcast_change(call->service, workspace, &id, given, NULL, error), &id, "changed",
	    error);
}

enum { LIST_BEFORE, LIST_LIMIT };
static const struct cli_parameter list_parameters[] = {
    [LIST_BEFORE] = PAGE_BEFORE,
    [LIST_LIMIT] = PAGE_LIMIT,
};

#define MEMBER(name) cli_member(name, &broadcast_view, name, row)

static void
broadcast_write_row(struct cli_call *call, const struct store_broadcast *broadcast)
{
	AUTO(broadcast_view_row) row = broadcast_view_row_new(broadcast);
	g_autofree char *object = broadcast_print(broadcast, true);

	if (call->json)
		cli_output_object(call->output, &broadcast->id, object);
	else
		cli_output_row(call->output,
		    FIELDS(MEMBER("id"), MEMBER("name"), MEMBER("status"),
			cli_number("recipients", broadcast->counts.recipients),
			cli_number("sent", broadcast->counts.sent), MEMBER("created")));
}

static bool
cli_broadcast_list(struct cli_call *call, GError **error)
{
	guint limit = cli_page_limit(&call->values[LIST_LIMIT]);
	g_autoptr(GPtrArray) broadcasts = store_broadcast_list(call->db, &call->workspace->id,
	    cli_page_before(&call->values[LIST_BEFORE]), limit + 1, error);

	if (!broadcasts)
		return false;
	cli_output_list_begin(call->output, "broadcasts", "There are no broadcasts yet.");
	for (guint i = 0; i < MIN(broadcasts->len, limit); i++)
		broadcast_write_row(call, broadcasts->pdata[i]);
	cli_output_list_end(call->output);
	if (broadcasts->len > limit)
		cli_page_rest(call->output,
		    &((const struct store_broadcast *)broadcasts->pdata[limit - 1])->id);
	return true;
}

static void
broadcast_show_facts(struct cli_call *call, const struct store_broadcast *broadcast)
{
	const struct store_broadcast_counts *counts = &broadcast->counts;
	AUTO(broadcast_view_row) row = broadcast_view_row_new(broadcast);

	cli_output_facts(call->output,
	    FIELDS(MEMBER("id"), MEMBER("name"), MEMBER("status"), MEMBER("pause_reason"),
		MEMBER("error"), MEMBER("warning"), MEMBER("from"), MEMBER("subject"),
		MEMBER("template_id"), MEMBER("scheduled_at"), MEMBER("local_time"),
		MEMBER("started_at"), MEMBER("completed_at"),
		cli_number("recipients", counts->recipients),
		cli_number("excluded", counts->excluded), cli_number("sent", counts->sent),
		cli_number("skipped", counts->skipped), cli_number("failed", counts->failed),
		cli_number("cancelled", counts->cancelled)));
}

static bool
broadcast_show(struct cli_call *call, GError **error)
{
	AUTO(store_broadcast)
	broadcast =
	    store_broadcast_get(call->db, &call->workspace->id, &call->values[ONE_ID].id, error);

	if (!broadcast)
		return false;
	g_autofree char *object = broadcast_print(broadcast, false);
	if (call->json)
		cli_output_object(call->output, &broadcast->id, object);
	else
		broadcast_show_facts(call, broadcast);
	return true;
}

enum { CHECK_ID, CHECK_LINKS, CHECK_SAMPLE };
static const struct cli_parameter check_parameters[] = {
    [CHECK_ID] = BROADCAST_ID,
    [CHECK_LINKS] = {"--links", "ask whether links answer", .type = PARAMETER_FLAG},
    [CHECK_SAMPLE] = {"--sample",
	"how many people are looked at for variables, 0 to 10000; 1000 if not given", "N",
	PARAMETER_NUMBER, .max = LIMIT_BROADCAST_SAMPLE},
};

static void
say_report(struct cli_call *call, const struct broadcast_report *report)
{
	AUTO(json_writer) writer = json_writer_new();

	broadcast_view_report(writer, report);
	g_autofree char *object = json_writer_take(writer, NULL);
	cli_output_object(call->output, &call->values[CHECK_ID].id, object);
	for (guint i = 0; i < report->findings->len; i++) {
		const struct broadcast_finding *finding = report->findings->pdata[i];

		cli_output_progress(call->output, "%s: %s: %s (%" G_GINT64_FORMAT ")",
		    finding->level, finding->code, finding->message, finding->count);
	}
	if (report->has_score)
		cli_output_progress(call->output, "spam score: %.2f", report->score);
	cli_output_progress(call->output, "recipients: %" G_GINT64_FORMAT, report->recipients);
	if (!report->ok)
		call->status = EX_DATAERR;
}

static bool
cli_broadcast_check(struct cli_call *call, GError **error)
{
	const struct cli_value *sample = &call->values[CHECK_SAMPLE];
	const struct broadcast_wish wish = {call->values[CHECK_LINKS].number != 0,
	    sample->text ? sample->number : BROADCAST_SAMPLE};
	struct broadcast_report report;
	bool done = broadcast_check(
	    call->service, &call->workspace->id, &call->values[CHECK_ID].id, &wish, &report, error);

	if (done)
		say_report(call, &report);
	broadcast_report_clear(&report);
	return done;
}

enum { TEST_ID, TEST_EMAIL, TEST_PERSON, TEST_VARIANT };
static const struct cli_parameter test_parameters[] = {
    [TEST_ID] = BROADCAST_ID,
    [TEST_EMAIL] = {"EMAIL", "to which the test goes", .type = PARAMETER_ADDRESS, .repeated = true},
    [TEST_PERSON] = {"--person", "whose values are filled in", "EMAIL", PARAMETER_ADDRESS},
    [TEST_VARIANT] = {"--variant", "its number, from 0; 0 if not given", "N", PARAMETER_NUMBER,
	.max = BROADCAST_VARIANTS - 1},
};

static bool
broadcast_test(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	const struct base_id *id = &values[TEST_ID].id;
	const struct broadcast_test_send trial = {(const char **)values[TEST_EMAIL].texts,
	    values[TEST_PERSON].text, values[TEST_VARIANT].number};

	if (g_strv_length(values[TEST_EMAIL].texts) > LIMIT_BROADCAST_TESTERS)
		return base_invalid(
		    error, "EMAIL must be 1 to %d addresses", LIMIT_BROADCAST_TESTERS);
	if (!broadcast_test_send_send(call->service, &call->workspace->id, id, &trial, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_text("message", "Test sent")), "Test sent");
	return true;
}

enum { SEND_ID, SEND_AT, SEND_LOCAL, SEND_ZONE, SEND_SPREAD };
static const struct cli_parameter send_parameters[] = {
    [SEND_ID] = BROADCAST_ID,
    [SEND_AT] = {"--at", "when it leaves; now if not given", "TIME", PARAMETER_TIME},
    [SEND_LOCAL] = {"--local", "when it leaves on each person's own clock, YYYY-MM-DDTHH:MM",
	"TIME", .max = LIMIT_NAME_LENGTH},
    [SEND_ZONE] = {"--time-zone", "of people who have none; UTC if not given", "ZONE",
	.max = LIMIT_NAME_LENGTH},
    [SEND_SPREAD] = {"--spread", "spread evenly over so many hours, 0 to 168", "HOURS",
	PARAMETER_NUMBER, .max = LIMIT_BROADCAST_SPREAD_MS / HOUR_MS},
};

static bool
send_one(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	const struct base_id *id = &values[SEND_ID].id;
	const struct broadcast_time time = {
	    values[SEND_AT].text ? broadcast_time_given(values[SEND_AT].number) : 0,
	    values[SEND_LOCAL].text,
	    values[SEND_ZONE].text,
	    values[SEND_SPREAD].number * HOUR_MS,
	};

	if (!values[SEND_AT].text && !values[SEND_LOCAL].text)
		call->audit = "broadcast.sent";
	return broadcast_say(call,
	    broadcast_send(call->service, &call->workspace->id, id, &time, error), id, "scheduled",
	    error);
}

static bool
pause_one(struct cli_call *call, GError **error)
{
	const struct base_id *id = &call->values[ONE_ID].id;

	return broadcast_say(call, broadcast_pause(call->service, &call->workspace->id, id, error),
	    id, "paused", error);
}

static bool
cli_broadcast_resume(struct cli_call *call, GError **error)
{
	const struct base_id *id = &call->values[ONE_ID].id;

	return broadcast_say(call, broadcast_resume(call->service, &call->workspace->id, id, error),
	    id, "resumed", error);
}

static bool
cli_broadcast_cancel(struct cli_call *call, GError **error)
{
	const struct base_id *id = &call->values[ONE_ID].id;

	return broadcast_say(call, broadcast_cancel(call->service, &call->workspace->id, id, error),
	    id, "cancelled", error);
}

static bool
cli_broadcast_unschedule(struct cli_call *call, GError **error)
{
	const struct base_id *id = &call->values[ONE_ID].id;

	return broadcast_say(call,
	    broadcast_unschedule(call->service, &call->workspace->id, id, error), id, "unscheduled",
	    error);
}

static bool
duplicate(struct cli_call *call, GError **error)
{
	struct base_id copy;
	bool done = broadcast_duplicate(
	    call->service, &call->workspace->id, &call->values[ONE_ID].id, NULL, &copy, error);

	return broadcast_say(call, done, &copy, "created", error);
}

enum { WINNER_ID, WINNER_NUMBER };
static const struct cli_parameter winner_parameters[] = {
    [WINNER_ID] = BROADCAST_ID,
    [WINNER_NUMBER] = {"N", "the number of the variant, from 0", .type = PARAMETER_NUMBER,
	.max = BROADCAST_VARIANTS - 1},
};

static bool
winner(struct cli_call *call, GError **error)
{
	const struct base_id *id = &call->values[WINNER_ID].id;
	bool done = broadcast_decide(
	    call->service, &call->workspace->id, id, call->values[WINNER_NUMBER].number, error);

	return broadcast_say(call, done, id, "decided", error);
}

static bool
broadcast_remove_one(struct cli_call *call, GError **error)
{
	const struct base_id *id = &call->values[ONE_ID].id;
	char text[ID_TEXT_SIZE];

	if (!broadcast_remove(call->service, &call->workspace->id, id, error))
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_id("id", id), cli_text("message", "Broadcast deleted")),
	    "Broadcast removed: %s", base_id_format(id, text));
	return true;
}

static const struct cli_command commands[] = {
    {"put", "Store a draft, or change one.", NEED_WORKSPACE, PARAMETERS(put_parameters),
	.audit = "broadcast.changed", .run = broadcast_put},
    {"list", "List the broadcasts.", NEED_WORKSPACE, PARAMETERS(list_parameters),
	.run = cli_broadcast_list},
    {"show", "Show a broadcast.", NEED_WORKSPACE, PARAMETERS(one_parameters),
	.run = broadcast_show},
    {"check", "Report what is wrong with a broadcast, and to how many it would go.", NEED_WORKSPACE,
	PARAMETERS(check_parameters), .run = cli_broadcast_check},
    {"test", "Send a broadcast to some addresses alone.", NEED_WORKSPACE,
	PARAMETERS(test_parameters), .run = broadcast_test},
    {"send", "Send a draft, now or at a time.", NEED_WORKSPACE, PARAMETERS(send_parameters),
	.audit = "broadcast.scheduled", .run = send_one},
    {"pause", "Let nothing more leave.", NEED_WORKSPACE, PARAMETERS(one_parameters),
	.audit = "broadcast.paused", .run = pause_one},
    {"resume", "Go on with a paused broadcast.", NEED_WORKSPACE, PARAMETERS(one_parameters),
	.audit = "broadcast.resumed", .run = cli_broadcast_resume},
    {"cancel", "End a broadcast. Messages that have not left are never sent.", NEED_WORKSPACE,
	PARAMETERS(one_parameters), .audit = "broadcast.cancelled", .run = cli_broadcast_cancel},
    {"unschedule", "Make a scheduled broadcast a draft again.", NEED_WORKSPACE,
	PARAMETERS(one_parameters), .audit = "broadcast.unscheduled",
	.run = cli_broadcast_unschedule},
    {"duplicate", "Make a draft that is a copy.", NEED_WORKSPACE, PARAMETERS(one_parameters),
	.audit = "broadcast.created", .run = duplicate},
    {"winner", "Choose the variant that the rest gets.", NEED_WORKSPACE,
	PARAMETERS(winner_parameters), .audit = "broadcast.changed", .run = winner},
    {"remove", "Remove a draft, or a broadcast that is over.", NEED_WORKSPACE,
	PARAMETERS(one_parameters), .audit = "broadcast.deleted", .run = broadcast_remove_one},
};

const struct cli_noun cli_noun_broadcast = {"broadcast", commands, G_N_ELEMENTS(commands)};

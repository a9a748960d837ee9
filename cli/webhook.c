/* SPDX-License-Identifier: MIT */
/* posthouse webhook: adds, lists, shows and removes webhooks, changes their secrets, and repeats
   their deliveries. */
#include <signal.h>
#include <sysexits.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/webhook.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/text.h"
#include "service/service.h"
#include "store/workspace/workspace.h"
#include "webhook/send.h"
#include "webhook/webhook.h"

enum { ADD_URL, ADD_EVENTS, ADD_DESCRIPTION, ADD_BATCH, ADD_DISABLED };
static const struct cli_parameter add_parameters[] = {
    [ADD_URL] = {"URL", "absolute, http or https", .max = LIMIT_WEBHOOK_URL_BYTES},
    [ADD_EVENTS] = {"--events",
	"the events that it is told, such as email.sent,email.bounced; all, where it is not given",
	"NAME,NAME", .max = LIMIT_URL_LENGTH},
    [ADD_DESCRIPTION] = {"--description", "what it is for", "TEXT",
	.max = LIMIT_WEBHOOK_DESCRIPTION_LENGTH},
    [ADD_BATCH] = {"--batch", "up to 100 events in a request", .type = PARAMETER_FLAG},
    [ADD_DISABLED] = {"--disabled", "add it switched off", .type = PARAMETER_FLAG},
};

/* The parameters of the verbs that take one webhook. */
enum { ID };
static const struct cli_parameter id_parameters[] = {
    [ID] = {"ID", "of the webhook, as posthouse webhook list shows it", .type = PARAMETER_ID},
};

static bool
webhook_read_events(const char *given, guint64 *events_r, GError **error)
{
	g_auto(GStrv) names = given ? g_strsplit(given, ",", -1) : NULL;

	*events_r = WEBHOOK_ALL;
	return !names || webhook_events((const char *const *)names, events_r, error);
}

static bool
webhook_add(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	const char *description = values[ADD_DESCRIPTION].text;
	AUTO(service) service = service_open(call->settings);
	AUTO(store_webhook) webhook = g_new0(struct store_webhook, 1);

	webhook->workspace_id = call->workspace->id;
	webhook->url = g_strdup(values[ADD_URL].text);
	webhook->description = g_strdup(description ? description : "");
	webhook->batch = values[ADD_BATCH].number != 0;
	webhook->enabled = values[ADD_DISABLED].number == 0;
	if (!webhook_read_events(values[ADD_EVENTS].text, &webhook->events, error) ||
	    !service_ensure(service, error))
		return false;
	g_autofree char *secret = webhook_create(service, webhook, error);
	if (!secret)
		return false;
	const struct cli_field shown = cli_text("secret", secret);
	char id[ID_TEXT_SIZE];
	cli_output_say_view(call->output,
	    &(struct cli_thing){&webhook_view, webhook, .more = &shown},
	    "Webhook %s is there. This is its secret, which is not shown again: %s",
	    base_id_format(&webhook->id, id), secret);
	return true;
}

/* The columns of a list for people. */
#define SHORT_FIELDS 4

static bool
webhook_list(struct cli_call *call, GError **error)
{
	g_autoptr(GPtrArray) webhooks =
	    store_webhook_list(call->db, &call->workspace->id, NULL, G_MAXINT32, error);

	if (!webhooks)
		return false;
	cli_output_list_begin(call->output, "webhooks", "There is no webhook yet.");
	for (guint i = 0; i < webhooks->len; i++)
		cli_output_row_view(call->output, &(struct cli_thing){&webhook_view,
						      webhooks->pdata[i], .columns = SHORT_FIELDS});
	cli_output_list_end(call->output);
	return true;
}

static bool
webhook_show(struct cli_call *call, GError **error)
{
	AUTO(store_webhook) webhook =
	    store_webhook_get(call->db, &call->workspace->id, &call->values[ID].id, error);

	if (!webhook)
		return false;
	cli_output_thing_view(call->output, &(struct cli_thing){&webhook_view, webhook});
	return true;
}

static bool
webhook_remove_one(struct cli_call *call, GError **error)
{
	const struct cli_value *id = &call->values[ID];

	if (!store_webhook_remove(call->db, &call->workspace->id, &id->id, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_text("message", "Webhook deleted")),
	    "Webhook %s is removed, with its deliveries.", id->text);
	return true;
}

static bool
cli_webhook_rotate(struct cli_call *call, GError **error)
{
	const struct cli_value *id = &call->values[ID];
	AUTO(service) service = service_open(call->settings);
	char time[CLOCK_ISO_SIZE];
	gint64 expires;

	if (!service_ensure(service, error))
		return false;
	g_autofree char *secret =
	    webhook_rotate(service, &call->workspace->id, &id->id, &expires, error);
	if (!secret)
		return false;
	cli_output_say(call->output,
	    FIELDS(cli_id("id", &id->id), cli_text("secret", secret),
		cli_time("previous_expires", expires)),
	    "Webhook %s has a new secret. The one before signs too until %s. This is the new one,"
	    " which is not shown again: %s",
	    id->text, base_clock_format(expires, time), secret);
	return true;
}

/* Answers with a delivery, as the API shows it, or with a sentence. */
static void
say_delivery(
    struct cli_call *call, const struct store_webhook_delivery *delivery, const char *sentence)
{
	cli_output_say_view(
	    call->output, &(struct cli_thing){&webhook_delivery_view, delivery}, "%s", sentence);
}

/* The result of a test. The caller owns it. */
static char *
describe_test(const struct store_webhook_delivery *delivery)
{
	guint count = delivery->attempts->len;
	const struct store_webhook_attempt *attempt =
	    count > 0 ? delivery->attempts->pdata[count - 1] : NULL;

	if (!attempt)
		return g_strdup("The webhook was not asked.");
	if (attempt->response_status)
		return g_strdup_printf("The webhook answered %u after %" G_GINT64_FORMAT " ms%s.",
		    attempt->response_status, attempt->duration,
		    attempt->response_status == 410 ? ", and is switched off" : "");
	return g_strdup_printf("The webhook did not answer: %s", attempt->error);
}

static bool
cli_webhook_test(struct cli_call *call, GError **error)
{
	const struct base_id *workspace = &call->workspace->id, *webhook = &call->values[ID].id;
	AUTO(service) service = service_open(call->settings);
	struct base_id id;

	/* The receiver may close the connection while it is written to. */
	signal(SIGPIPE, SIG_IGN);
	if (!service_ensure(service, error) ||
	    !webhook_test(service, workspace, webhook, &id, error))
		return false;
	AUTO(store_webhook_delivery) delivery =
	    store_webhook_delivery_get(call->db, workspace, webhook, &id, error);
	if (!delivery)
		return false;
	g_autofree char *said = describe_test(delivery);
	cli_output_about(call->output, webhook, NULL);
	say_delivery(call, delivery, said);
	if (delivery->status != DELIVERY_SUCCEEDED)
		call->status = EX_UNAVAILABLE;
	return true;
}

enum { REPLAY_ID, REPLAY_DELIVERY, REPLAY_FROM, REPLAY_TO, REPLAY_STATUS };
static const struct cli_parameter replay_parameters[] = {
    [REPLAY_ID] = {"ID", "of the webhook, as posthouse webhook list shows it",
	.type = PARAMETER_ID},
    [REPLAY_DELIVERY] = {"--delivery", "only this one", "ID", PARAMETER_ID},
    [REPLAY_FROM] = {"--from", "only those created from this time on", "TIME", PARAMETER_TIME},
    [REPLAY_TO] = {"--to", "and before this time", "TIME", PARAMETER_TIME},
    [REPLAY_STATUS] = {"--status", "only those with this status", .type = PARAMETER_CHOICE,
	.choices = {"pending", "succeeded", "failed"}},
};

static bool
webhook_replay_one(struct cli_call *call, GError **error)
{
	const struct base_id *workspace = &call->workspace->id,
			     *webhook = &call->values[REPLAY_ID].id,
			     *id = &call->values[REPLAY_DELIVERY].id;

	if (!store_webhook_delivery_replay(call->db, workspace, webhook, id, error))
		return false;
	AUTO(store_webhook_delivery) delivery =
	    store_webhook_delivery_get(call->db, workspace, webhook, id, error);
	if (!delivery)
		return false;
	say_delivery(call, delivery, "The delivery is due now.");
	return true;
}

static bool
webhook_replay_span(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	struct store_webhook_delivery_span span = {values[REPLAY_FROM].number, base_clock_now(), 0};
	struct store_webhook_replayed replayed;

	if (values[REPLAY_TO].text)
		span.to = values[REPLAY_TO].number;
	if (!webhook_delivery_status(values[REPLAY_STATUS].text, &span.status, error) ||
	    !store_webhook_delivery_replay_span(
		call->db, &call->workspace->id, &values[REPLAY_ID].id, &span, &replayed, error))
		return false;
	g_autofree char *said = cli_count(replayed.count, "delivery is", "deliveries are");
	cli_output_say(call->output,
	    FIELDS(cli_number("count", replayed.count), cli_truth("more", replayed.more)),
	    replayed.more ? "%s due now, the oldest ones; there are others." : "%s due now.", said);
	return true;
}

static bool
webhook_replay(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	bool of_span =
	    values[REPLAY_FROM].text || values[REPLAY_TO].text || values[REPLAY_STATUS].text;

	if (values[REPLAY_DELIVERY].text && of_span) {
		call->status = EX_USAGE;
		return base_invalid(
		    error, "--delivery cannot be given together with --from, --to or --status");
	}
	return values[REPLAY_DELIVERY].text ? webhook_replay_one(call, error)
					    : webhook_replay_span(call, error);
}

static const struct cli_command commands[] = {
    {"add",
	"Add a URL that is told of events, and print its secret, with which each request is "
	"signed.",
	NEED_WORKSPACE, PARAMETERS(add_parameters), .audit = "webhook.created", .run = webhook_add},
    {"list", "List the webhooks.", NEED_WORKSPACE, .run = webhook_list},
    {"show", "Tell what a webhook is told, and how it fares.", NEED_WORKSPACE,
	PARAMETERS(id_parameters), .run = webhook_show},
    {"remove", "Remove a webhook, with its deliveries.", NEED_WORKSPACE, PARAMETERS(id_parameters),
	.audit = "webhook.deleted", .run = webhook_remove_one},
    {"test",
	"Send a webhook an event of its own, webhook.test, and tell what it answered. The exit "
	"status is 69 when it did not take it.",
	NEED_WORKSPACE, PARAMETERS(id_parameters), .audit = "webhook.changed",
	.run = cli_webhook_test},
    {"rotate", "Give a webhook a new secret, and print it. The one before signs too for 24 hours.",
	NEED_WORKSPACE, PARAMETERS(id_parameters), .audit = "webhook.changed",
	.run = cli_webhook_rotate},
    {"replay",
	"Tell a webhook again what it was told: one delivery, those of a span of time, or all; at "
	"most 10,000, the oldest ones.",
	NEED_WORKSPACE, PARAMETERS(replay_parameters), .audit = "webhook.changed",
	.run = webhook_replay},
};

const struct cli_noun cli_noun_webhook = {"webhook", commands, G_N_ELEMENTS(commands)};

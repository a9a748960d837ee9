/* SPDX-License-Identifier: MIT */
/* posthouse provider: adds, lists and removes the endpoints at which providers report. */
#include <string.h>
#include <sysexits.h>

#include "base/error.h"
#include "base/limits/person.h"
#include "base/limits/report.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "config/settings.h"
#include "feedback/provider.h"
#include "service/service.h"
#include "store/feedback/provider.h"

enum { ADD_PROVIDER, ADD_RELAY, ADD_SECRET };
static const struct cli_parameter add_parameters[] = {
    [ADD_PROVIDER] = {"PROVIDER",
	"who runs the relay: ses, mailgun, postmark, sendgrid, brevo, resend or generic",
	.max = LIMIT_NAME_LENGTH},
    [ADD_RELAY] = {"--relay", "the relay whose mail it reports on, as the settings name it", "NAME",
	.required = true, .max = LIMIT_NAME_LENGTH},
    [ADD_SECRET] = {"--secret-file",
	"the key that the provider shows for its webhooks, or - for standard input", "FILE",
	PARAMETER_FILE},
};

enum { ID };
static const struct cli_parameter id_parameters[] = {
    [ID] = {"ID", "of the endpoint, as posthouse provider list shows it", .type = PARAMETER_ID},
};

/* The steps at each provider. */
static const char *const steps[] = {
    [PROVIDER_SES] =
	"In Amazon SNS, create a topic, and in it a subscription with the protocol of the URL and "
	"this URL as endpoint, without raw message delivery. It confirms itself. "
	"In Amazon SES, add the topic as event destination to the configuration set that your "
	"domain uses, for all types of events.",
    [PROVIDER_MAILGUN] =
	"In Mailgun, under Send, Webhooks, add this URL for each event: delivered, temporary and "
	"permanent failure, complained, opened, clicked, unsubscribed.",
    [PROVIDER_POSTMARK] =
	"In Postmark, under Webhooks of the message stream, add this URL, and choose Open, Click, "
	"Delivery, Bounce, Spam Complaint and Subscription Change. The URL has the user and the "
	"password.",
    [PROVIDER_SENDGRID] =
	"In SendGrid, under Mail Settings, Event Webhook, enter this URL, choose all events, and "
	"switch Signed Event Webhook on.",
    [PROVIDER_BREVO] =
	"In Brevo, under Transactional, Settings, Webhook, add this URL for all events, with the "
	"authentication method Token and this secret.",
    [PROVIDER_RESEND] = "In Resend, under Webhooks, this is the endpoint URL. Choose all events of "
			"emails. A new URL there has a new signing secret.",
    [PROVIDER_GENERIC] =
	"Post events to this URL, signed with this secret as Standard Webhooks describes. "
	"posthouse(1) describes their form.",
};

static const struct config_relay *
find_relay(const struct config_settings *settings, const char *name)
{
	for (guint i = 0; i < config_settings_relay_count(settings); i++)
		if (strcmp(config_settings_relay(settings, i)->name, name) == 0)
			return config_settings_relay(settings, i);
	return NULL;
}

/* Reads the secret, if a file is given. The caller owns it. */
static bool
provider_read_secret(const struct cli_value *value, char **secret_r, GError **error)
{
	*secret_r = NULL;
	if (!value->text)
		return true;
	g_autoptr(GBytes) bytes = cli_value_read_file(
	    &add_parameters[ADD_SECRET], value->text, LIMIT_PROVIDER_SECRET_BYTES, error);
	if (!bytes)
		return false;
	gsize size;
	const char *text = g_bytes_get_data(bytes, &size);
	*secret_r = g_strstrip(g_strndup(text ? text : "", size));
	return true;
}

/* Answers with a new endpoint; for people in several lines. made: the secret is not known to them.
 */
static void
provider_say(struct cli_output *output, const struct feedback_provider_added *added,
    enum provider_name provider, const char *relay, bool made)
{
	char id[ID_TEXT_SIZE];

	cli_output_progress(output,
	    "Provider %s is there. This is not shown again:", base_id_format(&added->id, id));
	cli_output_progress(output, "URL: %s", added->url);
	if (added->secret && made)
		cli_output_progress(output, "Secret: %s", added->secret);
	cli_output_say(output,
	    FIELDS(cli_id("id", &added->id), cli_text("provider", provider_word(provider)),
		cli_text("relay", relay), cli_text("url", added->url),
		cli_text("secret", added->secret)),
	    "%s", steps[provider]);
}

static bool
provider_add(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	enum provider_name provider = provider_by_word(values[ADD_PROVIDER].text);
	const char *word = values[ADD_PROVIDER].text, *name = values[ADD_RELAY].text;
	const struct config_relay *relay = find_relay(call->settings, name);
	g_autofree char *given = NULL;
	AUTO(service) service = service_open(call->settings);
	struct feedback_provider_added added;

	if (provider == PROVIDER_NONE) {
		call->status = EX_USAGE;
		return base_invalid(error, "PROVIDER must be ses, mailgun, postmark, sendgrid, "
					   "brevo, resend or generic");
	}
	if (!relay)
		return base_fail(
		    error, PH_ERROR_NOT_FOUND, "the settings have no relay \"%s\"", name);
	if (strcmp(relay->provider, word) != 0)
		return base_invalid(
		    error, "the settings have no relay \"%s\" with provider = %s", name, word);
	if (!values[ADD_SECRET].text && provider_secret_source(provider) == PROVIDER_SECRET_GIVEN) {
		call->status = EX_USAGE;
		return base_invalid(error, "%s needs a secret: --secret-file FILE", word);
	}
	if (!provider_read_secret(&values[ADD_SECRET], &given, error) ||
	    !service_ensure(service, error))
		return false;
	bool done = feedback_provider_add(service, provider, name, given, &added, error);
	if (done)
		provider_say(call->output, &added, provider, name, !given);
	feedback_provider_added_clear(&added);
	return done;
}

static bool
provider_list(struct cli_call *call, GError **error)
{
	g_autoptr(GPtrArray) endpoints = store_provider_list(call->db, error);

	if (!endpoints)
		return false;
	cli_output_list_begin(call->output, "providers", "There is no provider yet.");
	for (guint i = 0; i < endpoints->len; i++) {
		const struct store_provider *endpoint = endpoints->pdata[i];

		cli_output_row(call->output,
		    FIELDS(cli_id("id", &endpoint->id),
			cli_text("provider", provider_word((enum provider_name)endpoint->provider)),
			cli_text("relay", endpoint->relay), cli_text("topic", endpoint->topic),
			cli_time("created", endpoint->created)));
	}
	cli_output_list_end(call->output);
	return true;
}

static bool
provider_remove_one(struct cli_call *call, GError **error)
{
	const struct cli_value *id = &call->values[ID];

	if (!store_provider_remove(call->db, &id->id, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_text("message", "Provider deleted")),
	    "Provider %s is removed. Its URL is unknown from now on.", id->text);
	return true;
}

static const struct cli_command commands[] = {
    {"add",
	"Add a URL at which the provider of a relay reports what became of the mail, and print it "
	"with the steps at the provider.",
	NEED_SCHEMA, PARAMETERS(add_parameters), .run = provider_add},
    {"list", "List the providers that may report.", NEED_SCHEMA, .run = provider_list},
    {"remove", "Remove a provider: its URL is then unknown.", NEED_SCHEMA,
	PARAMETERS(id_parameters), .run = provider_remove_one},
};

const struct cli_noun cli_noun_provider = {"provider", commands, G_N_ELEMENTS(commands)};

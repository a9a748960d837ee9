/* SPDX-License-Identifier: MIT */
/* posthouse report: records bounce messages and complaints from standard input or from a maildir.
 */
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits/received.h"
#include "base/limits/report.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/maildir.h"
#include "cli/output.h"
#include "cli/receive.h"
#include "cli/text.h"
#include "config/settings.h"
#include "dmarc/record.h"
#include "feedback/report.h"
#include "link/own_address.h"
#include "mail/part.h"
#include "process/seccomp.h"
#include "received/door.h"
#include "service/service.h"

enum { RECIPIENT, MAILDIR };
static const struct cli_parameter parameters[] = {
    /* Any value is accepted: the mail server passes the address on as a sender gave it. */
    [RECIPIENT] = {"--recipient", "the address to which the message was sent", "ADDRESS",
	PARAMETER_ANY},
    [MAILDIR] = {"--maildir", "read the new messages of this maildir instead", "DIR",
	PARAMETER_FILE},
};

/* The recipient in the environment, as Postfix, Exim and qmail set it for programs that they run.
 */
static const char *const variables[] = {"ORIGINAL_RECIPIENT", "RECIPIENT", "LOCAL_PART"};

struct envelope {
	const char *recipients[G_N_ELEMENTS(variables) + 2]; /* NULL-terminated */
};

static struct envelope
report_read_envelope(const struct cli_call *call)
{
	struct envelope envelope = {{NULL}};
	guint count = 0;

	if (call->values[RECIPIENT].text)
		envelope.recipients[count++] = call->values[RECIPIENT].text;
	for (guint i = 0; i < G_N_ELEMENTS(variables); i++)
		if ((envelope.recipients[count] = g_getenv(variables[i])))
			count++;
	return envelope;
}

/* Describes the result in a sentence, without text from the message. The caller owns it. */
static char *
report_describe(const struct feedback_report_result *result)
{
	char id[ID_TEXT_SIZE];

	base_id_format(&result->email, id);
	switch (result->outcome) {
	case REPORT_NONE:
		return g_strdup("The message is not a report of a known kind.");
	case REPORT_STRANGE:
		return g_strdup(
		    "The report is about no email of this installation, or does not prove it.");
	case REPORT_UNSUBSCRIBED:
		return g_strdup("The message unsubscribed its reader.");
	case REPORT_NOBODY:
		return g_strdup_printf("The report names no recipient of email %s.", id);
	case REPORT_REPEATED:
		return g_strdup_printf("This report about email %s is recorded already.", id);
	case REPORT_TOO_MANY:
		return g_strdup_printf(
		    "Email %s has had %d reports; no more are recorded.", id, LIMIT_REPORTS);
	case REPORT_RECORDED:
		break;
	}
	g_autofree char *events = cli_count(result->events, "event", "events");
	g_autofree char *addresses = cli_count(result->suppressed, "address", "addresses");
	return g_strdup_printf("Recorded for email %s: %s, %s suppressed.", id, events, addresses);
}

#define RESULT_FIELDS(file, result)                                                                \
	FIELDS(cli_text("file", file),                                                             \
	    cli_text("outcome", feedback_report_outcome_name((result)->outcome)),                  \
	    cli_text("format", *(result)->format ? (result)->format : NULL),                       \
	    (result)->outcome >= REPORT_NOBODY ? cli_id("email", &(result)->email)                 \
					       : cli_text("email", NULL),                          \
	    cli_number("events", (result)->events),                                                \
	    cli_number("suppressed", (result)->suppressed))

/* Describes what became of a report about a domain. */
static const char *
report_describe_domain(const struct dmarc_record_result *result)
{
	static const char *const sentences[] = {
	    [DMARC_RECORD_STRANGE] = "The report is not about the domain of its address.",
	    [DMARC_RECORD_REPEATED] = "This report about a domain is recorded already.",
	    [DMARC_RECORD_DMARC] = "Recorded a DMARC report.",
	    [DMARC_RECORD_TLS] = "Recorded a report about TLS.",
	};

	return result->why ? result->why : sentences[result->outcome];
}

/* Records the report about the domain whose address this is, and tells what became of it. */
static bool
report_domain(struct cli_call *call, const char *address, const char *name,
    const GByteArray *message, GError **error)
{
	struct service *service = call->service;
	const struct received_session session = {
	    .hostname = config_settings_text(service->settings, SETTING_SMTPD_HOSTNAME),
	    .is_pipe = true,
	};
	struct dmarc_record_result result = {.why = NULL};

	if (!service_ensure(service, error) ||
	    !dmarc_record(service, &session, address, message->data, message->len, &result, error))
		return false;
	const char *sentence = report_describe_domain(&result);
#define DOMAIN_FIELDS                                                                              \
	FIELDS(cli_text("file", name), cli_text("outcome", dmarc_record_name(result.outcome)),     \
	    cli_text("format", NULL), cli_text("email", NULL), cli_number("events", 0),            \
	    cli_number("suppressed", 0))
	if (name) {
		g_autofree char *line = g_strdup_printf("%s: %s\n", name, sentence);
		cli_output_item(call->output, DOMAIN_FIELDS, line);
	} else {
		cli_output_say(call->output, DOMAIN_FIELDS, "%s", sentence);
	}
#undef DOMAIN_FIELDS
	g_free(result.why);
	return true;
}

/* Whether the mail for an address is more than the reports about emails: replies, which are stored
   as received mail, and reports about a domain. */
static bool
report_is_for_more(const struct service *service, const char *address)
{
	return dmarc_record_is_for(service, address) ||
	       link_own_address(service, address, NULL) == LINK_OWN_REPLY;
}

/* Takes the message for such an address, and tells what became of it. */
static bool
report_more(struct cli_call *call, const char *address, const char *name, const GByteArray *message,
    GError **error)
{
	if (dmarc_record_is_for(call->service, address))
		return report_domain(call, address, name, message, error);
	return cli_receive_reply(call, address, name, message, error);
}

/* The address for more than reports about emails among those of the envelope; NULL: none. */
static const char *
report_find_envelope(const struct service *service, const struct envelope *envelope)
{
	for (const char *const *address = envelope->recipients; *address; address++)
		if (report_is_for_more(service, *address))
			return *address;
	return NULL;
}

/* The address for more than reports about emails in the header of a message, where a mail server
   notes the envelope; NULL: none. The caller owns it. */
static char *
report_find_header(const struct service *service, const GByteArray *message)
{
	static const char *const names[] = {"Delivered-To", "X-Original-To", "Envelope-To", "To"};
	gsize length, most = MIN(message->len, LIMIT_RECEIVED_HEADER_BYTES);
	g_autofree char *text = mail_part_text(message->data, most, &length);
	const struct mail_part part = mail_part_split(text, length);

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		char *value = mail_part_field(&part.header, names[i]);
		const char *open = value ? strchr(value, '<') : NULL;
		char *address = open ? g_strdup(open + 1) : g_strdup(value ? value : "");

		g_free(value);
		address[strcspn(address, "> ,")] = '\0';
		if (report_is_for_more(service, address))
			return address;
		g_free(address);
	}
	return NULL;
}

static bool
report_input(struct cli_call *call, struct service *service, GError **error)
{
	const struct envelope envelope = report_read_envelope(call);
	g_autoptr(GByteArray) message =
	    cli_maildir_read(STDIN_FILENO, LIMIT_RECEIVED_BYTES + 1, error);
	struct feedback_report_result result;

	if (!message)
		return false;
	/* If the call does not say to whom the message came, its header does. */
	g_autofree char *noted = *envelope.recipients ? NULL : report_find_header(service, message);
	const char *address = noted ? noted : report_find_envelope(service, &envelope);
	if (address)
		return report_more(call, address, NULL, message, error);
	if (!service_ensure(service, error) || !service_confine(service, 0, error) ||
	    !feedback_report(service, message->data, MIN(message->len, LIMIT_REPORT_BYTES),
		envelope.recipients, &result, error))
		return false;
	g_autofree char *sentence = report_describe(&result);
	cli_output_say(call->output, RESULT_FIELDS(NULL, &result), "%s", sentence);
	return true;
}

struct maildir_run {
	struct cli_call *call;
	struct service *service;
	bool is_confined;
};

/* Confines this process before the first message is read; the messages are moved when they are
   done. */
static bool
confine(struct maildir_run *round, GError **error)
{
	if (!round->is_confined)
		round->is_confined = service_confine(round->service, CONFINE_RENAME, error);
	return round->is_confined;
}

/* Notes what became of a message; what failed, or was not tried, stays. */
static void
report_note(struct maildir_run *round, struct cli_maildir_message *message,
    struct feedback_report_taking *taking)
{
	message->is_done = taking->is_done;
	message->failure = g_steal_pointer(&taking->failure);
	if (!taking->is_done)
		return;
	g_autofree char *sentence = report_describe(&taking->result);
	g_autofree char *line = g_strdup_printf("%s: %s\n", message->name, sentence);
	cli_output_item(round->call->output, RESULT_FIELDS(message->name, &taking->result), line);
}

/* Records the reports among messages. Those could not be taken by report_file_of_more that are for
   more than reports. */
static void
report_files(struct cli_maildir_message *messages, guint count, void *context)
{
	static const char *const nobody[] = {NULL};
	struct maildir_run *round = context;
	g_autofree struct feedback_report_taking *takings =
	    g_new0(struct feedback_report_taking, count);
	g_autofree guint *places = g_new(guint, count);
	guint own = 0;

	for (guint i = 0; i < count; i++) {
		const GByteArray *bytes = messages[i].bytes;
		g_autofree char *address = report_find_header(round->service, bytes);

		if (address)
			continue;
		places[own] = i;
		takings[own++] = (struct feedback_report_taking){bytes->data, bytes->len, nobody};
	}
	if (own == 0)
		return;
	GError **failure = &messages[places[0]].failure;
	if (!service_ensure(round->service, failure) || !confine(round, failure))
		return;
	feedback_report_all(round->service, takings, own);
	for (guint i = 0; i < own; i++)
		report_note(round, &messages[places[i]], &takings[i]);
}

/* Takes replies, and records the reports about domains. It is done before this process is confined,
   since it takes another process and DNS; all other messages stay. */
static bool
report_file_of_more(const char *name, int file, void *context, bool *leave_r, GError **error)
{
	struct maildir_run *round = context;
	g_autoptr(GByteArray) message = cli_maildir_read(file, LIMIT_RECEIVED_BYTES + 1, error);
	g_autofree char *address = message ? report_find_header(round->service, message) : NULL;

	*leave_r = !address;
	return message && (!address || report_more(round->call, address, name, message, error));
}

static bool
report_run(struct cli_call *call, GError **error)
{
	struct service *service = call->service;
	struct maildir_run round = {call, service, false};

	if (!call->values[MAILDIR].text)
		return report_input(call, service, error);
	cli_output_list_begin(call->output, "reports", NULL);
	const char *dir = call->values[MAILDIR].text;
	g_autoptr(GError) failure = NULL;
	bool done = cli_maildir_process(dir, report_file_of_more, &round, &failure);
	const struct cli_maildir_gathering reports = {
	    FEEDBACK_REPORTS_TOGETHER, LIMIT_REPORT_BYTES, report_files, &round};
	if (done || !g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY))
		done = cli_maildir_gather(dir, &reports, failure ? NULL : error) && done;
	cli_output_list_end(call->output);
	if (failure)
		g_propagate_error(error, g_steal_pointer(&failure));
	return done;
}

static const struct cli_command commands[] = {
    {NULL,
	"Read a delivery report or a complaint from standard input, as a mail server pipes it, and "
	"record it. A failure that may be temporary has the exit status 75.",
	NEED_SETTINGS, PARAMETERS(parameters), .retry = true, .run = report_run},
};

const struct cli_noun cli_noun_report = {"report", commands, G_N_ELEMENTS(commands)};

/* SPDX-License-Identifier: MIT */
/* posthouse report: records bounce messages and complaints from standard input or from a maildir.
 */
#include <unistd.h>

#include "base/error.h"
#include "base/limits/report.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/maildir.h"
#include "cli/output.h"
#include "cli/text.h"
#include "feedback/report.h"
#include "process/seccomp.h"
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

static const char *
outcome_name(enum feedback_report_outcome outcome)
{
	static const char *const names[] = {
	    [REPORT_NONE] = "no report",
	    [REPORT_STRANGE] = "not ours",
	    [REPORT_UNSUBSCRIBED] = "unsubscribed",
	    [REPORT_NOBODY] = "no recipient",
	    [REPORT_REPEATED] = "repeated",
	    [REPORT_TOO_MANY] = "too many",
	    [REPORT_RECORDED] = "recorded",
	};

	return names[outcome];
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
	FIELDS(cli_text("file", file), cli_text("outcome", outcome_name((result)->outcome)),       \
	    cli_text("format", *(result)->format ? (result)->format : NULL),                       \
	    (result)->outcome >= REPORT_NOBODY ? cli_id("email", &(result)->email)                 \
					       : cli_text("email", NULL),                          \
	    cli_number("events", (result)->events),                                                \
	    cli_number("suppressed", (result)->suppressed))

static bool
report_input(struct cli_call *call, struct service *service, GError **error)
{
	const struct envelope envelope = report_read_envelope(call);
	g_autoptr(GByteArray) message = cli_maildir_read(STDIN_FILENO, LIMIT_REPORT_BYTES, error);
	struct feedback_report_result result;

	if (!message || !service_ensure(service, error) || !service_confine(service, 0, error) ||
	    !feedback_report(
		service, message->data, message->len, envelope.recipients, &result, error))
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

static bool
report_file(const char *name, int file, void *context, GError **error)
{
	static const char *const nobody[] = {NULL};
	struct maildir_run *round = context;
	g_autoptr(GByteArray) message = cli_maildir_read(file, LIMIT_REPORT_BYTES, error);
	struct feedback_report_result result;

	if (!message || !service_ensure(round->service, error) || !confine(round, error) ||
	    !feedback_report(round->service, message->data, message->len, nobody, &result, error))
		return false;
	g_autofree char *sentence = report_describe(&result);
	g_autofree char *line = g_strdup_printf("%s: %s\n", name, sentence);
	cli_output_item(round->call->output, RESULT_FIELDS(name, &result), line);
	return true;
}

static bool
report_run(struct cli_call *call, GError **error)
{
	struct service *service = call->service;
	struct maildir_run round = {call, service, false};

	if (!call->values[MAILDIR].text)
		return report_input(call, service, error);
	cli_output_list_begin(call->output, "reports", NULL);
	bool done = cli_maildir_process(call->values[MAILDIR].text, report_file, &round, error);
	cli_output_list_end(call->output);
	return done;
}

static const struct cli_command commands[] = {
    {NULL,
	"Read a delivery report or a complaint from standard input, as a mail server pipes it, and "
	"record it. A failure that may be temporary has the exit status 75.",
	NEED_SETTINGS, PARAMETERS(parameters), .retry = true, .run = report_run},
};

const struct cli_noun cli_noun_report = {"report", commands, G_N_ELEMENTS(commands)};

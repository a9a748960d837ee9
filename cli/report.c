/* SPDX-License-Identifier: MIT */
/* posthouse report: what mail servers and readers say of emails that have left. */
#include "core/report.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "cli/call.h"
#include "cli/count.h"
#include "cli/maildir.h"
#include "cli/nouns.h"
#include "cli/output.h"
#include "core/core.h"

enum { RECIPIENT, MAILDIR };
static const struct cli_parameter parameters[] = {
    /* Whatever is given: a mail server gives it, who has it from anybody. */
    [RECIPIENT] = {"--recipient", "to whom the message was sent", "ADDRESS", PARAMETER_ANY},
    [MAILDIR] = {"--maildir", "read what is new in this maildir instead", "DIR", PARAMETER_FILE},
};

/* To whom a message was sent, as Postfix, Exim and qmail tell the programs that they start. */
static const char *const variables[] = {"ORIGINAL_RECIPIENT", "RECIPIENT", "LOCAL_PART"};

struct envelope {
	const char *recipients[G_N_ELEMENTS(variables) + 2]; /* NULL-terminated */
};

static struct envelope
read_envelope(const struct cli_call *call)
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
outcome_name(enum core_report_outcome outcome)
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

/* A sentence about it, in words of our own alone. The caller owns it. */
static char *
describe(const struct core_report_result *result)
{
	char id[ID_TEXT_SIZE];

	base_id_format(&result->email, id);
	switch (result->outcome) {
	case REPORT_NONE:
		return g_strdup("The message is no report of a kind that is recorded.");
	case REPORT_STRANGE:
		return g_strdup("The report is of no email of ours, or does not prove it.");
	case REPORT_UNSUBSCRIBED:
		return g_strdup("The message unsubscribed its sender.");
	case REPORT_NOBODY:
		return g_strdup_printf("The report is of none of the recipients of email %s.", id);
	case REPORT_REPEATED:
		return g_strdup_printf("The report of email %s is known already.", id);
	case REPORT_TOO_MANY:
		return g_strdup_printf(
		    "Email %s has had %d reports; no more are recorded.", id, LIMIT_REPORTS);
	case REPORT_RECORDED:
		break;
	}
	g_autofree char *events = cli_count(result->events, "event", "events");
	g_autofree char *addresses = cli_count(result->suppressed, "address", "addresses");
	return g_strdup_printf("Recorded of email %s: %s, %s suppressed.", id, events, addresses);
}

#define RESULT_FIELDS(file, result)                                                                \
	FIELDS(cli_text("file", file), cli_text("outcome", outcome_name((result)->outcome)),       \
	    cli_text("format", *(result)->format ? (result)->format : NULL),                       \
	    (result)->outcome >= REPORT_NOBODY ? cli_id("email", &(result)->email)                 \
					       : cli_text("email", NULL),                          \
	    cli_number("events", (result)->events),                                                \
	    cli_number("suppressed", (result)->suppressed))

/* The whole message is read, so that whoever writes it can; what is too much is dropped. */
static GByteArray *
read_input(int input, GError **error)
{
	g_autoptr(GByteArray) message = g_byte_array_new();
	guint8 bytes[16 * 1024];
	gssize size;

	while ((size = read(input, bytes, sizeof(bytes))) != 0) {
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0) {
			g_set_error(error, PH_ERROR, PH_ERROR_TEMPORARY,
			    "the message cannot be read: %s", g_strerror(errno));
			return NULL;
		}
		guint room = LIMIT_REPORT_BYTES - message->len;
		g_byte_array_append(message, bytes, MIN((guint)size, room));
	}
	return g_steal_pointer(&message);
}

static bool
report_input(struct cli_call *call, struct core *core, GError **error)
{
	const struct envelope envelope = read_envelope(call);
	g_autoptr(GByteArray) message = read_input(STDIN_FILENO, error);
	struct core_report_result result;

	if (!message || !core_ensure(core, error) ||
	    !core_report(core, message->data, message->len, envelope.recipients, &result, error))
		return false;
	g_autofree char *sentence = describe(&result);
	cli_output_say(call->output, RESULT_FIELDS(NULL, &result), "%s", sentence);
	return true;
}

struct round {
	struct cli_call *call;
	struct core *core;
};

static bool
report_file(const char *name, int file, void *context, GError **error)
{
	static const char *const nobody[] = {NULL};
	const struct round *round = context;
	g_autoptr(GByteArray) message = read_input(file, error);
	struct core_report_result result;

	if (!message || !core_ensure(round->core, error) ||
	    !core_report(round->core, message->data, message->len, nobody, &result, error))
		return false;
	g_autofree char *sentence = describe(&result);
	g_autofree char *line = g_strdup_printf("%s: %s\n", name, sentence);
	cli_output_item(round->call->output, RESULT_FIELDS(name, &result), line);
	return true;
}

static bool
run(struct cli_call *call, GError **error)
{
	AUTO(core) core = core_open(call->settings);
	struct round round = {call, core};

	if (!call->values[MAILDIR].text)
		return report_input(call, core, error);
	cli_output_list_begin(call->output, "reports", NULL);
	bool done = cli_maildir_take(call->values[MAILDIR].text, report_file, &round, error);
	cli_output_list_end(call->output);
	return done;
}

static const struct cli_command commands[] = {
    {NULL,
	"Read a delivery report or a complaint from standard input, as a mail server pipes it, and "
	"record what it tells. It fails only with what may pass, and then with the status 75.",
	NEED_SETTINGS, PARAMETERS(parameters), .retry = true, .run = run},
};

const struct cli_noun cli_noun_report = {"report", commands, G_N_ELEMENTS(commands)};

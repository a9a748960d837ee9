/* SPDX-License-Identifier: MIT */
/* posthouse sendmail: takes a message on standard input, as sendmail(8) does. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/sendmail.h"
#include "cli/words.h"
#include "service/service.h"
#include "store/workspace/workspace.h"
#include "submit/sendmail.h"
#include "submit/submit.h"

/* The place of a line of one dot from a place on: where it begins; -1: there is none. is_end:
   nothing follows, not even a line end behind the dot. */
static gssize
find_dot(const GByteArray *input, gsize from, bool is_end)
{
	const char *begin = (const char *)input->data, *end = begin + input->len;

	for (const char *p = begin + from; p < end && (p = memchr(p, '.', (gsize)(end - p))); p++) {
		gsize left = (gsize)(end - p) - 1;

		if (p > begin && p[-1] != '\n')
			continue;
		if ((left == 0 && is_end) || (left > 0 && p[1] == '\n') ||
		    (left > 1 && p[1] == '\r' && p[2] == '\n'))
			return p - begin;
	}
	return -1;
}

/* Reads standard input to its end, to a line of one dot unless dots is set, or until it is too
   large. */
static GByteArray *
sendmail_read_message(bool dots, GError **error)
{
	g_autoptr(GByteArray) input = g_byte_array_new();
	guint8 bytes[65536];
	gssize got, dot = -1;

	do {
		gsize seen = input->len > 2 ? input->len - 2 : 0;

		do
			got = read(STDIN_FILENO, bytes, sizeof(bytes));
		while (got < 0 && errno == EINTR);
		if (got < 0) {
			base_fail(error, PH_ERROR_INVALID, "the message cannot be read: %s",
			    g_strerror(errno));
			return NULL;
		}
		g_byte_array_append(input, bytes, (guint)got);
		if (!dots)
			dot = find_dot(input, seen, got == 0);
	} while (got > 0 && dot < 0 && input->len <= LIMIT_RAW_BYTES + 4);
	if (dot >= 0)
		g_byte_array_set_size(input, (guint)dot);
	return g_steal_pointer(&input);
}

enum { RECIPIENT, READS_RECIPIENTS, IGNORES_DOTS, SENDER, NAME, SESSION };
static const struct cli_parameter parameters[] = {
    [RECIPIENT] = {"RECIPIENT", "an address to send to", NULL, PARAMETER_ANY, .optional = true,
	.repeated = true},
    [READS_RECIPIENTS] = {"-t", "send to the addresses in To, Cc and Bcc, too", NULL,
	PARAMETER_FLAG},
    [IGNORES_DOTS] = {"-i", "read to the end of the input; a line of one dot does not end it", NULL,
	PARAMETER_FLAG},
    /* Programs give any text here, though the message has a From. */
    [SENDER] = {"-f", "the sender's address where the message has no From", "ADDRESS",
	PARAMETER_ANY},
    [NAME] = {"-F", "the name of that sender", "NAME", PARAMETER_ANY},
    [SESSION] = {"-bs", "take messages in an SMTP session on standard input and output", NULL,
	PARAMETER_FLAG},
};

/* The address that -f gives, without the brackets that some programs put around it; "" for the
   empty sender of reports, <>. NULL for NULL. The caller owns it. */
static char *
sendmail_bare(const char *given)
{
	gsize size = given ? strlen(given) : 0;
	bool has_brackets = size >= 2 && given[0] == '<' && given[size - 1] == '>';

	return has_brackets ? g_strndup(given + 1, size - 2) : g_strdup(given);
}

static bool
sendmail_run(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	g_autofree char *sender = sendmail_bare(values[SENDER].text);

	if (values[SESSION].number == 1)
		return cli_sendmail_session(call, values[NAME].text, error);
	g_autoptr(GByteArray) input =
	    sendmail_read_message(values[IGNORES_DOTS].number == 1, error);
	struct base_id id;

	if (!input)
		return false;
	const struct submit_sendmail given = {
	    .data = input->data,
	    .size = input->len,
	    .recipients = values[RECIPIENT].texts,
	    .reads_recipients = values[READS_RECIPIENTS].number == 1,
	    .sender = sender,
	    .name = values[NAME].text,
	};
	if (!cli_sendmail_store(call, &given, &id, error))
		return false;
	if (call->json)
		cli_output_thing(call->output, FIELDS(cli_id("id", &id)));
	return true;
}

static const struct cli_command commands[] = {
    {NULL,
	"Take a message from standard input, as sendmail(8) does: it is kept as it is, but for "
	"what no "
	"mail server carries, signed, and left to the spool. A link to posthouse with the name "
	"sendmail does the same.",
	NEED_WORKSPACE, .any_workspace = true, PARAMETERS(parameters), .run = sendmail_run,
	.words = cli_words_plain},
};

const struct cli_noun cli_noun_sendmail = {"sendmail", commands, G_N_ELEMENTS(commands)};

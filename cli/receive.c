/* SPDX-License-Identifier: MIT */
/* posthouse receive: takes mail that came in from standard input or from a maildir. */
#include "cli/receive.h"

#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits/received.h"
#include "base/limits/report.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/maildir.h"
#include "cli/output.h"
#include "config/settings.h"
#include "dmarc/record.h"
#include "feedback/report.h"
#include "link/own_address.h"
#include "mail/address.h"
#include "mail/part.h"
#include "received/door.h"
#include "service/service.h"

#define UNKNOWN "unknown"
#define CANDIDATES_MAX 100

enum { RECIPIENT, SENDER, MAILDIR };
static const struct cli_parameter parameters[] = {
    /* Any value is accepted: the mail server passes the address on as a sender gave it. */
    [RECIPIENT] = {"--recipient", "the address to which the message was sent", "ADDRESS",
	PARAMETER_ANY},
    [SENDER] = {"--sender", "the address of the envelope from which it came", "ADDRESS",
	PARAMETER_ANY},
    [MAILDIR] = {"--maildir", "take the new messages of this maildir instead", "DIR",
	PARAMETER_FILE},
};

/* A message, and what became of it. */
struct receiving {
	struct service *service;
	const guint8 *data;
	gsize size;
	const char *to, *from; /* as options of the command say; NULL: not given */
	bool is_pipe;	       /* the environment has the envelope, too */
	GPtrArray *candidates; /* char *: the addresses of the header that may be the recipient */
	char *recipient, *sender; /* NULL: not known */
	const char *outcome;
	char *sentence;
	char id[ID_TEXT_SIZE]; /* "": none */
	int status;	       /* the exit status for a pipe */
};

static void
receiving_clear(struct receiving *receiving)
{
	g_clear_pointer(&receiving->candidates, g_ptr_array_unref);
	g_free(receiving->recipient);
	g_free(receiving->sender);
	g_free(receiving->sentence);
}

static bool
receive_end(struct receiving *receiving, const char *outcome, int status, char *sentence)
{
	receiving->outcome = outcome;
	receiving->status = status;
	g_free(receiving->sentence);
	receiving->sentence = sentence;
	return true;
}

/* The address in a field or a variable: in normal form where it has one. NULL: there is none. */
static char *
receive_address(const char *text)
{
	const char *open = text ? strchr(text, '<') : NULL;
	const char *close = open ? strchr(open, '>') : NULL;
	g_autofree char *bare = close ? g_strndup(open + 1, (gsize)(close - open - 1))
				      : g_strstrip(g_strdup(text ? text : ""));
	char *normal = NULL;

	/* The first one of a list without brackets. */
	if (!close)
		bare[strcspn(bare, ",")] = '\0';
	g_strstrip(bare);
	if (*bare && g_utf8_validate(bare, -1, NULL))
		normal = mail_address_normal(bare, MAIL_LOCAL_ANY, NULL);
	return normal;
}

/* The recipient in the environment, as Postfix, Exim and qmail set it. */
static char *
receive_variable_recipient(void)
{
	static const char *const variables[] = {"ORIGINAL_RECIPIENT", "RECIPIENT"};
	const char *local = g_getenv("LOCAL_PART"), *domain = g_getenv("DOMAIN");

	for (guint i = 0; i < G_N_ELEMENTS(variables); i++) {
		char *address = receive_address(g_getenv(variables[i]));

		if (address)
			return address;
	}
	if (!local)
		return NULL;
	g_autofree char *whole =
	    strchr(local, '@') || !domain ? g_strdup(local) : g_strconcat(local, "@", domain, NULL);
	return receive_address(whole);
}

/* Adds the addresses of a field, of which those of a list are read one by one. */
static void
receive_add_candidates(GPtrArray *candidates, const char *field)
{
	g_autoptr(GPtrArray) list = field ? mail_address_parse_list(field, NULL) : NULL;
	char *address = list ? NULL : receive_address(field);

	if (address)
		g_ptr_array_add(candidates, address);
	for (guint i = 0; list && i < list->len && candidates->len < CANDIDATES_MAX; i++)
		g_ptr_array_add(
		    candidates, g_strdup(((const struct mail_address *)list->pdata[i])->address));
}

/* The addresses that may be the recipient, those that a mail server wrote first. */
static GPtrArray *
receive_candidates(const struct mail_slice *header)
{
	static const char *const names[] = {"Delivered-To", "X-Original-To", "Envelope-To", "To"};
	GPtrArray *candidates = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *field = mail_part_field(header, names[i]);

		receive_add_candidates(candidates, field);
	}
	return candidates;
}

static bool
receive_count_hop(const char *name, const char *value, void *context)
{
	guint *hops = context;

	*hops += g_ascii_strcasecmp(name, "Received") == 0;
	return true;
}

/* Reads the envelope where the call does not give it; checks the message. False where it is none.
 */
static bool
receive_look(struct receiving *receiving, GError **error)
{
	gsize length, most = MIN(receiving->size, LIMIT_RECEIVED_HEADER_BYTES);
	g_autofree char *text = mail_part_text(receiving->data, most, &length);
	const struct mail_part part = mail_part_split(text, length);
	guint hops = 0;

	mail_part_fields(&part.header, receive_count_hop, &hops);
	g_autofree char *path = mail_part_field(&part.header, "Return-Path");
	const char *given = receiving->from;
	if (!given && receiving->is_pipe)
		given = g_getenv("SENDER");
	if (!given)
		given = path;
	receiving->sender = receive_address(given);
	/* <> says that nobody waits for an answer. */
	if (given && !receiving->sender && strspn(given, "<> ") == strlen(given))
		receiving->sender = g_strdup("");
	if (receiving->to)
		receiving->recipient = receive_address(receiving->to);
	else if (receiving->is_pipe)
		receiving->recipient = receive_variable_recipient();
	if (!receiving->recipient && !receiving->to)
		receiving->candidates = receive_candidates(&part.header);
	if (hops > LIMIT_RECEIVED_HOPS)
		return base_invalid(error, "the message has taken too many hops");
	return memchr(part.header.text, ':', part.header.size) ||
	       base_invalid(error, "there is no message");
}

/* Whether the address is one of the return paths of ours. */
static bool
receive_is_report(const struct receiving *receiving)
{
	enum link_own_kind kind = link_own_address(receiving->service, receiving->recipient, NULL);

	return (kind != LINK_OWN_NONE && kind != LINK_OWN_REPLY) ||
	       link_own_address_is_fixed(receiving->service, receiving->recipient);
}

/* Records a report about a domain. */
static bool
receive_domain_report(struct receiving *receiving, GError **error)
{
	const struct received_session session = {
	    .hostname = config_settings_text(receiving->service->settings, SETTING_SMTPD_HOSTNAME),
	    .is_pipe = true,
	};
	struct dmarc_record_result result = {.why = NULL};

	if (!dmarc_record(receiving->service, &session, receiving->recipient, receiving->data,
		receiving->size, &result, error))
		return false;
	if (result.outcome >= DMARC_RECORD_DMARC)
		base_id_format(&result.id, receiving->id);
	const char *name = dmarc_record_name(result.outcome);
	return receive_end(receiving, name, 0,
	    result.why ? result.why
		       : g_strdup_printf("The message is a report about a domain: %s.", name));
}

static bool
receive_report(struct receiving *receiving, GError **error)
{
	const char *const envelope[] = {receiving->recipient, NULL};
	struct feedback_report_result result;

	if (!feedback_report(receiving->service, receiving->data,
		MIN(receiving->size, LIMIT_REPORT_BYTES), envelope, &result, error))
		return false;
	if (result.outcome >= REPORT_NOBODY)
		base_id_format(&result.email, receiving->id);
	const char *name = feedback_report_outcome_name(result.outcome);
	return receive_end(
	    receiving, name, 0, g_strdup_printf("The message went to a return path: %s.", name));
}

/* Takes a refusal: one that is for good ends the message, another is tried again. */
static bool
receive_refuse(struct receiving *receiving, const char *reply, GError **error)
{
	if (*reply == '4')
		return base_fail(error, PH_ERROR_TEMPORARY, "%s", reply);
	bool unknown = g_str_has_prefix(reply, "550 5.1.1");
	return receive_end(receiving, unknown ? UNKNOWN : "refused", EX_NOUSER, g_strdup(reply));
}

static bool
receive_drops(const GString *reply)
{
	return strcmp(reply->str, "250 2.0.0 recorded") == 0;
}

static bool
receive_take(struct receiving *receiving, struct received_route *route, GError **error)
{
	static const struct received_session session = {.is_pipe = true};
	g_autoptr(GString) reply = g_string_new(NULL);
	struct base_id id;

	if (!received_take(receiving->service, &session,
		&(struct received_taking){
		    receiving->sender, &route, 1, receiving->data, receiving->size},
		reply, &id, error))
		return false;
	if (*reply->str != '2')
		return receive_refuse(receiving, reply->str, error);
	if (receive_drops(reply))
		return receive_end(receiving, received_route_drops(route) ? "dropped" : "repeated",
		    0, g_strdup("The message was dropped, or is known."));
	base_id_format(&id, receiving->id);
	return receive_end(
	    receiving, "stored", 0, g_strdup_printf("The message is stored as %s.", receiving->id));
}

/* Takes the message for its recipient. */
static bool
receive_for_recipient(struct receiving *receiving, GError **error)
{
	g_autofree char *reply = NULL;
	AUTO(received_route) route = NULL;

	if (dmarc_record_is_for(receiving->service, receiving->recipient))
		return receive_domain_report(receiving, error);
	if (receive_is_report(receiving))
		return receive_report(receiving, error);
	switch (
	    received_route_find(receiving->service, receiving->recipient, &route, &reply, error)) {
	case RECEIVED_ROUTE:
		return receive_take(receiving, route, error);
	case RECEIVED_REFUSED:
		return receive_refuse(receiving, reply, error);
	case RECEIVED_STRANGE:
		return receive_end(receiving, UNKNOWN, EX_NOUSER,
		    g_strdup("The message came to no address of this installation."));
	case RECEIVED_FAILED:
		break;
	}
	return false;
}

/* Takes the message for the first address of its header that leads here. */
static bool
receive_for_candidates(struct receiving *receiving, GError **error)
{
	bool done = true;

	for (guint i = 0; done && i < receiving->candidates->len; i++) {
		if (i > 0 && strcmp(receiving->outcome, UNKNOWN) != 0)
			break;
		g_free(receiving->recipient);
		receiving->recipient = g_strdup(receiving->candidates->pdata[i]);
		done = receive_for_recipient(receiving, error);
	}
	return done;
}

static bool
receive_one(struct receiving *receiving, GError **error)
{
	if (!receive_look(receiving, error))
		return false;
	bool is_open = receiving->candidates && receiving->candidates->len > 0;
	if (!receiving->recipient && !is_open)
		return receive_end(receiving, UNKNOWN, EX_NOUSER,
		    g_strdup("The message does not say to whom it came."));
	if (!service_ensure(receiving->service, error))
		return false;
	return is_open ? receive_for_candidates(receiving, error)
		       : receive_for_recipient(receiving, error);
}

#define RECEIVE_FIELDS(file, receiving)                                                            \
	FIELDS(cli_text("file", file), cli_text("outcome", (receiving)->outcome),                  \
	    cli_text("id", *(receiving)->id ? (receiving)->id : NULL))

/* The most bytes of a message, as the SMTP door has them. */
static gsize
receive_most(const struct cli_call *call)
{
	return (gsize)config_settings_number(call->service->settings, SETTING_SMTPD_SIZE);
}

static bool
receive_check_size(const GByteArray *message, gsize most, GError **error)
{
	return message->len <= most ||
	       base_invalid(error, "the message is larger than %" G_GSIZE_FORMAT " bytes", most);
}

/* Reads a message, and checks its size. */
static GByteArray *
receive_read(const struct cli_call *call, int input, GError **error)
{
	const gsize most = receive_most(call);
	g_autoptr(GByteArray) message = cli_maildir_read(input, most + 1, error);

	if (!message || !receive_check_size(message, most, error))
		return NULL;
	return g_steal_pointer(&message);
}

/* Refuses a file of a maildir that is no message for good: else each run would meet it again. */
static bool
receive_settle(struct receiving *receiving, const GError *failure)
{
	return g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID) &&
	       receive_end(receiving, "refused", EX_DATAERR, g_strdup(failure->message));
}

bool
cli_receive_reply(struct cli_call *call, const char *address, const char *name,
    const GByteArray *message, GError **error)
{
	struct receiving receiving = {.service = call->service,
	    .data = message->data,
	    .size = message->len,
	    .to = strchr(address, '@') ? address : NULL,
	    .is_pipe = !name};
	g_autoptr(GError) failure = NULL;
	bool done = (receive_check_size(message, receive_most(call), &failure) &&
			receive_one(&receiving, &failure)) ||
		    (name && receive_settle(&receiving, failure));

#define REPLY_FIELDS                                                                               \
	FIELDS(cli_text("file", name), cli_text("outcome", receiving.outcome),                     \
	    cli_text("format", NULL), cli_text("email", NULL), cli_number("events", 0),            \
	    cli_number("suppressed", 0), cli_text("id", *receiving.id ? receiving.id : NULL))
	if (done && name) {
		g_autofree char *line = g_strdup_printf("%s: %s\n", name, receiving.sentence);
		cli_output_item(call->output, REPLY_FIELDS, line);
	} else if (done) {
		cli_output_say(call->output, REPLY_FIELDS, "%s", receiving.sentence);
		call->status = receiving.status;
	}
#undef REPLY_FIELDS
	if (!done)
		g_propagate_error(error, g_steal_pointer(&failure));
	receiving_clear(&receiving);
	return done;
}

static bool
receive_input(struct cli_call *call, GError **error)
{
	g_autoptr(GError) failure = NULL;
	g_autoptr(GByteArray) message = receive_read(call, STDIN_FILENO, &failure);
	struct receiving receiving = {.service = call->service,
	    .to = call->values[RECIPIENT].text,
	    .from = call->values[SENDER].text,
	    .is_pipe = true};
	bool done = false;

	if (message) {
		receiving.data = message->data;
		receiving.size = message->len;
		done = receive_one(&receiving, &failure);
	}
	if (done) {
		cli_output_say(
		    call->output, RECEIVE_FIELDS(NULL, &receiving), "%s", receiving.sentence);
		call->status = receiving.status;
	} else {
		if (g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID))
			call->status = EX_DATAERR;
		g_propagate_error(error, g_steal_pointer(&failure));
	}
	receiving_clear(&receiving);
	return done;
}

static bool
receive_file(const char *name, int file, void *context, bool *leave_r, GError **error)
{
	struct cli_call *call = context;
	g_autoptr(GError) failure = NULL;
	g_autoptr(GByteArray) message = receive_read(call, file, &failure);
	struct receiving receiving = {.service = call->service,
	    .to = call->values[RECIPIENT].text,
	    .from = call->values[SENDER].text};
	bool done = false;

	if (message) {
		receiving.data = message->data;
		receiving.size = message->len;
		done = receive_one(&receiving, &failure);
	}
	done = done || receive_settle(&receiving, failure);
	if (done) {
		g_autofree char *line = g_strdup_printf("%s: %s\n", name, receiving.sentence);
		cli_output_item(call->output, RECEIVE_FIELDS(name, &receiving), line);
	} else {
		g_propagate_error(error, g_steal_pointer(&failure));
	}
	receiving_clear(&receiving);
	return done;
}

static bool
receive_run(struct cli_call *call, GError **error)
{
	if (!call->values[MAILDIR].text)
		return receive_input(call, error);
	cli_output_list_begin(call->output, "received", NULL);
	bool done = cli_maildir_process(call->values[MAILDIR].text, receive_file, call, error);
	cli_output_list_end(call->output);
	return done;
}

static const struct cli_command commands[] = {
    {NULL,
	"Take a message that came in from standard input, as a mail server pipes it. A message for "
	"an unknown address has the exit status 67, one that is none 65; a failure that may be "
	"temporary has 75.",
	NEED_SETTINGS, PARAMETERS(parameters), .retry = true, .run = receive_run},
};

const struct cli_noun cli_noun_receive = {"receive", commands, G_N_ELEMENTS(commands)};

/* SPDX-License-Identifier: MIT */
/* SMTP sessions of any bytes: intake/session.h, and the fields of the messages that come out of it.
   The first byte chooses the rules, the second one the size of the pieces in which the bytes come.
 */
#include "intake/session.h"

#include <string.h>

#include "smtpd/fields.h"
#include "tests/fuzz/fuzz.h"

#define KNOWN "known"

struct client {
	const guint8 *data;
	gsize left, piece;
	GString *out;
	guint messages;
	bool has_logged_in, is_trusted;
};

static gssize
fuzz_session_read(void *context, void *bytes, gsize size, const struct intake_place *place)
{
	struct client *client = context;
	gsize count = MIN(MIN(size, client->piece), client->left);

	if (count == 0)
		return place->is_between ? INTAKE_READ_STOP : INTAKE_READ_SILENT;
	memcpy(bytes, client->data, count);
	client->data += count;
	client->left -= count;
	return (gssize)count;
}

static bool
fuzz_session_write(void *context, const char *bytes, gsize size)
{
	struct client *client = context;

	g_string_append_len(client->out, bytes, (gssize)size);
	return true;
}

static bool
fuzz_session_waits(void *context)
{
	return false;
}

static bool
fuzz_session_start_tls(void *context)
{
	((struct client *)context)->has_logged_in = false;
	return true;
}

static void
fuzz_session_login(void *context, const char *password, GString *reply)
{
	struct client *client = context;

	client->has_logged_in = strcmp(password, "key") == 0;
	g_string_append(
	    reply, client->has_logged_in ? "235 2.7.0 Authenticated" : "535 5.7.8 Invalid API key");
}

static void
fuzz_session_recipient(void *context, const char *address, GString *reply)
{
	g_string_append(
	    reply, g_str_has_prefix(address, KNOWN) ? "250 2.1.5 OK" : "550 5.7.1 Relaying denied");
}

/* A client that has not logged in reaches known recipients alone, with clean lines. */
static void
fuzz_session_take(void *context, const struct intake_message *message, GString *reply)
{
	struct client *client = context;
	const char *data = message->data;
	struct smtpd_fields fields;
	GError *error = NULL;

	g_assert(message->is_submission == (client->is_trusted || client->has_logged_in));
	g_assert(message->recipients[0]);
	for (char *const *one = message->recipients; !message->is_submission && *one; one++)
		g_assert(g_str_has_prefix(*one, KNOWN));
	for (gsize i = 0; !message->is_submission && i < message->size; i++)
		g_assert(data[i] == '\n'
			     ? i > 0 && data[i - 1] == '\r'
			     : data[i] != '\r' || (i + 1 < message->size && data[i + 1] == '\n'));
	if (!smtpd_fields_read(data, message->size, &fields, &error))
		fuzz_check_error(error);
	g_assert(fields.message->len <= message->size);
	smtpd_fields_clear(&fields);
	client->messages++;
	g_string_append(reply, "250 2.0.0 queued");
}

/* Each reply is a line of its own that begins with a code. */
static void
check_replies(const GString *out)
{
	g_assert(g_str_has_suffix(out->str, "\r\n") && strlen(out->str) == out->len);
	for (const char *line = out->str; *line; line = strstr(line, "\r\n") + 2) {
		g_assert(g_ascii_isdigit(line[0]) && g_ascii_isdigit(line[1]) &&
			 g_ascii_isdigit(line[2]) && (line[3] == ' ' || line[3] == '-'));
		gsize size = strcspn(line, "\r");
		g_assert(line[size + 1] == '\n' && !memchr(line, '\n', size));
	}
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	if (size < 2)
		return -1;
	struct client client = {
	    data + 2, size - 2, (gsize)data[1] + 1, g_string_new(NULL), 0, false, data[0] & 1};
	const struct intake_rules rules = {
	    .hostname = "mail.example",
	    .size = 3000,
	    .recipients = 3,
	    .strangers = 4,
	    .errors = 50,
	    .is_trusted = client.is_trusted,
	    .logs_in = data[0] & 2,
	    .plain_auth = data[0] & 4,
	    .takes_others = data[0] & 8,
	    .has_tls = data[0] & 16,
	};
	const struct intake_host host = {
	    .read = fuzz_session_read,
	    .write = fuzz_session_write,
	    .take = fuzz_session_take,
	    .context = &client,
	    .waits = fuzz_session_waits,
	    .start_tls = fuzz_session_start_tls,
	    .login = fuzz_session_login,
	    .recipient = fuzz_session_recipient,
	};

	intake_session_run(&rules, &host);
	check_replies(client.out);
	g_string_free(client.out, TRUE);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Checks that each relay answers and offers what the settings require. Sends no mail. */
#include <gio/gio.h>
#include <string.h>

#include "base/settings.h"
#include "cli/doctor.h"
#include "core/relay.h"

#define REPLY_LINES 100
#define ANSWER_S 30

/* An SMTP dialogue with a relay, and the extensions that its EHLO reply lists. */
struct dialogue {
	GSocketConnection *connection;
	GDataInputStream *input;
	int code;    /* of the last reply */
	char *reply; /* its last line */
	bool starttls, dsn;
};

static void
hang_up(struct dialogue *dialogue)
{
	g_clear_object(&dialogue->input);
	g_clear_object(&dialogue->connection);
	g_free(dialogue->reply);
}

static void
note_extension(struct dialogue *dialogue, const char *line)
{
	const char *word = strlen(line) > 4 ? line + 4 : "";

	dialogue->starttls |= g_ascii_strcasecmp(word, "STARTTLS") == 0;
	dialogue->dsn |= g_ascii_strcasecmp(word, "DSN") == 0;
}

/* Reads a reply of one or more lines (RFC 5321 section 4.2.1). */
static bool
hear(struct dialogue *dialogue, GError **error)
{
	for (guint i = 0; i < REPLY_LINES; i++) {
		g_autoptr(GError) failure = NULL;
		g_autofree char *line =
		    g_data_input_stream_read_line(dialogue->input, NULL, NULL, &failure);

		if (!line && !failure)
			g_set_error(
			    &failure, G_IO_ERROR, G_IO_ERROR_CLOSED, "it closed the connection");
		if (!line) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return false;
		}
		note_extension(dialogue, line);
		g_free(dialogue->reply);
		dialogue->reply = g_strdup(line);
		dialogue->code = (int)g_ascii_strtoull(line, NULL, 10);
		if (strlen(line) < 4 || line[3] != '-')
			return true;
	}
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "its reply does not end");
	return false;
}

static bool
say(struct dialogue *dialogue, const char *line, GError **error)
{
	GOutputStream *output = g_io_stream_get_output_stream(G_IO_STREAM(dialogue->connection));
	g_autofree char *text = g_strconcat(line, "\r\n", NULL);

	return g_output_stream_write_all(output, text, strlen(text), NULL, NULL, error);
}

static bool
dial(struct dialogue *dialogue, const struct smtp_relay *relay, GError **error)
{
	g_autoptr(GSocketClient) client = g_socket_client_new();

	g_socket_client_set_enable_proxy(client, FALSE);
	g_socket_client_set_timeout(client, relay->connect_timeout_s);
	dialogue->connection =
	    g_socket_client_connect_to_host(client, relay->host, (guint16)relay->port, NULL, error);
	if (!dialogue->connection)
		return false;
	g_socket_set_timeout(
	    g_socket_connection_get_socket(dialogue->connection), MIN(relay->timeout_s, ANSWER_S));
	dialogue->input = g_data_input_stream_new(
	    g_io_stream_get_input_stream(G_IO_STREAM(dialogue->connection)));
	g_data_input_stream_set_newline_type(dialogue->input, G_DATA_STREAM_NEWLINE_TYPE_ANY);
	return true;
}

/* Reads the greeting, and sends EHLO and QUIT. Returns false with the error, or with the relay's
   refusal in the dialogue's reply. */
static bool
converse(struct dialogue *dialogue, const struct smtp_relay *relay, GError **error)
{
	const char *name = *relay->helo ? relay->helo : g_get_host_name();
	g_autofree char *ehlo = g_strconcat("EHLO ", name, NULL);

	if (!dial(dialogue, relay, error) || !hear(dialogue, error) || dialogue->code != 220)
		return false;
	if (!say(dialogue, ehlo, error) || !hear(dialogue, error) || dialogue->code != 250)
		return false;
	say(dialogue, "QUIT", NULL);
	return true;
}

/* The settings alone decide this, so the warning does not wait for the relay's answer. */
static void
warn_unverified(struct cli_doctor *doctor, const char *check, const struct smtp_relay *relay)
{
	if (relay->unverified)
		cli_check_bad(doctor, check, STATE_WARN,
		    "Name the file of its CA as tls_ca in section [smtp], and take tls_verify = no "
		    "out.",
		    "tls_verify = no: its name is not checked%s",
		    *relay->user ? " before it gets the password" : "");
}

static void
judge(struct cli_doctor *doctor, const char *check, const struct smtp_relay *relay,
    const struct dialogue *dialogue)
{
	bool final = base_settings_switch(doctor->settings, SETTING_SMTP_FINAL);

	if (relay->tls == TLS_REQUIRED && !dialogue->starttls)
		cli_check_bad(doctor, check, STATE_FAIL,
		    "Use a relay or port that has it, or set tls = opportunistic in section "
		    "[smtp].",
		    "it offers no STARTTLS, which the settings require");
	else if (relay->tls == TLS_OPPORTUNISTIC && *relay->user && !dialogue->starttls)
		cli_check_bad(doctor, check, STATE_FAIL,
		    "Use a relay or port that has it; for one on this machine tls = none in "
		    "section "
		    "[smtp] will do.",
		    "it offers no STARTTLS, so the password is not sent");
	else if (relay->dsn && !final && !dialogue->dsn)
		cli_check_bad(doctor, check, STATE_WARN,
		    "Ask its operator for DSN (RFC 3461), or set dsn = no in section [smtp].",
		    "it offers no delivery reports, so no email becomes delivered");
	else
		cli_check_ok(doctor, check, "it answers%s%s", dialogue->starttls ? ", has TLS" : "",
		    dialogue->dsn ? ", has delivery reports" : "");
}

static void
check_relay(struct cli_doctor *doctor, const struct smtp_relay *relay)
{
	g_autofree char *check = g_strdup_printf("relay %s:%u", relay->host, relay->port);
	static const char remedy[] = "Correct section [smtp] of the settings, or the relay.";
	g_autoptr(GError) error = NULL;
	struct dialogue dialogue = {0};

	warn_unverified(doctor, check, relay);
	if (relay->tls == TLS_IMPLICIT && smtp_relay_check(relay, &error)) {
		/* It speaks TLS at once, which this dialogue does not. */
		cli_check_bad(doctor, check, STATE_WARN,
		    "Send a message, and look at posthouse spool status.",
		    "it was not asked: it speaks TLS at once");
		return;
	}
	if (!error && smtp_relay_check(relay, &error) && converse(&dialogue, relay, &error))
		judge(doctor, check, relay, &dialogue);
	else if (error)
		cli_check_bad(doctor, check, STATE_FAIL, remedy, "%s", error->message);
	else
		cli_check_bad(
		    doctor, check, STATE_FAIL, remedy, "it refuses us: %s", dialogue.reply);
	hang_up(&dialogue);
}

void
cli_check_relays(struct cli_doctor *doctor)
{
	if (!doctor->settings)
		return;
	g_autoptr(GPtrArray) relays = core_relay_list(doctor->settings);
	for (guint i = 0; i < relays->len; i++)
		check_relay(doctor, relays->pdata[i]);
}

/* SPDX-License-Identifier: MIT */
/* Whether each relay answers, and offers what the settings ask of it. No mail is sent. */
#include <gio/gio.h>
#include <string.h>

#include "base/settings.h"
#include "cli/check.h"
#include "core/relay.h"

#define REPLY_LINES 100
#define ANSWER_S 30

/* A conversation, and what the relay's EHLO offered. */
struct talk {
	GSocketConnection *connection;
	GDataInputStream *input;
	int code;    /* of the last reply */
	char *reply; /* its last line */
	bool starttls, dsn;
};

static void
hang_up(struct talk *talk)
{
	g_clear_object(&talk->input);
	g_clear_object(&talk->connection);
	g_free(talk->reply);
}

static void
note_extension(struct talk *talk, const char *line)
{
	const char *word = strlen(line) > 4 ? line + 4 : "";

	talk->starttls |= g_ascii_strcasecmp(word, "STARTTLS") == 0;
	talk->dsn |= g_ascii_strcasecmp(word, "DSN") == 0;
}

/* One reply, of one line or more (RFC 5321 section 4.2.1). */
static bool
hear(struct talk *talk, GError **error)
{
	for (guint i = 0; i < REPLY_LINES; i++) {
		g_autoptr(GError) failure = NULL;
		g_autofree char *line =
		    g_data_input_stream_read_line(talk->input, NULL, NULL, &failure);

		if (!line && !failure)
			g_set_error(
			    &failure, G_IO_ERROR, G_IO_ERROR_CLOSED, "it closed the connection");
		if (!line) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return false;
		}
		note_extension(talk, line);
		g_free(talk->reply);
		talk->reply = g_strdup(line);
		talk->code = (int)g_ascii_strtoull(line, NULL, 10);
		if (strlen(line) < 4 || line[3] != '-')
			return true;
	}
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "it does not come to an end");
	return false;
}

static bool
say(struct talk *talk, const char *line, GError **error)
{
	GOutputStream *output = g_io_stream_get_output_stream(G_IO_STREAM(talk->connection));
	g_autofree char *text = g_strconcat(line, "\r\n", NULL);

	return g_output_stream_write_all(output, text, strlen(text), NULL, NULL, error);
}

static bool
dial(struct talk *talk, const struct smtp_relay *relay, GError **error)
{
	g_autoptr(GSocketClient) client = g_socket_client_new();

	g_socket_client_set_enable_proxy(client, FALSE);
	g_socket_client_set_timeout(client, relay->connect_timeout_s);
	talk->connection =
	    g_socket_client_connect_to_host(client, relay->host, (guint16)relay->port, NULL, error);
	if (!talk->connection)
		return false;
	g_socket_set_timeout(
	    g_socket_connection_get_socket(talk->connection), MIN(relay->timeout_s, ANSWER_S));
	talk->input =
	    g_data_input_stream_new(g_io_stream_get_input_stream(G_IO_STREAM(talk->connection)));
	g_data_input_stream_set_newline_type(talk->input, G_DATA_STREAM_NEWLINE_TYPE_ANY);
	return true;
}

/* Greeting, EHLO, QUIT. False with error set, or with the reply that refused us. */
static bool
converse(struct talk *talk, const struct smtp_relay *relay, GError **error)
{
	const char *name = *relay->helo ? relay->helo : g_get_host_name();
	g_autofree char *ehlo = g_strconcat("EHLO ", name, NULL);

	if (!dial(talk, relay, error) || !hear(talk, error) || talk->code != 220)
		return false;
	if (!say(talk, ehlo, error) || !hear(talk, error) || talk->code != 250)
		return false;
	say(talk, "QUIT", NULL);
	return true;
}

/* A matter of the settings alone, so it is told whatever the relay answers. */
static void
warn_unverified(
    struct cli_examination *examination, const char *check, const struct smtp_relay *relay)
{
	if (relay->unverified)
		cli_check_bad(examination, check, STATE_WARN,
		    "Name the file of its CA as tls_ca in section [smtp], and take tls_verify = no "
		    "out.",
		    "tls_verify = no: it need not prove its name%s",
		    *relay->user ? " to get the password" : "");
}

static void
judge(struct cli_examination *examination, const char *check, const struct smtp_relay *relay,
    const struct talk *talk)
{
	bool final = base_settings_switch(examination->settings, SETTING_SMTP_FINAL);

	if (relay->tls == TLS_REQUIRED && !talk->starttls)
		cli_check_bad(examination, check, STATE_FAIL,
		    "Use a relay or port that has it, or set tls = opportunistic in section "
		    "[smtp].",
		    "it offers no STARTTLS, which the settings require");
	else if (relay->tls == TLS_OPPORTUNISTIC && *relay->user && !talk->starttls)
		cli_check_bad(examination, check, STATE_FAIL,
		    "Use a relay or port that has it; for one on this machine tls = none in "
		    "section "
		    "[smtp] will do.",
		    "it offers no STARTTLS, without which the password is not sent");
	else if (relay->dsn && !final && !talk->dsn)
		cli_check_bad(examination, check, STATE_WARN,
		    "Ask its operator for DSN (RFC 3461), or set dsn = no in section [smtp].",
		    "it offers no delivery reports: delivered is never known");
	else
		cli_check_ok(examination, check, "it answers%s%s",
		    talk->starttls ? ", has TLS" : "", talk->dsn ? ", has delivery reports" : "");
}

static void
check_relay(struct cli_examination *examination, const struct smtp_relay *relay)
{
	g_autofree char *check = g_strdup_printf("relay %s:%u", relay->host, relay->port);
	static const char remedy[] = "Mend section [smtp] of the settings, or the relay.";
	g_autoptr(GError) error = NULL;
	struct talk talk = {0};

	warn_unverified(examination, check, relay);
	if (smtp_relay_check(relay, &error) && converse(&talk, relay, &error))
		judge(examination, check, relay, &talk);
	else if (error)
		cli_check_bad(examination, check, STATE_FAIL, remedy, "%s", error->message);
	else
		cli_check_bad(
		    examination, check, STATE_FAIL, remedy, "it refuses us: %s", talk.reply);
	hang_up(&talk);
}

void
cli_check_relays(struct cli_examination *examination)
{
	if (!examination->settings)
		return;
	g_autoptr(GPtrArray) relays = core_relay_list(examination->settings);
	for (guint i = 0; i < relays->len; i++)
		check_relay(examination, relays->pdata[i]);
}

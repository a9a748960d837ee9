/* SPDX-License-Identifier: MIT */
/* Makes the errors of sessions that could not be had. */
#include "smtp/failure.h"

#include <errno.h>
#include <string.h>

#include <openssl/err.h>

#include "base/error.h"
#include "smtp/esmtp.h"
#include "smtp/message.h"

/* The reply as one line; only its code when it repeats the password, plain or as AUTH encodes it.
 */
static char *
reply_line(const struct smtp_relay *relay, const char *reply)
{
	gsize user = strlen(relay->user), size = user + strlen(relay->password) + 2;
	g_autofree char *plain = g_strdup_printf("%c%s%c%s", 1, relay->user, 1, relay->password);

	if (!relay->password[0])
		return smtp_message_text(reply);
	plain[0] = plain[user + 1] = '\0';
	g_autofree char *plain64 = g_base64_encode((const guchar *)plain, size);
	g_autofree char *login64 =
	    g_base64_encode((const guchar *)relay->password, strlen(relay->password));
	if (strstr(reply, relay->password) || strstr(reply, plain64) || strstr(reply, login64))
		return g_strndup(reply, strspn(reply, "0123456789"));
	return smtp_message_text(reply);
}

static void
set_lost(
    const struct smtp_relay *relay, const struct smtp_wire *wire, const char *when, GError **error)
{
	if (wire->fault == ETIMEDOUT)
		g_set_error(error, PH_ERROR, PH_ERROR_TEMPORARY,
		    "The mail relay %s:%u did not answer within %u s (%s).", relay->host,
		    relay->port, relay->timeout_s, when);
	else
		g_set_error(error, PH_ERROR, PH_ERROR_TEMPORARY,
		    "The mail relay %s:%u closed the connection, or does not speak SMTP (%s).",
		    relay->host, relay->port, when);
}

static void
set_unreached(
    const struct smtp_relay *relay, const struct smtp_wire *wire, int library, GError **error)
{
	char text[128];

	if (wire->fault == ETIMEDOUT)
		g_set_error(error, PH_ERROR, PH_ERROR_TEMPORARY,
		    "The mail relay %s:%u could not be reached within %u s.", relay->host,
		    relay->port, relay->connect_timeout_s);
	else if (wire->fault)
		g_set_error(error, PH_ERROR, PH_ERROR_TEMPORARY,
		    "The mail relay %s:%u could not be reached: %s.", relay->host, relay->port,
		    g_strerror(wire->fault));
	else
		g_set_error(error, PH_ERROR,
		    library == SMTP_ERR_EAI_NONAME || library == SMTP_ERR_EAI_NODATA
			? PH_ERROR_FAILED
			: PH_ERROR_TEMPORARY,
		    "The mail relay's name %s could not be resolved: %s.", relay->host,
		    smtp_strerror(library, text, sizeof(text)) ? text : "no reason given");
}

/* The relay does not offer TLS or AUTH, which we insist on. */
static void
set_lacking(const struct smtp_relay *relay, const struct smtp_dialogue *dialogue, GError **error)
{
	g_autofree char *offer = smtp_dialogue_offer(dialogue, "AUTH");

	if (dialogue->wants_tls && !dialogue->secured)
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
		    "The mail relay %s:%u does not offer STARTTLS, so %s.", relay->host,
		    relay->port,
		    relay->tls == TLS_REQUIRED ? "nothing is sent" : "no password is sent");
	else
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
		    "The mail relay %s:%u offers no known way to authenticate the user (it "
		    "offers: %s).",
		    relay->host, relay->port, offer && *offer ? offer : "none");
}

static void
set_handshake(const struct smtp_relay *relay, const struct smtp_dialogue *dialogue, GError **error)
{
	unsigned long fault = ERR_peek_last_error();
	const char *reason = fault ? ERR_reason_error_string(fault) : NULL;

	if (dialogue->injected)
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
		    "The mail relay %s:%u, or someone on the way to it, sent plain text into the "
		    "beginning of TLS.",
		    relay->host, relay->port);
	else if (dialogue->refused)
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
		    "The certificate of the mail relay %s:%u is invalid: %s%s.", relay->host,
		    relay->port, dialogue->refused, relay->user[0] ? "; no password is sent" : "");
	else
		g_set_error(error, PH_ERROR, PH_ERROR_TEMPORARY,
		    "TLS with the mail relay %s:%u failed: %s.", relay->host, relay->port,
		    reason ? reason : "the connection was lost");
}

void
smtp_failure_set(const struct smtp_relay *relay, const struct smtp_dialogue *dialogue,
    const struct smtp_wire *wire, int library, GError **error)
{
	static const char *const doing[] = {
	    [DIALOGUE_CONNECT] = "connecting",
	    [DIALOGUE_GREETING] = "greeting",
	    [DIALOGUE_HELLO] = "EHLO",
	    [DIALOGUE_STARTTLS] = "STARTTLS",
	    [DIALOGUE_HANDSHAKE] = "TLS",
	    [DIALOGUE_AUTH] = "AUTH",
	    [DIALOGUE_MAIL] = "MAIL",
	};
	int code = smtp_dialogue_code(dialogue), class = code / 100;

	if (wire->fault == ECANCELED) {
		g_set_error(error, PH_ERROR, PH_ERROR_TEMPORARY,
		    "The session with the mail relay %s:%u was interrupted (%s).", relay->host,
		    relay->port, doing[dialogue->step]);
	} else if (dialogue->step == DIALOGUE_CONNECT) {
		set_unreached(relay, wire, library, error);
	} else if (dialogue->step == DIALOGUE_HANDSHAKE) {
		set_handshake(relay, dialogue, error);
	} else if (class == 4 || class == 5) {
		g_autofree char *reply = reply_line(relay, dialogue->reply->str);
		g_set_error(error, PH_ERROR, class == 4 ? PH_ERROR_TEMPORARY : PH_ERROR_FAILED,
		    "The mail relay %s:%u refused %s%s: %s", relay->host, relay->port,
		    dialogue->step == DIALOGUE_AUTH ? "the user " : doing[dialogue->step],
		    dialogue->step == DIALOGUE_AUTH ? relay->user : "", reply);
	} else if (class == 2 && dialogue->step == DIALOGUE_HELLO) {
		set_lacking(relay, dialogue, error);
	} else {
		set_lost(relay, wire, doing[dialogue->step], error);
	}
}

void
smtp_failure_unwanted(const struct smtp_relay *relay, int code, const char *text, GError **error)
{
	g_autofree char *reply = reply_line(relay, text ? text : "");

	g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
	    "The mail relay %s:%u refused the connection: %d %s", relay->host, relay->port, code,
	    reply);
}

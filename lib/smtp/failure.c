/* SPDX-License-Identifier: MIT */
/* Makes the errors of sessions that could not be had. */
#include "smtp/failure.h"

#include <errno.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/error.h"
#include "smtp/esmtp.h"
#include "smtp/message.h"

#define NO_CONNECTION "4.4.1"
#define LOST "4.4.2"
#define NO_TLS "4.7.5"
#define NO_LOGIN "4.7.8"

/* Sets the error "relay NAME (HOST:PORT)" and the rest of the sentence. */
static void G_GNUC_PRINTF(5, 6) fail(const struct smtp_relay *relay, struct smtp_dialogue *dialogue,
    const char *enhanced, GError **error, const char *format, ...)
{
	bool is_temporary =
	    enhanced[0] == '4' && strcmp(enhanced, NO_TLS) != 0 && strcmp(enhanced, NO_LOGIN) != 0;
	va_list args;

	va_start(args, format);
	g_autofree char *rest = g_strdup_vprintf(format, args);
	va_end(args);
	g_strlcpy(dialogue->enhanced, enhanced, SMTP_ENHANCED_SIZE);
	base_fail(error, is_temporary ? PH_ERROR_TEMPORARY : PH_ERROR_FAILED, "relay %s (%s:%u)%s",
	    relay->name, relay->host, relay->port, rest);
}

/* Whether word stands in text by itself, not as a part of another word. */
static bool
failure_has_word(const char *text, const char *word)
{
	gsize size = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at++)
		if ((at == text || !g_ascii_isalnum(at[-1])) && !g_ascii_isalnum(at[size]))
			return true;
	return false;
}

/* Whether text repeats a secret, plain or as AUTH encodes it. */
static bool
repeats(const char *text, const char *secret)
{
	if (!secret || !*secret)
		return false;
	g_autofree char *encoded = g_base64_encode((const guchar *)secret, strlen(secret));
	return failure_has_word(text, secret) || failure_has_word(text, encoded);
}

/* Whether the reply repeats the user, the password, the token, or the command with them. */
static bool
tells_secrets(
    const struct smtp_relay *relay, const struct smtp_dialogue *dialogue, const char *reply)
{
	gsize user = strlen(relay->user), size = user + strlen(relay->password) + 2;
	g_autofree char *plain = g_strdup_printf("%c%s%c%s", 1, relay->user, 1, relay->password);

	plain[0] = plain[user + 1] = '\0';
	g_autofree char *encoded = g_base64_encode((const guchar *)plain, size);
	return repeats(reply, relay->user) || repeats(reply, relay->password) ||
	       repeats(reply, dialogue->token) || (*relay->user && strstr(reply, encoded));
}

/* Sets the error of a refusal with the reply behind it. code: of the reply; lines: those of its
   text, without the code. A reply that repeats a secret loses its text. */
static void
fail_by_reply(const struct smtp_relay *relay, struct smtp_dialogue *dialogue, const char *refusal,
    int code, const char *lines, GError **error)
{
	struct smtp_recipient reply = {.text = NULL};
	bool hides = tells_secrets(relay, dialogue, lines);

	smtp_message_set_reply(&reply, SMTP_TEMPORARY, SMTP_STAGE_SESSION, code, lines);
	const char *text = hides ? "" : reply.text;
	fail(relay, dialogue, reply.enhanced, error, "%s: %d%s%s%s%s", refusal, code,
	    *reply.enhanced ? " " : "", reply.enhanced, *text ? " " : "", text);
	if (error && *error)
		(*error)->code = code / 100 == 4 ? PH_ERROR_TEMPORARY : PH_ERROR_FAILED;
	g_free(reply.text);
}

/* The text of the reply in dialogue, without the code of each line. The caller owns it. */
static char *
failure_text_of(const struct smtp_dialogue *dialogue)
{
	g_auto(GStrv) lines = g_strsplit(dialogue->reply->str, "\n", -1);
	GString *text = g_string_new(NULL);

	for (char **line = lines; *line; line++)
		if (strlen(*line) > 4)
			g_string_append_printf(text, "%s\n", *line + 4);
	return g_string_free(text, FALSE);
}

/* The end of the sentence on a relay that may wait for TLS. */
static const char *
hint(const struct smtp_relay *relay)
{
	return smtp_relay_waits_for_tls(relay)
		   ? ": this port speaks TLS at once, set tls = implicit"
		   : "";
}

/* The seconds for which the relay was waited for in vain: the limit, or fewer where whoever waits
   has no more time. 0: it was something else, or less than half a second. */
static guint
waited_s(const struct smtp_wire *wire, guint limit_s)
{
	return wire->fault == ETIMEDOUT ? limit_s : smtp_wire_interrupted_s(wire);
}

static void
set_lost(const struct smtp_relay *relay, struct smtp_dialogue *dialogue,
    const struct smtp_wire *wire, const char *when, GError **error)
{
	bool greets = dialogue->step == DIALOGUE_GREETING;
	guint waited = waited_s(wire, greets ? smtp_relay_greeting_s(relay) : relay->timeout_s);

	if (waited && greets)
		fail(relay, dialogue, NO_CONNECTION, error, " sent no greeting within %u s%s",
		    waited, hint(relay));
	else if (waited)
		fail(
		    relay, dialogue, LOST, error, " did not answer within %u s (%s)", waited, when);
	else
		fail(relay, dialogue, LOST, error,
		    " closed the connection, or spoke no SMTP (%s)%s", when,
		    dialogue->step == DIALOGUE_GREETING ? hint(relay) : "");
}

static void
set_unreached(const struct smtp_relay *relay, struct smtp_dialogue *dialogue,
    const struct smtp_wire *wire, GError **error)
{
	guint waited = waited_s(wire, relay->connect_timeout_s);

	if (waited)
		fail(relay, dialogue, NO_CONNECTION, error, " could not be reached within %u s",
		    waited);
	else if (wire->fault)
		fail(relay, dialogue, NO_CONNECTION, error, " could not be reached: %s",
		    g_strerror(wire->fault));
	else {
		g_strlcpy(dialogue->enhanced, NO_CONNECTION, SMTP_ENHANCED_SIZE);
		base_fail(error, PH_ERROR_TEMPORARY, "relay %s: %s could not be resolved",
		    relay->name, relay->host);
	}
}

/* The relay does not offer TLS or AUTH, which we insist on. */
static void
set_lacking(const struct smtp_relay *relay, struct smtp_dialogue *dialogue, GError **error)
{
	static const char *const settings[] = {
	    [RELAY_AUTH_AUTO] = "auto",
	    [RELAY_AUTH_PLAIN] = "plain",
	    [RELAY_AUTH_LOGIN] = "login",
	    [RELAY_AUTH_CRAM_MD5] = "cram-md5",
	    [RELAY_AUTH_XOAUTH2] = "xoauth2",
	};
	g_autofree char *offer = smtp_dialogue_offer(dialogue, "AUTH");
	g_auto(GStrv) offers = g_strsplit(offer && *offer ? offer : "none", " ", -1);
	g_autofree char *list = g_strjoinv(", ", offers);

	if (dialogue->wants_tls && !dialogue->secured && relay->enforced_for)
		fail(relay, dialogue, NO_TLS, error,
		    " does not offer STARTTLS, which tls = enforced of %s needs",
		    relay->enforced_for);
	else if (dialogue->wants_tls && !dialogue->secured)
		fail(relay, dialogue, NO_TLS, error, " does not offer STARTTLS, %s",
		    relay->tls == TLS_REQUIRED ? "which tls = required needs"
					       : "without which no password is sent");
	else
		fail(relay, dialogue, NO_LOGIN, error,
		    " offers no login that auth = %s allows, only %s", settings[relay->auth], list);
}

void
smtp_failure_tls(const struct smtp_relay *relay, struct smtp_dialogue *dialogue, const char *reason,
    GError **error)
{
	fail(relay, dialogue, NO_TLS, error, ": TLS failed: %s", reason);
}

/* The relay ended the session by an alert behind the handshake. */
static void
set_alert(const struct smtp_relay *relay, struct smtp_dialogue *dialogue, GError **error)
{
	const char *reason = ERR_reason_error_string(
	    ERR_PACK(ERR_LIB_SSL, 0, SSL_AD_REASON_OFFSET + dialogue->alert));

	smtp_failure_tls(relay, dialogue, reason ? reason : "the relay sent an alert", error);
}

static void
set_handshake(const struct smtp_relay *relay, struct smtp_dialogue *dialogue,
    const struct smtp_wire *wire, GError **error)
{
	unsigned long fault = ERR_peek_last_error();
	const char *reason = fault ? ERR_reason_error_string(fault) : NULL;

	if (dialogue->injected)
		reason = "plain text came before it, from the relay or from someone on the way";
	else if (dialogue->refused)
		reason = dialogue->refused;
	else if (!reason)
		reason = wire->fault == ETIMEDOUT || wire->fault == ECANCELED
			     ? "the relay did not answer in time"
			     : "the connection was lost";
	if (dialogue->bare && relay->tls == TLS_IMPLICIT)
		fail(relay, dialogue, NO_TLS, error,
		    " does not speak TLS at once: set tls = required");
	else
		smtp_failure_tls(relay, dialogue, reason, error);
}

/* AUTH was begun and did not succeed. */
static void
set_login(const struct smtp_relay *relay, struct smtp_dialogue *dialogue,
    const struct smtp_wire *wire, GError **error)
{
	int code = smtp_dialogue_code(dialogue);
	g_autofree char *text = failure_text_of(dialogue);
	g_autofree char *refusal = g_strdup_printf(" refused the login (%s)", dialogue->mechanism);

	if (dialogue->token_fault) {
		g_strlcpy(dialogue->enhanced, NO_LOGIN, SMTP_ENHANCED_SIZE);
		base_fail(error, PH_ERROR_FAILED, "relay %s: token_command failed: %s", relay->name,
		    dialogue->token_fault);
	} else if (code > 0) {
		fail_by_reply(relay, dialogue, refusal, code, text, error);
	} else {
		set_lost(relay, dialogue, wire, "AUTH", error);
	}
}

void
smtp_failure_set(const struct smtp_relay *relay, struct smtp_dialogue *dialogue,
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
	    [DIALOGUE_RESET] = "RSET",
	};
	int class = smtp_dialogue_code(dialogue) / 100;

	if (wire->fault == ECANCELED && !waited_s(wire, 0)) {
		fail(relay, dialogue, LOST, error, ": the session was interrupted (%s)",
		    doing[dialogue->step]);
	} else if (dialogue->step == DIALOGUE_CONNECT) {
		set_unreached(relay, dialogue, wire, error);
	} else if (dialogue->step == DIALOGUE_HANDSHAKE) {
		set_handshake(relay, dialogue, wire, error);
	} else if (dialogue->alert) {
		set_alert(relay, dialogue, error);
	} else if (dialogue->step == DIALOGUE_AUTH) {
		set_login(relay, dialogue, wire, error);
	} else if (class == 4 || class == 5) {
		g_autofree char *text = failure_text_of(dialogue);
		fail_by_reply(relay, dialogue, " refused the session", smtp_dialogue_code(dialogue),
		    text, error);
	} else if (class == 2 && dialogue->step == DIALOGUE_HELLO) {
		set_lacking(relay, dialogue, error);
	} else {
		set_lost(relay, dialogue, wire, doing[dialogue->step], error);
	}
}

void
smtp_failure_unwanted(const struct smtp_relay *relay, struct smtp_dialogue *dialogue, int code,
    const char *text, GError **error)
{
	fail_by_reply(relay, dialogue, " refused the session", code, text ? text : "", error);
}

void
smtp_failure_refused(const struct smtp_relay *relay, struct smtp_dialogue *dialogue,
    const char *command, int code, const char *text, GError **error)
{
	g_autofree char *refusal = g_strdup_printf(" refused %s", command);

	fail_by_reply(relay, dialogue, refusal, code, text ? text : "", error);
}

const char *
smtp_failure_stage(const struct smtp_dialogue *dialogue)
{
	static const char *const stages[] = {
	    [DIALOGUE_CONNECT] = "other", /* a setting is at fault */
	    [DIALOGUE_GREETING] = "greeting",
	    [DIALOGUE_HELLO] = "greeting",
	    [DIALOGUE_STARTTLS] = "tls",
	    [DIALOGUE_HANDSHAKE] = "tls",
	    [DIALOGUE_AUTH] = "login",
	    [DIALOGUE_MAIL] = "other",
	    [DIALOGUE_RESET] = "other",
	};
	enum smtp_dialogue_step step = dialogue->step;
	bool lacks = step == DIALOGUE_HELLO && smtp_dialogue_code(dialogue) / 100 == 2;

	if (step == DIALOGUE_CONNECT && strcmp(dialogue->enhanced, NO_CONNECTION) == 0)
		return "connect";
	if (dialogue->alert ||
	    ((lacks || step == DIALOGUE_CONNECT) && strcmp(dialogue->enhanced, NO_TLS) == 0))
		return "tls";
	return lacks ? "login" : stages[step];
}

/* SPDX-License-Identifier: MIT */
/* Logs in to relays: PLAIN (RFC 4616), LOGIN, CRAM-MD5 (RFC 2195), XOAUTH2. */
#include "smtp/login.h"

#include <stdbool.h>
#include <string.h>

#include "smtp/token.h"

#define GOOD 235
#define GO_ON 334

static char *
login_encode(const char *text)
{
	return g_base64_encode((const guchar *)text, strlen(text));
}

/* Sends text in base64, and reads the reply. Its code. */
static int
login_answer(const struct smtp_line *line, const char *text)
{
	g_autofree char *encoded = login_encode(text);

	return smtp_line_send(line, encoded) ? smtp_line_receive(line) : 0;
}

/* Sends a command, and reads the reply. Its code. */
static int
command(const struct smtp_line *line, const char *text)
{
	return smtp_line_send(line, text) ? smtp_line_receive(line) : 0;
}

static int
log_in_plain(const struct smtp_line *line, const struct smtp_relay *relay)
{
	gsize user = strlen(relay->user), size = user + strlen(relay->password) + 2;
	g_autofree char *plain = g_strdup_printf("%c%s%c%s", 1, relay->user, 1, relay->password);

	plain[0] = plain[user + 1] = '\0';
	g_autofree char *encoded = g_base64_encode((const guchar *)plain, size);
	g_autofree char *text = g_strconcat("AUTH PLAIN ", encoded, NULL);
	return command(line, text);
}

static int
log_in_login(const struct smtp_line *line, const struct smtp_relay *relay)
{
	int code = command(line, "AUTH LOGIN");

	if (code == GO_ON)
		code = login_answer(line, relay->user);
	return code == GO_ON ? login_answer(line, relay->password) : code;
}

static int
log_in_cram_md5(const struct smtp_line *line, const struct smtp_relay *relay)
{
	int code = command(line, "AUTH CRAM-MD5");
	gsize size;

	if (code != GO_ON)
		return code;
	g_autofree guchar *challenge = g_base64_decode(line->dialogue->reply->str + 4, &size);
	g_autofree char *digest = g_compute_hmac_for_data(G_CHECKSUM_MD5,
	    (const guchar *)relay->password, strlen(relay->password), challenge, size);
	g_autofree char *text = g_strconcat(relay->user, " ", digest, NULL);
	return login_answer(line, text);
}

/* The relay sends the reason in a challenge when it refuses the token, and then wants an empty
   answer. */
static int
log_in_token(const struct smtp_line *line, const struct smtp_relay *relay, const char *token)
{
	g_autofree char *plain = g_strdup_printf("user=%s\1auth=Bearer %s\1\1", relay->user, token);
	g_autofree char *encoded = login_encode(plain);
	g_autofree char *text = g_strconcat("AUTH XOAUTH2 ", encoded, NULL);
	int code = command(line, text);

	return code == GO_ON ? command(line, "") : code;
}

static int
log_in_xoauth2(const struct smtp_line *line, const struct smtp_relay *relay)
{
	struct smtp_dialogue *dialogue = line->dialogue;
	int code = 0;

	for (int fresh = 0; fresh < 2 && (fresh == 0 || code / 100 == 5); fresh++) {
		char *why;
		char *token = smtp_token_get(relay->token_command, fresh, &why);

		g_free(dialogue->token_fault);
		dialogue->token_fault = why;
		if (!token)
			return 0;
		g_free(dialogue->token);
		dialogue->token = token;
		int again = log_in_token(line, relay, token);
		if (again == 0 && fresh) /* it hung up after the first refusal */
			return 0;
		code = again;
	}
	return code;
}

static const struct {
	const char *name;
	int (*log_in)(const struct smtp_line *line, const struct smtp_relay *relay);
} mechanisms[] = {
    [RELAY_AUTH_PLAIN] = {"PLAIN", log_in_plain},
    [RELAY_AUTH_LOGIN] = {"LOGIN", log_in_login},
    [RELAY_AUTH_CRAM_MD5] = {"CRAM-MD5", log_in_cram_md5},
    [RELAY_AUTH_XOAUTH2] = {"XOAUTH2", log_in_xoauth2},
};

static bool
is_offered(char *const *offers, const char *name)
{
	for (; *offers; offers++)
		if (g_ascii_strcasecmp(*offers, name) == 0)
			return true;
	return false;
}

/* The mechanism to use; RELAY_AUTH_AUTO: none. */
static enum config_relay_auth
login_choose(const struct smtp_line *line, const struct smtp_relay *relay)
{
	static const enum config_relay_auth secured[] = {
	    RELAY_AUTH_PLAIN, RELAY_AUTH_LOGIN, RELAY_AUTH_CRAM_MD5};
	static const enum config_relay_auth open[] = {
	    RELAY_AUTH_CRAM_MD5, RELAY_AUTH_PLAIN, RELAY_AUTH_LOGIN};
	g_autofree char *offer = smtp_dialogue_offer(line->dialogue, "AUTH");
	g_auto(GStrv) offers = g_strsplit(offer ? offer : "", " ", -1);

	for (gsize i = 0; i < G_N_ELEMENTS(open); i++) {
		enum config_relay_auth auth = relay->auth ? relay->auth
					      : line->ssl ? secured[i]
							  : open[i];
		if (is_offered(offers, mechanisms[auth].name))
			return auth;
	}
	return RELAY_AUTH_AUTO;
}

void
smtp_login_run(const struct smtp_line *line, const struct smtp_relay *relay)
{
	struct smtp_dialogue *dialogue = line->dialogue;
	enum config_relay_auth auth = login_choose(line, relay);

	if (auth == RELAY_AUTH_AUTO) {
		dialogue->over = true;
		return;
	}
	dialogue->step = DIALOGUE_AUTH;
	dialogue->mechanism = mechanisms[auth].name;
	dialogue->authenticated = mechanisms[auth].log_in(line, relay) == GOOD;
	dialogue->over = !dialogue->authenticated;
}

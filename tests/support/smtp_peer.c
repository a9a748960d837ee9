/* SPDX-License-Identifier: MIT */
/* Reads and writes what a client and the scripted SMTP server say. */
#include "tests/support/smtp_peer.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static void
hang_up(struct smtp_peer *peer, bool reset)
{
	struct linger linger = {1, 0};

	if (reset)
		setsockopt(peer->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	peer->gone = true;
}

static bool
smtp_peer_fill(struct smtp_peer *peer)
{
	char bytes[65536];
	ssize_t got;

	do
		got = peer->ssl ? SSL_read(peer->ssl, bytes, sizeof(bytes))
				: recv(peer->fd, bytes, sizeof(bytes), 0);
	while (got < 0 && errno == EINTR && !peer->ssl);
	if (got <= 0)
		peer->gone = true;
	else
		g_string_append_len(peer->input, bytes, got);
	return got > 0;
}

char *
smtp_peer_read_line(struct smtp_peer *peer)
{
	char *lf;

	while (!peer->gone && !(lf = memchr(peer->input->str, '\n', peer->input->len)))
		smtp_peer_fill(peer);
	if (peer->gone)
		return NULL;
	gsize size = (gsize)(lf - peer->input->str);
	char *line = g_strndup(peer->input->str, size);
	if (size > 0 && line[size - 1] == '\r')
		line[size - 1] = '\0';
	g_string_erase(peer->input, 0, (gssize)size + 1);
	return line;
}

void
smtp_peer_put(struct smtp_peer *peer, const char *text)
{
	g_autofree char *line = g_strdup_printf("%s\r\n", text);

	if (peer->ssl)
		SSL_write(peer->ssl, line, (int)strlen(line));
	else if (send(peer->fd, line, strlen(line), MSG_NOSIGNAL) < 0)
		peer->gone = true;
}

void
smtp_peer_note(struct smtp_peer *peer, const char *line)
{
	struct smtp_shared *shared = peer->shared;

	g_mutex_lock(&shared->lock);
	g_string_append_printf(shared->log, "%s\n", line);
	g_cond_broadcast(&shared->changed);
	g_mutex_unlock(&shared->lock);
}

/* The rule for this event, if there is one; counts how often each fits. */
static const struct smtp_rule *
rule_for(struct smtp_shared *shared, const char *event)
{
	const struct smtp_rule *found = NULL;
	g_autofree char *upper = g_ascii_strup(event, -1);

	g_mutex_lock(&shared->lock);
	for (gsize i = 0; i < G_N_ELEMENTS(shared->matches); i++) {
		const struct smtp_rule *rule = &shared->script->rules[i];
		if (!rule->at)
			break;
		g_autofree char *at = g_ascii_strup(rule->at, -1);
		if (!g_pattern_match_simple(at, upper))
			continue;
		shared->matches[i]++;
		if (!found && (rule->nth == 0 || rule->nth == shared->matches[i]))
			found = rule;
	}
	g_mutex_unlock(&shared->lock);
	return found;
}

/* Waits without reading until the client goes. Its farewell may be stuck behind what is not read;
   the server's end is the end then. */
static void
smtp_peer_hang(struct smtp_peer *peer)
{
	struct pollfd fds[] = {
	    {.fd = peer->fd, .events = POLLRDHUP}, {.fd = peer->shared->end, .events = POLLIN}};

	while (poll(fds, 2, PATIENCE_S * 1000) < 0 && errno == EINTR)
		;
	peer->gone = true;
}

/* Until the client goes, or one delay is to end. */
static void
smtp_peer_delay(struct smtp_peer *peer, int ms)
{
	struct pollfd fds[] = {
	    {.fd = peer->fd, .events = POLLRDHUP}, {.fd = peer->shared->release, .events = POLLIN}};
	eventfd_t one;

	if (poll(fds, G_N_ELEMENTS(fds), ms) > 0 && fds[1].revents)
		eventfd_read(peer->shared->release, &one);
}

int
smtp_peer_answer(struct smtp_peer *peer, const char *event, const char *usual)
{
	const struct smtp_rule *rule = rule_for(peer->shared, event);
	const char *reply = rule && rule->reply ? rule->reply : usual;
	struct pollfd fd = {.fd = peer->fd, .events = POLLRDHUP};

	if (rule && rule->delay_ms)
		smtp_peer_delay(peer, (int)rule->delay_ms);
	if (rule && !rule->reply && rule->then != THEN_GO_ON)
		reply = "";
	do {
		if (*reply)
			smtp_peer_put(peer, reply);
		if (rule && rule->then == THEN_BABBLE)
			peer->gone = peer->gone || poll(&fd, 1, (int)rule->delay_ms) > 0;
	} while (rule && rule->then == THEN_BABBLE && !peer->gone);
	if (rule && rule->then == THEN_HANG)
		smtp_peer_hang(peer);
	else if (rule && rule->then != THEN_GO_ON)
		hang_up(peer, rule->then == THEN_RESET);
	return *reply ? *reply - '0' : 0;
}

void
smtp_mail_free(gpointer pointer)
{
	struct smtp_mail *mail = pointer;

	if (!mail)
		return;
	g_free(mail->user);
	g_free(mail->sender);
	g_ptr_array_unref(mail->recipients);
	g_string_free(mail->bytes, TRUE);
	g_free(mail);
}

static void
hello(struct smtp_peer *peer, const char *line)
{
	const struct smtp_script *script = peer->shared->script;
	bool is_extended = g_ascii_strncasecmp(line, "EHLO", 4) == 0 && script->extensions;
	const char *words =
	    peer->ssl && script->extensions_tls ? script->extensions_tls : script->extensions;
	g_auto(GStrv) extensions = g_strsplit(is_extended ? words : "", "\n", -1);
	GString *reply = g_string_new(NULL);
	const char *last = "test.example";

	for (char **word = extensions; *word; word++) {
		if (peer->ssl && strcmp(*word, "STARTTLS") == 0)
			continue;
		g_string_append_printf(reply, "250-%s\r\n", last);
		last = *word;
	}
	g_string_append_printf(reply, "250 %s", last);
	smtp_peer_answer(peer, line, reply->str);
	g_string_free(reply, TRUE);
}

static void
shake_hands(struct smtp_peer *peer)
{
	peer->ssl = SSL_new(peer->shared->tls);
	SSL_set_fd(peer->ssl, peer->fd);
	if (SSL_accept(peer->ssl) != 1) {
		smtp_peer_note(peer, "[no tls]");
		peer->gone = true;
		return;
	}
	const char *name = SSL_get_servername(peer->ssl, TLSEXT_NAMETYPE_host_name);
	g_autofree char *text = g_strdup_printf("[tls %s]", name ? name : "");
	smtp_peer_note(peer, text);
}

static void
start_tls(struct smtp_peer *peer, const char *line)
{
	if (smtp_peer_answer(peer, line, "220 go ahead") == 2 && !peer->gone)
		shake_hands(peer);
}

/* The next base64 line of an AUTH exchange, decoded, with a NUL behind it. */
static char *
exchange(struct smtp_peer *peer, const char *challenge, const char *given, gsize *size_r)
{
	g_autofree char *line = NULL;

	if (!given || !*given) {
		smtp_peer_put(peer, challenge);
		line = smtp_peer_read_line(peer);
		if (!line)
			return NULL;
		smtp_peer_note(peer, line);
		given = line;
	}
	guchar *bytes = g_base64_decode(given, size_r);
	bytes = g_realloc(bytes, *size_r + 1);
	bytes[*size_r] = '\0';
	return (char *)bytes;
}

static bool
is_user(struct smtp_peer *peer, const char *mechanism, const char *initial)
{
	const struct smtp_script *script = peer->shared->script;
	gsize size = 0;

	if (strcmp(mechanism, "PLAIN") == 0) {
		g_autofree char *got = exchange(peer, "334 ", initial, &size);
		gsize user = strlen(script->user);
		return got && size == user + strlen(script->password) + 2 &&
		       strcmp(got + 1, script->user) == 0 &&
		       strcmp(got + user + 2, script->password) == 0;
	}
	if (strcmp(mechanism, "LOGIN") == 0) {
		g_autofree char *user = exchange(peer, "334 VXNlcm5hbWU6", initial, &size);
		g_autofree char *word = exchange(peer, "334 UGFzc3dvcmQ6", NULL, &size);
		return user && word && strcmp(user, script->user) == 0 &&
		       strcmp(word, script->password) == 0;
	}
	if (strcmp(mechanism, "CRAM-MD5") == 0) {
		g_autofree char *digest =
		    g_compute_hmac_for_string(G_CHECKSUM_MD5, (const guchar *)script->password,
			strlen(script->password), "<1@test.example>", -1);
		g_autofree char *want = g_strdup_printf("%s %s", script->user, digest);
		g_autofree char *got = exchange(peer, "334 PDFAdGVzdC5leGFtcGxlPg==", NULL, &size);
		return got && strcmp(got, want) == 0;
	}
	g_autofree char *got = exchange(peer, "334 ", initial, &size);
	g_autofree char *want =
	    g_strdup_printf("user=%s\1auth=Bearer %s\1\1", script->user, script->password);
	if (strcmp(mechanism, "XOAUTH2") != 0 || !got || strcmp(got, want) == 0)
		return got && strcmp(mechanism, "XOAUTH2") == 0;
	smtp_peer_put(peer, "334 eyJzdGF0dXMiOiI0MDAifQ==");
	g_autofree char *empty = smtp_peer_read_line(peer);
	return false;
}

static void
smtp_peer_authenticate(struct smtp_peer *peer, const char *line)
{
	g_auto(GStrv) words = g_strsplit(line, " ", 3);
	bool good = is_user(peer, words[1] ? words[1] : "", words[1] ? words[2] : NULL);

	if (smtp_peer_answer(peer, line, good ? "235 2.7.0 welcome" : "535 5.7.8 wrong") == 2 &&
	    good) {
		g_free(peer->user);
		peer->user = g_strdup(peer->shared->script->user);
	}
}

static struct smtp_mail *
new_mail(const struct smtp_peer *peer, const char *sender)
{
	struct smtp_mail *mail = g_new0(struct smtp_mail, 1);

	mail->connection = peer->number;
	mail->tls = peer->ssl != NULL;
	mail->user = g_strdup(peer->user);
	mail->sender = g_strdup(sender);
	mail->recipients = g_ptr_array_new_with_free_func(g_free);
	mail->bytes = g_string_new(NULL);
	return mail;
}

static void
begin_mail(struct smtp_peer *peer, const char *line)
{
	smtp_mail_free(peer->mail);
	peer->mail = NULL;
	if (smtp_peer_answer(peer, line, "250 2.1.0 sender ok") != 2)
		return;
	peer->mail = new_mail(peer, line);
}

static void
smtp_peer_add_recipient(struct smtp_peer *peer, const char *line)
{
	if (!peer->mail)
		smtp_peer_answer(peer, line, "503 5.5.1 no sender yet");
	else if (smtp_peer_answer(peer, line, "250 2.1.5 recipient ok") == 2)
		g_ptr_array_add(peer->mail->recipients, g_strdup(line));
}

/* Drops the client once the message has as many bytes as a rule says. */
static void
count_data(struct smtp_peer *peer)
{
	const struct smtp_rule *rules = peer->shared->script->rules;

	for (gsize i = 0; i < G_N_ELEMENTS(peer->shared->matches) && rules[i].at; i++) {
		if (!g_str_has_prefix(rules[i].at, "DATA+"))
			continue;
		guint64 most = g_ascii_strtoull(rules[i].at + 5, NULL, 10);
		if (peer->mail->bytes->len >= most)
			smtp_peer_answer(peer, rules[i].at, "");
	}
}

static void
end_mail(struct smtp_peer *peer)
{
	struct smtp_shared *shared = peer->shared;

	g_mutex_lock(&shared->lock);
	g_ptr_array_add(shared->mails, g_steal_pointer(&peer->mail));
	g_mutex_unlock(&shared->lock);
	smtp_peer_note(peer, ".");
	smtp_peer_answer(peer, ".", "250 2.0.0 taken");
}

static void
take_data(struct smtp_peer *peer, const char *line)
{
	bool ready = peer->mail && peer->mail->recipients->len > 0;

	if (smtp_peer_answer(peer, line, ready ? "354 go on" : "554 5.5.1 no recipients") != 3)
		return;
	if (!peer->mail)
		peer->mail = new_mail(peer, "");
	while (!peer->gone) {
		g_autofree char *text = smtp_peer_read_line(peer);
		if (!text)
			return;
		if (strcmp(text, ".") == 0)
			break;
		g_string_append_printf(
		    peer->mail->bytes, "%s\r\n", text[0] == '.' ? text + 1 : text);
		count_data(peer);
	}
	if (peer->gone)
		return;
	if (ready)
		end_mail(peer);
	else
		smtp_peer_answer(peer, ".", "554 5.5.1 no recipients");
}

static void
forget_mail(struct smtp_peer *peer, const char *line)
{
	smtp_mail_free(peer->mail);
	peer->mail = NULL;
	smtp_peer_answer(peer, line, "250 2.0.0 forgotten");
}

static void
smtp_peer_leave(struct smtp_peer *peer, const char *line)
{
	smtp_peer_answer(peer, line, "221 2.0.0 bye");
	peer->gone = true;
}

static void
smtp_peer_refuse(struct smtp_peer *peer, const char *line)
{
	smtp_peer_answer(peer, line, "500 5.5.1 what?");
}

static const struct {
	const char *verb;
	void (*serve)(struct smtp_peer *peer, const char *line);
} commands[] = {
    {"EHLO", hello},
    {"HELO", hello},
    {"STARTTLS", start_tls},
    {"AUTH", smtp_peer_authenticate},
    {"MAIL", begin_mail},
    {"RCPT", smtp_peer_add_recipient},
    {"DATA", take_data},
    {"RSET", forget_mail},
    {"QUIT", smtp_peer_leave},
    {"", smtp_peer_refuse},
};

gpointer
smtp_dialogue_serve(gpointer pointer)
{
	struct smtp_peer *peer = pointer;

	if (peer->shared->script->implicit)
		shake_hands(peer);
	if (!peer->gone)
		smtp_peer_answer(peer, "CONNECT", "220 test.example ESMTP");
	while (!peer->gone) {
		g_autofree char *line = smtp_peer_read_line(peer);
		gsize i = 0;
		if (!line)
			break;
		smtp_peer_note(peer, line);
		while (g_ascii_strncasecmp(line, commands[i].verb, strlen(commands[i].verb)) != 0)
			i++;
		commands[i].serve(peer, line);
	}
	if (peer->ssl) {
		SSL_shutdown(peer->ssl);
		SSL_free(peer->ssl);
	}
	close(peer->fd);
	smtp_mail_free(peer->mail);
	g_string_free(peer->input, TRUE);
	g_free(peer->user);
	g_free(peer);
	return NULL;
}

/* SPDX-License-Identifier: MIT */
/* Reads and writes what a client and the scripted SMTP server say. */
#include "tests/support/smtp_peer.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

static void
hang_up(struct smtp_peer *peer, bool reset)
{
	struct linger linger = {1, 0};

	if (reset)
		setsockopt(peer->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	peer->gone = true;
}

static bool
fill(struct smtp_peer *peer)
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
		fill(peer);
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
hang(struct smtp_peer *peer)
{
	struct pollfd fds[] = {
	    {.fd = peer->fd, .events = POLLRDHUP}, {.fd = peer->shared->end, .events = POLLIN}};

	while (poll(fds, 2, PATIENCE_S * 1000) < 0 && errno == EINTR)
		;
	peer->gone = true;
}

int
smtp_peer_answer(struct smtp_peer *peer, const char *event, const char *usual)
{
	const struct smtp_rule *rule = rule_for(peer->shared, event);
	const char *reply = rule && rule->reply ? rule->reply : usual;
	struct pollfd fd = {.fd = peer->fd, .events = POLLRDHUP};

	if (rule && rule->delay_ms)
		poll(&fd, 1, (int)rule->delay_ms);
	if (rule && !rule->reply && rule->then != THEN_GO_ON)
		reply = "";
	do {
		if (*reply)
			smtp_peer_put(peer, reply);
		if (rule && rule->then == THEN_BABBLE)
			peer->gone = peer->gone || poll(&fd, 1, (int)rule->delay_ms) > 0;
	} while (rule && rule->then == THEN_BABBLE && !peer->gone);
	if (rule && rule->then == THEN_HANG)
		hang(peer);
	else if (rule && rule->then != THEN_GO_ON)
		hang_up(peer, rule->then == THEN_RESET);
	return *reply ? *reply - '0' : 0;
}

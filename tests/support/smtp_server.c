/* Serves scripted SMTP to the tests. */
#include "tests/support/smtp_server.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "tests/support/certificate.h"

#define PATIENCE_S 10

struct smtp_server {
	const struct smtp_script *script;
	int listener;
	guint port;
	SSL_CTX *tls;
	char *ca;
	GThread *acceptor;
	GPtrArray *threads;
	bool stopped;
	int end; /* an eventfd: readable once the server is to stop */

	GMutex lock;
	GCond changed;
	guint matches[G_N_ELEMENTS(((struct smtp_script *)0)->rules)];
	guint connections;
	GPtrArray *mails;
	GString *log;
};

/* One client. */
struct peer {
	struct smtp_server *server;
	guint number;
	int fd;
	SSL *ssl;
	GString *input; /* read and not yet looked at */
	bool gone;
	char *user;
	struct smtp_mail *mail; /* begun with MAIL */
};

static void
free_mail(gpointer pointer)
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
hang_up(struct peer *peer, bool reset)
{
	struct linger linger = {1, 0};

	if (reset)
		setsockopt(peer->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	peer->gone = true;
}

static bool
fill(struct peer *peer)
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

/* The next line without its end; NULL when the client is gone. */
static char *
read_line(struct peer *peer)
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

static void
put(struct peer *peer, const char *text)
{
	g_autofree char *line = g_strdup_printf("%s\r\n", text);

	if (peer->ssl)
		SSL_write(peer->ssl, line, (int)strlen(line));
	else if (send(peer->fd, line, strlen(line), MSG_NOSIGNAL) < 0)
		peer->gone = true;
}

static void
note(struct peer *peer, const char *line)
{
	struct smtp_server *server = peer->server;

	g_mutex_lock(&server->lock);
	g_string_append_printf(server->log, "%s\n", line);
	g_cond_broadcast(&server->changed);
	g_mutex_unlock(&server->lock);
}

/* The rule for this event, if there is one; counts how often each fits. */
static const struct smtp_rule *
rule_for(struct smtp_server *server, const char *event)
{
	const struct smtp_rule *found = NULL;
	g_autofree char *upper = g_ascii_strup(event, -1);

	g_mutex_lock(&server->lock);
	for (gsize i = 0; i < G_N_ELEMENTS(server->matches); i++) {
		const struct smtp_rule *rule = &server->script->rules[i];
		if (!rule->at)
			break;
		g_autofree char *at = g_ascii_strup(rule->at, -1);
		if (!g_pattern_match_simple(at, upper))
			continue;
		server->matches[i]++;
		if (!found && (rule->nth == 0 || rule->nth == server->matches[i]))
			found = rule;
	}
	g_mutex_unlock(&server->lock);
	return found;
}

/* Waits without reading until the client goes. Its farewell may be stuck behind what is not read;
   the server's end is the end then. */
static void
hang(struct peer *peer)
{
	struct pollfd fds[] = {
	    {.fd = peer->fd, .events = POLLRDHUP}, {.fd = peer->server->end, .events = POLLIN}};

	while (poll(fds, 2, PATIENCE_S * 1000) < 0 && errno == EINTR)
		;
	peer->gone = true;
}

/* Answers by the rule for event, or as usual; the first digit of what was answered, 0 for none. */
static int
answer(struct peer *peer, const char *event, const char *usual)
{
	const struct smtp_rule *rule = rule_for(peer->server, event);
	const char *reply = rule && rule->reply ? rule->reply : usual;
	struct pollfd fd = {.fd = peer->fd, .events = POLLRDHUP};

	if (rule && rule->delay_ms)
		poll(&fd, 1, (int)rule->delay_ms);
	if (rule && !rule->reply && rule->then != THEN_GO_ON)
		reply = "";
	if (*reply)
		put(peer, reply);
	if (rule && rule->then == THEN_HANG)
		hang(peer);
	else if (rule && rule->then != THEN_GO_ON)
		hang_up(peer, rule->then == THEN_RESET);
	return *reply ? *reply - '0' : 0;
}

static void
hello(struct peer *peer, const char *line)
{
	const struct smtp_script *script = peer->server->script;
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
	answer(peer, line, reply->str);
	g_string_free(reply, TRUE);
}

static void
start_tls(struct peer *peer, const char *line)
{
	if (answer(peer, line, "220 go ahead") != 2 || peer->gone)
		return;
	peer->ssl = SSL_new(peer->server->tls);
	SSL_set_fd(peer->ssl, peer->fd);
	if (SSL_accept(peer->ssl) != 1) {
		note(peer, "[no tls]");
		peer->gone = true;
		return;
	}
	const char *name = SSL_get_servername(peer->ssl, TLSEXT_NAMETYPE_host_name);
	g_autofree char *text = g_strdup_printf("[tls %s]", name ? name : "");
	note(peer, text);
}

/* The next base64 line of an AUTH exchange, decoded, with a NUL behind it. */
static char *
exchange(struct peer *peer, const char *challenge, const char *given, gsize *size_r)
{
	g_autofree char *line = NULL;

	if (!given || !*given) {
		put(peer, challenge);
		line = read_line(peer);
		if (!line)
			return NULL;
		note(peer, line);
		given = line;
	}
	guchar *bytes = g_base64_decode(given, size_r);
	bytes = g_realloc(bytes, *size_r + 1);
	bytes[*size_r] = '\0';
	return (char *)bytes;
}

static bool
is_user(struct peer *peer, const char *mechanism, const char *initial)
{
	const struct smtp_script *script = peer->server->script;
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
	g_autofree char *got = exchange(peer, "334 ?", initial, &size);
	return false;
}

static void
authenticate(struct peer *peer, const char *line)
{
	g_auto(GStrv) words = g_strsplit(line, " ", 3);
	bool good = is_user(peer, words[1] ? words[1] : "", words[1] ? words[2] : NULL);

	if (answer(peer, line, good ? "235 2.7.0 welcome" : "535 5.7.8 wrong") == 2 && good) {
		g_free(peer->user);
		peer->user = g_strdup(peer->server->script->user);
	}
}

static struct smtp_mail *
new_mail(const struct peer *peer, const char *sender)
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
begin_mail(struct peer *peer, const char *line)
{
	free_mail(peer->mail);
	peer->mail = NULL;
	if (answer(peer, line, "250 2.1.0 sender ok") != 2)
		return;
	peer->mail = new_mail(peer, line);
}

static void
add_recipient(struct peer *peer, const char *line)
{
	if (!peer->mail)
		answer(peer, line, "503 5.5.1 no sender yet");
	else if (answer(peer, line, "250 2.1.5 recipient ok") == 2)
		g_ptr_array_add(peer->mail->recipients, g_strdup(line));
}

/* Drops the client once the message has as many bytes as a rule says. */
static void
count_data(struct peer *peer)
{
	const struct smtp_rule *rules = peer->server->script->rules;

	for (gsize i = 0; i < G_N_ELEMENTS(peer->server->matches) && rules[i].at; i++) {
		if (!g_str_has_prefix(rules[i].at, "DATA+"))
			continue;
		guint64 most = g_ascii_strtoull(rules[i].at + 5, NULL, 10);
		if (peer->mail->bytes->len >= most)
			answer(peer, rules[i].at, "");
	}
}

static void
end_mail(struct peer *peer)
{
	struct smtp_server *server = peer->server;

	g_mutex_lock(&server->lock);
	g_ptr_array_add(server->mails, g_steal_pointer(&peer->mail));
	g_mutex_unlock(&server->lock);
	note(peer, ".");
	answer(peer, ".", "250 2.0.0 taken");
}

static void
take_data(struct peer *peer, const char *line)
{
	bool ready = peer->mail && peer->mail->recipients->len > 0;

	if (answer(peer, line, ready ? "354 go on" : "554 5.5.1 no recipients") != 3)
		return;
	if (!peer->mail)
		peer->mail = new_mail(peer, "");
	while (!peer->gone) {
		g_autofree char *text = read_line(peer);
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
		answer(peer, ".", "554 5.5.1 no recipients");
}

static void
forget_mail(struct peer *peer, const char *line)
{
	free_mail(peer->mail);
	peer->mail = NULL;
	answer(peer, line, "250 2.0.0 forgotten");
}

static void
leave(struct peer *peer, const char *line)
{
	answer(peer, line, "221 2.0.0 bye");
	peer->gone = true;
}

static void
refuse(struct peer *peer, const char *line)
{
	answer(peer, line, "500 5.5.1 what?");
}

static const struct {
	const char *verb;
	void (*serve)(struct peer *peer, const char *line);
} commands[] = {
    {"EHLO", hello},
    {"HELO", hello},
    {"STARTTLS", start_tls},
    {"AUTH", authenticate},
    {"MAIL", begin_mail},
    {"RCPT", add_recipient},
    {"DATA", take_data},
    {"RSET", forget_mail},
    {"QUIT", leave},
    {"", refuse},
};

static gpointer
serve(gpointer pointer)
{
	struct peer *peer = pointer;

	answer(peer, "CONNECT", "220 test.example ESMTP");
	while (!peer->gone) {
		g_autofree char *line = read_line(peer);
		gsize i = 0;
		if (!line)
			break;
		note(peer, line);
		while (g_ascii_strncasecmp(line, commands[i].verb, strlen(commands[i].verb)) != 0)
			i++;
		commands[i].serve(peer, line);
	}
	if (peer->ssl) {
		SSL_shutdown(peer->ssl);
		SSL_free(peer->ssl);
	}
	close(peer->fd);
	free_mail(peer->mail);
	g_string_free(peer->input, TRUE);
	g_free(peer->user);
	g_free(peer);
	return NULL;
}

static gpointer
accept_all(gpointer pointer)
{
	struct smtp_server *server = pointer;
	struct timeval patience = {PATIENCE_S, 0};
	int one = 1;

	for (;;) {
		int fd = accept(server->listener, NULL, NULL);
		if (fd < 0 && errno == EINTR)
			continue;
		if (fd < 0)
			return NULL;
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		struct peer *peer = g_new0(struct peer, 1);
		peer->server = server;
		peer->fd = fd;
		peer->input = g_string_new(NULL);
		g_mutex_lock(&server->lock);
		peer->number = ++server->connections;
		g_mutex_unlock(&server->lock);
		g_ptr_array_add(server->threads, g_thread_new("smtp peer", serve, peer));
	}
}

static void
make_certificate(struct smtp_server *server)
{
	static const struct {
		const char *names;
		long seconds;
	} kinds[] = {
	    [CERTIFICATE_LOCALHOST] = {"DNS:localhost,IP:127.0.0.1", 3600},
	    [CERTIFICATE_OTHER_NAME] = {"DNS:other.example", 3600},
	    [CERTIFICATE_EXPIRED] = {"DNS:localhost,IP:127.0.0.1", -3600},
	};
	g_autofree char *pem = NULL;
	int fd = g_file_open_tmp("posthouse-ca-XXXXXX", &server->ca, NULL);

	g_assert(fd >= 0);
	close(fd);
	server->tls = test_certificate_context(kinds[server->script->certificate].names,
	    kinds[server->script->certificate].seconds, &pem);
	g_assert(g_file_set_contents(server->ca, pem, -1, NULL));
}

struct smtp_server *
smtp_server_start(const struct smtp_script *script)
{
	struct smtp_server *server = g_new0(struct smtp_server, 1);
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	sigset_t all, before;

	server->script = script;
	server->threads = g_ptr_array_new();
	server->mails = g_ptr_array_new_with_free_func(free_mail);
	server->log = g_string_new(NULL);
	g_mutex_init(&server->lock);
	g_cond_init(&server->changed);
	server->end = eventfd(0, EFD_CLOEXEC);
	make_certificate(server);
	server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	g_assert(bind(server->listener, (struct sockaddr *)&address, size) == 0);
	g_assert(listen(server->listener, 16) == 0);
	g_assert(getsockname(server->listener, (struct sockaddr *)&address, &size) == 0);
	server->port = ntohs(address.sin_port);
	/* Its threads take no signals: those are for the code under test. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	server->acceptor = g_thread_new("smtp server", accept_all, server);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return server;
}

guint
smtp_server_port(const struct smtp_server *server)
{
	return server->port;
}

const char *
smtp_server_ca(const struct smtp_server *server)
{
	return server->ca;
}

static bool
log_has(const struct smtp_server *server, const char *text)
{
	g_autofree char *anywhere = g_strdup_printf("\n%s", text);

	return g_str_has_prefix(server->log->str, text) || strstr(server->log->str, anywhere);
}

bool
smtp_server_wait(struct smtp_server *server, const char *text)
{
	gint64 end = g_get_monotonic_time() + PATIENCE_S * G_TIME_SPAN_SECOND;
	bool found;

	g_mutex_lock(&server->lock);
	while (!(found = log_has(server, text)))
		if (!g_cond_wait_until(&server->changed, &server->lock, end))
			break;
	g_mutex_unlock(&server->lock);
	return found;
}

void
smtp_server_stop(struct smtp_server *server)
{
	if (server->stopped)
		return;
	server->stopped = true;
	eventfd_write(server->end, 1);
	shutdown(server->listener, SHUT_RDWR);
	g_thread_join(server->acceptor);
	close(server->listener);
	for (guint i = 0; i < server->threads->len; i++)
		g_thread_join(g_ptr_array_index(server->threads, i));
}

guint
smtp_server_connections(const struct smtp_server *server)
{
	return server->connections;
}

guint
smtp_server_count(const struct smtp_server *server)
{
	return server->mails->len;
}

const struct smtp_mail *
smtp_server_mail(const struct smtp_server *server, guint index)
{
	return index < server->mails->len ? g_ptr_array_index(server->mails, index) : NULL;
}

const char *
smtp_server_log(const struct smtp_server *server)
{
	return server->log->str;
}

void
smtp_server_free(struct smtp_server *server)
{
	smtp_server_stop(server);
	close(server->end);
	g_ptr_array_unref(server->threads);
	g_ptr_array_unref(server->mails);
	g_string_free(server->log, TRUE);
	SSL_CTX_free(server->tls);
	g_unlink(server->ca);
	g_free(server->ca);
	g_mutex_clear(&server->lock);
	g_cond_clear(&server->changed);
	g_free(server);
}

/* SPDX-License-Identifier: MIT */
/* Runs the commands that print the tokens of XOAUTH2, and keeps the tokens. */
#include "smtp/token.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMAND_S 10
#define KEEP_US (5 * 60 * G_USEC_PER_SEC)
#define TOKEN_BYTES 16384

struct token {
	char *text;
	gint64 until; /* monotonic */
};

static GMutex lock; /* guards tokens */
static GHashTable *tokens;

static void
free_token(void *data)
{
	struct token *token = data;

	g_free(token->text);
	g_free(token);
}

static char *
find_kept(const char *command)
{
	g_mutex_lock(&lock);
	const struct token *token = tokens ? g_hash_table_lookup(tokens, command) : NULL;
	char *text = token && g_get_monotonic_time() < token->until ? g_strdup(token->text) : NULL;
	g_mutex_unlock(&lock);
	return text;
}

static void
token_keep(const char *command, const char *text)
{
	struct token *token = g_new(struct token, 1);

	*token = (struct token){g_strdup(text), g_get_monotonic_time() + KEEP_US};
	g_mutex_lock(&lock);
	if (!tokens)
		tokens = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_token);
	g_hash_table_replace(tokens, g_strdup(command), token);
	g_mutex_unlock(&lock);
}

/* In the child: a process group of its own, so that all it starts can be ended, and no signal
   blocked. */
static void
set_up_child(gpointer unused)
{
	sigset_t none;

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Reads what the command prints until it closes its output. False at the end of the time. */
static bool
read_output(int fd, GString *output, gint64 end)
{
	char bytes[4096];

	for (;;) {
		gint64 left = (end - g_get_monotonic_time()) / 1000;
		struct pollfd ready = {.fd = fd, .events = POLLIN};

		if (left <= 0)
			return false;
		if (poll(&ready, 1, (int)left) <= 0)
			continue;
		gssize got = read(fd, bytes, sizeof(bytes));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return true;
		if (output->len < TOKEN_BYTES)
			g_string_append_len(output, bytes, got);
	}
}

/* Waits for the end of the child. False at the end of the time. */
static bool
token_await_end(GPid pid, int *status_r, gint64 end)
{
	pid_t got;

	while ((got = waitpid(pid, status_r, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
		if (g_get_monotonic_time() >= end)
			return false;
		g_usleep(5000);
	}
	return true;
}

static char *
first_line(GString *output)
{
	output->str[strcspn(output->str, "\r\n")] = '\0';
	return g_strstrip(g_strdup(output->str));
}

static char *
token_run(const char *command, char **why_r)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)command, NULL};
	gint64 end = g_get_monotonic_time() + COMMAND_S * G_USEC_PER_SEC;
	g_autoptr(GError) error = NULL;
	g_autoptr(GString) output = g_string_new(NULL);
	int fd, status = 0;
	GPid pid;

	if (!g_spawn_async_with_pipes(NULL, argv, NULL,
		G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL, set_up_child, NULL, &pid,
		NULL, &fd, NULL, &error)) {
		*why_r = g_strdup(error->message);
		return NULL;
	}
	bool ended = read_output(fd, output, end) && token_await_end(pid, &status, end);
	close(fd);
	if (!ended) {
		kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		*why_r = g_strdup_printf("no answer within %d s", COMMAND_S);
		return NULL;
	}
	g_autofree char *token = first_line(output);
	if (WIFSIGNALED(status))
		*why_r = g_strdup_printf("exit %d", 128 + WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		*why_r = g_strdup_printf("exit %d", WEXITSTATUS(status));
	else if (!*token)
		*why_r = g_strdup("it printed nothing");
	return *why_r ? NULL : g_steal_pointer(&token);
}

char *
smtp_token_get(const char *command, bool fresh, char **why_r)
{
	char *token = fresh ? NULL : find_kept(command);

	*why_r = NULL;
	if (token)
		return token;
	token = token_run(command, why_r);
	if (token)
		token_keep(command, token);
	return token;
}
